//! The words by which a place is asked for, checked before any machine is at hand.
//!
//! What a place means is decided where the machine is known; this only catches a word that can
//! mean nothing anywhere, so that a typing error ends `expand` and not a night of runs.

/// What may be placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeable {
    /// Memory goes to nodes.
    Memory,
    /// Threads go to nodes or to CPUs by number.
    Threads,
    /// Memory that may also be spread over nodes or only prefer one.
    LoadMemory,
}

impl Placeable {
    /// What may be asked for.
    pub(super) fn allowed(self) -> &'static str {
        match self {
            Self::Memory => "any, rdma-local, rdma-remote, node:N or N",
            Self::Threads => {
                "any, rdma-local, rdma-remote, node:N, N, cpus:LIST as in cpus:0-3,8, or shared: and \
                 a node as in shared:rdma-local"
            }
            Self::LoadMemory => {
                "any, rdma-local, rdma-remote, node:N, N, interleave, interleave:LIST as in \
                 interleave:0,1, bind:LIST, or preferred: and a node as in preferred:rdma-local"
            }
        }
    }

    /// Whether `asked` is a word for a place of this kind.
    pub(super) fn accepts(self, asked: &str) -> bool {
        if let (Self::LoadMemory, Some(node)) = (self, asked.strip_prefix("preferred:")) {
            return node != "any" && Self::Memory.accepts(node);
        }
        if let (Self::Threads, Some(node)) = (self, asked.strip_prefix("shared:")) {
            return node != "any" && Self::Memory.accepts(node);
        }
        match asked.split_once(':') {
            Some(("interleave" | "bind", nodes)) => self == Self::LoadMemory && is_list(nodes),
            Some(("node", number)) => is_number(number),
            Some(("cpus", list)) => self == Self::Threads && is_list(list),
            Some(_) => false,
            None => {
                matches!(asked, "any" | "rdma-local" | "rdma-remote")
                    || is_number(asked)
                    || (self == Self::LoadMemory && asked == "interleave")
            }
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u32>().is_ok()
}

/// Whether `text` is a list of numbers as the kernel writes it (`cpuset(7)`, List format).
fn is_list(text: &str) -> bool {
    text.split(',').all(|part| match part.split_once('-') {
        Some((first, last)) => {
            is_number(first) && is_number(last) && first.parse::<u32>().ok() <= last.parse().ok()
        }
        None => is_number(part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_for_places_are_known() {
        for asked in ["any", "rdma-local", "rdma-remote", "0", "node:0", "node:12"] {
            assert!(Placeable::Memory.accepts(asked), "{asked}");
            assert!(Placeable::Threads.accepts(asked), "{asked}");
        }
        assert!(Placeable::Threads.accepts("cpus:0-3,8"));
        assert!(Placeable::Threads.accepts("shared:rdma-local"));
        assert!(Placeable::Threads.accepts("shared:node:1"));
        assert!(!Placeable::Threads.accepts("shared:any"));
        assert!(!Placeable::Memory.accepts("shared:rdma-local"));
        assert!(!Placeable::Memory.accepts("cpus:0-3,8"));
        for asked in ["interleave", "interleave:0-1,3", "preferred:1", "preferred:rdma-remote", "0"]
        {
            assert!(Placeable::LoadMemory.accepts(asked), "{asked}");
        }
        for asked in ["preferred:any", "preferred", "interleave:", "preferred:interleave"] {
            assert!(!Placeable::LoadMemory.accepts(asked), "{asked}");
        }
        assert!(!Placeable::Memory.accepts("interleave"));
    }

    #[test]
    fn what_can_mean_nothing_is_refused() {
        for asked in
            ["", "node:", "node:x", "rdma-locl", "cpus:", "cpus:3-1", "cpus:1,", "-1", "+1"]
        {
            assert!(!Placeable::Threads.accepts(asked), "{asked}");
        }
    }
}
