//! What a container keeps from a run, and the flag of the engine that gives it. The flags are those
//! that Docker and Podman share, where both have one; `containers/compose.yaml` gives them all.

use std::{fs, io, io::ErrorKind, os::unix::fs::MetadataExt, path::Path};

use onesided_placement::{Confinement, Container, Users};
use onesided_verbs::OpenError;

use super::{
    Finding,
    checks::{doubt, fine, stop},
};

/// Gives the files of all devices, with the right to open them.
const DEVICE: &str = "`--device /dev/infiniband`";

/// Lets the calls through that place memory and prove it.
const SECCOMP: &str = "`--security-opt seccomp=containers/seccomp.json`";

/// Whether this is a container, and of which kind.
pub fn itself(container: &Container) -> Finding {
    fine("container", container.to_string())
}

/// What to do about a device that does not open.
pub fn device_advice(container: &Container, error: &OpenError) -> String {
    match error {
        OpenError::NoDevice => {
            "where the host has a device: `--network host`, because a device may \
             be kept from other network namespaces"
                .to_owned()
        }
        OpenError::NoDeviceFile { .. } => {
            format!("{DEVICE}; where the host has no /dev/infiniband either, it lacks ib_uverbs")
        }
        OpenError::PermissionDenied { path, .. } => {
            let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
            denied(container, path, &Refusal::of(path), &mounts)
        }
        _ => {
            "see the message; the host may be set up no better: run `onesided doctor` there".into()
        }
    }
}

/// How the kernel refuses to open a file.
struct Refusal {
    kind: Option<i32>,
    /// Mode, owner and group; absent where not even these are told.
    access: Option<(u32, u32, u32)>,
}

/// `EPERM` of `errno(3)`: not a matter of modes.
const EPERM: i32 = 1;

impl Refusal {
    fn of(path: &Path) -> Self {
        let opened = fs::OpenOptions::new().read(true).write(true).open(path);
        let access = fs::metadata(path).ok();
        Self {
            kind: opened.err().and_then(|error| error.raw_os_error()),
            access: access.map(|facts| (facts.mode(), facts.uid(), facts.gid())),
        }
    }
}

/// The rule that keeps a device's file from this process: the device control group answers EPERM,
/// modes, security modules and mounts without devices answer EACCES.
fn denied(container: &Container, path: &Path, refusal: &Refusal, mounts: &str) -> String {
    if refusal.kind == Some(EPERM) {
        return format!("{DEVICE}: a volume shows the file without the right to open it");
    }
    if let Some((mode, owner, group)) = refusal.access
        && !container.identity.may_use(mode, owner, group)
    {
        let of = format!("it has mode {:04o}, owner {owner}, group {group}", mode & 0o7777);
        return match container.users {
            Users::Mapped => format!(
                "{of}: `--group-add keep-groups`, where the user who starts this is in the \
                 file's group on the host"
            ),
            Users::OfHost => format!(
                "{of}: `--group-add {group}` where that group may use it, else `--user 0:0`, or a \
                 udev rule on the host that gives it mode 0666"
            ),
        };
    }
    match &container.confinement {
        Confinement::SeLinux(_) => {
            "its mode allows it, SELinux does not: `--security-opt label=disable`, or on the host \
             `setsebool -P container_use_devices on`"
                .to_owned()
        }
        Confinement::AppArmor(profile) => format!(
            "its mode allows it, the AppArmor profile {profile} does not: \
             `--security-opt apparmor=unconfined`"
        ),
        Confinement::None if without_devices(path, mounts) => {
            format!("it is on a mount that takes no devices (nodev): {DEVICE} in place of a volume")
        }
        Confinement::None => "its mode allows it: where the host has SELinux, \
             `--security-opt label=disable`"
            .to_owned(),
    }
}

/// Whether the mount that a file is on has `nodev` (`proc_pid_mountinfo(5)`: the fifth field is
/// the mount point, the sixth its options).
fn without_devices(path: &Path, mounts: &str) -> bool {
    let fields = |line: &str| {
        let mut fields = line.split(' ').skip(4).map(str::to_owned);
        Some((fields.next()?, fields.next()?))
    };
    let on = mounts.lines().filter_map(fields).filter(|(point, _)| path.starts_with(point));
    on.max_by_key(|(point, _)| point.len())
        .is_some_and(|(_, options)| options.split(',').any(|option| option == "nodev"))
}

/// What to do about a port without a usable address.
pub const ADDRESS_ADVICE: &str =
    "`--network host`: addresses of RoCE belong to the network namespace of their interface";

/// The limit on locked memory, where it is too low; absent where it does not apply.
pub fn locked_memory(container: &Container, bytes: u64) -> Option<Finding> {
    if container.locks_without_limit() {
        return None;
    }
    let advice = match container.users {
        Users::OfHost => {
            "`--ulimit memlock=-1:-1` (`--cap-add IPC_LOCK` helps root only)".to_owned()
        }
        Users::Mapped => {
            let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
            format!(
                "`--ulimit memlock=-1:-1` goes as far as the limit of the user who starts this: \
                 at most {} here. Raise it on the host first (memlock in \
                 /etc/security/limits.conf, LimitMEMLOCK= of user@.service), and log in anew",
                hard_limit(&limits)
            )
        }
    };
    Some(doubt("locked memory", format!("at most {bytes} bytes"), advice))
}

/// The hard limit on locked memory in the words of `/proc/self/limits`.
fn hard_limit(limits: &str) -> String {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"));
    let mut fields = line.unwrap_or_default().split_whitespace();
    match (fields.nth(1), fields.next()) {
        (Some("unlimited"), _) => "unlimited".to_owned(),
        (Some(limit), Some(unit)) => format!("{limit} {unit}"),
        _ => "an unknown limit".to_owned(),
    }
}

/// System calls that a filter refuses: memory cannot be placed, or not be proven.
pub fn refused_calls(refused: &[&str]) -> Finding {
    let places = refused.iter().any(|call| *call != "move_pages");
    match refused {
        [] => fine("memory policy", "may be set and proven".to_owned()),
        _ if places => stop(
            "memory policy",
            format!("a filter refuses {}", refused.join(", ")),
            format!("{SECCOMP}, or the wider `--cap-add SYS_NICE`"),
        ),
        _ => doubt(
            "memory policy",
            "a filter refuses move_pages: residency is proven by mapping, not page by page".into(),
            SECCOMP.to_owned(),
        ),
    }
}

/// Whether results can be kept in the working directory, where `run` puts them.
pub fn results() -> Finding {
    let Ok(here) = std::env::current_dir() else {
        return stop("results", "the working directory is gone".into(), "`--workdir`".into());
    };
    let probe = here.join(format!(".onesided-doctor-{}", std::process::id()));
    let tried = fs::create_dir(&probe);
    if tried.is_ok() {
        // It is empty and ours: there is nothing else to do if it cannot be removed.
        let _ = fs::remove_dir(&probe);
    }
    of_results(&here, tried)
}

fn of_results(here: &Path, tried: io::Result<()>) -> Finding {
    let here = here.display();
    let Err(error) = tried else { return fine("results", format!("{here} can be written")) };
    let advice = match error.kind() {
        ErrorKind::ReadOnlyFilesystem => format!(
            "the root is read-only: `--tmpfs {here}` for results that are copied away, \
             `--volume FOLDER:{here}:Z` for those that stay"
        ),
        ErrorKind::PermissionDenied => format!(
            "`--user` of the folder's owner, or `--volume FOLDER:{here}:Z` of a folder that this \
             user may write (Podman: `:Z,U`)"
        ),
        _ => format!("`--volume FOLDER:{here}:Z` of a folder with room"),
    };
    stop("results", format!("{here} cannot be written: {error}"), advice)
}

#[cfg(test)]
mod tests;
