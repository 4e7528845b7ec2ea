//! The machine at hand, written as `profiles/NAME/machine.toml`.

use std::path::Path;

use anyhow::{Context, bail};
use onesided_experiment::profile::{self, ProfileName};
use onesided_placement::Topology;
use onesided_results::{atomic, directory::Existing};

use super::{machine, tree::Tree};
use crate::back_end;

/// Writes the profile, or nothing.
pub fn write(name: &ProfileName, profiles: &Path, existing: Existing) -> anyhow::Result<()> {
    let folder = profiles.join(name.as_str());
    let path = folder.join(profile::FILE);
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        bail!(
            "{} is there already: --replace writes it anew, and what was added to it by hand is \
             lost; or choose another name",
            path.display()
        );
    }
    let topology = Topology::discover()?;
    // Loads the library, whose file tells its version.
    let library = onesided_verbs::devices().ok().and_then(|_| back_end::library_version());
    let tree = Tree::of_this_machine();
    let (machine, untold) = machine::look_at(&tree, &topology, name, library);
    let text = profile::to_text(&machine, &untold);
    profile::parse(&path, &text)
        .context("what the kernel tells of this machine is no profile, and nothing was written")?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    atomic::write(&path, text.as_bytes())?;
    say!("wrote {}; {} facts are not known: comments in it say why", path.display(), untold.len());
    Ok(())
}
