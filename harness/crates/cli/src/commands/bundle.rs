//! `onesided bundle`: the results of a machine in one file, to be sent back.

mod gather;

use std::{
    collections::HashMap,
    io::{Write as _, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use clap::Args;
use onesided_results::{
    bundle::{ARCHIVE_ENDING, BundleManifest, BundledFile, PackingProgram, pack},
    directory::Existing,
    version,
};

use self::gather::LeftOut;
use super::check::{BundleCheck, folders_of, in_words, tell};
use crate::{
    arguments::profile_name, ending::Ending, interruption::leave_nothing_behind, printed::counted,
    progress::Progress, revision,
};

/// Packs the results of a machine into one archive that can be sent: runs, tables, run tables and the
/// machine's description, with a manifest.
///
/// Every run and table is checked first, as `onesided check` does. Runs that are invalid or failed are
/// packed, too, and counted. Only files that results have are packed, nothing that is still being
/// written, and nothing behind a symbolic link; what is left out is reported. The same results give the
/// same bytes. What records have of hosts goes with them: names, kernels, addresses of cards.
///
/// Exit status 1: something is damaged or missing, one line each on stdout; nothing was packed.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided bundle --profile mycluster --out mycluster.tar.gz
  onesided bundle results --profile mycluster --notes notes.md --out mycluster.tar.gz
  onesided check mycluster.tar.gz                        what the one who gets it does first")]
pub struct Arguments {
    /// Folder of results, with raw/NAME and tables/NAME, and plan/NAME if there is one
    #[arg(value_name = "RESULTS", default_value = "results")]
    results: PathBuf,
    /// Name of the machine's profile
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    profile: String,
    /// Directory of profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// Text of yours on what no record can see: firmware settings, switch, cabling. It is sent, so a
    /// symbolic link is refused, as anywhere below RESULTS: name the file that it leads to
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
    /// Archive to write
    #[arg(long, value_name = "FILE.tar.gz")]
    out: PathBuf,
    /// Write it also where there is one of that name
    #[arg(long)]
    replace: bool,
}

/// Checks everything, then packs it.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let Arguments { profile, out, .. } = arguments;
    let is_archive = out.to_string_lossy().ends_with(ARCHIVE_ENDING);
    ensure!(is_archive, "--out {}: the name of a bundle ends in {ARCHIVE_ENDING}", out.display());
    let existing = if arguments.replace { Existing::Replace } else { Existing::Keep };
    // A pipe is nothing that would be lost.
    let is_kept = existing == Existing::Keep && out.metadata().is_ok_and(|found| found.is_file());
    ensure!(
        !is_kept,
        "--out {} is there already: --replace writes it anew, and the one before is lost; or choose another \
         name",
        out.display()
    );
    leave_nothing_behind()?;
    let gathered = gather::gather(arguments)?;
    // Before they are checked: what is packed is what has these sums, and nothing that came later.
    let files: Vec<_> = gathered
        .files
        .iter()
        .map(|(name, path)| BundledFile::at(path, name.clone()))
        .collect::<Result<_, _>>()?;
    let mut check = BundleCheck::of(profile);
    if !is_whole(&gathered.files, &mut check)? {
        return Ok(Ending::CheckFailed);
    }
    let runs = check.whole()?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = BundleManifest {
        schema_version: version::BUNDLE.written,
        campaign: runs.campaign(profile).context("no run says when it started")?,
        profile: profile.clone(),
        packed_by: PackingProgram::new(version, revision::harness_revision().map(str::to_owned)),
        runs,
        files,
    };
    let places: HashMap<_, _> = gathered.files.iter().map(|(name, path)| (name, path)).collect();
    pack(out, existing, &manifest, |file| places[&file.path].clone())?;
    report(&manifest, check.tabled(), &gathered.left_out);
    writeln!(stdout(), "{}", out.display())?;
    Ok(Ending::Valid)
}

/// Checks every folder; tells what is wrong with each.
fn is_whole(files: &[(String, PathBuf)], check: &mut BundleCheck<'_>) -> anyhow::Result<bool> {
    let places: HashMap<&str, &Path> =
        files.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
    // Notes are in no folder of the results, and were read already.
    let names = files.iter().map(|(name, _)| name.as_str()).filter(|name| name.contains('/'));
    let folders = folders_of(names);
    let mut progress = Progress::of(folders.len() as u64);
    let mut wrong = 0_u64;
    for (below, names) in folders {
        let folder = places[names[0]].parent().unwrap_or(Path::new("."));
        if let Err(error) = check.folder(below, folder, &names) {
            wrong += 1;
            tell(&format!("WRONG {}: {error:#}", folder.display()))?;
        }
        progress.step(below);
    }
    progress.end();
    if wrong > 0 {
        say!("{} wrong, see above: nothing was packed", counted(wrong, "folder"));
    }
    Ok(wrong == 0)
}

fn report(manifest: &BundleManifest, tabled: usize, left_out: &LeftOut) {
    let bytes = manifest.bytes();
    let files = counted(manifest.files.len() as u64, "file");
    say!("{}: {}", manifest.campaign, in_words(&manifest.runs, tabled));
    say!("{files} of {bytes} bytes packed");
    left_out.report();
}
