use std::{collections::BTreeMap, path::Path};

use super::*;

/// One of each. The match has no arm for others, so that a new doubt does not compile without
/// its place here.
fn all() -> Vec<Doubt> {
    let what = || "server-region".to_owned();
    let side = Side::Server;
    let listed = vec![
        Doubt::PagesMisplaced { what: what(), pages: what() },
        Doubt::PagesUnproven { what: what(), pages: 1, of: 2 },
        Doubt::ThreadMoved { thread: what(), cpu: 1, asked: what() },
        Doubt::Oversubscribed { side, threads: 3, cpus: 2 },
        Doubt::PreferenceNotFollowed { what: what(), asked: what(), found: what() },
        Doubt::LoadRateUnknown { thread: what() },
        Doubt::NotProvenDuring { side, what: what() },
        Doubt::CoreShared { side, pairs: what() },
        Doubt::Turbo { side },
        Doubt::TransparentHugePages { side },
        Doubt::MemoryLockTight { side, limit_bytes: 2, registered_bytes: 1 },
        Doubt::CachesNotAsAsked { asked: what(), found: what() },
        Doubt::CachesUnproven { asked: what(), why: what() },
        Doubt::DirectIoChangedBack,
        Doubt::LoadIdle { thread: what() },
        Doubt::LoadBehindRate { asked: 2.0, achieved: 1.0 },
        Doubt::ClockNotInvariant,
        Doubt::ClockDrifted { parts_per_million: 300.0 },
        Doubt::LatencySaturated { samples: 1 },
        Doubt::LateStart { late_ns: 1 },
        Doubt::HostStartedLate { host: what(), late_ns: 1 },
        Doubt::HostMissedWindows { host: what(), late_ns: 3, window_ns: 2 },
        Doubt::OffsetUncertain { host: what(), uncertainty_ns: 1, window_ns: 2 },
        Doubt::BehindSchedule { behind_ns: 1 },
        Doubt::MaxRdAtomicLowered { asked: 16, agreed: 1 },
        Doubt::ContentWrong { what: what() },
        Doubt::ContentUnverified { why: what() },
        Doubt::NumaBalancing { side },
        Doubt::DeviceNodeUnknown { side, why: what() },
        Doubt::SoftwareDevice { driver: what() },
        Doubt::FrequencyScaling { side, governor: what() },
        Doubt::LinkTrouble { side, counter: what(), increase: 1 },
        Doubt::NothingMeasured,
        Doubt::QueuePairsIdle { idle: 32, of: 128 },
        Doubt::EndedByTime { operations: 1, asked: 2 },
    ];
    for doubt in &listed {
        match doubt {
            Doubt::PagesMisplaced { .. }
            | Doubt::PagesUnproven { .. }
            | Doubt::ThreadMoved { .. }
            | Doubt::Oversubscribed { .. }
            | Doubt::PreferenceNotFollowed { .. }
            | Doubt::LoadRateUnknown { .. }
            | Doubt::NotProvenDuring { .. }
            | Doubt::CoreShared { .. }
            | Doubt::Turbo { .. }
            | Doubt::TransparentHugePages { .. }
            | Doubt::MemoryLockTight { .. }
            | Doubt::CachesNotAsAsked { .. }
            | Doubt::CachesUnproven { .. }
            | Doubt::DirectIoChangedBack
            | Doubt::LoadIdle { .. }
            | Doubt::LoadBehindRate { .. }
            | Doubt::ClockNotInvariant
            | Doubt::ClockDrifted { .. }
            | Doubt::LatencySaturated { .. }
            | Doubt::LateStart { .. }
            | Doubt::HostStartedLate { .. }
            | Doubt::HostMissedWindows { .. }
            | Doubt::OffsetUncertain { .. }
            | Doubt::BehindSchedule { .. }
            | Doubt::MaxRdAtomicLowered { .. }
            | Doubt::ContentWrong { .. }
            | Doubt::ContentUnverified { .. }
            | Doubt::NumaBalancing { .. }
            | Doubt::DeviceNodeUnknown { .. }
            | Doubt::SoftwareDevice { .. }
            | Doubt::FrequencyScaling { .. }
            | Doubt::LinkTrouble { .. }
            | Doubt::NothingMeasured
            | Doubt::QueuePairsIdle { .. }
            | Doubt::EndedByTime { .. } => {}
        }
    }
    listed
}

#[test]
fn every_doubt_has_a_name_of_its_own_and_an_explanation() {
    let names: BTreeMap<_, _> = all().iter().map(|d| (d.name(), d.explain())).collect();
    assert_eq!(names.len(), all().len(), "{names:?}");
    for (name, explanation) in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        assert!(explanation.len() > name.len(), "{name}: {explanation}");
    }
}

#[test]
fn a_record_tells_name_consequence_and_explanation() {
    let record = Doubt::ContentWrong { what: "byte 7".to_owned() }.record();
    assert_eq!((record.doubt.as_str(), record.invalidates), ("content-wrong", true));
    assert!(record.explanation.contains("byte 7"));
    assert!(!Doubt::LateStart { late_ns: 1 }.record().invalidates);
}

#[test]
fn the_methodology_lists_every_doubt_with_its_consequence() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let page = std::fs::read_to_string(repository.join("docs/methodology.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| `")?.split('|').map(str::trim).collect();
        let name = cells.first()?.strip_suffix('`')?;
        let invalidates = match *cells.get(2)? {
            "**invalid**" => true,
            "counts" => false,
            _ => return None,
        };
        Some((name.to_owned(), invalidates))
    });
    let documented: BTreeMap<_, _> = rows.collect();
    let real = all().into_iter().map(|d| (d.name().to_owned(), d.invalidates())).collect();
    assert_eq!(documented, real);
}
