//! Which model of card an RDMA device is.

use std::path::Path;

use crate::kernel_file;

/// The model of an RDMA device of this machine as its driver names it: the chip, then the board,
/// such as `MT4119 MT_0000000008`; `None` for devices of software, and drivers that do not tell.
///
/// Source: Linux, `Documentation/ABI/stable/sysfs-class-infiniband` (`hca_type`, `board_id`).
pub fn device_model(device: &str) -> Option<String> {
    device_model_at(Path::new("/sys"), device)
}

/// The same in a tree other than `/sys`.
pub fn device_model_at(sys_root: &Path, device: &str) -> Option<String> {
    let folder = sys_root.join("class/infiniband").join(device);
    // What cannot be read is as good as not told: a name for figures is worth no failed run.
    let told = |name| kernel_file::text(&folder.join(name)).ok().flatten();
    let words: Vec<_> = ["hca_type", "board_id"]
        .into_iter()
        .filter_map(told)
        .filter(|text| !text.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}
