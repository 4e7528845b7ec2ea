//! Performance monitoring units outside the cores, as sysfs describes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use onesided_placement::CpuSet;

use super::terms::{self, ConfigWords, TermError};
use super::{text, wanted};

/// A unit outside the cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its name, such as `uncore_imc_0`.
    pub name: String,
    /// What `perf_event_attr.type` is for it.
    pub kind: u32,
    /// The CPUs through which it is counted: one for each die or socket that has such a unit.
    pub cpus: CpuSet,
    /// Its named events and their terms.
    pub events: BTreeMap<String, String>,
    /// Where its terms go.
    pub format: BTreeMap<String, String>,
}

impl Unit {
    /// The words of one of its events.
    ///
    /// # Errors
    /// The event's terms do not fit the unit's format.
    pub fn words(&self, terms: &str) -> Result<ConfigWords, TermError> {
        terms::words(terms, &self.format)
    }

    /// The events that are wanted and that it has: rank, name, terms. Those with words of our own it has if
    /// its format has their terms: a client's `uncore_cbox_0` filters no opcodes.
    pub(super) fn wanted(&self) -> Vec<(usize, &'static str, String)> {
        let found = wanted::events(&self.name).into_iter();
        let found = found.filter_map(|(rank, event)| {
            let fits = |terms: &&str| self.words(terms).is_ok();
            let own = || wanted::own_words(&self.name, event).filter(fits).map(str::to_owned);
            Some((rank, event, self.events.get(event).cloned().or_else(own)?))
        });
        found.collect()
    }
}

/// The units below a folder such as `/sys/bus/event_source/devices`, and what was not understood.
pub(super) fn discover(folder: &Path) -> (Vec<Unit>, Vec<String>) {
    let (mut units, mut doubts) = (Vec::new(), Vec::new());
    for name in names(folder) {
        let place = folder.join(&name);
        let Some(mask) = text(&place.join("cpumask")) else { continue };
        match read(&place, name, &mask) {
            Ok(unit) => units.push(unit),
            Err(doubt) => doubts.push(doubt),
        }
    }
    (units, doubts)
}

fn read(place: &Path, name: String, mask: &str) -> Result<Unit, String> {
    let cpus = mask.parse().map_err(|error| format!("{name}: its cpumask: {error}"))?;
    let kind = text(&place.join("type")).unwrap_or_default();
    let kind = kind.parse().map_err(|_| format!("{name}: its type `{kind}` is no number"))?;
    let mut events = texts(&place.join("events"));
    // Files with a suffix, such as `.scale` and `.unit`, tell perf(1) what to print.
    events.retain(|file, _| !file.contains('.'));
    Ok(Unit { name, kind, cpus, events, format: texts(&place.join("format")) })
}

/// The files of a folder and what they say; none where there is no folder.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let read = |name: String| Some((name.clone(), text(&folder.join(name))?));
    names(folder).into_iter().filter_map(read).collect()
}

pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}
