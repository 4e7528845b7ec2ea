//! `onesided visibility`: when, and in which order, a CPU sees what was written to its memory.

mod ends;
mod pace;
mod print;

use std::time::Duration;

use clap::Args;
use onesided_fabric::visibility::{
    Completions, Ends, LEAST_BYTES, MOST_BYTES, Order, Waits, Watched,
};
use onesided_results::vocabulary::Source;
use onesided_transport::Transport;
use serde::Serialize;

use self::pace::Pace;
use crate::{
    arguments::{DeviceArguments, bytes, duration},
    ending::Ending,
    interruption::leave_nothing_behind,
    measuring::MeasuringArguments,
    printed::json,
};

/// Counts how often a CPU sees bytes late or out of order that a WRITE put into its memory.
///
/// Four counts of each size: whether all bytes are there when the requester has the completion of the
/// WRITE, and when it has that of a READ behind it; and whether a thread that looks all the time sees the
/// last word of a WRITE before its first, or a second WRITE of the queue pair before the end of the first.
/// Requester and responder are both in this process, on one device or on two of this host. A count of 0
/// promises nothing, and over rmc and Soft-RoCE, where a CPU moves the bytes, it says nothing about a card.
/// What is left of --time-limit is shared evenly by the counts that are left: a count whose part is over ends
/// with fewer WRITEs.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided visibility --back-end rmc
  onesided visibility --device mlx5_0 --access 64B,4KiB --rounds 1000000 --time-limit 1h
  onesided visibility --device mlx5_0 --peer-device mlx5_1 --json")]
pub struct Arguments {
    #[command(flatten)]
    device: DeviceArguments,
    /// Device whose memory is written, on this host; it must reach the other one
    /// [default: the same; on the rmc back end another node of the fabric]
    #[arg(long, value_name = "NAME")]
    peer_device: Option<String>,
    /// Bytes of a WRITE, 16B to 1MiB by whole words of 8; several are measured one after another
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = access,
          default_value = "64,256,4KiB,64KiB")]
    access: Vec<u32>,
    /// WRITEs of each count, 1 to 1000000000
    #[arg(long, value_name = "NUMBER", default_value = "10000",
          value_parser = clap::value_parser!(u64).range(1..=MOST_ROUNDS))]
    rounds: u64,
    /// Time for all counts together, up to 7days; those that it does not last for end earlier
    #[arg(long, value_name = "DURATION", default_value = "10min", value_parser = time_limit)]
    time_limit: Duration,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    measuring: MeasuringArguments,
}

/// WRITEs of a count. Ours: a quarter of an hour at one each microsecond.
const MOST_ROUNDS: u64 = 1_000_000_000;

/// Longest time for all counts. Ours.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

fn time_limit(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("nothing can be counted in no time: for instance 10min".to_owned()),
        limit if limit > LONGEST => Err(format!("{text} is longer than 7days")),
        limit => Ok(limit),
    }
}

fn access(text: &str) -> Result<u32, String> {
    let asked = bytes(text)?;
    let allowed = u64::from(LEAST_BYTES)..=u64::from(MOST_BYTES);
    match u32::try_from(asked) {
        Ok(bytes) if allowed.contains(&asked) && bytes.is_multiple_of(8) => Ok(bytes),
        _ => Err(format!("{text} is not within 16B and 1MiB, or no multiple of 8")),
    }
}

/// What was counted, and where.
#[derive(Serialize)]
struct Outcome {
    back_end: String,
    /// Whose numbers these are.
    source: Source,
    /// Of the requester and of the responder.
    devices: [String; 2],
    counts: Vec<Counts>,
}

/// Of WRITEs of one size.
#[derive(Serialize)]
struct Counts {
    access_bytes: u32,
    /// WRITEs of each of the four that were asked for.
    rounds: u64,
    /// WRITEs whose completion was waited for.
    completed: u64,
    /// Those of which bytes were missing at their completion.
    missing_at_completion: u64,
    /// For how long at the most; nothing where none were.
    missing_for_ns: Option<u64>,
    /// WRITEs behind which the completion of a READ was waited for.
    read: u64,
    /// Those of which bytes were missing at the completion of a READ behind them.
    missing_after_a_read: u64,
    missing_after_a_read_for_ns: Option<u64>,
    within_one_write: Seen,
    between_two_writes: Seen,
}

/// In which order two words were seen.
#[derive(Serialize)]
struct Seen {
    /// Rounds of which an answer is here.
    rounds: u64,
    /// The earlier one without the later one.
    in_order: u64,
    /// The later one without the earlier one.
    out_of_order: u64,
    /// Both at once: nobody saw an order.
    together: u64,
}

/// Counts of a size.
const PARTS: u64 = 4;

impl Outcome {
    /// How many counts have fewer rounds than were asked for.
    fn short(&self) -> u64 {
        let of_size = |counts: &Counts| {
            let rounds = [
                counts.completed,
                counts.read,
                counts.within_one_write.rounds,
                counts.between_two_writes.rounds,
            ];
            rounds.into_iter().filter(|&rounds| rounds < counts.rounds).count() as u64
        };
        self.counts.iter().map(of_size).sum()
    }
}

impl From<Order> for Seen {
    fn from(order: Order) -> Self {
        Self {
            rounds: order.rounds,
            in_order: order.earlier_alone,
            out_of_order: order.later_alone,
            together: order.together(),
        }
    }
}

fn longest_ns(found: Completions) -> Option<u64> {
    (found.unseen > 0).then_some(found.longest.as_nanos() as u64)
}

/// Counts, and prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    leave_nothing_behind()?;
    let turn = arguments.measuring.take_turn("visibility")?;
    let outcome = ends::on_two(arguments, Counting { arguments })?;
    let (short, all) = (outcome.short(), PARTS * outcome.counts.len() as u64);
    if short > 0 {
        say!(
            "the time for all counts is over: {short} of {all} have fewer WRITEs than --rounds {}; allow more \
             than --time-limit {}, or ask for fewer",
            arguments.rounds,
            humantime::format_duration(arguments.time_limit)
        );
    }
    if let Some(whose) = turn.others() {
        say!(
            "{whose} measured on this host meanwhile: fewer rounds may have been seen in any order"
        );
    }
    match arguments.json {
        true => json(&outcome)?,
        false => print::tables(&outcome)?,
    }
    Ok(Ending::Valid)
}

struct Counting<'a> {
    arguments: &'a Arguments,
}

impl Counting<'_> {
    fn of<T: Transport>(&self, devices: [&T; 2], source: Source) -> anyhow::Result<Outcome> {
        let gid_index = self.arguments.device.gid_index;
        let mut ends = Ends::connect(devices, &ends::connection(devices, gid_index)?)?;
        let Arguments { access, rounds, time_limit, .. } = self.arguments;
        let mut pace = Pace::begin(PARTS * access.len() as u64, *rounds, *time_limit);
        let all = access.iter().map(|&bytes| of_size(&mut ends, bytes, &mut pace));
        let counts = all.collect::<Result<_, _>>()?;
        pace.end();
        let description = devices.map(Transport::description);
        Ok(Outcome {
            back_end: description[0].back_end.clone(),
            source,
            devices: description.map(|device| device.name.clone()),
            counts,
        })
    }
}

fn of_size<T: Transport>(
    ends: &mut Ends<T>,
    bytes: u32,
    pace: &mut Pace,
) -> anyhow::Result<Counts> {
    let told = |what: &str| format!("{what}, {bytes} bytes");
    let completed =
        ends.completions(bytes, Waits::ForTheWrite, pace.count(told("completions of WRITEs")))?;
    let read = ends.completions(
        bytes,
        Waits::ForAReadBehindIt,
        pace.count(told("completions of READs behind WRITEs")),
    )?;
    let within =
        ends.order(bytes, Watched::OneWrite, pace.count(told("the order within a WRITE")))?;
    let between =
        ends.order(bytes, Watched::TwoWrites, pace.count(told("the order of two WRITEs")))?;
    Ok(Counts {
        access_bytes: bytes,
        rounds: pace.rounds(),
        completed: completed.rounds,
        missing_at_completion: completed.unseen,
        missing_for_ns: longest_ns(completed),
        read: read.rounds,
        missing_after_a_read: read.unseen,
        missing_after_a_read_for_ns: longest_ns(read),
        within_one_write: within.into(),
        between_two_writes: between.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_is_of_some_time_and_bounded() {
        assert_eq!(time_limit("90s"), Ok(Duration::from_secs(90)));
        for (wrong, told) in [("0s", "in no time"), ("8days", "8days is longer"), ("5", "a unit")] {
            let refused = time_limit(wrong).unwrap_err();
            assert!(refused.contains(told), "{refused}");
        }
    }

    #[test]
    fn a_write_is_of_two_words_or_more() {
        assert_eq!([access("16"), access("1MiB")], [Ok(16), Ok(1 << 20)]);
        for wrong in ["8B", "20", "2MiB", "8GiB"] {
            let refused = access(wrong).unwrap_err();
            assert!(refused.starts_with(wrong) && refused.contains("16B and 1MiB"), "{refused}");
        }
    }
}
