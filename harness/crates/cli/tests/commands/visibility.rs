//! `onesided visibility` through the real program, on the emulated fabric.
//!
//! What passing lets us claim: each size has four counts of as many WRITEs as were asked for, and bad input
//! ends with status 2 and a message that names it and what would be right.

use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{Ended, command, ended};

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written"))
    }

    fn visibility(&self, arguments: &[&str]) -> Ended {
        let mut command = command();
        command.env("ONESIDED_FABRIC", self.0.path().join("fabric"));
        command.env("ONESIDED_HOST_LOCK", self.0.path().join("host"));
        ended(command.args(["visibility", "--back-end", "rmc"]).args(arguments))
    }
}

#[test]
fn every_size_has_its_four_counts_of_as_many_writes() {
    let place = Place::new();
    let found = place.visibility(&["--access", "16,4KiB", "--rounds", "200", "--json"]).json();
    assert_eq!([&found["source"], &found["back_end"]], ["emulated", "rmc"]);
    assert_ne!(found["devices"][0], found["devices"][1], "two nodes of the fabric");
    let counts = found["counts"].as_array().expect("a list");
    let sizes: Vec<_> = counts.iter().map(|counts| counts["access_bytes"].as_u64()).collect();
    assert_eq!(sizes, [Some(16), Some(4096)]);
    for counts in counts {
        // The emulated controller answers when all is stored.
        assert_eq!([&counts["completed"], &counts["read"]], [200, 200], "{counts}");
        let missing = [&counts["missing_at_completion"], &counts["missing_after_a_read"]];
        assert_eq!(missing, [0, 0], "{counts}");
        assert!(counts["missing_for_ns"].is_null(), "{counts}");
        for words in ["within_one_write", "between_two_writes"] {
            let seen = ["in_order", "out_of_order", "together"];
            let all = seen.iter().filter_map(|seen| counts[words][seen].as_u64()).sum::<u64>();
            assert_eq!(all, 200, "{words}: {counts}");
            assert_eq!(counts[words]["rounds"], 200, "{counts}");
        }
    }
}

#[test]
fn a_time_limit_ends_what_would_take_for_ever_and_says_so() {
    let place = Place::new();
    let most = "1000000000";
    let asked = ["--access", "64", "--rounds", most, "--time-limit", "400ms", "--json"];
    let began = Instant::now();
    let found = place.visibility(&asked).valid();
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let told =
        "4 of 4 have fewer WRITEs than --rounds 1000000000; allow more than --time-limit 400ms";
    assert!(found.stderr.contains(told), "{}", found.stderr);
    // How far it is.
    assert!(found.stderr.contains("4/4 the order of two WRITEs, 64 bytes"), "{}", found.stderr);
    let counts = &found.json()["counts"][0];
    assert_eq!(counts["rounds"], 1_000_000_000);
    for count in [&counts["completed"], &counts["read"], &counts["between_two_writes"]["rounds"]] {
        assert!((1..1_000_000_000).contains(&count.as_u64().unwrap()), "{counts}");
    }
}

#[test]
fn people_are_told_what_the_counts_cannot_say() {
    let place = Place::new();
    let found = place.visibility(&["--access", "64", "--rounds", "20"]).valid();
    for words in ["of a READ behind it", "out of order", "This says nothing about a card"] {
        assert!(found.stdout.contains(words), "{words}: {}", found.stdout);
    }
}

#[test]
fn what_cannot_be_counted_is_refused_by_its_flag() {
    let place = Place::new();
    let refused = |arguments: &[&str], fragments: &[&str]| {
        place.visibility(arguments).could_not_run(fragments);
    };
    refused(&["--access", "64,12"], &["--access", "12 is not within 16B and 1MiB"]);
    refused(&["--rounds", "0"], &["--rounds", "0 is not in 1..=1000000000"]);
    let for_ever = u64::MAX.to_string();
    refused(&["--rounds", &for_ever], &["--rounds", &for_ever, "is not in 1..=1000000000"]);
    refused(&["--time-limit", "0s"], &["--time-limit", "for instance 10min"]);
    refused(&["--time-limit", "9days"], &["--time-limit", "9days is longer than 7days"]);
    refused(&["--peer-device", "mlx5_0"], &["--peer-device mlx5_0 is no node", "rmc0 to rmc1023"]);
    refused(&["--drop-every", "3"], &["--drop-every loses messages of uc and ud only", "over rc"]);
    let same = ["--device", "rmc3", "--peer-device", "rmc3"];
    refused(&same, &["the responder's node", "3"]);
}
