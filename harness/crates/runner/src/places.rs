//! Places: resolved on a side's machine, memory taken there, proven by the kernel's word.

use onesided_placement::{
    BoundMemory, CpuSet, Mapping, MappingSnapshot, MemoryPlace, MemoryPolicy, NodeId, PageSize,
    PolicyGuard, Residency, ResidencyError, ResidencyVerdict, Resolve, bytes_of_page,
};
use onesided_results::{
    record::{MisplacedPages, PlacementProof, ThreadProof},
    vocabulary::{MemorySpread, Moment, Phase, PlacedMemory, PlacementMethod, ThreadRole},
};
use onesided_transport::{CreateEndpointError, EndpointAttributes, Transport};

use crate::{error::RunError, site::Site, thread::Noted};

/// Memory that a run asked for in some place.
pub(crate) struct Placed {
    pub memory: BoundMemory,
    pub ask: Ask,
}

/// What was asked of some memory, and what it means on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub what: PlacedMemory,
    pub words: String,
    pub node: Option<NodeId>,
}

/// The queue pairs' rings: what appeared, and was in memory, when they were made.
pub(crate) struct Rings {
    ask: Ask,
    /// Absent where the back end takes them from elsewhere.
    mappings: Option<Vec<(usize, usize)>>,
}

fn set_up(
    what: impl Into<String>,
) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> RunError {
    let what = what.into();
    move |source| RunError::boxed(Phase::SetUp, what, source)
}

impl<T: Transport> Site<'_, T> {
    /// What `words` mean for memory on this machine.
    pub(crate) fn ask(&self, what: PlacedMemory, words: &str) -> Result<Ask, RunError> {
        let resolve = || -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
            let place: MemoryPlace = words.parse()?;
            Ok(place.resolve(&self.topology, &self.locality)?)
        };
        let node = resolve().map_err(set_up(format!("{what} = {words}")))?;
        Ok(Ask { what, words: words.to_owned(), node })
    }

    /// Takes `bytes` of memory where it is asked for, bound before the first touch.
    pub(crate) fn take(&self, ask: Ask, bytes: usize) -> Result<Placed, RunError> {
        let memory = BoundMemory::allocate(bytes, PageSize::Base, ask.node)
            .map_err(|source| set_up(format!("{} of {bytes} bytes", ask.what))(source.into()))?;
        Ok(Placed { memory, ask })
    }

    /// Makes endpoints, their rings where they are asked for.
    pub(crate) fn endpoints(
        &self,
        ask: Ask,
        attributes: impl Iterator<Item = EndpointAttributes>,
    ) -> Result<(Vec<T::Endpoint>, Rings), RunError> {
        let failed = |what: &str| set_up(what.to_owned());
        let guard = ask.node.map(PolicyGuard::bind).transpose();
        let guard = guard.map_err(|source| failed("memory policy for the rings")(source.into()))?;
        let before = MappingSnapshot::take();
        let before = before.map_err(|source| failed("this process's mappings")(source.into()))?;
        let made: Result<Vec<_>, CreateEndpointError> =
            attributes.map(|attributes| self.transport.create_endpoint(&attributes)).collect();
        let endpoints = made.map_err(|source| failed("queue pairs")(source.into()))?;
        let appeared = before.appeared();
        drop(guard);
        let appeared =
            appeared.map_err(|source| failed("this process's mappings")(source.into()))?;
        // Where the driver allocates the rings, they are mappings of its device file. Where the
        // library does, they are among the allocator's pages.
        let of_device = |mapping: &&Mapping| {
            mapping.backing.as_deref().is_some_and(|file| file.starts_with("/dev/"))
        };
        let by_driver = appeared.iter().any(|mapping| of_device(&mapping));
        let pinned = appeared.iter().filter(|mapping| !by_driver || of_device(mapping));
        let pinned = pinned.flat_map(Mapping::resident);
        let mappings = pinned.map(|part| (part.start, part.length)).collect();
        let mappings = self.transport.places_rings().is_ok().then_some(mappings);
        Ok((endpoints, Rings { ask, mappings }))
    }
}

impl Placed {
    /// The memory as bytes.
    ///
    /// # Safety
    /// No device may access it meanwhile: no peer knows it yet, or the last request has completed.
    pub(crate) unsafe fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is mapped, touched, and borrowed as long as the slice; that nobody
        // else accesses it is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.memory.len()) }
    }

    /// Asks the kernel where every page is.
    pub(crate) fn prove(&self, when: Moment) -> Result<PlacementProof, RunError> {
        let (address, length) = (self.memory.as_ptr() as usize, self.memory.len());
        prove(&self.ask, &[(address, length)], self.memory.page_bytes(), when)
    }
}

impl Rings {
    /// Asks the kernel where every page is.
    pub(crate) fn prove(&self, when: Moment) -> Result<PlacementProof, RunError> {
        let page_bytes = bytes_of_page(PageSize::Base);
        match &self.mappings {
            Some(mappings) => prove(&self.ask, mappings, page_bytes, when),
            None => {
                let method = PlacementMethod::Fabric;
                Ok(PlacementProof { method, ..unproven(&self.ask, page_bytes, when) })
            }
        }
    }
}

/// Asks the kernel where every page is of memory that may be spread over nodes, and was asked for
/// in `words`.
///
/// # Errors
/// The kernel fails in a way that is neither a refusal nor an answer.
pub fn prove_memory(
    what: PlacedMemory,
    words: &str,
    memory: &BoundMemory,
    when: Moment,
) -> Result<PlacementProof, ResidencyError> {
    let residency = memory.residency()?;
    let ask = Ask { what, words: words.to_owned(), node: memory.asked() };
    let mut proof = unproven(&ask, memory.page_bytes(), when);
    add(&mut proof, &residency);
    if memory.asked().is_none() {
        let preferred = matches!(memory.policy(), MemoryPolicy::Preferred(_));
        proof.spread = match memory.policy().verdict(&residency) {
            ResidencyVerdict::NothingAsked => MemorySpread::NotAsked,
            ResidencyVerdict::WhereAsked => MemorySpread::AsAsked,
            ResidencyVerdict::Misplaced if preferred => MemorySpread::NotFollowed,
            ResidencyVerdict::Misplaced => MemorySpread::Otherwise,
            _ => MemorySpread::Unproven,
        };
    }
    Ok(proof)
}

fn unproven(ask: &Ask, page_bytes: usize, when: Moment) -> PlacementProof {
    PlacementProof {
        what: ask.what,
        asked: ask.words.clone(),
        resolved_node: ask.node.map(|node| node.0),
        pages: 0,
        page_bytes: page_bytes as u64,
        by_node: Default::default(),
        unproven_pages: 0,
        misplaced: Vec::new(),
        misplaced_not_listed: 0,
        spread: MemorySpread::NotAsked,
        when,
        method: PlacementMethod::MovePages,
    }
}

fn prove(
    ask: &Ask,
    ranges: &[(usize, usize)],
    page_bytes: usize,
    when: Moment,
) -> Result<PlacementProof, RunError> {
    let mut proof = unproven(ask, page_bytes, when);
    for &(address, length) in ranges {
        let residency =
            Residency::of(std::ptr::without_provenance(address), length, page_bytes, ask.node)
                .map_err(|source| {
                    set_up(format!("where the pages of {} are", ask.what))(source.into())
                })?;
        add(&mut proof, &residency);
    }
    Ok(proof)
}

fn add(proof: &mut PlacementProof, residency: &Residency) {
    let offset = proof.pages;
    proof.pages += residency.pages;
    proof.unproven_pages += residency.unproven_pages;
    proof.misplaced_not_listed += residency.misplaced_runs_cut;
    for (node, pages) in &residency.by_node {
        *proof.by_node.entry(node.0).or_default() += pages;
    }
    proof.misplaced.extend(residency.misplaced.iter().map(|run| MisplacedPages {
        first_page: offset + run.first_page,
        pages: run.pages,
        node: run.node.0,
    }));
    if residency.method != PlacementMethod::MovePages {
        proof.method = residency.method;
    }
}

/// What a thread noted of itself, as it is written down.
pub(crate) fn thread_proof(
    role: ThreadRole,
    thread: usize,
    asked: &str,
    cpus: Option<&CpuSet>,
    node: Option<u32>,
    noted: &Noted,
) -> ThreadProof {
    ThreadProof {
        role,
        thread: thread as u32,
        asked: asked.to_owned(),
        asked_cpus: cpus.map(ToString::to_string),
        resolved_node: node,
        seen: noted.seen.samples().to_vec(),
        activity: Some(noted.activity.clone()),
    }
}
