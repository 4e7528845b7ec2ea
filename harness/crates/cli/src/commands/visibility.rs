//! `onesided visibility`: when, and in which order, a CPU sees what was written to its memory.

mod ends;
mod print;

use clap::Args;
use onesided_fabric::visibility::{
    Completions, Ends, LEAST_BYTES, MOST_BYTES, Order, Waits, Watched,
};
use onesided_results::vocabulary::Source;
use onesided_transport::Transport;
use serde::Serialize;

use crate::{
    arguments::{DeviceArguments, bytes},
    ending::Ending,
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
#[derive(Args)]
#[command(after_help = "Examples:
  onesided visibility --back-end rmc
  onesided visibility --device mlx5_0 --access 64B,4KiB --rounds 1000000
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
    /// WRITEs of each count
    #[arg(long, value_name = "NUMBER", default_value = "10000",
          value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    measuring: MeasuringArguments,
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
    /// WRITEs of each of the four.
    rounds: u64,
    /// Those of which bytes were missing at their completion.
    missing_at_completion: u64,
    /// For how long at the most; nothing where none were.
    missing_for_ns: Option<u64>,
    /// Those of which bytes were missing at the completion of a READ behind them.
    missing_after_a_read: u64,
    missing_after_a_read_for_ns: Option<u64>,
    within_one_write: Seen,
    between_two_writes: Seen,
}

/// In which order two words were seen, of as many rounds.
#[derive(Serialize)]
struct Seen {
    /// The earlier one without the later one.
    in_order: u64,
    /// The later one without the earlier one.
    out_of_order: u64,
    /// Both at once: nobody saw an order.
    together: u64,
}

impl From<Order> for Seen {
    fn from(order: Order) -> Self {
        Self {
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
    let turn = arguments.measuring.take_turn("visibility")?;
    let outcome = ends::on_two(arguments, Counting { arguments })?;
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
        let all = self.arguments.access.iter();
        let counts = all.map(|&bytes| self.of_size(&mut ends, bytes)).collect::<Result<_, _>>()?;
        let description = devices.map(Transport::description);
        Ok(Outcome {
            back_end: description[0].back_end.clone(),
            source,
            devices: description.map(|device| device.name.clone()),
            counts,
        })
    }

    fn of_size<T: Transport>(&self, ends: &mut Ends<T>, bytes: u32) -> anyhow::Result<Counts> {
        let rounds = self.arguments.rounds;
        let completed = ends.completions(bytes, rounds, Waits::ForTheWrite)?;
        let read = ends.completions(bytes, rounds, Waits::ForAReadBehindIt)?;
        Ok(Counts {
            access_bytes: bytes,
            rounds,
            missing_at_completion: completed.unseen,
            missing_for_ns: longest_ns(completed),
            missing_after_a_read: read.unseen,
            missing_after_a_read_for_ns: longest_ns(read),
            within_one_write: ends.order(bytes, rounds, Watched::OneWrite)?.into(),
            between_two_writes: ends.order(bytes, rounds, Watched::TwoWrites)?.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_of_two_words_or_more() {
        assert_eq!([access("16"), access("1MiB")], [Ok(16), Ok(1 << 20)]);
        for wrong in ["8B", "20", "2MiB", "8GiB"] {
            let refused = access(wrong).unwrap_err();
            assert!(refused.starts_with(wrong) && refused.contains("16B and 1MiB"), "{refused}");
        }
    }
}
