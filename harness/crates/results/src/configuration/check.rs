//! What makes a configuration impossible, told before anything is run.

mod hosts;

use std::fmt;

use super::{RunConfiguration, place_words::Placeable};
use crate::factors::Meaningless;
use crate::vocabulary::{AddressPattern, LoopShape, Operation, SlotLayout};

/// One reason why a configuration cannot be run; `field` is the name as written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The value can be right in no configuration.
    #[error("{field} is {value}; allowed: {allowed}")]
    NotAllowed {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// The value is larger than another field's.
    #[error("{field} is {value}, above {limit_field}, which is {limit}; allowed: at most {limit}")]
    Above {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The field that limits it.
        limit_field: &'static str,
        /// That field's value.
        limit: u64,
    },
    /// Another field's value needs one here.
    #[error("{field} is missing, but {because} needs it; allowed: {allowed}")]
    Missing {
        /// The field.
        field: &'static str,
        /// The field and value that need it.
        because: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// Another field's value makes this one meaningless.
    #[error("{field} is {value}, but has no meaning with {because}; leave it out")]
    Meaningless {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// The field and value that make it meaningless.
        because: String,
    },
    /// Another field's value rules this one out.
    #[error("{field} is {value}, but {because} allows only {allowed}")]
    Contradiction {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// The field and value that rule it out.
        because: String,
        /// What would fit.
        allowed: &'static str,
    },
}

impl Fault {
    /// The field that is at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::NotAllowed { field, .. }
            | Self::Above { field, .. }
            | Self::Missing { field, .. }
            | Self::Meaningless { field, .. }
            | Self::Contradiction { field, .. } => field,
        }
    }
}

/// A configuration that cannot be run, with every reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError {
    /// The reasons, at least one.
    pub faults: Vec<Fault>,
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; and " };
            write!(formatter, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigurationError {}

/// Longest message (IB spec 1.4, 9.7.7: 2^31 bytes).
const LONGEST_MESSAGE_BYTES: u64 = 1 << 31;
/// Path MTUs that exist (IB spec 1.4, 9.4.1).
const MTU_BYTES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// Seeds stay below 2^53: exact in a double, which is what R reads numbers into.
const SEED_LIMIT: u64 = 1 << 53;

impl RunConfiguration {
    /// Whether the configuration can be run at all, on any machine.
    ///
    /// # Errors
    /// Every fault there is, not only the first.
    pub fn check(&self) -> Result<(), ConfigurationError> {
        let mut faults = Faults::default();
        self.check_identity(&mut faults);
        self.check_operation(&mut faults);
        self.check_addresses(&mut faults);
        self.check_queues(&mut faults);
        self.check_connection(&mut faults);
        self.check_loop(&mut faults);
        self.check_times(&mut faults);
        self.check_places(&mut faults);
        self.check_workers(&mut faults);
        self.check_load(&mut faults);
        faults.0.extend(self.meaningless().into_iter().map(|meaningless| {
            let Meaningless { field, value, decider, level } = meaningless;
            Fault::Meaningless { field, value, because: format!("{decider} = {level}") }
        }));
        if faults.0.is_empty() { Ok(()) } else { Err(ConfigurationError { faults: faults.0 }) }
    }

    fn check_identity(&self, faults: &mut Faults) {
        for (field, value) in
            [("run_id", &self.run_id), ("experiment", &self.experiment), ("profile", &self.profile)]
        {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            let fit = !value.is_empty() && !value.starts_with('.') && value.chars().all(plain);
            let allowed =
                "letters, digits, '-', '_' and '.', not first a '.' (it names a directory)";
            faults.unless(fit, field, format!("\"{value}\""), allowed);
        }
        for (field, value) in
            [("replicate", self.replicate), ("block", self.block), ("order", self.order)]
        {
            faults.unless(value >= 1, field, value, "1 or more");
        }
        faults.unless(self.seed < SEED_LIMIT, "seed", self.seed, "below 2^53");
    }

    fn check_operation(&self, faults: &mut Faults) {
        let operation = format!("operation = {}", self.operation);
        let mixed = self.operation == Operation::Mixed;
        faults.needed(mixed, "write_fraction", self.write_fraction, &operation, "0 to 1");
        if let Some(fraction) = self.write_fraction {
            let fit = (0.0..=1.0).contains(&fraction);
            faults.unless(fit, "write_fraction", fraction, "0 to 1");
        }
        let bytes = u64::from(self.access_bytes);
        let fit = (1..=LONGEST_MESSAGE_BYTES).contains(&bytes);
        faults.unless(fit, "access_bytes", bytes, "1 to 2147483648");
        if matches!(self.operation, Operation::CompareAndSwap | Operation::FetchAndAdd) {
            faults.unless_fits(bytes == 8, "access_bytes", bytes, &operation, "8");
            let aligned = self.slot_layout != SlotLayout::Unaligned;
            let allowed = "packed or padded";
            faults.unless_fits(aligned, "slot_layout", self.slot_layout, &operation, allowed);
        }
        self.check_inline(&operation, faults);
    }

    fn check_inline(&self, operation: &str, faults: &mut Faults) {
        let Some(inline_bytes) = self.inline_bytes else { return };
        let sends_data = matches!(
            self.operation,
            Operation::Write | Operation::WriteWithImmediate | Operation::Mixed | Operation::Send
        );
        if !sends_data {
            faults.0.push(Fault::Meaningless {
                field: "inline_bytes",
                value: inline_bytes.to_string(),
                because: operation.to_owned(),
            });
        }
        faults.at_most("access_bytes", self.access_bytes, "inline_bytes", inline_bytes);
    }

    fn check_addresses(&self, faults: &mut Faults) {
        let pattern = format!("address_pattern = {}", self.address_pattern);
        let zipf = self.address_pattern == AddressPattern::Zipf;
        faults.needed(zipf, "zipf_exponent", self.zipf_exponent, &pattern, "above 0");
        if let Some(exponent) = self.zipf_exponent {
            let fit = exponent > 0.0 && exponent.is_finite();
            faults.unless(fit, "zipf_exponent", exponent, "above 0");
        }
        let ranges = self.address_pattern != AddressPattern::OwnSlot;
        let allowed = "access_bytes or more";
        faults.needed(ranges, "working_set_bytes", self.working_set_bytes, &pattern, allowed);
        if let Some(bytes) = self.working_set_bytes {
            let fit = bytes >= u64::from(self.access_bytes);
            let because = format!("access_bytes = {}", self.access_bytes);
            faults.unless_fits(fit, "working_set_bytes", bytes, &because, "as much or more");
        }
    }

    fn check_queues(&self, faults: &mut Faults) {
        for (field, value) in [
            ("queue_pairs", self.queue_pairs),
            ("threads", self.threads),
            ("client_hosts", self.client_hosts),
            ("send_queue_depth", self.send_queue_depth),
            ("window", self.window),
            ("post_list", self.post_list),
            ("signal_every", self.signal_every),
        ] {
            faults.unless(value >= 1, field, value, "1 or more");
        }
        faults.at_most("threads", self.threads, "queue_pairs", self.queue_pairs);
        // Without a thread at all that is what is wrong.
        let threads = self.threads.max(1);
        faults.at_most("client_hosts", self.client_hosts, "threads", threads);
        faults.at_most("window", self.window, "send_queue_depth", self.send_queue_depth);
        faults.at_most("post_list", self.post_list, "window", self.window);
        // With fewer than this outstanding no completion would ever come.
        faults.at_most("signal_every", self.signal_every, "window", self.window);
    }

    fn check_connection(&self, faults: &mut Faults) {
        let mtu = self.mtu_bytes;
        faults.unless(MTU_BYTES.contains(&mtu), "mtu_bytes", mtu, "256, 512, 1024, 2048, 4096");
        let depth = self.max_rd_atomic;
        faults.unless(depth >= 1, "max_rd_atomic", depth, "1 to 255");
        let timeout = self.timeout_exponent;
        let allowed = "1 to 31 (0 waits for ever)";
        faults.unless((1..=31).contains(&timeout), "timeout_exponent", timeout, allowed);
        for (field, value) in [("retry_count", self.retry_count), ("rnr_retry", self.rnr_retry)] {
            faults.unless(value <= 6, field, value, "0 to 6 (7 can mean for ever)");
        }
        faults.unless(self.hop_limit >= 1, "hop_limit", self.hop_limit, "1 to 255");
    }

    fn check_loop(&self, faults: &mut Faults) {
        let shape = format!("loop = {}", self.loop_shape);
        let open = self.loop_shape == LoopShape::Open;
        faults.needed(open, "arrivals", self.arrivals, &shape, "fixed or poisson");
        let rate = self.rate_ops_per_second;
        faults.needed(open, "rate_ops_per_second", rate, &shape, "above 0");
        if let Some(rate) = rate {
            let fit = rate > 0.0 && rate.is_finite();
            faults.unless(fit, "rate_ops_per_second", rate, "above 0");
        }
        if self.loop_shape != LoopShape::Closed {
            let think_time = self.think_time_ns;
            faults.unless_fits(think_time == 0, "think_time_ns", think_time, &shape, "0");
        }
        if self.loop_shape == LoopShape::PingPong {
            let answered = matches!(
                self.operation,
                Operation::Write | Operation::WriteWithImmediate | Operation::Send
            );
            let allowed = "write, write-with-immediate or send";
            faults.unless_fits(answered, "operation", self.operation, &shape, allowed);
            faults.unless_fits(self.window == 1, "window", self.window, &shape, "1");
            // Its threads answer one client, whose buffer they know.
            let (hosts, alone) = (self.client_hosts, self.client_hosts <= 1);
            faults.unless_fits(alone, "client_hosts", hosts, &shape, "1");
        }
    }

    fn check_times(&self, faults: &mut Faults) {
        faults.unless(self.duration_ms >= 1, "duration_ms", self.duration_ms, "1 or more");
        faults.unless(self.window_ms >= 1, "window_ms", self.window_ms, "1 or more");
        if self.window_ms >= 1 {
            let whole = self.duration_ms.is_multiple_of(self.window_ms);
            let because = format!("window_ms = {}", self.window_ms);
            let allowed = "a multiple of it";
            faults.unless_fits(whole, "duration_ms", self.duration_ms, &because, allowed);
        }
        if let Some(operations) = self.operations_per_queue_pair {
            faults.unless(
                operations >= 1,
                "operations_per_queue_pair",
                operations,
                "1 or more, or left out",
            );
        }
    }

    fn check_places(&self, faults: &mut Faults) {
        for (field, value, kind) in [
            ("server_region", &self.server_region, Placeable::Memory),
            ("server_threads", &self.server_threads, Placeable::Threads),
            ("server_rings", &self.server_rings, Placeable::Memory),
            ("client_buffers", &self.client_buffers, Placeable::Memory),
            ("client_threads", &self.client_threads, Placeable::Threads),
            ("client_rings", &self.client_rings, Placeable::Memory),
            ("worker_threads", &self.worker_threads, Placeable::Threads),
        ] {
            faults.unless(kind.accepts(value), field, format!("\"{value}\""), kind.allowed());
        }
    }
}

/// Faults found so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn unless(&mut self, fit: bool, field: &'static str, value: impl ToString, allowed: &str) {
        if !fit {
            let (value, allowed) = (value.to_string(), allowed.to_owned());
            self.0.push(Fault::NotAllowed { field, value, allowed });
        }
    }

    fn unless_fits(
        &mut self,
        fit: bool,
        field: &'static str,
        value: impl ToString,
        because: &str,
        allowed: &'static str,
    ) {
        if !fit {
            let (value, because) = (value.to_string(), because.to_owned());
            self.0.push(Fault::Contradiction { field, value, because, allowed });
        }
    }

    fn at_most(&mut self, field: &'static str, value: u32, limit_field: &'static str, limit: u32) {
        if value > limit {
            let (value, limit) = (value.into(), limit.into());
            self.0.push(Fault::Above { field, value, limit_field, limit });
        }
    }

    /// Where it applies it has to be there; where not, it is [`RunConfiguration::meaningless`].
    fn needed<T>(
        &mut self,
        applies: bool,
        field: &'static str,
        value: Option<T>,
        because: &str,
        allowed: &'static str,
    ) {
        if applies && value.is_none() {
            self.0.push(Fault::Missing { field, because: because.to_owned(), allowed });
        }
    }
}

#[cfg(test)]
mod tests;
