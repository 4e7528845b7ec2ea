//! Which files go into a bundle: those that results have, and no others.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use onesided_results::{bundle::Member, directory::ENDINGS, regular_file};

use super::Arguments;
use crate::{printed::counted, say::in_one_line};

/// Names that are told of what is left out, at the most. Ours: a screen.
const MOST_TOLD: usize = 10;

/// Deepest file of results: `raw/PROFILE/EXPERIMENT/RUN_ID/FILE`.
const DEEPEST: usize = 5;

/// What goes into a bundle.
pub struct Gathered {
    /// Names in the bundle, in their order, each with where the file is.
    pub files: Vec<(String, PathBuf)>,
    /// What does not, though it lies among them.
    pub left_out: LeftOut,
}

/// What is left out.
#[derive(Default)]
pub struct LeftOut {
    /// Locks, and directories that are being written or were when their writer died.
    unfinished: Vec<PathBuf>,
    /// Texts that are made from files that are packed.
    made_of_others: Vec<PathBuf>,
    /// What no results have.
    unknown: Vec<PathBuf>,
}

impl LeftOut {
    /// Says what it is.
    pub fn report(&self) {
        for (what, paths) in [
            ("unfinished (lock, or run that was not completed)", &self.unfinished),
            ("made of lists that are packed", &self.made_of_others),
            ("no file that a bundle has", &self.unknown),
        ] {
            if paths.is_empty() {
                continue;
            }
            // Whoever may write there chose these names: a line break in one would begin a line of ours.
            let name = |path: &PathBuf| in_one_line(&path.display().to_string()).into_owned();
            let shown = paths.iter().take(MOST_TOLD).map(name).collect::<Vec<_>>().join(", ");
            let more = if paths.len() > MOST_TOLD { ", ..." } else { "" };
            say!("left out, {what}: {}: {shown}{more}", counted(paths.len() as u64, "name"));
        }
    }
}

/// Looks for the files of a bundle.
pub fn gather(arguments: &Arguments) -> anyhow::Result<Gathered> {
    let Arguments { results, profile, profiles, notes, .. } = arguments;
    let mut found = Gathered { files: Vec::new(), left_out: LeftOut::default() };
    if let Some(notes) = notes {
        let named = || format!("--notes {}", notes.display());
        // It is named by hand, but what a link leads to may be another's choice, and would be sent.
        if let Ok(to) = fs::read_link(notes) {
            let to = to.display();
            bail!(
                "{} is a symbolic link, and none is followed: name the file itself, {to}",
                named()
            );
        }
        regular_file::text(notes).with_context(named)?;
        found.files.push((Member::NOTES_FILE.to_owned(), notes.clone()));
    }
    for (folder, is_needed) in [("plan", false), ("raw", true), ("tables", false)] {
        let path = results.join(folder);
        if no_link(&path)? && no_link(&path.join(profile))? {
            found.below(&path.join(profile), &format!("{folder}/{profile}"), profile)?;
        } else if is_needed {
            let raw = path.join(profile);
            bail!("there is no {}: name the folder of results, and the profile", raw.display());
        }
    }
    no_link(&profiles.join(profile))?;
    for file in ["machine.toml", "simulation.toml"] {
        let path = profiles.join(profile).join(file);
        if no_link(&path)? {
            found.files.push((format!("profiles/{profile}/{file}"), path));
        }
    }
    found.files.sort();
    Ok(found)
}

impl Gathered {
    /// Looks through the folder `path`, which is `below` in the bundle.
    fn below(&mut self, path: &Path, below: &str, profile: &str) -> anyhow::Result<()> {
        let looked = || format!("cannot look into {}", path.display());
        for entry in fs::read_dir(path).with_context(looked)? {
            self.entry(&entry.with_context(looked)?, below, profile)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &DirEntry, below: &str, profile: &str) -> anyhow::Result<()> {
        let path = entry.path();
        let name = entry.file_name();
        let below = format!("{below}/{}", name.to_string_lossy());
        let kind =
            entry.file_type().with_context(|| format!("cannot look at {}", path.display()))?;
        if ENDINGS.iter().any(|ending| below.ends_with(ending)) {
            self.left_out.unfinished.push(path);
        } else if kind.is_symlink() {
            no_link(&path)?;
        } else if kind.is_dir() && below.split('/').count() < DEEPEST {
            self.below(&path, &below, profile)?;
        } else if kind.is_file() && Member::of(&below, profile).is_some() {
            self.files.push((below, path));
        } else if kind.is_file() && Member::is_made_of_others(&below) {
            self.left_out.made_of_others.push(path);
        } else {
            self.left_out.unknown.push(path);
        }
        Ok(())
    }
}

/// Whether something is at `path`; a link is refused.
fn no_link(path: &Path) -> anyhow::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) => {
            ensure!(
                !found.is_symlink(),
                "{} is a symbolic link, and what is elsewhere is not packed: remove it, or put there what \
                 it leads to",
                path.display()
            );
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot look at {}", path.display())),
    }
}
