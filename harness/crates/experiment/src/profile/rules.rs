//! What must hold in a profile beyond the shape of its file.

mod fault;
mod host;

use onesided_results::{
    MachineProfile,
    machine::{ProfileHeader, ProfileKind},
};

use super::{
    error::BrokenRule,
    name::{ProfileName, TEMPLATE},
    place::Step,
};
pub(super) use fault::Fault;
use fault::{Checked, Table};

/// Checks a profile that was found in `folder`; finds the first fault.
pub(super) fn check(profile: &MachineProfile, folder: &str) -> Checked {
    check_header(&profile.profile, folder)?;
    if profile.hosts.is_empty() {
        let at = vec![Step::Key("host")];
        return Err(Fault { at, value: "nothing".to_owned(), rule: BrokenRule::NoHost });
    }
    for (index, host) in profile.hosts.iter().enumerate() {
        host::check(host, &Table::default().item("host", index))?;
    }
    if let Some(network) = &profile.network {
        let table = Table::of("network");
        table.is_duration("latency_ns", network.latency_ns)?;
        table.has_source(network.source.as_ref())?;
    }
    match &profile.software {
        Some(software) => Table::of("software").has_source(software.source.as_ref()),
        None => Ok(()),
    }
}

fn check_header(header: &ProfileHeader, folder: &str) -> Checked {
    let table = Table::of("profile");
    let named = |rule| table.fault("name", format!("\"{}\"", header.name), rule);
    match (header.name == TEMPLATE, header.kind == ProfileKind::Template) {
        (true, true) => {}
        (false, true) => {
            let allowed = "published, measured, emulated";
            return table.fault("kind", "\"template\"", BrokenRule::Kind { allowed });
        }
        (true, false) => {
            let kind = format!("{:?}", header.kind).to_lowercase();
            return table.fault("kind", kind, BrokenRule::Kind { allowed: TEMPLATE });
        }
        (false, false) => {
            if let Err(error) = header.name.parse::<ProfileName>() {
                return named(error.into());
            }
        }
    }
    if header.name != folder {
        return named(BrokenRule::NotTheFolders { folder: folder.to_owned() });
    }
    table.says("title", Some(&header.title), "what the machine is")?;
    table.has_source(Some(&header.source))
}
