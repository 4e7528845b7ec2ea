//! Caches as the kernel tells of them, and the working sets that belong to each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use onesided_access::chase::{
    caches::{self, Cache},
    plateaus::{Level, Range, level_of, plateaus, ranges, working_sets},
};
use onesided_placement::CpuId;
use proptest::prelude::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn cache(level: u8, bytes: u64) -> Cache {
    Cache { level, bytes, shared_by: None }
}

/// 48 KiB, 1 MiB, 32 MiB.
fn three() -> Vec<Cache> {
    vec![cache(1, 48 * KIB), cache(2, MIB), cache(3, 32 * MIB)]
}

/// A tree like /sys with caches of CPU 3: type, level, size, CPUs.
fn tree(name: &str, caches: &[[&str; 4]]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    for (index, cache) in caches.iter().enumerate() {
        let folder = root.join(format!("devices/system/cpu/cpu3/cache/index{index}"));
        fs::create_dir_all(&folder).expect("a temporary directory");
        for (name, content) in ["type", "level", "size", "shared_cpu_list"].iter().zip(cache) {
            fs::write(folder.join(name), format!("{content}\n")).expect("a file");
        }
    }
    root
}

#[test]
fn caches_for_data_are_read_in_order_and_instruction_caches_left_out() {
    let root = tree(
        "caches-in-order",
        &[
            ["Unified", "3", "32768K", "0-7"],
            ["Data", "1", "48K", "3"],
            ["Instruction", "1", "64K", "3"],
            ["Unified", "2", "1M", "2-3"],
        ],
    );
    let found = caches::at(&root, CpuId(3));
    let sizes: Vec<_> = found.iter().map(|cache| (cache.level, cache.bytes)).collect();
    assert_eq!(sizes, [(1, 48 * KIB), (2, MIB), (3, 32 * MIB)]);
    assert_eq!(found[2].shared_by, Some("0-7".parse().expect("CPUs")));
    assert!(caches::at(&root, CpuId(4)).is_empty(), "of a CPU that the tree does not have");
}

#[test]
fn a_cache_without_a_size_is_left_out_and_not_taken_for_an_empty_one() {
    let root = tree("caches-odd", &[["Data", "1", "", "0"], ["Unified", "2", "0K", "0"]]);
    assert_eq!(caches::at(&root, CpuId(3)), []);
}

#[test]
fn ranges_keep_four_times_the_cache_before_and_half_of_their_own() {
    let range = |level, from_bytes, to_bytes| Range { level, from_bytes, to_bytes };
    assert_eq!(
        ranges(&three()),
        [
            range(Level::Cache(1), 4 * KIB, Some(24 * KIB)),
            range(Level::Cache(2), 192 * KIB, Some(512 * KIB)),
            range(Level::Cache(3), 4 * MIB, Some(16 * MIB)),
            range(Level::Memory, 128 * MIB, None),
        ]
    );
    // Skylake server: 1 MiB, then 1.375 MiB a core: no room for either distance.
    let near = [cache(1, 32 * KIB), cache(2, MIB), cache(3, 1408 * KIB)];
    assert_eq!(ranges(&near)[2], range(Level::Cache(3), 1200 * KIB, Some(1200 * KIB)));
    let twice = [cache(1, 32 * KIB), cache(2, 256 * KIB), cache(3, MIB)];
    assert_eq!(ranges(&twice)[2], range(Level::Cache(3), 512 * KIB, Some(512 * KIB)));
    assert_eq!(ranges(&[]), []);
}

#[test]
fn plateaus_are_the_medians_of_their_ranges_and_absent_where_nothing_was_measured() {
    let measured = [
        (4 * KIB, 1.0),
        (24 * KIB, 1.2),
        (64 * KIB, 2.0),
        (192 * KIB, 4.0),
        (384 * KIB, 4.2),
        (512 * KIB, 9.0),
        (128 * MIB, 100.0),
    ];
    let found = plateaus(&three(), &measured);
    let levels: Vec<_> = found.iter().map(|p| (p.range.level, p.working_sets)).collect();
    assert_eq!(levels, [(Level::Cache(1), 2), (Level::Cache(2), 3), (Level::Memory, 1)]);
    assert_eq!((found[0].latency_ns, found[1].latency_ns), (1.1, 4.2));
    assert_eq!((found[1].low_ns, found[1].high_ns), (4.0, 9.0));
    assert_eq!(plateaus(&[], &measured), [], "no cache is known");
}

#[test]
fn a_working_set_between_two_levels_belongs_to_none() {
    assert_eq!(level_of(&three(), 24 * KIB), Some(Level::Cache(1)));
    assert_eq!(level_of(&three(), 48 * KIB), None);
    assert_eq!(level_of(&three(), 1 << 40), Some(Level::Memory));
    assert_eq!(level_of(&[], 4 * KIB), None);
}

proptest! {
    #[test]
    fn a_sweep_ascends_from_a_page_to_the_largest_and_meets_every_level(
        first in 3_u32..7, second in 1_u32..6, third in 1_u32..6, extra in 0_u64..1000,
    ) {
        let sizes = [first, first + second, first + second + third].map(|shift| KIB << shift);
        let caches: Vec<Cache> = (1..).zip(sizes).map(|(level, bytes)| cache(level, bytes)).collect();
        let largest = sizes[2] * 4 + extra * 256;
        let sets = working_sets(&caches, largest);
        prop_assert!(sets.is_sorted_by(|a, b| a < b));
        prop_assert_eq!((sets[0], *sets.last().unwrap()), (4 * KIB, largest));
        prop_assert!(sets.iter().all(|bytes| bytes % 256 == 0));
        for range in ranges(&caches) {
            prop_assert!(sets.iter().any(|bytes| range.contains(*bytes)), "{range:?} of {caches:?}");
        }
    }
}
