//! Prints what a message costs pushed, pulled, and by the default threshold, over its length, as
//! CSV, and from which length on pulling is faster:
//! `cargo run --release -p onesided-messaging --example threshold [SAMPLES]`.
//!
//! One thread has both ends of a channel of one rmc node, whose responder has a CPU of its own, so
//! that two CPUs do: what both ends do adds up, and nothing waits for a thread to be run.

use std::{collections::BTreeMap, error::Error, time::Instant};

use onesided_messaging::{
    ALWAYS_PULL, ALWAYS_PUSH, Channel, DEFAULT_THRESHOLD_BYTES, Opening, SendError, Settings,
};
use onesided_placement::{CpuSet, cpus_of_current_thread, pin_current_thread};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::ConnectionAttributes;

type End = Channel<RmcDevice>;

/// Lengths of messages.
const LENGTHS: [usize; 15] =
    [64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/// Ways, by their thresholds.
const WAYS: [(&str, u32); 3] =
    [("push", ALWAYS_PUSH), ("pull", ALWAYS_PULL), ("both", DEFAULT_THRESHOLD_BYTES)];

/// What is done with messages: a name, and the time of one in nanoseconds.
type Pattern = (&'static str, fn(&mut [End; 2], &[u8]) -> f64);

const PATTERNS: [Pattern; 2] = [("ping-pong", ping_pong), ("streaming", stream)];

/// Bytes of a sample, and the fewest messages.
const SAMPLE: usize = 1 << 17;
const FEWEST: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let samples: usize = std::env::args().nth(1).map_or(Ok(101), |text| text.parse())?;
    let allowed: Vec<_> = cpus_of_current_thread()?.iter().collect();
    let [here, there, ..] = allowed[..] else { return Err("two CPUs are needed".into()) };
    let folder = tempfile::tempdir_in("/dev/shm")?;
    let fabric = folder.path().to_owned();
    let responder_cpus = Some(CpuSet::of(there));
    let device = RmcDevice::open(&RmcOptions { fabric, responder_cpus, ..RmcOptions::default() })?;
    pin_current_thread(&CpuSet::of(here))?;
    let mut ways = Vec::new();
    for (name, threshold) in WAYS {
        ways.push((name, connect(&device, threshold)?));
    }
    println!("pattern,bytes,way,median_ns,lowest_ns,highest_ns,megabytes_per_s,samples");
    for (pattern, run) in PATTERNS {
        let mut medians = BTreeMap::new();
        for length in LENGTHS {
            let message = vec![0x5a; length];
            let mut times: BTreeMap<_, Vec<f64>> = BTreeMap::new();
            // In turns, so that other work on the machine meets all ways alike.
            for _ in 0..samples {
                for (way, ends) in &mut ways {
                    times.entry(*way).or_default().push(run(ends, &message));
                }
            }
            for (way, times) in &mut times {
                times.sort_by(f64::total_cmp);
                let (lowest, median, highest) = (times[0], times[samples / 2], times[samples - 1]);
                let rate = length as f64 / median * 1e3;
                println!(
                    "{pattern},{length},{way},{median:.0},{lowest:.0},{highest:.0},{rate:.0},\
                     {samples}"
                );
                medians.insert((*way, length), median);
            }
        }
        let pull_wins = |length: &usize| medians[&("pull", *length)] < medians[&("push", *length)];
        let kept = LENGTHS.iter().rev().take_while(|length| pull_wins(length)).last();
        match kept {
            Some(length) => eprintln!("{pattern}: pulling is faster from {length} bytes on"),
            None => eprintln!("{pattern}: pushing is never slower"),
        }
    }
    Ok(())
}

/// Two ends on one node.
fn connect(device: &RmcDevice, threshold_bytes: u32) -> Result<[End; 2], Box<dyn Error>> {
    let connection = ConnectionAttributes::reliable(16);
    let settings = Settings { threshold_bytes, ..Settings::default() };
    let (one, other) = (Opening::new(device, &settings)?, Opening::new(device, &settings)?);
    let (told, back) = (one.invitation(None), other.invitation(None));
    let other = other.connect(device, &told, &connection)?;
    Ok([one.connect(device, &back, &connection)?, other])
}

/// Takes the next message at one end, with the other getting on.
fn receive(ends: &mut [End; 2], end: usize) {
    let [one, other] = ends;
    let (from, to) = if end == 0 { (other, one) } else { (one, other) };
    let mut sum = 0;
    while to.try_receive_with(|bytes| sum += bytes.len()).expect("it lives").is_none() {
        from.progress().expect("it lives");
    }
}

/// Half the time of a message there and another back.
fn ping_pong(ends: &mut [End; 2], message: &[u8]) -> f64 {
    let messages = (SAMPLE / message.len()).clamp(FEWEST, 256);
    let start = Instant::now();
    for _ in 0..messages {
        ends[0].send(message).expect("it lives");
        receive(ends, 1);
        ends[1].send(message).expect("it lives");
        receive(ends, 0);
    }
    start.elapsed().as_nanos() as f64 / (2 * messages) as f64
}

/// Time of a message of many in one direction, as many ahead as there is room for.
fn stream(ends: &mut [End; 2], message: &[u8]) -> f64 {
    let messages = (8 * SAMPLE / message.len()).clamp(4 * FEWEST, 2048);
    let start = Instant::now();
    let (mut sent, mut received) = (0, 0);
    while received < messages {
        while sent < messages {
            match ends[0].try_send(message) {
                Ok(()) => sent += 1,
                Err(SendError::Full) => break,
                Err(other) => panic!("{other}"),
            }
        }
        let mut found = ends[1].try_receive_with(|bytes| bytes.len()).expect("it lives");
        while found.is_some() {
            received += 1;
            found = ends[1].try_receive_with(|bytes| bytes.len()).expect("it lives");
        }
        ends[0].progress().expect("it lives");
    }
    start.elapsed().as_nanos() as f64 / messages as f64
}
