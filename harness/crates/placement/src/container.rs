//! Whether this process is in a container, and who it is there.
//!
//! Each fact is what the kernel or the engine tells; outside a container there is nothing to tell.

use std::fmt;
use std::path::Path;

/// The container that this process is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// Who made it.
    pub engine: Engine,
    /// Whose ids its users have.
    pub users: Users,
    /// What of the kernel's security modules confines it.
    pub confinement: Confinement,
    /// Who this process is.
    pub identity: Identity,
}

/// What made a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Docker, which leaves `/.dockerenv`.
    Docker,
    /// Podman, which leaves `/run/.containerenv`.
    Podman,
    /// Another one.
    Other,
}

/// Whose ids the users of a container have (`user_namespaces(7)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Users {
    /// The host's: root is root.
    OfHost,
    /// Mapped to others of the host, as in a rootless container: no capability counts outside.
    Mapped,
}

/// The security module that confines a process, with its own word for how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confinement {
    /// SELinux, with the context.
    SeLinux(String),
    /// AppArmor in enforce mode, with the profile.
    AppArmor(String),
    /// Neither is known to.
    None,
}

/// Who a process is to the kernel when it opens files (`proc_pid_status(5)`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Effective user.
    pub user: u32,
    /// Effective group and the supplementary ones.
    pub groups: Vec<u32>,
    /// Effective capabilities, a bit each (`linux/capability.h`).
    pub capabilities: u64,
}

/// `CAP_DAC_OVERRIDE` of `linux/capability.h`: file modes do not apply.
const CAP_DAC_OVERRIDE: u64 = 1 << 1;

/// `CAP_IPC_LOCK` of `linux/capability.h`: the limit on locked memory does not apply.
const CAP_IPC_LOCK: u64 = 1 << 14;

impl Container {
    /// The container of this process; `None` outside.
    pub fn detect() -> Option<Self> {
        Self::detect_at(Path::new("/"), |name| std::env::var(name).ok())
    }

    /// Whether the limit on locked memory does not apply to this process. Mapped users' capability
    /// does not count for registered memory.
    pub fn locks_without_limit(&self) -> bool {
        self.users == Users::OfHost && self.identity.capabilities & CAP_IPC_LOCK != 0
    }

    fn detect_at(root: &Path, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        Some(Self {
            engine: engine(root, &text("proc/self/cgroup"), variable)?,
            users: users(&text("proc/self/uid_map")),
            confinement: confinement(&text("proc/self/attr/current")),
            identity: Identity::parse(&text("proc/self/status")),
        })
    }
}

fn engine(
    root: &Path,
    control_groups: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Engine> {
    let named = variable("container").unwrap_or_default();
    let marked = |words: &[&str]| words.iter().any(|word| control_groups.contains(word));
    if root.join("run/.containerenv").exists() || named == "podman" || marked(&["libpod"]) {
        return Some(Engine::Podman);
    }
    if root.join(".dockerenv").exists() || marked(&["/docker/", "/docker-"]) {
        return Some(Engine::Docker);
    }
    let other = !named.is_empty()
        || variable("KUBERNETES_SERVICE_HOST").is_some()
        || marked(&["kubepods", "containerd", "/lxc/", "crio-"]);
    other.then_some(Engine::Other)
}

/// The first user namespace maps all ids to themselves.
fn users(uid_map: &str) -> Users {
    match uid_map.split_whitespace().eq(["0", "0", "4294967295"]) || uid_map.is_empty() {
        true => Users::OfHost,
        false => Users::Mapped,
    }
}

/// An SELinux context has four parts joined by colons; AppArmor tells the mode in brackets.
fn confinement(label: &str) -> Confinement {
    let label = label.trim_matches(['\0', '\n', ' ']);
    match label.strip_suffix(" (enforce)") {
        Some(profile) => Confinement::AppArmor(profile.to_owned()),
        None if label.split(':').count() >= 4 => Confinement::SeLinux(label.to_owned()),
        None => Confinement::None,
    }
}

impl Identity {
    fn parse(status: &str) -> Self {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or_default().split_whitespace()
        };
        // Real, effective, saved, file system.
        let effective = |name: &str| field(name).nth(1).and_then(|id| id.parse().ok());
        let supplementary = field("Groups").filter_map(|id| id.parse().ok());
        let capabilities = field("CapEff").next();
        Self {
            user: effective("Uid").unwrap_or_default(),
            groups: effective("Gid").into_iter().chain(supplementary).collect(),
            capabilities: capabilities
                .and_then(|bits| u64::from_str_radix(bits, 16).ok())
                .unwrap_or_default(),
        }
    }

    /// Whether the mode of a file that `owner` and `group` have lets this process read and write.
    pub fn may_use(&self, mode: u32, owner: u32, group: u32) -> bool {
        let bits = match () {
            () if self.capabilities & CAP_DAC_OVERRIDE != 0 => return true,
            () if owner == self.user => mode >> 6,
            () if self.groups.contains(&group) => mode >> 3,
            () => mode,
        };
        bits & 0o6 == 0o6
    }
}

impl fmt::Display for Container {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.engine {
            Engine::Docker => "of Docker",
            Engine::Podman => "of Podman",
            Engine::Other => "of an engine that does not tell its name",
        })?;
        if self.users == Users::Mapped {
            out.write_str(", rootless")?;
        }
        write!(out, ", user {}", self.identity.user)?;
        match &self.confinement {
            Confinement::SeLinux(context) => write!(out, ", SELinux {context}"),
            Confinement::AppArmor(profile) => write!(out, ", AppArmor {profile}"),
            Confinement::None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
