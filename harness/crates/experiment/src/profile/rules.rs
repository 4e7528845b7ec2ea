//! What must hold in a profile beyond the shape of its file.

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

/// A rule that is broken, and by what.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: Vec<Step>,
    pub value: String,
    pub rule: BrokenRule,
}

impl Fault {
    /// The field with its tables.
    pub fn field(&self) -> String {
        self.at.iter().fold(String::new(), |way, step| match step {
            Step::Key(key) if way.is_empty() => (*key).to_owned(),
            Step::Key(key) => format!("{way}.{key}"),
            Step::Index(index) => format!("{way}[{index}]"),
        })
    }
}

type Checked = Result<(), Fault>;

/// A table, for the place of its fields.
#[derive(Clone, Debug, Default)]
struct Table(Vec<Step>);

impl Table {
    fn of(key: &'static str) -> Self {
        Self(vec![Step::Key(key)])
    }

    fn table(&self, key: &'static str) -> Self {
        Self([&self.0[..], &[Step::Key(key)]].concat())
    }

    fn item(&self, key: &'static str, index: usize) -> Self {
        Self([&self.0[..], &[Step::Key(key), Step::Index(index)]].concat())
    }

    fn fault(&self, field: &'static str, value: impl ToString, rule: BrokenRule) -> Checked {
        Err(Fault { at: self.table(field).0, value: value.to_string(), rule })
    }

    /// A text, where there is one, has content.
    fn says(&self, field: &'static str, text: Option<&String>, what: &'static str) -> Checked {
        match text {
            Some(text) if text.trim().is_empty() => {
                self.fault(field, format!("\"{text}\""), BrokenRule::Empty { what })
            }
            _ => Ok(()),
        }
    }

    fn has_source(&self, source: Option<&String>) -> Checked {
        self.says("source", source, "where the facts are from")
    }

    /// A duration, where there is one, is one.
    fn is_duration(&self, field: &'static str, value: Option<f64>) -> Checked {
        match value {
            Some(ns) if !ns.is_finite() || ns <= 0.0 => {
                self.fault(field, ns, BrokenRule::Outside { allowed: "more than 0 ns" })
            }
            _ => Ok(()),
        }
    }
}

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
