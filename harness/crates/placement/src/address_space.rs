//! This process's mappings as `/proc/self/maps` lists them (`proc_pid_maps(5)`).

use std::path::Path;

use crate::kernel_file::{self, KernelFileError};

/// One accessible mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) start: usize,
    /// The address after its last byte.
    pub(crate) end: usize,
    /// A file, a device or a name in brackets; `None` for anonymous memory.
    pub(crate) backing: Option<String>,
}

const FILE: &str = "/proc/self/maps";

/// The accessible mappings, ascending by address.
pub(crate) fn read() -> Result<Vec<Area>, KernelFileError> {
    let path = Path::new(FILE);
    let text = kernel_file::needed_text(path, "this process's mappings")?;
    let malformed = |line: &str| KernelFileError::Malformed {
        path: path.to_owned(),
        text: line.to_owned(),
        expected: "START-END ACCESS OFFSET DEVICE INODE [NAME]",
    };
    let mut areas = Vec::new();
    for line in text.lines() {
        areas.extend(parse(line).ok_or_else(|| malformed(line))?);
    }
    Ok(areas)
}

/// Outer `None`: not understood. Inner `None`: inaccessible, that is address space an allocator
/// has reserved; it becomes a mapping when it is made accessible.
fn parse(line: &str) -> Option<Option<Area>> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after;
        (!word.is_empty()).then_some(word)
    };
    let (start, end) = word()?.split_once('-')?;
    let access = word()?;
    let (_offset, _device, _inode) = (word()?, word()?, word()?);
    let backing = rest.trim_start();
    let area = Area {
        start: usize::from_str_radix(start, 16).ok()?,
        end: usize::from_str_radix(end, 16).ok()?,
        backing: (!backing.is_empty()).then(|| backing.to_owned()),
    };
    Some((!access.starts_with("---")).then_some(area))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_with_and_without_a_name() {
        let named = "7f00-7f10 rw-s 00000000 00:06 402      /dev/infiniband/uverbs0 (deleted)";
        let area = parse(named).unwrap().unwrap();
        assert_eq!((area.start, area.end), (0x7f00, 0x7f10));
        assert_eq!(area.backing.as_deref(), Some("/dev/infiniband/uverbs0 (deleted)"));
        let anonymous = parse("1000-2000 rw-p 00000000 00:00 0 ").unwrap().unwrap();
        assert_eq!(anonymous.backing, None);
        assert_eq!(parse("1000-2000 ---p 00000000 00:00 0"), Some(None));
        assert_eq!(parse("1000 rw-p"), None);
    }

    #[test]
    fn the_running_process_has_a_stack() {
        let areas = read().unwrap();
        assert!(areas.iter().any(|area| area.backing.as_deref() == Some("[stack]")));
    }
}
