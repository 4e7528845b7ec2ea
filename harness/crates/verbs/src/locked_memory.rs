//! The limit on locked memory, which registered memory counts against (`ibv_reg_mr(3)`,
//! `getrlimit(2)`).

use std::fs;

/// What the kernel says about this process's locked memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LockedMemory {
    /// `RLIMIT_MEMLOCK`, soft; `None`: no limit.
    limit_bytes: Option<u64>,
    /// Pinned already (`VmPin`: registered regions and queues).
    pinned_bytes: u64,
    /// Whether the limit is applied to this process.
    applies: Applies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Applies {
    Yes,
    /// `CAP_IPC_LOCK` in the first user namespace (`capabilities(7)`); in another, as root has it
    /// in a rootless container, the capability does not count.
    ToOthersOnly,
}

impl LockedMemory {
    /// Reads it.
    pub(crate) fn of_this_process() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let uid_map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        Self::parse(soft_limit(), &status, &uid_map)
    }

    fn parse(limit_bytes: Option<u64>, status: &str, uid_map: &str) -> Self {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.strip_prefix(':')?.split_whitespace().next()
        };
        let kilobytes = field("VmPin").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let capabilities = field("CapEff").and_then(|text| u64::from_str_radix(text, 16).ok());
        // CAP_IPC_LOCK of linux/capability.h.
        let may_lock = capabilities.is_some_and(|bits| bits & 1 << 14 != 0);
        // The first user namespace maps all ids to themselves (`user_namespaces(7)`).
        let first_namespace = uid_map.split_whitespace().eq(["0", "0", "4294967295"]);
        let applies =
            if may_lock && first_namespace { Applies::ToOthersOnly } else { Applies::Yes };
        Self { limit_bytes, pinned_bytes: kilobytes * 1024, applies }
    }

    /// The limit in bytes, if registering `length` bytes more goes beyond it.
    pub(crate) fn limit_below(&self, length: u64) -> Option<u64> {
        let limit = self.limit_bytes.filter(|_| self.applies == Applies::Yes)?;
        (self.pinned_bytes.saturating_add(length) > limit).then_some(limit)
    }
}

fn soft_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is written to a variable that lives.
    let code = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
    (code == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_NAMESPACE: &str = "         0          0 4294967295\n";
    const ROOTLESS: &str = "         0       1000          1\n";
    const ALL: &str = "VmPin:\t      64 kB\nCapEff:\t000001ffffffffff\n";
    const NONE: &str = "VmPin:\t      64 kB\nCapEff:\t0000000000000000\n";

    #[test]
    fn what_is_pinned_already_counts_against_the_limit() {
        let memory = LockedMemory::parse(Some(128 * 1024), NONE, FIRST_NAMESPACE);
        assert_eq!(memory.limit_below(64 * 1024), None);
        assert_eq!(memory.limit_below(64 * 1024 + 1), Some(128 * 1024));
    }

    #[test]
    fn root_is_not_limited_but_root_of_a_rootless_container_is() {
        let root = LockedMemory::parse(Some(0), ALL, FIRST_NAMESPACE);
        assert_eq!(root.limit_below(4096), None);
        let rootless = LockedMemory::parse(Some(0), ALL, ROOTLESS);
        assert_eq!(rootless.limit_below(4096), Some(0));
    }

    #[test]
    fn no_limit_is_never_the_cause() {
        let memory = LockedMemory::parse(None, NONE, FIRST_NAMESPACE);
        assert_eq!(memory.limit_below(u64::MAX), None);
    }
}
