//! Which CPUs a thread may run on, and which one it runs on now.

use std::ffi::{c_int, c_long, c_uint};
use std::io;

use crate::place::{CpuId, CpuSet, NodeId};

const WORD_BITS: usize = u64::BITS as usize;

/// A mask with room for every number a [`CpuSet`] can hold; the kernel takes any size that is not
/// smaller than its own and refuses smaller ones (`sched_setaffinity(2)`, "Handling systems with
/// large CPU affinity masks").
type Mask = [u64; (CpuSet::LARGEST as usize + 1) / WORD_BITS];

/// Why a thread's CPUs could not be set or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AffinityError {
    /// None of the CPUs is both online and allowed.
    #[error("cannot run on CPU {asked}: none is online and within the process's cpuset")]
    NoUsableCpu {
        /// The CPUs asked for.
        asked: CpuSet,
    },
    /// The kernel left out some of the CPUs without an error.
    #[error("asked to run on CPU {asked}, the kernel allows {granted} of them only")]
    Narrowed {
        /// The CPUs asked for.
        asked: CpuSet,
        /// The CPUs in the thread's mask now.
        granted: CpuSet,
    },
    /// The system call failed for another reason.
    #[error("the kernel refuses {call}")]
    Refused {
        /// The system call.
        call: &'static str,
        /// What it answered.
        source: io::Error,
    },
}

/// Makes the calling thread run on these CPUs only, and checks that it does.
///
/// Pin before the first touch of memory: where a page goes may depend on it.
///
/// # Errors
/// A CPU is offline, outside the process's cpuset, or the call is forbidden. When some CPUs are
/// usable and others are not the thread stays on the usable ones.
pub fn pin_current_thread(cpus: &CpuSet) -> Result<(), AffinityError> {
    let mut mask: Mask = [0; _];
    for cpu in cpus {
        let bit = cpu.0 as usize;
        match mask.get_mut(bit / WORD_BITS) {
            Some(word) => *word |= 1 << (bit % WORD_BITS),
            None => return Err(AffinityError::NoUsableCpu { asked: cpus.clone() }),
        }
    }
    // SAFETY: the kernel reads `size_of::<Mask>()` bytes of the mask; 0 is the calling thread.
    let answer =
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of::<Mask>(), mask.as_ptr()) };
    if answer < 0 {
        let source = io::Error::last_os_error();
        return Err(match source.raw_os_error() {
            Some(libc::EINVAL) => AffinityError::NoUsableCpu { asked: cpus.clone() },
            _ => AffinityError::Refused { call: "sched_setaffinity", source },
        });
    }
    let granted = cpus_of_current_thread()?;
    match granted == *cpus {
        true => Ok(()),
        false => Err(AffinityError::Narrowed { asked: cpus.clone(), granted }),
    }
}

/// The CPUs the calling thread may run on.
///
/// # Errors
/// The call is forbidden.
pub fn cpus_of_current_thread() -> Result<CpuSet, AffinityError> {
    cpus_of(0)
}

/// The CPUs the process's main thread may run on, which is what it was started with as long as
/// that thread is not pinned.
///
/// # Errors
/// The call is forbidden.
pub fn cpus_of_main_thread() -> Result<CpuSet, AffinityError> {
    // SAFETY: takes nothing and cannot fail. A process's id is its main thread's id.
    cpus_of(unsafe { libc::getpid() })
}

fn cpus_of(thread: libc::pid_t) -> Result<CpuSet, AffinityError> {
    let call = "sched_getaffinity";
    let mut mask: Mask = [0; _];
    // SAFETY: the kernel writes at most `size_of::<Mask>()` bytes of the mask.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_sched_getaffinity,
            c_long::from(thread),
            size_of::<Mask>(),
            mask.as_mut_ptr(),
        )
    };
    if answer < 0 {
        return Err(AffinityError::Refused { call, source: io::Error::last_os_error() });
    }
    let set = |bit: &u32| mask[*bit as usize / WORD_BITS] >> (*bit as usize % WORD_BITS) & 1 == 1;
    CpuSet::new((0..=CpuSet::LARGEST).filter(set).map(CpuId)).ok_or_else(|| {
        AffinityError::Refused { call, source: io::Error::other("the mask is empty") }
    })
}

/// The CPU the calling thread runs on at this moment, and that CPU's node.
///
/// Answered without entering the kernel (vDSO) where the C library does so: some 20 ns, fit for
/// sampling between measurements. Unless the thread is pinned the answer may be out of date on
/// return.
///
/// # Panics
/// When `getcpu(2)` fails, which it does only for bad pointers.
pub fn current_cpu() -> (CpuId, NodeId) {
    let (mut cpu, mut node): (c_uint, c_uint) = (0, 0);
    let answer = getcpu(&mut cpu, &mut node);
    assert!(answer == 0, "getcpu failed with valid pointers: {}", io::Error::last_os_error());
    (CpuId(cpu), NodeId(node))
}

#[cfg(target_env = "gnu")]
fn getcpu(cpu: &mut c_uint, node: &mut c_uint) -> c_int {
    unsafe extern "C" {
        /// `getcpu(3)`, in glibc since 2.29; it goes through the vDSO.
        #[link_name = "getcpu"]
        fn glibc_getcpu(cpu: *mut c_uint, node: *mut c_uint) -> c_int;
    }
    // SAFETY: both pointers are valid for a write.
    unsafe { glibc_getcpu(cpu, node) }
}

#[cfg(not(target_env = "gnu"))]
fn getcpu(cpu: &mut c_uint, node: &mut c_uint) -> c_int {
    let (cpu, node): (*mut c_uint, *mut c_uint) = (cpu, node);
    // SAFETY: both pointers are valid for a write; the third argument is unused since Linux 2.6.24.
    let answer = unsafe { libc::syscall(libc::SYS_getcpu, cpu, node, std::ptr::null::<u8>()) };
    c_int::from(answer != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_pinned_thread_runs_where_it_was_pinned() {
        for cpu in &cpus_of_main_thread().unwrap() {
            let seen = thread::spawn(move || {
                pin_current_thread(&CpuSet::of(cpu)).unwrap();
                (cpus_of_current_thread().unwrap(), current_cpu().0)
            });
            assert_eq!(seen.join().unwrap(), (CpuSet::of(cpu), cpu));
        }
    }

    #[test]
    fn pinning_a_thread_leaves_the_process_as_it_was() {
        let before = cpus_of_main_thread().unwrap();
        let first = CpuSet::of(before.first());
        thread::spawn(move || pin_current_thread(&first).unwrap()).join().unwrap();
        assert_eq!(cpus_of_main_thread().unwrap(), before);
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_refused_by_name() {
        let cpus: CpuSet = "60000".parse().unwrap();
        let error = thread::spawn(move || pin_current_thread(&cpus)).join().unwrap().unwrap_err();
        assert!(error.to_string().contains("CPU 60000"), "{error}");
    }

    #[test]
    fn a_set_of_which_only_some_cpus_exist_is_an_error_and_not_silently_cut() {
        let first = cpus_of_main_thread().unwrap().first();
        let asked: CpuSet = format!("{first},60000").parse().unwrap();
        let error = thread::spawn(move || pin_current_thread(&asked)).join().unwrap().unwrap_err();
        assert!(
            matches!(&error, AffinityError::Narrowed { granted, .. } if *granted == CpuSet::of(first)),
            "{error}"
        );
    }
}
