//! A results bundle: packed, or the folder that it unpacks to.
//!
//! An archive is read twice. The first time nothing is written: every name, length and checksum is held
//! against the manifest. The second time one folder after the other goes to a temporary place, where the
//! code that checks run directories and tables checks them.

mod contents;
mod place;

pub use contents::{BundleCheck, in_words};

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context as _, anyhow};
use onesided_results::{
    bundle::{self, BundleError, BundleManifest, BundledFile, MANIFEST_FILE},
    regular_file,
};

pub(super) use self::place::NoPlace;
use self::place::Place;

/// Checks an archive; says what is in it.
pub(super) fn examine_archive(path: &Path) -> anyhow::Result<String> {
    let manifest = read(path, |_, _| Ok(()))?;
    let place = Place::for_largest_of(&manifest)?;
    examine_by_folder(path, &manifest, &place).map_err(|error| {
        // What is wrong may be that it was removed at a signal, which ends everything.
        place.is_there();
        if error.is::<NoPlace>() {
            return error;
        }
        // Whoever reads this knows the archive, and not where it was looked at.
        let here = place.path().display().to_string();
        anyhow!("{}", format!("{error:#}").replace(&here, &path.display().to_string()))
    })
}

fn read(
    path: &Path,
    take: impl FnMut(&BundledFile, &mut dyn Read) -> io::Result<()>,
) -> anyhow::Result<BundleManifest> {
    let file = regular_file::open(path)?;
    let length = file.metadata()?.len();
    Ok(bundle::read(file, length, take)?)
}

/// Checks an archive whose names and sums are right, one folder at a time below `place`.
fn examine_by_folder(
    path: &Path,
    manifest: &BundleManifest,
    place: &Place,
) -> anyhow::Result<String> {
    let mut check = BundleCheck::of(&manifest.profile);
    let mut wrong = None;
    let mut written: Vec<&str> = Vec::new();
    let mut files = manifest.files.iter();
    let mut end = |written: &mut Vec<&str>| -> anyhow::Result<()> {
        if let Some(first) = written.first() {
            check.folder(folder_of(first), &place.path().join(folder_of(first)), written)?;
        }
        written.drain(..).try_for_each(|name| place.remove(name))
    };
    let again = read(path, |file, content| {
        // Its names are those of the first time, or it is refused here.
        let known = files.next().filter(|known| *known == file);
        let known = known.ok_or_else(|| io::Error::other("the archive was changed meanwhile"))?;
        if written.first().is_some_and(|first| folder_of(first) != folder_of(&known.path)) {
            end(&mut written).map_err(|error| {
                wrong = Some(error);
                io::Error::other("wrong")
            })?;
        }
        written.push(&known.path);
        place.unpack(&known.path, content)?.map_err(|error| {
            wrong = Some(error);
            io::Error::other("no place")
        })
    });
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    again?;
    end(&mut written)?;
    check.end(manifest)
}

/// Checks the folder of an unpacked bundle; says what is in it.
pub(super) fn examine_unpacked(root: &Path) -> anyhow::Result<String> {
    let mut text = Vec::new();
    regular_file::bytes(&root.join(MANIFEST_FILE), &mut text)?;
    let manifest = BundleManifest::parse(&text)?;
    let mut there = BTreeSet::new();
    files_below(root, "", &mut there)?;
    there.remove(MANIFEST_FILE);
    for file in &manifest.files {
        if !there.remove(&file.path) {
            return Err(BundleError::Missing { name: file.path.clone() }.into());
        }
    }
    if let Some(name) = there.pop_first() {
        return Err(BundleError::Unlisted { name }.into());
    }
    for file in &manifest.files {
        let found = BundledFile::at(&root.join(&file.path), file.path.clone())?;
        file.expect(&found)?;
    }
    let mut check = BundleCheck::of(&manifest.profile);
    let names = manifest.files.iter().map(|file| file.path.as_str());
    for (folder, names) in folders_of(names) {
        check.folder(folder, &root.join(folder), &names)?;
    }
    check.end(&manifest)
}

/// The paths of all files below `root`, of which `below` is the folder that is looked into.
fn files_below(root: &Path, below: &str, found: &mut BTreeSet<String>) -> anyhow::Result<()> {
    let folder = root.join(below);
    let looked = || format!("cannot look into {}", folder.display());
    for entry in fs::read_dir(&folder).with_context(looked)? {
        let entry = entry.with_context(looked)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let name = if below.is_empty() { name } else { format!("{below}/{name}") };
        let kind = entry.file_type().with_context(looked)?;
        match () {
            () if kind.is_dir() => files_below(root, &name, found)?,
            () if kind.is_file() => drop(found.insert(name)),
            () if kind.is_symlink() => {
                return Err(BundleError::Kind { name, kind: "a symbolic link" }.into());
            }
            () => {
                return Err(BundleError::Kind { name, kind: "a pipe, a socket or a device" }.into());
            }
        }
    }
    Ok(())
}

/// The folder of a file of a bundle; empty of one beside the manifest.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Files that are in order, by their folder.
pub fn folders_of<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(&'n str, Vec<&'n str>)> {
    let mut folders: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        match folders.last_mut() {
            Some((folder, names)) if *folder == folder_of(name) => names.push(name),
            _ => folders.push((folder_of(name), vec![name])),
        }
    }
    folders
}
