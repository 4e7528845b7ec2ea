//! A bundle of which something was changed.

use std::{fs, io::Write as _};

use flate2::{Compression, write::GzEncoder};

use super::{
    hostile::repacked,
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
