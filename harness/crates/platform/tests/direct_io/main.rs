//! Direct I/O on a made-up tree of files, within one process.
//!
//! What passing lets us claim: which state is read, that a guard changes one bit and gives it back,
//! and what is refused with nothing changed. Ways out by signals: `crates/cli/tests/direct_io`,
//! with the real guardian. Not claimed: that a register of real hardware behaves as documented.

mod tree;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use onesided_platform::direct_io::{DirectIo, DirectIoError, Owner, Restored};
use tree::{DEVICE, OFF, OFFSET, ORIGINAL, Tree};

/// Says the word and waits for the end of the pipe, restoring nothing.
fn guardian() -> Command {
    shell("echo ready; cat > /dev/null")
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Somebody else writes the byte with the bit.
fn set_byte(tree: &Tree, value: u8) {
    let mut config = fs::read(tree.config()).unwrap();
    config[OFFSET] = value;
    fs::write(tree.config(), config).unwrap();
}

#[test]
fn a_guard_holds_one_bit_off_and_gives_it_back_when_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    assert_eq!(tree.roots().state(DEVICE), DirectIo::On);
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    assert_eq!((guard.port().to_string().as_str(), guard.changed()), ("0000:3a:00.0", true));
    assert_eq!((tree.byte(), tree.roots().state(DEVICE)), (OFF, DirectIo::Off));
    assert_eq!(tree.roots().left_over().unwrap()[0].owner, Owner::AtWork);
    drop(guard);
    assert_eq!((tree.byte(), tree.roots().state(DEVICE)), (ORIGINAL, DirectIo::On));
    tree.is_clean();
}

#[test]
fn a_panic_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let panicked = panic::catch_unwind(|| {
        let _guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
        assert_eq!(tree.byte(), ORIGINAL, "off: the panic this test is about");
    });
    assert!(panicked.is_err());
    assert_eq!(tree.byte(), ORIGINAL);
    tree.is_clean();
}

#[test]
fn what_is_off_already_stays_off_and_starts_no_guardian() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    set_byte(&tree, OFF);
    let guard = tree.roots().switch_off(DEVICE, Command::new("/nonexistent")).unwrap();
    assert!(!guard.changed());
    tree.is_clean();
    assert_eq!(guard.restore().unwrap(), Restored::WasOff);
    assert_eq!(tree.byte(), OFF);
}

#[test]
fn other_bits_that_somebody_changed_meanwhile_stay_as_they_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    set_byte(&tree, 0x0a);
    assert_eq!(guard.restore().unwrap(), Restored::Restored);
    assert_eq!(tree.byte(), 0x8a);
    tree.is_clean();
}

#[test]
fn that_somebody_switched_it_on_meanwhile_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    set_byte(&tree, 0x88);
    assert_eq!(guard.restore().unwrap(), Restored::FoundOn);
    assert_eq!(tree.byte(), 0x88);
    tree.is_clean();
}

#[test]
fn a_port_that_is_another_one_by_then_is_not_written_and_the_journal_stays() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    tree.set_port(0x8086, 0x2031, 4096);
    set_byte(&tree, 0);
    let error = guard.restore().unwrap_err();
    assert!(error.to_string().contains("8086:2031"), "{error}");
    assert_eq!(tree.byte(), 0);
    // A process that another test is just starting has our files open, too, until it is running.
    let deadline = Instant::now() + Duration::from_secs(20);
    while tree.roots().recover().is_ok() {
        assert!(Instant::now() < deadline, "the journal stays locked");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_second_guard_of_a_port_is_refused_and_recovery_leaves_the_first_alone() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    assert_eq!(tree.roots().recover().unwrap(), []);
    let error = tree.roots().switch_off(DEVICE, guardian()).unwrap_err();
    assert!(matches!(error, DirectIoError::AlreadyHeld { .. }), "{error}");
    drop(guard);
    tree.is_clean();
}

#[test]
fn without_a_guardian_that_says_the_word_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let silent = [Command::new("/nonexistent"), Command::new("true"), shell("echo no; cat")];
    for command in silent {
        let error = tree.roots().switch_off(DEVICE, command).unwrap_err();
        assert!(matches!(error, DirectIoError::NoGuardian { .. }), "{error}");
        assert_eq!(tree.byte(), ORIGINAL);
        tree.is_clean();
    }
}

#[test]
fn why_there_is_no_guardian_is_told_even_where_its_journal_cannot_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    // Words behind a script count from 0: --sys DIR --journal FILE.
    let spoiling = shell("rm \"$3\" && mkdir \"$3\"; echo no");
    let error = tree.roots().switch_off(DEVICE, spoiling).unwrap_err();
    assert!(matches!(error, DirectIoError::NoGuardian { .. }), "{error}");
    assert_eq!(fs::read_dir(tree.journals()).unwrap().count(), 1, "it could be removed");
    assert_eq!(tree.byte(), ORIGINAL);
}

#[test]
fn a_bad_journal_does_not_keep_the_ports_behind_it_from_recovery() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let bad = tree.journals().join("0000:00:00.0.direct-io");
    fs::create_dir_all(tree.journals()).unwrap();
    let left_off = || {
        set_byte(&tree, OFF);
        fs::write(&bad, "nothing\n").unwrap();
        let left = format!("port 0000:3a:00.0\nid 8086:2030\noffset 180\noriginal {ORIGINAL:x}\n");
        fs::write(tree.journals().join("0000:3a:00.0.direct-io"), left).unwrap();
    };
    left_off();
    let error = tree.roots().recover().unwrap_err();
    assert!(matches!(&error, DirectIoError::BadJournal { path, .. } if *path == bad), "{error}");
    assert_eq!(tree.byte(), ORIGINAL);
    left_off();
    let each = tree.roots().recover_each().unwrap();
    let [Err(DirectIoError::BadJournal { .. }), Ok((port, Restored::Restored))] = &each[..] else {
        panic!("{each:?}")
    };
    assert_eq!(port.to_string(), "0000:3a:00.0");
    fs::remove_file(&bad).unwrap();
    tree.is_clean();
}

#[test]
fn what_has_no_known_root_port_is_unsupported_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let sys = folder.path().join("sys");
    for made in
        ["class/infiniband/rxe0", "class/infiniband/inside", "devices/pci0000:00/0000:00:02.0"]
    {
        fs::create_dir_all(sys.join(made)).unwrap();
    }
    fs::write(sys.join("class/infiniband/rxe0/parent"), "eth0\n").unwrap();
    tree.link("class/infiniband/inside/device", "devices/pci0000:00/0000:00:02.0");
    let why = |device: &str| {
        let error = tree.roots().switch_off(device, guardian()).unwrap_err().to_string();
        match tree.roots().state(device) {
            DirectIo::Unsupported { why } if error.contains(&why) => why,
            state => panic!("{device}: {state:?}, {error}"),
        }
    };
    assert!(why("rxe0").contains("software"));
    assert!(why("inside").contains("without a root port"));
    assert!(why("absent").contains("no RDMA device"));
    assert!(why("../infiniband/mlx5_0").contains("no RDMA device"));
    tree.set_port(0x1022, 0x1483, 4096);
    assert!(why(DEVICE).contains("1022:1483"));
    tree.set_port(0x8086, 0x347a, 4096);
    assert!(why(DEVICE).contains("Ice Lake"));
    tree.set_port(0x8086, 0x2030, 256);
    assert!(why(DEVICE).contains("256 bytes"));
    tree.is_clean();
}

#[test]
fn who_is_not_root_is_refused_before_anything_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    fs::set_permissions(tree.config(), fs::Permissions::from_mode(0o444)).unwrap();
    let refused = thread::scope(|scope| {
        let attempt = || {
            become_nobody();
            tree.roots().switch_off(DEVICE, guardian()).unwrap_err()
        };
        scope.spawn(attempt).join().unwrap()
    });
    assert!(matches!(refused, DirectIoError::NotPermitted { .. }), "{refused}");
    assert!(refused.to_string().contains("needs root"), "{refused}");
    assert_eq!(tree.byte(), ORIGINAL);
    tree.is_clean();
}

/// Takes root's rights from the calling thread; the C library's function would do it to all.
fn become_nobody() {
    const NOBODY: libc::c_long = 65_534;
    // SAFETY: takes no pointer. Who is no root already is refused and needs no change.
    unsafe { libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) };
}
