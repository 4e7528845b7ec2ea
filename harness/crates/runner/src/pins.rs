//! Which CPU each thread of a side is pinned to, and that no two share one.
//!
//! A place that lists CPUs (`cpus:4-7`) means them ascending, one a thread. A place that is a node
//! means the CPUs of it that nothing else of the run is pinned to. Threads of the independent load
//! may be more than that: the study's had 128 on 48 CPUs. They get in turn what the others leave.
//! On a node that is `shared:`, each thread may run on any CPU that the others leave, and there may be
//! more of them as well: so the study's workers were bound.

use std::{collections::BTreeMap, fmt};

use onesided_control::message::PinnedClient;
use onesided_placement::{CpuId, CpuSet, DeviceLocality, NodeId, Resolve, ThreadPlace, Topology};
use onesided_results::vocabulary::Phase;

use crate::{error::RunError, machine::boot_id};

/// Threads that want to be pinned.
#[derive(Clone, Debug)]
pub(crate) struct Wish<'a> {
    /// The configuration's field, for messages.
    pub field: &'static str,
    /// Its value.
    pub words: &'a str,
    /// How many threads.
    pub threads: usize,
    /// What they have to do with each other's CPUs.
    pub sharing: Sharing,
}

/// Whether a role's threads have CPUs of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// One each; refused where there are too few.
    OneEach,
    /// One each, and in turn where there are too few: an oversubscribed client can be meant.
    InTurn,
    /// In turn those of a node that the others leave; of a list, one each.
    WhatIsLeft,
}

/// What each thread may run on, by role in the order of the wishes; absent: any.
pub(crate) type Dealt = Vec<Vec<Option<CpuSet>>>;

/// Why threads cannot be pinned as asked.
#[derive(Debug, thiserror::Error)]
enum PinError {
    #[error(
        "{field} = {words} overlaps: CPU {cpu} is {other}'s; give each its own, or name a node \
         and leave the choice"
    )]
    Overlap { field: &'static str, words: String, cpu: CpuId, other: &'static str },
    #[error(
        "{field} = {words} has {} for {threads} threads, and each needs its own{}; ask for fewer \
         threads, more CPUs, `any`, or a node that they share (`shared:rdma-local`)",
        Cpus(free),
        PinnedCpus(taken)
    )]
    TooFew {
        field: &'static str,
        words: String,
        threads: usize,
        free: Vec<CpuId>,
        taken: BTreeMap<CpuId, &'static str>,
    },
    #[error("{field} = {words}: every CPU of it is pinned to another thread{}", PinnedCpus(taken))]
    NoneLeft { field: &'static str, words: String, taken: BTreeMap<CpuId, &'static str> },
}

/// CPUs, counted and listed.
struct Cpus<'a>(&'a [CpuId]);

impl fmt::Display for Cpus<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match CpuSet::new(self.0.iter().copied()) {
            None => out.write_str("no free CPU"),
            Some(cpus) if self.0.len() == 1 => write!(out, "one free CPU ({cpus})"),
            Some(cpus) => write!(out, "{} free CPUs ({cpus})", self.0.len()),
        }
    }
}

/// CPUs that others have, in parentheses; nothing where none is.
struct PinnedCpus<'a>(&'a BTreeMap<CpuId, &'static str>);

impl fmt::Display for PinnedCpus<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken: Vec<_> = self.0.iter().map(|(cpu, of)| format!("CPU {cpu}: {of}")).collect();
        if taken.is_empty() { Ok(()) } else { write!(out, " (taken: {})", taken.join(", ")) }
    }
}

/// Deals CPUs to the roles of `wishes`. `others` are CPUs that threads outside them are pinned to.
///
/// # Errors
/// A place that cannot be, two roles that name the same CPU, or too few CPUs where each thread
/// needs its own.
pub(crate) fn deal(
    topology: &Topology,
    locality: &DeviceLocality,
    others: BTreeMap<CpuId, &'static str>,
    wishes: &[Wish<'_>],
) -> Result<Dealt, RunError> {
    let mut table = Table { taken: others };
    let mut dealt: Dealt = vec![Vec::new(); wishes.len()];
    let mut places = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let place: ThreadPlace = wish.words.parse().map_err(|source| failed(wish, source))?;
        let cpus = place.resolve(topology, locality).map_err(|source| failed(wish, source))?;
        places.push((place, cpus.filter(|_| wish.threads > 0)));
    }
    // Those that name their CPUs first, the shared ones last: who leaves the choice gets the rest.
    let rank = |index: &usize| match (&places[*index].0, wishes[*index].sharing) {
        (ThreadPlace::Cpus(_), _) => 0,
        (ThreadPlace::Shared(_), _) | (_, Sharing::WhatIsLeft) => 2,
        _ => 1,
    };
    let mut turns: Vec<usize> = (0..wishes.len()).collect();
    turns.sort_by_key(rank);
    for index in turns {
        let (place, cpus) = &places[index];
        let wish = &wishes[index];
        dealt[index] = match cpus {
            None => vec![None; wish.threads],
            Some(cpus) => {
                let own = table.take(wish, place, cpus);
                own.map_err(|source| RunError::new(Phase::SetUp, "", source))?
            }
        };
    }
    Ok(dealt)
}

fn failed(wish: &Wish<'_>, source: impl std::error::Error + Send + Sync + 'static) -> RunError {
    RunError::new(Phase::SetUp, format!("{} = {}", wish.field, wish.words), source)
}

/// Which CPUs are whose.
struct Table {
    taken: BTreeMap<CpuId, &'static str>,
}

impl Table {
    fn take(
        &mut self,
        wish: &Wish<'_>,
        place: &ThreadPlace,
        cpus: &CpuSet,
    ) -> Result<Vec<Option<CpuSet>>, PinError> {
        let (field, words) = (wish.field, wish.words.to_owned());
        let taken: BTreeMap<_, _> =
            cpus.iter().filter_map(|cpu| Some((cpu, *self.taken.get(&cpu)?))).collect();
        if let (ThreadPlace::Cpus(_), Some((cpu, other))) = (place, taken.first_key_value()) {
            return Err(PinError::Overlap { field, words, cpu: *cpu, other });
        }
        let free: Vec<CpuId> = cpus.iter().filter(|cpu| !taken.contains_key(cpu)).collect();
        if let ThreadPlace::Shared(_) = place {
            let Some(free) = CpuSet::new(free) else {
                return Err(PinError::NoneLeft { field, words, taken });
            };
            return Ok(vec![Some(free); wish.threads]);
        }
        let own: Vec<CpuId> = match wish.sharing {
            Sharing::OneEach if free.len() < wish.threads => {
                return Err(PinError::TooFew { field, words, threads: wish.threads, free, taken });
            }
            Sharing::WhatIsLeft
                if matches!(place, ThreadPlace::Cpus(_)) && free.len() < wish.threads =>
            {
                return Err(PinError::TooFew { field, words, threads: wish.threads, free, taken });
            }
            Sharing::InTurn | Sharing::WhatIsLeft if free.is_empty() => {
                return Err(PinError::NoneLeft { field, words, taken });
            }
            _ => free,
        };
        self.claim(own.iter().copied().take(wish.threads), field);
        let in_turn = own.iter().cycle().take(wish.threads);
        Ok(in_turn.map(|cpu| Some(CpuSet::of(*cpu))).collect())
    }

    fn claim(&mut self, cpus: impl Iterator<Item = CpuId>, field: &'static str) {
        self.taken.extend(cpus.map(|cpu| (cpu, field)));
    }
}

/// The CPUs that threads of other client hosts, or of clients, are pinned to on this machine; `name`
/// is what they are called in messages.
pub(crate) fn of_clients(
    clients: &[PinnedClient],
    name: &'static str,
) -> BTreeMap<CpuId, &'static str> {
    let here = boot_id();
    let same_machine = clients.iter().filter(|client| here.is_some() && client.boot_id == here);
    same_machine.flat_map(|client| &client.cpus).map(|cpu| (CpuId(*cpu), name)).collect()
}

/// The node that CPUs are all of; absent if they are of several.
pub(crate) fn node_of(topology: &Topology, cpus: &CpuSet) -> Option<NodeId> {
    let node = topology.node_of_cpu(cpus.first())?;
    cpus.iter().all(|cpu| topology.node_of_cpu(cpu) == Some(node)).then_some(node)
}

#[cfg(test)]
mod tests;
