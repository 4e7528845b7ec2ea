//! The counters that were opened: one group for each unit and CPU.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use super::perf::{self, Whose};
use super::unit::{self, Unit};
use super::{Source, text};

/// What opening came to.
#[derive(Debug)]
pub struct Opened {
    /// What can be read; may be empty.
    pub counters: Counters,
    /// What cannot, and what to do: one line for each reason.
    pub refused: Vec<String>,
}

/// Open counters; they count until this is dropped.
#[derive(Debug, Default)]
pub struct Counters {
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    leader: File,
    /// Kept open, as closing ends the counting.
    members: Vec<File>,
    names: Vec<String>,
}

/// One counter at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// What the hardware counted.
    pub value: u64,
    /// Time since the counter was opened, in ns.
    pub enabled_ns: u64,
    /// Of this the time for which it had hardware to count with, in ns.
    pub running_ns: u64,
}

/// All counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// By names such as `uncore_imc_0/cas_count_read@cpu0`.
    pub counts: BTreeMap<String, Count>,
    /// Groups that could not be read, and why.
    pub failed: Vec<String>,
}

/// What was counted in an interval.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counted {
    /// By name; counters that never had hardware in the interval are left out.
    pub counts: BTreeMap<String, u64>,
    /// Those of them that had hardware for a part of the interval, and are scaled up to it.
    pub estimated: Vec<String>,
}

impl Counters {
    /// Opens what is wanted on this machine, at most `limit` counters. Never fails: what cannot be
    /// opened is in `refused`.
    pub fn open(limit: usize) -> Opened {
        Source::default().open(limit)
    }

    /// The names of all counters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| &group.names).map(String::as_str)
    }

    /// Reads all counters: some microseconds each, so before and after a run and not within.
    pub fn read(&mut self) -> Reading {
        let mut reading = Reading::default();
        for group in &mut self.groups {
            match perf::read(&mut group.leader, group.members.len() + 1) {
                Ok(read) => {
                    let (enabled_ns, running_ns) = (read.enabled_ns, read.running_ns);
                    let counts = read.values.iter().map(|value| Count {
                        value: *value,
                        enabled_ns,
                        running_ns,
                    });
                    reading.counts.extend(group.names.iter().cloned().zip(counts));
                }
                Err(error) => reading.failed.push(format!("{}: {error}", group.names.join(", "))),
            }
        }
        reading
    }
}

impl Reading {
    /// What was counted since an earlier reading of the same counters. A counter that shared its
    /// hardware with others is scaled by the time it had none, and named in `estimated`.
    pub fn since(&self, before: &Self) -> Counted {
        let mut counted = Counted::default();
        for (name, after) in &self.counts {
            let Some(before) = before.counts.get(name) else { continue };
            let enabled = after.enabled_ns.saturating_sub(before.enabled_ns);
            let running = after.running_ns.saturating_sub(before.running_ns);
            if running == 0 {
                continue;
            }
            let mut value = after.value.saturating_sub(before.value);
            if running < enabled {
                let scaled = u128::from(value) * u128::from(enabled) / u128::from(running);
                value = u64::try_from(scaled).unwrap_or(u64::MAX);
                counted.estimated.push(name.clone());
            }
            counted.counts.insert(name.clone(), value);
        }
        counted
    }
}

/// What is to be opened.
struct Wish<'a> {
    rank: usize,
    unit: &'a Unit,
    cpu: u32,
    event: &'static str,
    terms: String,
}

pub(super) fn open(source: &Source, limit: usize) -> Opened {
    let (units, mut refused) = source.units();
    let mut wishes: Vec<Wish<'_>> = units.iter().flat_map(wishes_of).collect();
    if wishes.is_empty() {
        refused.push(nothing_wanted(source, &units));
    }
    // A stable sort: within a rank the units stay in order, and a unit's events together.
    wishes.sort_by_key(|wish| wish.rank);
    if let Some(left) = wishes.len().checked_sub(limit).filter(|left| *left > 0) {
        let from = format!("{}/{}", wishes[limit].unit.name, wishes[limit].event);
        refused.push(format!("{left} events left out, from {from} on: the limit is {limit}"));
        wishes.truncate(limit);
    }
    let mut counters = Counters::default();
    for wish in wishes {
        match counters.add(&wish) {
            Ok(()) => {}
            Err(Refusal::Right(error)) => {
                refused.push(no_right(source, &error));
                break;
            }
            Err(Refusal::Other(why)) => {
                refused.push(format!("{}/{}: {why}", wish.unit.name, wish.event));
            }
        }
    }
    Opened { counters, refused }
}

fn wishes_of(unit: &Unit) -> Vec<Wish<'_>> {
    let mut wishes = Vec::new();
    for cpu in &unit.cpus {
        for (rank, event, terms) in unit.wanted() {
            wishes.push(Wish { rank, unit, cpu: cpu.0, event, terms });
        }
    }
    wishes
}

enum Refusal {
    /// The same for all counters.
    Right(io::Error),
    Other(String),
}

impl Counters {
    fn add(&mut self, wish: &Wish<'_>) -> Result<(), Refusal> {
        let Wish { unit, cpu, event, .. } = wish;
        let words = unit.words(&wish.terms).map_err(|error| Refusal::Other(error.to_string()))?;
        let name = format!("{}/{event}@cpu{cpu}", unit.name);
        let own = format!("{}/", unit.name);
        let at = format!("@cpu{cpu}");
        let same =
            |group: &&mut Group| group.names[0].starts_with(&own) && group.names[0].ends_with(&at);
        let whose = Whose::AllOn(*cpu);
        let group = self.groups.iter_mut().rfind(same);
        let joined = group.and_then(|group| {
            // A group has no more members than its unit has counters; the next starts another.
            let member = perf::open(unit.kind, words, whose, Some(&group.leader)).ok()?;
            group.members.push(member);
            group.names.push(name.clone());
            Some(())
        });
        if joined.is_none() {
            let leader = perf::open(unit.kind, words, whose, None).map_err(refusal)?;
            self.groups.push(Group { leader, members: Vec::new(), names: vec![name] });
        }
        Ok(())
    }
}

fn refusal(error: io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Refusal::Right(error),
        _ => Refusal::Other(format!("perf_event_open: {error}")),
    }
}

fn no_right(source: &Source, error: &io::Error) -> String {
    let level = text(&source.paranoid_file()).unwrap_or_else(|| "not known".to_owned());
    format!(
        "perf_event_open is refused ({error}; kernel.perf_event_paranoid is {level}): run as root \
         or with CAP_PERFMON, or set kernel.perf_event_paranoid to 0; in a container its filter of \
         system calls must let it through, too"
    )
}

fn nothing_wanted(source: &Source, units: &[Unit]) -> String {
    let folder = source.folder();
    if !folder.exists() {
        return format!("{} is not there: this kernel has no performance events", folder.display());
    }
    let list = |names: Vec<String>| if names.is_empty() { "none".into() } else { names.join(", ") };
    if units.is_empty() {
        let all = list(unit::names(&folder));
        return format!("no counters outside the cores: no unit has a cpumask (there are: {all})");
    }
    let names = list(units.iter().map(|unit| unit.name.clone()).collect());
    format!(
        "no known event of memory, PCIe or socket links is named by the units there are: {names}"
    )
}
