//! Archives that would take much memory.

use std::fs;

use super::{
    hostile::{Entry, repacked},
    place::{CAMPAIGN, Place},
};

/// A text of `length` bytes that packs to less than a hundredth, and not to less than a 200th.
fn long_text(length: usize) -> String {
    let mut state = 1_u64;
    let block = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + u8::try_from(state >> 60).expect("four bits"))
    });
    let block: String = block.take(12 << 10).collect();
    block.repeat(length.div_ceil(block.len()))
}

/// Changes a file of the bundle by `change`, and the manifest to it.
fn change(entries: &mut [Entry], name: &str, change: impl FnOnce(String) -> String) {
    let of = format!("{CAMPAIGN}/{name}");
    let entry = entries.iter_mut().find(|entry| entry.name == of).expect("it is there");
    entry.content = change(String::from_utf8(entry.content.clone()).expect("it is text")).into();
    let content = entry.content.clone();
    entries[0].relist(name, &content);
}

/// What `check` says of a whole bundle of which `change` changes the files.
#[track_caller]
fn refused(change: impl FnOnce(&mut Vec<Entry>), fragment: &str) {
    let place = Place::measured();
    place.bundle().valid();
    let packed = repacked(&fs::read(place.at("mine.tar.gz")).unwrap(), change);
    fs::write(place.at("mine.tar.gz"), packed).unwrap();
    place.wrong(fragment);
}

#[test]
fn a_text_that_no_record_has_is_refused_with_its_place() {
    let long = |entries: &mut Vec<Entry>| {
        change(entries, "raw/mine/by-hand/first/run.json", |text| {
            let back_end = format!("\"back_end\": \"{}\"", long_text(10 << 20));
            text.replace("\"back_end\": \"verbs\"", &back_end)
        });
    };
    refused(long, "run.json: back_end has 104");
}

#[test]
fn a_file_that_is_longer_than_any_of_its_kind_is_refused_before_it_is_read() {
    for (name, bytes) in [
        ("profiles/mine/machine.toml", (1 << 20) + 1),
        ("raw/mine/by-hand/first/run.json", (16 << 20) + 1),
        ("raw/mine/by-hand/first/windows.csv", (64 << 20) + 1),
        ("tables/mine/SHA256SUMS", (1 << 20) + 1),
    ] {
        // As the manifest says: the content need not be there.
        let listed = |entries: &mut Vec<Entry>| {
            let mut manifest: serde_json::Value =
                serde_json::from_slice(&entries[0].content).unwrap();
            let files = manifest["files"].as_array_mut().unwrap();
            let file = files.iter_mut().find(|file| file["path"] == name).unwrap();
            file["bytes"] = bytes.into();
            entries[0].content = manifest.to_string().into();
        };
        refused(
            listed,
            &format!("\"{name}\" has {bytes} bytes; a file of its kind has {}", bytes - 1),
        );
    }
}

#[test]
fn a_manifest_out_of_proportion_to_its_archive_is_refused() {
    let spaces = |entries: &mut Vec<Entry>| {
        let content = &mut entries[0].content;
        content.splice(0..0, std::iter::repeat_n(b' ', 32 << 20));
    };
    refused(spaces, "which is more than any bundle's of this length");
}
