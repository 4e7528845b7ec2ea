//! A bundle of which something was changed.

use std::{
    fs,
    io::{Read as _, Write as _},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use super::{
    hostile::{Entry, repacked},
    place::{CAMPAIGN, Place},
};

#[test]
fn a_byte_of_any_file_is_missed_by_name() {
    let place = Place::measured();
    place.bundle().valid();
    let whole = fs::read(place.at("mine.tar.gz")).unwrap();
    for name in place.names() {
        let packed = repacked(&whole, |entries| {
            let of = format!("{CAMPAIGN}/{name}");
            let entry = entries.iter_mut().find(|entry| entry.name == of).unwrap();
            *entry.content.last_mut().unwrap() ^= 1;
        });
        fs::write(place.at("mine.tar.gz"), packed).unwrap();
        place.wrong(&format!("\"{name}\" was changed: its SHA-256 is "));
    }
    // The same of an unpacked one.
    fs::write(place.at("mine.tar.gz"), &whole).unwrap();
    let machine = place.unpack().join("profiles/mine/machine.toml");
    let text = fs::read_to_string(&machine).unwrap();
    fs::write(&machine, text.replace("logical_cpus = 2", "logical_cpus = 4")).unwrap();
    let told = place.onesided(&format!("check {CAMPAIGN}")).check_failed().stdout;
    assert!(told.contains("\"profiles/mine/machine.toml\" was changed"), "{told}");
    fs::write(&machine, format!("{text}\n")).unwrap();
    let told = place.onesided(&format!("check {CAMPAIGN}")).check_failed().stdout;
    assert!(told.contains("manifest.json says"), "{told}");
    fs::write(&machine, &text).unwrap();
    place.write(&format!("{CAMPAIGN}/raw/mine/by-hand/first/token"), "secret");
    let told = place.onesided(&format!("check {CAMPAIGN}")).check_failed().stdout;
    assert!(told.contains("\"raw/mine/by-hand/first/token\" is not in manifest.json"), "{told}");
}

#[test]
fn no_byte_of_the_archive_can_be_changed_unnoticed() {
    let place = Place::measured();
    place.bundle().valid();
    let whole = fs::read(place.at("mine.tar.gz")).unwrap();
    // Of the header of gzip only what says nothing of the content (RFC 1952): flags that are text, time,
    // and what packed it.
    let without_meaning = |at: usize| matches!(at, 3..10);
    for at in (0..whole.len()).step_by(whole.len() / 40).filter(|&at| !without_meaning(at)) {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        fs::write(place.at("mine.tar.gz"), changed).unwrap();
        place.wrong("");
    }
    fs::write(place.at("mine.tar.gz"), &whole[..whole.len() / 2]).unwrap();
    place.wrong("it is no whole archive");
}

#[test]
fn a_manifest_that_fits_changed_files_does_not_hide_what_they_say_of_each_other() {
    for (name, from, to, told) in [
        (
            "raw/mine/by-hand/first/windows.csv",
            "0,0,0,1\n",
            "0,0,0,2\n",
            "11 operations, but run.json",
        ),
        (
            "raw/mine/by-hand/second/run.json",
            "\"invalid\"",
            "\"valid\"",
            "column \"valid\" is \"false\"",
        ),
        (
            "raw/mine/by-hand/third/run.json",
            "2026-02-01T00:01",
            "2026-02-01T00:02",
            "\"runs\" is not what",
        ),
        ("profiles/mine/machine.toml", "\"mine\"", "\"other\"", "machine.toml"),
    ] {
        let place = Place::measured();
        place.bundle().valid();
        let packed = repacked(&fs::read(place.at("mine.tar.gz")).unwrap(), |entries| {
            let of = format!("{CAMPAIGN}/{name}");
            let entry = entries.iter_mut().find(|entry| entry.name == of).unwrap();
            let text = String::from_utf8(entry.content.clone()).unwrap();
            assert!(text.contains(from), "{text}");
            entry.content = text.replace(from, to).into();
            let now = entry.content.clone();
            entries[0].relist(name, &now);
        });
        fs::write(place.at("mine.tar.gz"), packed).unwrap();
        let said = place.wrong(told);
        assert!(!said.contains("/tmp/"), "it says where it was looked at: {said}");
    }
}

/// The content of a table's file.
fn content_of<'e>(entries: &'e mut [Entry], table: &str) -> &'e mut Vec<u8> {
    let name = format!("{CAMPAIGN}/tables/mine/{table}");
    &mut entries.iter_mut().find(|entry| entry.name == name).unwrap().content
}

fn hexadecimal(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What `check` says of a bundle in which a table is changed, with a manifest and sums that fit.
#[track_caller]
fn table_refused(table: &str, change: impl FnOnce(Vec<&str>) -> Vec<String>, fragment: &str) {
    let place = Place::measured();
    place.bundle().valid();
    let packed = repacked(&fs::read(place.at("mine.tar.gz")).unwrap(), |entries| {
        let mut text = String::new();
        let content = content_of(entries, table);
        GzDecoder::new(&content[..]).read_to_string(&mut text).unwrap();
        let text = change(text.lines().collect()).join("\n") + "\n";
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text.as_bytes()).unwrap();
        let (before, after) = (hexadecimal(content), gzip.finish().unwrap());
        let sums = String::from_utf8(content_of(entries, "SHA256SUMS").clone()).unwrap();
        let sums = sums.replace(&before, &hexadecimal(&after));
        for (name, content) in [(table, after), ("SHA256SUMS", sums.into_bytes())] {
            entries[0].relist(&format!("tables/mine/{name}"), &content);
            *content_of(entries, name) = content;
        }
    });
    fs::write(place.at("mine.tar.gz"), packed).unwrap();
    place.wrong(fragment);
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_table_that_lacks_a_run_or_has_one_twice_is_refused() {
    let without_last = |all: Vec<&str>| lines(&all[..all.len() - 1]);
    table_refused("runs.csv.gz", without_last, "lacks run third of by-hand");
    let twice = |all: Vec<&str>| lines(&[&all[..], &all[1..2]].concat());
    table_refused("runs.csv.gz", twice, "run first is there twice");
    let header = |all: Vec<&str>| lines(&all[..1]);
    table_refused("windows.csv.gz", header, "windows.csv.gz lacks run first of by-hand");
    table_refused("latency.csv.gz", header, "latency.csv.gz lacks run first of by-hand");
    let of_nobody = |all: Vec<&str>| all.iter().map(|l| l.replace("first", "ghost")).collect();
    table_refused("latency.csv.gz", of_nobody, "there is no run ghost of by-hand");
}

#[test]
fn a_table_of_parts_has_as_many_rows_of_each_run_as_its_files_and_together() {
    let twice = |all: Vec<&str>| lines(&[&all[..2], &all[1..]].concat());
    let told = "run first of by-hand has 11 rows, its files give 10";
    table_refused("windows.csv.gz", twice, told);
    let without_last = |all: Vec<&str>| lines(&all[..all.len() - 1]);
    table_refused("windows.csv.gz", without_last, "run second of by-hand has 9 rows");
    // A hundred million of them would be a hundred million entries in memory.
    let strangers = |all: Vec<&str>| {
        let stranger = |number: u32| all[1].replace("first", &format!("stranger-{number}"));
        [lines(&all), (0..1000).map(stranger).collect()].concat()
    };
    table_refused("clients.csv.gz", strangers, "there is no run stranger-0 of by-hand");
    let apart = |all: Vec<&str>| lines(&[&all[..1], &all[2..], &all[1..2]].concat());
    table_refused("windows.csv.gz", apart, "rows of run first stand apart");
}

#[test]
fn a_row_of_an_older_version_is_held_against_its_run_too() {
    let older = |all: Vec<&str>| {
        let columns: Vec<&str> = all[0].split(',').collect();
        let at = |name: &str| columns.iter().position(|column| *column == name).unwrap();
        let mut first: Vec<&str> = all[1].split(',').collect();
        let version: u32 = first[at("schema_version")].parse().unwrap();
        let version = (version - 1).to_string();
        first[at("schema_version")] = &version;
        first[at("operations")] = "11";
        let first = first.join(",");
        lines(&[&all[..1], &[first.as_str()], &all[2..]].concat())
    };
    table_refused("runs.csv.gz", older, "column \"operations\" is \"11\", run first gives \"10\"");
}

#[test]
fn a_table_that_unpacks_to_much_more_than_it_has_is_refused() {
    let much = |all: Vec<&str>| [lines(&all), vec![all[1].to_owned(); 20_000]].concat();
    table_refused("runs.csv.gz", much, "unpacks to more than 200 times as many");
}

#[test]
fn what_follows_behind_the_end_is_refused() {
    let place = Place::measured();
    place.bundle().valid();
    let whole = fs::read(place.at("mine.tar.gz")).unwrap();
    let mut more = GzEncoder::new(whole.clone(), Compression::default());
    more.write_all(b"another member").unwrap();
    fs::write(place.at("mine.tar.gz"), more.finish().unwrap()).unwrap();
    place.wrong("something follows behind the end");
}
