//! The library that the environment names, on any machine. One test: the environment belongs to
//! the whole process.

use std::env;

use onesided_verbs::{LIBRARY_OVERRIDE, LibraryError, OpenError, VerbsDevice, devices};

#[test]
fn the_environment_names_the_library_and_a_wrong_one_is_told_with_the_remedy() {
    // SAFETY: this process has one test, so nobody else reads the environment now.
    unsafe { env::set_var(LIBRARY_OVERRIDE, "/nonexistent/libibverbs.so.1") };
    let listed = devices().expect_err("there is no such file");
    assert!(matches!(listed, LibraryError::LibraryMissing { .. }), "{listed}");
    let Err(error) = VerbsDevice::open(None, None) else { panic!("there is no such file") };
    let OpenError::Library(LibraryError::LibraryMissing { tried, .. }) = &error else {
        panic!("the library is what is missing, not {error}")
    };
    assert_eq!(tried, "/nonexistent/libibverbs.so.1");
    let message = error.to_string();
    assert!(message.contains("apt install libibverbs1 ibverbs-providers"), "{message}");
}
