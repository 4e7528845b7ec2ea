//! What was measured of the very workload that is asked about.

use onesided_results::{
    row::ConditionRow,
    vocabulary::{
        Campaign, CodeGeneration, IntervalOrigin, Locality, LoopShape, Regime, Word as _,
    },
};
use serde::Serialize;

/// Both places of the memory, measured in the same way, with the client on its card's node.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    code_generation: Option<&'static str>,
    campaign: Option<&'static str>,
    near: Place,
    far: Place,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Place {
    throughput_ops: f64,
    low_ops: Option<f64>,
    high_ops: Option<f64>,
    runs: u32,
}

impl Measured {
    /// As a sentence.
    pub fn told(&self) -> String {
        let Self { near, far, .. } = self;
        let of = [
            self.code_generation.map(|word| format!("program {word}")),
            self.campaign.map(|word| format!("campaign {word}")),
        ];
        let of = of.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let million = |place: &Place| {
            let between = match (place.low_ops, place.high_ops) {
                (Some(low), Some(high)) => format!(" ({:.2} to {:.2})", low / 1e6, high / 1e6),
                _ => String::new(),
            };
            format!("{:.2}{between}", place.throughput_ops / 1e6)
        };
        format!(
            "Measured, {of}: {} million a second near, {} far, {:.2} times as many; runs: {} near, {} far.",
            million(near),
            million(far),
            far.throughput_ops / near.throughput_ops,
            near.runs,
            far.runs
        )
    }
}

/// Those of `conditions` that are of the workload that `is_it` knows, one of each program and campaign.
pub fn measured(
    conditions: &[ConditionRow],
    is_it: impl Fn(&ConditionRow) -> bool,
) -> Vec<Measured> {
    let usable = |condition: &&ConditionRow| {
        condition.loop_shape == LoopShape::Saturating
            && condition.client_locality == Some(Locality::RdmaLocal)
            && condition.regime.is_none_or(|regime| regime == Regime::Usual)
            && condition.throughput_ops.is_some_and(|ops| ops > 0.0)
            && is_it(condition)
    };
    let of: Vec<_> = conditions.iter().filter(usable).collect();
    let alike = |one: &ConditionRow, other: &ConditionRow| {
        (one.code_generation, one.campaign) == (other.code_generation, other.campaign)
    };
    let at = |locality| of.iter().filter(move |condition| condition.locality == Some(locality));
    let pairs = at(Locality::RdmaLocal).filter_map(|near| {
        let far = at(Locality::RdmaRemote).find(|far| alike(near, far))?;
        Some(Measured {
            code_generation: near.code_generation.map(CodeGeneration::word),
            campaign: near.campaign.map(Campaign::word),
            near: place(near)?,
            far: place(far)?,
        })
    });
    pairs.collect()
}

fn place(condition: &ConditionRow) -> Option<Place> {
    // That of a single run's windows says nothing of the next run.
    let over_runs = condition.throughput_interval == IntervalOrigin::Replicates;
    let end = |end: Option<f64>| end.filter(|_| over_runs);
    Some(Place {
        throughput_ops: condition.throughput_ops?,
        low_ops: end(condition.throughput_low_ops),
        high_ops: end(condition.throughput_high_ops),
        runs: condition.runs,
    })
}
