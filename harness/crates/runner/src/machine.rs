//! The machine's own name, kernel and processor, for the record.

use std::fs;

/// The machine's name for this boot; absent if the kernel does not tell.
pub(crate) fn boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

/// What a machine is called and made of.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub hostname: String,
    pub kernel: String,
    pub cpu_model: Option<String>,
}

impl Machine {
    /// This one. What the kernel does not tell is empty.
    pub(crate) fn this() -> Self {
        let kernel = |name: &str| {
            let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
            text.trim().to_owned()
        };
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name"));
        Self {
            hostname: kernel("hostname"),
            kernel: format!("{} {}", kernel("osrelease"), kernel("version")),
            cpu_model: model.map(|line| line.trim_start_matches([' ', '\t', ':']).to_owned()),
        }
    }
}
