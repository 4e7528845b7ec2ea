//! What is tried in a process of its own, this program once more: without privileges, as in a
//! container that was not given the device, and with an older library. The parent needs root, so
//! that there is something to give up.

use std::{
    env,
    ffi::{CString, OsStr},
    fs, io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
    ptr,
};

use onesided_transport::{Access, RegisterError, Transport};
use onesided_verbs::{LIBRARY_OVERRIDE, OpenError, VerbsDevice};

use crate::Test;

/// Set in that process, to what it is to try.
pub const CHILD: &str = "ONESIDED_TEST_OTHER_PROCESS";

/// Set there to the GID table that the parent sees.
const GIDS: &str = "ONESIDED_TEST_GIDS";

/// Bytes that may be locked there.
const LIMIT: u64 = 64 * 1024;

pub const TESTS: &[Test] = &[
    ("more_locked_memory_than_allowed_says_how_to_raise_the_limit", |device| {
        succeeds("lock", device, &[]);
    }),
    ("a_device_file_without_permission_is_named", |device| succeeds("open", device, &[])),
    ("a_device_file_that_is_not_there_is_named", |device| succeeds("absent", device, &[])),
    ("an_older_library_without_the_table_query_tells_the_same_gids", older_library),
];

fn succeeds(part: &str, device: &VerbsDevice, environment: &[(&str, &OsStr)]) {
    // SAFETY: it has no conditions.
    let user = unsafe { libc::geteuid() };
    assert_eq!(user, 0, "this test needs root to give it up");
    let status = Command::new(env::current_exe().expect("this program has a file"))
        .env(CHILD, part)
        .env("ONESIDED_DEVICE", &device.description().name)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .status()
        .expect("this program can be started");
    assert!(status.success(), "{status}");
}

/// A library before rdma-core 32: this one, with the name of the function overwritten.
fn older_library(device: &VerbsDevice) {
    let maps = fs::read_to_string("/proc/self/maps").expect("this process has mappings");
    let loaded = maps.split_whitespace().find(|word| word.contains("/libibverbs.so"));
    let mut bytes = fs::read(loaded.expect("the library is loaded")).expect("it can be read");
    let name = b"\0_ibv_query_gid_table\0";
    let places = bytes.windows(name.len()).enumerate().filter(|(_, part)| part == name);
    let place = places.map(|(place, _)| place).next().expect("the library has the name");
    bytes[place + 1] = b'X';
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("libibverbs.so.1");
    fs::write(&file, bytes).expect("it can be written");
    let gids = format!("{:?}", device.description().gids);
    let environment = [(LIBRARY_OVERRIDE, file.as_os_str()), (GIDS, OsStr::new(&gids))];
    succeeds("older", device, &environment);
}

/// What that process does; its exit code is the verdict.
pub fn child(part: &OsStr) -> ExitCode {
    let name = env::var("ONESIDED_DEVICE").expect("the parent says which");
    match part.to_str() {
        Some("lock") => lock(&name),
        Some("open") => open(&name),
        Some("absent") => absent(&name),
        Some("older") => older(&name),
        other => panic!("no such part: {other:?}"),
    }
    ExitCode::SUCCESS
}

fn give_up_privileges() {
    let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: LIMIT };
    // SAFETY: the structure lives; the calls have no other conditions. 65534 is `nobody`.
    let codes = unsafe {
        [
            libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit),
            libc::setresgid(65534, 65534, 65534),
            libc::setresuid(65534, 65534, 65534),
        ]
    };
    assert_eq!(codes, [0; 3], "privileges could not be given up");
}

fn lock(name: &str) {
    let device = VerbsDevice::open(Some(name), None).expect("root can open it");
    give_up_privileges();
    let mut memory = vec![0_u8; 1 << 20];
    // SAFETY: the memory lives longer than the region, which is not used.
    let registered = unsafe { device.register(memory.as_mut_ptr(), memory.len(), Access::LOCAL) };
    let Err(error) = registered else { panic!("1 MiB is above the limit of 64 KiB") };
    let RegisterError::LockedMemoryLimit { length_bytes, limit_bytes } = error else {
        panic!("the limit is the reason, not {error:?}")
    };
    assert_eq!((length_bytes, limit_bytes), (1 << 20, LIMIT));
}

fn open(name: &str) {
    let files = device_files();
    hide_device_files();
    for (path, number) in &files {
        let path = CString::new(path.as_os_str().as_bytes()).expect("no zero byte");
        // SAFETY: the path ends in a zero byte and lives.
        let code = unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o600, *number) };
        assert_eq!(code, 0, "{}", io::Error::last_os_error());
    }
    give_up_privileges();
    let Err(error) = VerbsDevice::open(Some(name), None) else { panic!("only root may open it") };
    let OpenError::PermissionDenied { path, .. } = error else {
        panic!("permission is the reason, not {error:?}")
    };
    assert!(files.iter().any(|(file, _)| *file == path), "{}", path.display());
}

fn absent(name: &str) {
    let files = device_files();
    hide_device_files();
    let Err(error) = VerbsDevice::open(Some(name), None) else { panic!("its file is not there") };
    let OpenError::NoDeviceFile { path, .. } = error else {
        panic!("the missing file is the reason, not {error:?}")
    };
    assert!(files.iter().any(|(file, _)| *file == path), "{}", path.display());
}

fn older(name: &str) {
    let device = VerbsDevice::open(Some(name), None).expect("an older library will do");
    let gids = format!("{:?}", device.description().gids);
    assert_eq!(gids, env::var(GIDS).expect("the parent says which"));
}

const FOLDER: &str = "/dev/infiniband";

/// The files there, with their device numbers.
fn device_files() -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(FOLDER).expect("there is a device").flatten();
    let file = |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?.rdev()));
    entries.filter_map(file).collect()
}

/// An empty folder in their place, for this process only.
fn hide_device_files() {
    let folder = CString::new(FOLDER).expect("no zero byte");
    // SAFETY: all strings end in a zero byte and live.
    let codes = unsafe {
        [
            libc::unshare(libc::CLONE_NEWNS),
            libc::mount(
                c"none".as_ptr(),
                c"/".as_ptr(),
                ptr::null(),
                libc::MS_REC | libc::MS_PRIVATE,
                ptr::null(),
            ),
            libc::mount(
                c"none".as_ptr(),
                folder.as_ptr(),
                c"tmpfs".as_ptr(),
                0,
                c"mode=0755".as_ptr().cast(),
            ),
        ]
    };
    assert_eq!(codes, [0; 3], "{}", io::Error::last_os_error());
}
