//! Every target over its committed inputs, and for a moment over changes of them.
//!
//! `ONESIDED_FUZZ_MS` is how long a target is played, in ms; a number that fails is said with its input.

use std::{
    panic::catch_unwind,
    path::Path,
    time::{Duration, Instant},
};

use onesided_fuzz::{TARGETS, Target};

/// Long enough for some thousand inputs of most targets.
const MOMENT: Duration = Duration::from_millis(300);

/// Longest input, in bytes.
const LONGEST: usize = 1 << 16;

/// Marsaglia's xorshift64*, since a failure must be found again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Values at which numbers overflow, and what ends a text early.
const TELLING: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "NaN",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "\"",
    "\n",
    "\0",
    ",",
    "{",
    "]",
    "[[",
    "\u{202e}",
];

/// `input` changed in one to four places, partly by a piece of `other`.
fn changed(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len() + 1);
        let end = (place + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 if place < bytes.len() => bytes[place] ^= 1 << random.below(8),
            1 => drop(bytes.splice(place..end, [])),
            2 => drop(bytes.splice(place..place, TELLING[random.below(TELLING.len())].bytes())),
            3 => drop(bytes.splice(place..end, TELLING[random.below(TELLING.len())].bytes())),
            4 => {
                let from = random.below(other.len());
                let to = (from + random.below(256)).min(other.len());
                drop(bytes.splice(place..end, other[from..to].iter().copied()));
            }
            _ => bytes.truncate(bytes.len() - random.below(1 + bytes.len() / 8)),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Plays `bytes`; a panic names the target and what it was given.
fn play(target: &Target, bytes: &[u8], from: &Path) -> bool {
    catch_unwind(|| (target.play)(bytes)).unwrap_or_else(|_| {
        let text = String::from_utf8_lossy(bytes);
        panic!("{} fails on this input, made of {}:\n{text:?}", target.name, from.display());
    })
}

#[test]
fn every_target_survives_its_inputs_and_changes_of_them() {
    let moment = std::env::var("ONESIDED_FUZZ_MS").ok().map_or(MOMENT, |ms| {
        Duration::from_millis(ms.parse().expect("ONESIDED_FUZZ_MS is a whole number of ms"))
    });
    let mut seed = [0; 8];
    getrandom::fill(&mut seed).unwrap();
    for target in TARGETS {
        let corpus = target.corpus().unwrap_or_else(|error| panic!("{}: {error}", target.name));
        // What is refused at its first word shows nothing of what reads the rest. A session, and nothing else,
        // has little time: a busy host may need more than one try.
        let is_taken =
            || corpus.iter().filter(|(path, bytes)| play(target, bytes, path)).count() > 0;
        let taken = is_taken()
            || target.name == "stranger"
            || target.name == "session"
                && (1..10).any(|_| {
                    println!(
                        "REPEATED the inputs of {}: a busy host took none in time",
                        target.name
                    );
                    is_taken()
                });
        assert!(taken, "{} has no good input", target.name);
        let mut random = Random(u64::from_le_bytes(seed) | 1);
        let end = Instant::now() + moment;
        let mut inputs = 0;
        while Instant::now() < end {
            let (path, bytes) = &corpus[random.below(corpus.len())];
            let other = &corpus[random.below(corpus.len())].1;
            play(target, &changed(bytes, other, &mut random), path);
            inputs += 1;
        }
        println!("{}: {inputs} inputs", target.name);
    }
}

#[test]
fn targets_are_told_by_their_names() {
    assert!(TARGETS.is_sorted_by(|one, next| one.name < next.name));
    for target in TARGETS {
        assert_eq!(Target::named(target.name).unwrap().about, target.about);
    }
    assert!(Target::named("nothing").is_none());
}

/// A fuzzer that finds nothing may be blind: with a reader that has a mistake it must say so.
#[test]
fn a_mistake_is_found() {
    let blind = Target {
        name: "mistaken",
        about: "for this test",
        play: |bytes| {
            assert!(!bytes.windows(2).any(|pair| pair == b"\0,"), "a mistake that this test wants");
            true
        },
    };
    let mut random = Random(1);
    let found = (0..100_000).any(|_| {
        let bytes = changed(b"a,b,c", b"d,e", &mut random);
        catch_unwind(|| (blind.play)(&bytes)).is_err()
    });
    assert!(found);
}
