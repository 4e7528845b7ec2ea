//! Runs properties one after the other, each within bounds.

use std::{
    any::Any,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
};

use crate::{
    bench::Bench,
    deviation::{Deviation, Verdict},
    fixture::{Capability, Fixture, Quirk},
    properties::{Property, all},
    report::{Failed, Repeated, Report, Skipped},
};

/// Which properties to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All of them.
    All,
    /// Those whose name contains this.
    Containing(String),
}

impl Filter {
    fn selects(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Containing(part) => name.contains(part.as_str()),
        }
    }
}

/// The names of all properties, in the order in which they run.
pub fn property_names<F: Fixture>() -> Vec<&'static str> {
    all::<F>().iter().map(|property| property.name).collect()
}

/// Runs the suite and prints a line for each property to stdout, then the counts.
///
/// # Panics
/// When stdout cannot be written, or a quirk names no property.
pub fn run_suite<F: Fixture>(fixture: &Arc<F>, filter: &Filter) -> Report {
    run_suite_into(fixture, filter, &mut io::stdout()).expect("stdout takes the suite's lines")
}

/// As [`run_suite`], with the lines written to `out`.
///
/// # Errors
/// When `out` cannot be written.
///
/// # Panics
/// When a quirk names no property.
pub fn run_suite_into<F: Fixture>(
    fixture: &Arc<F>,
    filter: &Filter,
    out: &mut dyn Write,
) -> io::Result<Report> {
    let quirks = fixture.quirks();
    let names = property_names::<F>();
    for Quirk { name, property, .. } in &quirks {
        assert!(names.contains(property), "quirk {name} names no property: {property}");
    }
    let mut report = Report::default();
    for property in all::<F>() {
        if !filter.selects(property.name) {
            continue;
        }
        let name = property.name;
        let ended = match quirks.iter().find(|quirk| quirk.property == name) {
            Some(Quirk { name, reason, .. }) => {
                Tried::skipped(format!("known quirk {name}: {reason}"))
            }
            None => bounded(fixture, property),
        };
        note(&mut report, name, ended, out)?;
    }
    writeln!(out, "{report}")?;
    Ok(report)
}

/// Reports all properties as skipped for one reason, in the same lines as [`run_suite`].
///
/// # Errors
/// When `out` cannot be written.
pub fn skip_suite<F: Fixture>(why: &str, out: &mut dyn Write) -> io::Result<Report> {
    let mut report = Report::default();
    for name in property_names::<F>() {
        note(&mut report, name, Tried::skipped(why.to_owned()), out)?;
    }
    writeln!(out, "{report}")?;
    Ok(report)
}

/// How the last try of a property ended, and what those before it saw.
struct Tried {
    before: Vec<Deviation>,
    last: Verdict,
}

impl Tried {
    fn once(last: Verdict) -> Self {
        Self { before: Vec::new(), last }
    }

    fn skipped(reason: String) -> Self {
        Self::once(Err(Deviation::NotTestable { reason }))
    }
}

fn note(
    report: &mut Report,
    name: &'static str,
    Tried { before, last }: Tried,
    out: &mut dyn Write,
) -> io::Result<()> {
    let why: Vec<_> = before.iter().map(Deviation::chain).collect();
    for (why, number) in why.iter().zip(1..) {
        writeln!(
            out,
            "REPEATED {name}: try {number} of {TRIES} failed, perhaps because a message was lost: {why}"
        )?;
    }
    match last {
        Ok(()) => {
            match why.last() {
                None => writeln!(out, "ok {name}")?,
                Some(last) => {
                    let number = why.len() + 1;
                    writeln!(
                        out,
                        "ok {name}, at try {number} of {TRIES}; the one before failed: {last}"
                    )?;
                }
            }
            report.passed.push(name);
        }
        Err(Deviation::NotTestable { reason: why }) => {
            writeln!(out, "SKIPPED {name}: {why}")?;
            report.skipped.push(Skipped { name, why });
        }
        Err(deviation) => {
            let why = deviation.chain();
            writeln!(out, "FAIL {name}: {why}")?;
            report.failed.push(Failed { name, why });
        }
    }
    if !why.is_empty() {
        report.repeated.push(Repeated { name, why });
    }
    out.flush()
}

/// Runs a property on a thread of its own. One that does not end in time is left behind: a
/// thread that blocks inside the back end cannot be stopped.
fn bounded<F: Fixture>(fixture: &Arc<F>, property: Property<F>) -> Tried {
    let (sender, receiver) = mpsc::channel();
    let limit = fixture.time_limit();
    let fixture = Arc::clone(fixture);
    let started = thread::Builder::new().name(property.name.to_owned()).spawn(move || {
        let tried = catch_unwind(AssertUnwindSafe(|| {
            tried(tries_of(&*fixture, &property), || check(&*fixture, &property))
        }));
        // The receiver is gone only when this came too late to matter.
        let _ = sender.send(tried.unwrap_or_else(|panic| Tried::once(Err(panicked(&*panic)))));
    });
    if let Err(error) = started {
        return Tried::once(Err(Deviation::set_up("start a thread")(error.into())));
    }
    receiver.recv_timeout(limit).unwrap_or_else(|_| {
        let seconds = limit.as_secs_f64();
        let what = format!("did not end within {seconds} s: a call blocks or loops");
        Tried::once(Err(Deviation::broken(what)))
    })
}

/// How often a property whose messages may get lost is tried at the most. Ours: each try may take the fixture's
/// patience, and all of them end within its limit.
const TRIES: usize = 3;

/// How often a property is tried at the most.
fn tries_of<F: Fixture>(fixture: &F, property: &Property<F>) -> usize {
    let needs_arrival = property.needs.contains(&Capability::UnreliableArrival);
    let is_lossy = fixture.may_lose_messages() && !property.service.is_reliable();
    if needs_arrival && is_lossy { TRIES } else { 1 }
}

/// Tries up to so often, until a try ends otherwise than a lost message would have it end.
fn tried(most: usize, mut check: impl FnMut() -> Verdict) -> Tried {
    let mut before = Vec::new();
    loop {
        match check() {
            Err(lost) if lost.may_be_a_loss() && before.len() + 1 < most => before.push(lost),
            last => return Tried { before, last },
        }
    }
}

fn check<F: Fixture>(fixture: &F, property: &Property<F>) -> Verdict {
    let is_reliable = property.service.is_reliable();
    let beside = (!is_reliable).then_some(Capability::UnreliableConnection);
    let bench = Bench::open(fixture, property.service)?;
    for &capability in beside.iter().chain(property.needs) {
        if let Some(reason) = bench.lacks(capability) {
            return Err(missing(capability, &reason));
        }
    }
    (property.check)(&bench)
}

fn missing(capability: Capability, reason: &str) -> Deviation {
    Deviation::NotTestable { reason: format!("no {capability}: {reason}") }
}

fn panicked(panic: &(dyn Any + Send)) -> Deviation {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    Deviation::broken(format!("panicked: {}", text.unwrap_or("with no message")))
}

#[cfg(test)]
mod tests;
