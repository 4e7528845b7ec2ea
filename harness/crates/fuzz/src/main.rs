//! libFuzzer's program: plays the target that `ONESIDED_FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use onesided_fuzz::{TARGETS, Target};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("ONESIDED_FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("ONESIDED_FUZZ_TARGET is '{name}', not one of: {}", names.join(" "));
        std::process::exit(2)
    })
});

fuzz_target!(|bytes: &[u8]| {
    (TARGET.play)(bytes);
});
