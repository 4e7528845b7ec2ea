//! The measuring itself: in each replicate every pair of nodes in random order, then the sweeps.

use std::num::NonZeroU64;

use onesided_access::chase::{ChaseError, Effort, Probe, Reading, plateaus, probe};
use onesided_load::Random;
use onesided_measure::Clock;
use onesided_placement::{MemoryError, NodeId};
use onesided_results::{row::MemoryLatencyRow, vocabulary::LatencyPart};

use super::{
    Arguments,
    choices::SweepChoice,
    host::{Host, Loader},
    load::{Load, LoadPlan},
    rows::{Cell, row},
};
use crate::progress::Progress;

/// Streams of the random orders of cells; those of lines are the replicates' own numbers.
const CELLS_STREAM: u64 = 1 << 32;

/// What all measurements share.
struct Run<'a> {
    arguments: &'a Arguments,
    host: &'a Host,
    clock: &'a Clock,
    load: Option<LoadPlan>,
}

/// Measures everything that was asked for: a row a measurement.
pub fn measured(
    arguments: &Arguments,
    host: &Host,
    clock: &Clock,
) -> anyhow::Result<Vec<MemoryLatencyRow>> {
    let load = LoadPlan::of(&arguments.load, host)?;
    let run = Run { arguments, host, clock, load };
    let pairs = run.pairs();
    let swept = run.swept(&pairs);
    let once = pairs.len() + swept.iter().map(|(_, sizes)| sizes.len()).sum::<usize>();
    let mut progress = Progress::of(once as u64 * u64::from(arguments.replicates.get()));
    let mut rows = Vec::new();
    let done = run.everything(&pairs, &swept, &mut rows, &mut progress);
    progress.end();
    done.map(|()| rows)
}

/// One entry of the matrix.
#[derive(Clone, Copy)]
struct Pair<'a> {
    loader: &'a Loader,
    memory: NodeId,
    loaded: bool,
}

/// A pair and the working sets to sweep for it.
type Swept<'a> = (Pair<'a>, Vec<u64>);

impl Run<'_> {
    fn pairs(&self) -> Vec<Pair<'_>> {
        let states: &[bool] = if self.load.is_some() { &[false, true] } else { &[false] };
        let mut pairs = Vec::new();
        for loader in &self.host.loaders {
            for memory in &self.host.memory_nodes {
                pairs.extend(states.iter().map(|&loaded| Pair { loader, memory: *memory, loaded }));
            }
        }
        pairs
    }

    /// The idle pairs to sweep.
    fn swept<'a>(&self, pairs: &[Pair<'a>]) -> Vec<Swept<'a>> {
        let wanted = |pair: &&Pair<'a>| match self.arguments.sweep {
            SweepChoice::None => false,
            SweepChoice::Local => !pair.loaded && pair.memory == pair.loader.nearest_memory,
            SweepChoice::All => !pair.loaded,
        };
        let sizes = |pair: &Pair<'a>| {
            plateaus::working_sets(&pair.loader.caches, self.host.working_set_bytes)
        };
        pairs.iter().filter(wanted).map(|pair| (*pair, sizes(pair))).collect()
    }

    fn everything(
        &self,
        pairs: &[Pair<'_>],
        swept: &[Swept<'_>],
        rows: &mut Vec<MemoryLatencyRow>,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        for replicate in 1..=self.arguments.replicates.get() {
            let stream = CELLS_STREAM + u64::from(replicate);
            let mut random = Random::new(self.arguments.seed, stream);
            for pair in shuffled(pairs, &mut random) {
                let sizes = vec![self.host.working_set_bytes];
                self.pair(pair, replicate, LatencyPart::Matrix, sizes, rows, progress)?;
            }
            // With memory of their own each time, too: what a load takes depends on which pages those are.
            for (pair, sizes) in swept {
                self.pair(*pair, replicate, LatencyPart::Sweep, sizes.clone(), rows, progress)?;
            }
        }
        Ok(())
    }

    fn pair(
        &self,
        pair: Pair<'_>,
        replicate: u32,
        part: LatencyPart,
        working_sets_bytes: Vec<u64>,
        rows: &mut Vec<MemoryLatencyRow>,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let asked = Probe {
            cpu: pair.loader.cpu,
            memory_node: Some(pair.memory),
            working_sets_bytes,
            pages: self.arguments.pages.0,
            order: self.arguments.order,
            seed: Random::new(self.arguments.seed, u64::from(replicate)).next_bits(),
            effort: Effort { repetitions: self.arguments.repetitions, loads: self.arguments.loads },
        };
        let load = self.load.as_ref().filter(|_| pair.loaded);
        let load = load.map(|plan| Load::start(plan, self.clock, pair.loader)).transpose()?;
        let what = format!("from node {} to node {}", pair.loader.node, pair.memory);
        let readings = self.probed(&asked, |_| progress.step(&what));
        let load = load.map(Load::stop).transpose()?;
        let cell = Cell { replicate, part, loader: pair.loader, memory: pair.memory };
        rows.extend(
            readings?.iter().map(|reading| row(self.arguments, self.host, &cell, reading, &load)),
        );
        Ok(())
    }

    /// Where a container forbids to bind memory and there is one node only, memory is there anyway.
    fn probed(
        &self,
        asked: &Probe,
        mut each: impl FnMut(&Reading) + Send,
    ) -> Result<Vec<Reading>, ChaseError> {
        match probe(asked, self.clock, &mut each) {
            Err(ChaseError::Memory { source: MemoryError::BindingRefused { .. } })
                if self.host.nodes_with_memory == 1 =>
            {
                probe(&Probe { memory_node: None, ..asked.clone() }, self.clock, each)
            }
            other => other,
        }
    }
}

/// The same items in random order.
fn shuffled<T: Copy>(items: &[T], random: &mut Random) -> Vec<T> {
    let mut items = items.to_vec();
    for last in (1..items.len()).rev() {
        let count = NonZeroU64::new(last as u64 + 1).expect("one more than a whole number");
        items.swap(last, random.below(count) as usize);
    }
    items
}
