//! How much a run differs from the next one of the same condition.

use onesided_results::row::ConditionRow;

/// Standard deviations of the logarithm of throughput from run to run, pooled over replicated
/// conditions of a profile by program and operation.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    groups: Vec<(String, Pooled)>,
    all: Pooled,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pooled {
    squares: f64,
    degrees: f64,
}

impl Pooled {
    fn add(&mut self, sd: f64, runs: u32) {
        let degrees = f64::from(runs) - 1.0;
        self.squares += sd * sd * degrees;
        self.degrees += degrees;
    }

    fn sd(self) -> Option<f64> {
        (self.degrees > 0.0).then(|| (self.squares / self.degrees).sqrt())
    }
}

/// Where nothing was replicated: what reads of the study's first machine vary by.
const UNKNOWN: f64 = 0.02;
/// No run is known better than this: its windows vary by as much.
const LEAST: f64 = 0.002;

impl Noise {
    /// Of conditions of one profile.
    pub fn of<'a>(conditions: impl IntoIterator<Item = &'a ConditionRow>) -> Self {
        let mut noise = Self::default();
        for condition in conditions {
            let Some(sd) = condition.throughput_log_sd.filter(|_| condition.runs > 1) else {
                continue;
            };
            noise.all.add(sd, condition.runs);
            let name = group(condition);
            match noise.groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, pooled)) => pooled.add(sd, condition.runs),
                None => {
                    let mut pooled = Pooled::default();
                    pooled.add(sd, condition.runs);
                    noise.groups.push((name, pooled));
                }
            }
        }
        noise
    }

    /// Of one run of a condition.
    pub fn log_sd(&self, condition: &ConditionRow) -> f64 {
        let name = group(condition);
        let of_group = self.groups.iter().find(|(known, _)| *known == name);
        let sd = of_group.and_then(|(_, pooled)| pooled.sd()).or(self.all.sd());
        sd.unwrap_or(UNKNOWN).max(LEAST)
    }
}

fn group(condition: &ConditionRow) -> String {
    format!("{:?} {}", condition.code_generation, condition.operation)
}
