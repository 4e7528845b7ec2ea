//! Archives that somebody made by hand: each is refused with what is wrong, and nothing is written.

use std::{
    fs,
    io::{Read as _, Write as _},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use tar::{Archive, EntryType, Header};

use super::place::{CAMPAIGN, Place, is_empty};

/// A file of an archive, as its header says it, whatever that is.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    pub kind: EntryType,
    pub link: String,
    pub content: Vec<u8>,
    /// The length that the header says, if not that of the content.
    pub length: Option<u64>,
}

impl Entry {
    fn of(name: &str, content: &[u8]) -> Self {
        let (name, content) = (name.to_owned(), content.to_owned());
        Self { name, kind: EntryType::Regular, link: String::new(), content, length: None }
    }

    /// In a manifest: lists the file `name` as `content`.
    pub fn relist(&mut self, name: &str, content: &[u8]) {
        let mut manifest: serde_json::Value = serde_json::from_slice(&self.content).unwrap();
        let files = manifest["files"].as_array_mut().unwrap();
        let file = files.iter_mut().find(|file| file["path"] == name).unwrap();
        (file["bytes"], file["sha256"]) = (content.len().into(), sum(content).into());
        self.content = manifest.to_string().into();
    }
}

fn sum(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A bundle with its files changed.
pub fn repacked(packed: &[u8], change: impl FnOnce(&mut Vec<Entry>)) -> Vec<u8> {
    let mut archive = Archive::new(GzDecoder::new(packed));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        Entry::of(entry.path().unwrap().to_str().unwrap(), &content)
    });
    let mut entries: Vec<_> = entries.collect();
    change(&mut entries);
    packed_of(&entries)
}

fn packed_of(entries: &[Entry]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    for entry in entries {
        gzip.write_all(header(entry).as_bytes()).unwrap();
        gzip.write_all(&entry.content).unwrap();
        let filling = entry.content.len().next_multiple_of(512) - entry.content.len();
        gzip.write_all(&vec![0; filling]).unwrap();
    }
    gzip.write_all(&[0; 1024]).unwrap();
    gzip.finish().unwrap()
}

/// The header, with the names as they are: `tar` itself would refuse most of them.
fn header(entry: &Entry) -> Header {
    let mut header = Header::new_ustar();
    let (prefix, name) = match entry.name.rsplit_once('/') {
        Some((prefix, name)) if entry.name.len() > 100 => (prefix, name),
        _ => ("", entry.name.as_str()),
    };
    let ustar = header.as_ustar_mut().unwrap();
    ustar.prefix[..prefix.len()].copy_from_slice(prefix.as_bytes());
    ustar.name[..name.len()].copy_from_slice(name.as_bytes());
    ustar.linkname[..entry.link.len()].copy_from_slice(entry.link.as_bytes());
    header.set_entry_type(entry.kind);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(entry.length.unwrap_or(entry.content.len() as u64));
    header.set_cksum();
    header
}

/// What `check` says of a whole bundle of which `change` changes the files.
#[track_caller]
fn refused(change: impl FnOnce(&mut Vec<Entry>), fragment: &str) {
    let place = Place::measured();
    place.bundle().valid();
    let packed = repacked(&fs::read(place.at("mine.tar.gz")).unwrap(), change);
    let before = fs::read_dir(place.at(".")).unwrap().count();
    fs::write(place.at("mine.tar.gz"), packed).unwrap();
    place.wrong(fragment);
    assert_eq!(fs::read_dir(place.at(".")).unwrap().count(), before);
}

fn add(name: &str) -> impl FnOnce(&mut Vec<Entry>) {
    let entry = Entry::of(name, b"x");
    |entries| entries.push(entry)
}

#[test]
fn an_archive_that_is_packed_again_without_a_change_is_still_a_bundle() {
    let place = Place::measured();
    place.bundle().valid();
    let packed = repacked(&fs::read(place.at("mine.tar.gz")).unwrap(), |_| ());
    fs::write(place.at("mine.tar.gz"), packed).unwrap();
    place.onesided("check mine.tar.gz").valid();
}

#[test]
fn a_header_that_packing_does_not_write_is_refused() {
    let place = Place::measured();
    place.bundle().valid();
    let whole = fs::read(place.at("mine.tar.gz")).unwrap();
    let mut text = Vec::new();
    GzDecoder::new(&whole[..]).read_to_end(&mut text).unwrap();
    // The first block is the header of the manifest: its mode, owner and time.
    for (place_of, octal) in [(100, "0006777\0"), (108, "0001000\0"), (136, "00000000001\0")] {
        let mut changed = text.clone();
        changed[place_of..][..octal.len()].copy_from_slice(octal.as_bytes());
        let mut header = Header::from_byte_slice(&changed[..512]).clone();
        header.set_cksum();
        changed[..512].copy_from_slice(header.as_bytes());
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&changed).unwrap();
        fs::write(place.at("mine.tar.gz"), gzip.finish().unwrap()).unwrap();
        place.wrong("\"manifest.json\" is not stored as");
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    refused(add("/etc/cron.d/job"), "\"/etc/cron.d/job\" is no file that a bundle has");
    refused(add("../outside"), "\"../outside\" is no file that a bundle has");
    let within = format!("{CAMPAIGN}/../outside");
    refused(add(&within), &format!("\"{within}\" is not in manifest.json"));
    // Even where the manifest lists it.
    for name in ["../../outside", "raw/mine/by-hand/first/../../../../../outside", "/outside"] {
        let list = |entries: &mut Vec<Entry>| {
            let text = String::from_utf8(entries[0].content.clone()).unwrap();
            let first = "\"path\": \"profiles/mine/machine.toml\"";
            let text = text.replace(first, &format!("\"path\": \"{name}\""));
            entries[0].content = text.into();
            entries[1].name = format!("{CAMPAIGN}/{name}");
        };
        refused(list, &format!("\"{name}\" is no file that a bundle has"));
    }
    let elsewhere = |entries: &mut Vec<Entry>| {
        entries.iter_mut().for_each(|entry| entry.name = entry.name.replace(CAMPAIGN, "../up"));
    };
    refused(elsewhere, "\"../up/manifest.json\" is no file that a bundle has");
    let campaign = |entries: &mut Vec<Entry>| {
        let text = String::from_utf8(entries[0].content.clone()).unwrap();
        let campaign = format!("\"campaign\": \"{CAMPAIGN}\"");
        entries[0].content = text.replace(&campaign, "\"campaign\": \"../up\"").into();
    };
    refused(campaign, "campaign \"../up\" is not the day of the first run");
}

#[test]
fn nothing_but_regular_files_is_accepted() {
    for (kind, told) in [
        (EntryType::Symlink, "a symbolic link"),
        (EntryType::Link, "a link to another file"),
        (EntryType::Char, "a device"),
        (EntryType::Block, "a device"),
        (EntryType::Fifo, "a pipe"),
        (EntryType::Directory, "a directory"),
        (EntryType::GNULongName, "an extension of the format"),
        (EntryType::GNULongLink, "an extension of the format"),
        (EntryType::GNUSparse, "an extension of the format"),
        (EntryType::XHeader, "an extension of the format"),
        (EntryType::XGlobalHeader, "an extension of the format"),
    ] {
        let name = format!("{CAMPAIGN}/profiles/mine/machine.toml");
        let told = format!("\"{name}\" is {told}; a bundle has regular files only");
        let change = |entries: &mut Vec<Entry>| {
            let entry = entries.iter_mut().find(|entry| entry.name == name).unwrap();
            (entry.kind, entry.link) = (kind, "/etc/passwd".to_owned());
        };
        refused(change, &told);
    }
}

#[test]
fn names_that_come_twice_and_files_that_nobody_listed_are_refused() {
    let again = format!("{CAMPAIGN}/tables/mine/windows.csv.gz");
    refused(add(&again), &format!("\"{again}\" is in the archive twice"));
    let manifest = format!("{CAMPAIGN}/manifest.json");
    refused(add(&manifest), &format!("\"{manifest}\" is in the archive twice"));
    let token = format!("{CAMPAIGN}/raw/mine/by-hand/first/token");
    refused(add(&token), &format!("\"{token}\" is not in manifest.json"));
    let missing = |entries: &mut Vec<Entry>| drop(entries.pop());
    refused(missing, "\"tables/mine/windows.csv.gz\" is in manifest.json, but is not there");
    refused(|entries| entries.swap(0, 1), "a bundle begins with DATE-PROFILE/manifest.json");
    refused(|entries| entries.swap(1, 2), "is not stored as `onesided bundle` does");
    refused(Vec::clear, "it is empty");
}

#[test]
fn lengths_that_are_not_so_are_refused_before_anything_is_read_or_kept() {
    let huge = |entries: &mut Vec<Entry>| entries[1].length = Some(1 << 40);
    refused(huge, "\"profiles/mine/machine.toml\" has 1099511627776 bytes, manifest.json says");
    let manifest = |entries: &mut Vec<Entry>| entries[0].length = Some(1 << 40);
    refused(manifest, "manifest.json has 1099511627776 bytes, which is more than any bundle's");
    // Tables over many runs: other files may not be long at all.
    let listed = |entries: &mut Vec<Entry>, tables: usize, bytes: u64| {
        let mut manifest: serde_json::Value = serde_json::from_slice(&entries[0].content).unwrap();
        let files = manifest["files"].as_array_mut().unwrap();
        let is_table =
            |file: &&mut serde_json::Value| file["path"].as_str().unwrap().ends_with(".gz");
        files
            .iter_mut()
            .filter(is_table)
            .take(tables)
            .for_each(|file| file["bytes"] = bytes.into());
        entries[0].content = manifest.to_string().into();
    };
    refused(
        |entries| listed(entries, 1, u64::MAX),
        "a file of its kind has 68719476736 at the most",
    );
    refused(|entries| listed(entries, 2, 1 << 36), "bytes; a bundle has 68719476736 at the most");
    refused(|entries| listed(entries, 1, 1 << 35), "would unpack to 343");
}

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
    let place = Place::measured();
    place.bundle().valid();
    let whole = fs::read(place.at("mine.tar.gz")).unwrap();
    let packed = repacked(&whole, |entries| {
        let zeros = vec![0; 64 << 20];
        entries[0].relist("tables/mine/windows.csv.gz", &zeros);
        entries.last_mut().unwrap().content = zeros;
    });
    assert!(packed.len() < 1 << 20);
    fs::write(place.at("mine.tar.gz"), packed).unwrap();
    place.wrong("more than 200 to one: these are no results");
    // One whose zeros are behind its end.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    std::io::copy(&mut GzDecoder::new(&whole[..]), &mut gzip).unwrap();
    gzip.write_all(&vec![0; 64 << 20]).unwrap();
    fs::write(place.at("mine.tar.gz"), gzip.finish().unwrap()).unwrap();
    place.wrong("something follows behind the end");
}

#[test]
fn what_is_no_archive_is_told_so() {
    let place = Place::empty();
    for content in [&b""[..], b"no archive", b"\x1f\x8b\x08\x00"] {
        fs::write(place.at("mine.tar.gz"), content).unwrap();
        place.wrong("it is ");
    }
    place.wrong("it is no whole archive of gzip and tar");
    fs::remove_file(place.at("mine.tar.gz")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.at("mine.tar.gz")).status();
    assert!(made.expect("mkfifo(1) is there").success());
    place.wrong("a regular file is needed");
    assert!(is_empty(&place.at("tmp")));
}
