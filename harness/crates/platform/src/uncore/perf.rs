//! `perf_event_open(2)`, which the C library does not wrap.

use std::ffi::{c_int, c_long, c_ulong};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};

use super::terms::ConfigWords;

/// `struct perf_event_attr` of `linux/perf_event.h` up to `config2`: its second published size,
/// `PERF_ATTR_SIZE_VER1`, which every kernel since 2.6.39 takes.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    /// A field of single bits; all 0: counting from the start, in all modes.
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
}

const _: () = assert!(size_of::<Attributes>() == 72, "PERF_ATTR_SIZE_VER1");

/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP`.
const READ_FORMAT: u64 = 1 | 2 | 8;

/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: c_ulong = 8;

/// Whose events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Everybody's, on one CPU: what units outside the cores need.
    AllOn(u32),
    /// The calling thread's, on whichever CPU.
    #[cfg(test)]
    OfThisThread,
}

/// Opens one counter, in the group of `leader` or as the leader of a new one.
pub(super) fn open(
    kind: u32,
    config: ConfigWords,
    whose: Whose,
    leader: Option<&File>,
) -> io::Result<File> {
    let [config, config1, config2] = config.words;
    let attributes = Attributes {
        kind,
        size: size_of::<Attributes>() as u32,
        config,
        read_format: READ_FORMAT,
        config1,
        config2,
        ..Attributes::default()
    };
    let (process, cpu): (libc::pid_t, c_int) = match whose {
        Whose::AllOn(cpu) => (-1, cpu.try_into().map_err(io::Error::other)?),
        #[cfg(test)]
        Whose::OfThisThread => (0, -1),
    };
    let group = leader.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: the kernel reads `size` bytes of the attributes, and no other memory.
    let answer: c_long = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            c_long::from(process),
            c_long::from(cpu),
            c_long::from(group),
            CLOSE_ON_EXEC,
        )
    };
    match c_int::try_from(answer) {
        // SAFETY: a new descriptor, which nobody else has.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { File::from_raw_fd(descriptor) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What a group counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupReading {
    /// Since it was opened, in ns.
    pub enabled_ns: u64,
    /// Of this the time for which there were hardware counters for it.
    pub running_ns: u64,
    /// The leader's count, then those of the others in the order in which they were opened.
    pub values: Vec<u64>,
}

/// Reads a group of `members` by its leader.
pub(super) fn read(leader: &mut File, members: usize) -> io::Result<GroupReading> {
    const WORD: usize = size_of::<u64>();
    let mut bytes = vec![0; (3 + members) * WORD];
    let length = leader.read(&mut bytes)?;
    let words: Vec<u64> = bytes[..length]
        .chunks_exact(WORD)
        .map(|word| u64::from_ne_bytes(word.try_into().expect("chunks are one word")))
        .collect();
    match words.as_slice() {
        [count, enabled_ns, running_ns, values @ ..]
            if *count == members as u64 && values.len() == members =>
        {
            let (enabled_ns, running_ns) = (*enabled_ns, *running_ns);
            Ok(GroupReading { enabled_ns, running_ns, values: values.to_vec() })
        }
        // perf_event_open(2): end of file is the answer of a group that could not be scheduled.
        _ => Err(io::Error::other(format!("{length} bytes are no answer for {members} counters"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `PERF_TYPE_SOFTWARE`.
    const SOFTWARE: u32 = 1;
    /// `PERF_COUNT_SW_PAGE_FAULTS`, `_MIN` and `_MAJ`.
    const PAGE_FAULTS: u64 = 2;
    const MINOR_FAULTS: u64 = 5;
    const MAJOR_FAULTS: u64 = 6;

    fn opened(config: u64, leader: Option<&File>) -> Option<File> {
        let words = ConfigWords { words: [config, 0, 0] };
        match open(SOFTWARE, words, Whose::OfThisThread, leader) {
            Ok(counter) => Some(counter),
            Err(error) => {
                assert!(
                    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM | libc::ENOSYS)),
                    "only a missing right excuses: {error}"
                );
                eprintln!("SKIPPED: perf_event_open is not allowed here: {error}");
                None
            }
        }
    }

    fn touch(pages: usize) {
        let length = pages * 4096;
        // SAFETY: a new mapping at a place of the kernel's choosing.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(memory, libc::MAP_FAILED);
        // SAFETY: the mapping is ours; without huge pages every page faults once.
        unsafe {
            libc::madvise(memory, length, libc::MADV_NOHUGEPAGE);
            for page in 0..pages {
                memory.cast::<u8>().add(page * 4096).write_volatile(1);
            }
            libc::munmap(memory, length);
        }
    }

    #[test]
    fn a_group_of_software_counters_counts_the_page_faults_that_were_made() {
        let Some(mut leader) = opened(PAGE_FAULTS, None) else { return };
        let members = [MINOR_FAULTS, MAJOR_FAULTS].map(|config| opened(config, Some(&leader)));
        assert!(members.iter().all(Option::is_some), "what the leader may, the others may");
        let before = read(&mut leader, 3).unwrap();
        touch(1000);
        let after = read(&mut leader, 3).unwrap();
        let counted = |index: usize| after.values[index] - before.values[index];
        assert!((1000..1100).contains(&counted(0)), "{before:?} {after:?}");
        assert_eq!(counted(0), counted(1) + counted(2), "all are minor or major");
        assert!(counted(1) >= 1000);
        assert!(after.running_ns > before.running_ns && after.running_ns <= after.enabled_ns);
    }

    #[test]
    fn a_group_of_another_size_than_expected_is_no_answer() {
        let Some(mut leader) = opened(PAGE_FAULTS, None) else { return };
        assert!(read(&mut leader, 2).is_err());
        let _member = opened(MINOR_FAULTS, Some(&leader)).expect("the leader may");
        assert!(read(&mut leader, 1).is_err());
    }

    #[test]
    fn a_kind_that_no_unit_has_is_refused() {
        if opened(PAGE_FAULTS, None).is_some() {
            let error = open(0x7fff_ffff, ConfigWords::default(), Whose::OfThisThread, None);
            assert_eq!(error.unwrap_err().raw_os_error(), Some(libc::ENOENT));
        }
    }
}
