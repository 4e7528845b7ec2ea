//! Targets that read files, by their paths: no reader takes bytes in another way.

use std::{
    cell::OnceCell,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use onesided_claims::Claims;
use onesided_estimate::{CollectedRun, stored::read_conditions};
use onesided_experiment::{Design, Level, RunTable, expand, profile};
use onesided_pagerank::read_edges;
use onesided_placement::{
    CpuSet, LoadMemoryPlace, MemoryPlace, NodeChoice, NodeId, NodeSet, ThreadPlace,
};
use onesided_prediction::read_profile;
use onesided_published::{grammar, key_value, latencies, rates};
use onesided_results::{
    bundle,
    row::{ConditionRow, RunRow},
    table::{Row as _, read_rows},
};
use tempfile::TempDir;

/// Begins a file of several: `%% NAME`.
const NEXT_FILE: &str = "%% ";

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Hands on the folder that this thread's inputs are written to, in memory where there is such.
fn in_folder<T>(read: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| {
            let shared = Path::new("/dev/shm");
            let made = if shared.is_dir() { TempDir::new_in(shared) } else { TempDir::new() };
            made.expect("a folder for inputs")
        });
        read(folder.path())
    })
}

/// Writes `bytes` under `name` and hands on the path.
fn file<T>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    in_folder(|folder| {
        // A profile's folder says its name.
        let folder = folder.join("seed");
        fs::create_dir_all(&folder).expect("a folder for an input");
        let path = folder.join(name);
        fs::write(&path, bytes).expect("an input is written");
        read(&path)
    })
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    to.write_all(bytes).and_then(|()| to.finish()).expect("memory takes bytes")
}

/// Hands on a fresh folder with the files that `bytes` hold: each begins with a line `%% NAME`, of which
/// only names of `known` are taken. What is to be compressed by its name is.
fn several_files<T>(bytes: &[u8], known: &[&str], read: impl FnOnce(&Path) -> T) -> T {
    in_folder(|folder| {
        let folder = folder.join("several");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder for an input");
        let mut path: Option<PathBuf> = None;
        let mut content = Vec::new();
        let close = |path: &mut Option<PathBuf>, content: &mut Vec<u8>| {
            if let Some(path) = path.take() {
                let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
                let content = if is_compressed { compressed(content) } else { content.clone() };
                fs::write(path, &content).expect("an input is written");
            }
            content.clear();
        };
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let name = line.strip_prefix(NEXT_FILE.as_bytes());
            let name = name.and_then(|name| std::str::from_utf8(name).ok()).map(str::trim_end);
            match name.filter(|name| known.contains(name)) {
                Some(name) => {
                    close(&mut path, &mut content);
                    path = Some(folder.join(name));
                }
                None => content.extend_from_slice(line),
            }
        }
        close(&mut path, &mut content);
        read(&folder)
    })
}

pub fn claims(bytes: &[u8]) -> bool {
    file("claims.toml", bytes, |path| Claims::read(path).is_ok())
}

pub fn compressed_table(bytes: &[u8]) -> bool {
    file("runs.csv.gz", bytes, |path| read_rows::<RunRow>(path).is_ok())
}

pub fn conditions(bytes: &[u8]) -> bool {
    several_files(bytes, &[ConditionRow::FILE, RunRow::FILE], |folder| {
        read_conditions(&folder.join(ConditionRow::FILE)).is_ok()
    })
}

pub fn design(bytes: &[u8]) -> bool {
    file("design.toml", bytes, |path| {
        let Ok(design) = Design::read(path) else { return false };
        [Level::Smoke, Level::Reproduce, Level::Full]
            .map(|level| expand(&design, level, "profile", 1).map(|table| table.cost().seconds()))
            .iter()
            .any(Result::is_ok)
    })
}

pub fn edges(bytes: &[u8]) -> bool {
    file("edges.txt", bytes, |path| {
        read_edges(path, File::open(path).expect("it was written"), u64::MAX).is_ok()
    })
}

pub fn machine_profile(bytes: &[u8]) -> bool {
    file("machine.toml", bytes, |path| profile::read(path).is_ok())
}

pub fn simulation_profile(bytes: &[u8]) -> bool {
    file("simulation.toml", bytes, |path| read_profile(path).is_ok())
}

pub fn run_table(bytes: &[u8]) -> bool {
    file("runs.csv", bytes, |path| RunTable::read(path).map(|table| table.cost().seconds()).is_ok())
}

/// The bytes are the archive's before it is compressed.
pub fn bundle(bytes: &[u8]) -> bool {
    let packed = compressed(bytes);
    bundle::read(&packed[..], packed.len() as u64, |_, content| {
        io::copy(content, &mut io::sink()).map(drop)
    })
    .is_ok()
}

pub fn run_directory(bytes: &[u8]) -> bool {
    let known = ["run.json", "windows.csv", "latency.csv", "load.csv"];
    several_files(bytes, &known, |folder| CollectedRun::read(folder).is_ok())
}

pub fn published_file_name(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| grammar::factors(text).is_ok())
}

/// The first byte is how many clients the file's name tells of.
fn of_clients(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (clients, text) = bytes.split_first()?;
    Some((u32::from(*clients), text))
}

pub fn published_rates(bytes: &[u8]) -> bool {
    of_clients(bytes).is_some_and(|(clients, text)| {
        rates::read(Path::new("printed"), text, clients, &mut Vec::new()).is_ok()
    })
}

pub fn published_latencies(bytes: &[u8]) -> bool {
    of_clients(bytes)
        .is_some_and(|(clients, text)| latencies::read(Path::new("printed"), text, clients).is_ok())
}

pub fn published_key_value(bytes: &[u8]) -> bool {
    key_value::read(Path::new("printed"), bytes).is_ok()
}

pub fn words(bytes: &[u8]) -> bool {
    let read = |word: &str| {
        [
            word.parse::<CpuSet>().is_ok(),
            word.parse::<NodeSet>().is_ok(),
            word.parse::<NodeId>().is_ok(),
            word.parse::<NodeChoice>().is_ok(),
            word.parse::<MemoryPlace>().is_ok(),
            word.parse::<LoadMemoryPlace>().is_ok(),
            word.parse::<ThreadPlace>().is_ok(),
        ]
    };
    let words = std::str::from_utf8(bytes).map(|text| text.lines().map(read).collect::<Vec<_>>());
    words.is_ok_and(|words| words.iter().flatten().any(|is_word| *is_word))
}
