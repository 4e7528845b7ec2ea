//! Counters that a port keeps, in the kernel's own words
//! (Documentation/ABI/stable/sysfs-class-infiniband).

use std::{collections::BTreeMap, fs, path::Path};

/// The folders of a port that hold counters: those of the IB spec, and the driver's own.
const FOLDERS: [&str; 2] = ["counters", "hw_counters"];

/// Files of these folders that set something and count nothing.
const SETTINGS: [&str; 1] = ["lifespan"];

/// All counters of the port whose folder is `port`, as `FOLDER/NAME`. A counter that the device
/// does not keep (the kernel then says so in words, or refuses the reading) is left out.
pub(crate) fn read(port: &Path) -> BTreeMap<String, u64> {
    let mut counters = BTreeMap::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(port.join(folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            if let (false, Ok(count)) = (SETTINGS.contains(&name.as_str()), text.trim().parse()) {
                counters.insert(format!("{folder}/{name}"), count);
            }
        }
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sysfs::tests::Tree;

    #[test]
    fn counters_of_both_folders_are_read_and_what_is_no_counter_is_left_out() {
        let tree = Tree::new();
        tree.file("infiniband/rxe0/ports/1/counters/port_xmit_data", "18446744073709551615\n");
        tree.file("infiniband/rxe0/ports/1/counters/link_downed", "N/A (no PMA)\n");
        tree.file("infiniband/rxe0/ports/1/hw_counters/sent_pkts", "0\n");
        tree.file("infiniband/rxe0/ports/1/hw_counters/lifespan", "10\n");
        let read = read(&tree.sysfs().port("rxe0", 1));
        let expected = [("counters/port_xmit_data", u64::MAX), ("hw_counters/sent_pkts", 0)];
        assert_eq!(read, expected.map(|(name, count)| (name.to_owned(), count)).into());
    }

    #[test]
    fn a_port_without_counters_has_none() {
        assert!(read(Path::new("/nonexistent/ports/1")).is_empty());
    }
}
