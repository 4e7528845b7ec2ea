//! What makes a configuration impossible, told before anything is run.

mod hosts;
mod places;

use std::fmt;

use super::RunConfiguration;
use crate::directory;
use crate::factors::Meaningless;
use crate::row::rules::HasRules as _;
use crate::vocabulary::{AddressPattern, LoopShape, Operation, Service, SlotLayout};

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

/// Path MTUs that exist (IB spec 1.4, 9.4.1).
const MTU_BYTES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// Counts of one run, of all queue pairs and windows. Ours: some seconds to write, and 1 GiB.
const MOST_COUNTS: u64 = 1 << 27;

impl RunConfiguration {
    /// Whether the configuration can be run at all, on any machine.
    ///
    /// # Errors
    /// Every fault there is, not only the first.
    pub fn check(&self) -> Result<(), ConfigurationError> {
        let mut faults = Faults::default();
        self.check_bounds(&mut faults);
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

    /// Numbers within what their declarations say.
    fn check_bounds(&self, faults: &mut Faults) {
        for bounded in Self::RULED {
            let Some(value) = (bounded.value)(self) else { continue };
            for rule in bounded.rules {
                if let Some(allowed) = rule.outside(value) {
                    faults.unless(false, Self::written(bounded.column), value, &allowed);
                }
            }
        }
    }

    fn check_identity(&self, faults: &mut Faults) {
        for (field, value) in
            [("run_id", &self.run_id), ("experiment", &self.experiment), ("profile", &self.profile)]
        {
            let is_taken = directory::ENDINGS.iter().any(|ending| value.ends_with(ending));
            let fit = directory::is_plain_name(value) && !is_taken;
            let allowed = "letters, digits, '-', '_' and '.', not first a '.', nor .partial, .replaced \
                           or .lock at the end (it names a directory)";
            faults.unless(fit, field, format!("\"{value}\""), allowed);
        }
    }

    fn check_operation(&self, faults: &mut Faults) {
        let operation = format!("operation = {}", self.operation);
        let mixed = self.operation == Operation::Mixed;
        faults.needed(mixed, "write_fraction", self.write_fraction, &operation, "0 to 1");
        let bytes = self.access_bytes;
        if matches!(self.operation, Operation::CompareAndSwap | Operation::FetchAndAdd) {
            faults.unless_fits(bytes == 8, "access_bytes", bytes, &operation, "8");
            let aligned = self.slot_layout != SlotLayout::Unaligned;
            let allowed = "packed, padded or spread";
            faults.unless_fits(aligned, "slot_layout", self.slot_layout, &operation, allowed);
        }
        if bytes == 0 {
            let allowed = "1 or more (only a send may be header-only)";
            let may_be = self.operation == Operation::Send;
            faults.unless_fits(may_be, "access_bytes", bytes, &operation, allowed);
        }
        if self.operation == Operation::Send {
            let own = self.address_pattern == AddressPattern::OwnSlot;
            // The receiver says where it goes.
            faults.unless_fits(
                own,
                "address_pattern",
                self.address_pattern,
                &operation,
                "own-slot",
            );
        }
        if self.operation == Operation::WriteAnsweredBySend {
            let is_answered = self.loop_shape == LoopShape::PingPong;
            faults.unless_fits(is_answered, "loop", self.loop_shape, &operation, "ping-pong");
        }
        self.check_service(faults);
        self.check_inline(&operation, faults);
    }

    fn check_service(&self, faults: &mut Faults) {
        let (fits, allowed) = match self.service {
            Service::ReliableConnection => return,
            Service::UnreliableConnection => (
                matches!(
                    self.operation,
                    Operation::Write
                        | Operation::WriteWithImmediate
                        | Operation::Send
                        | Operation::WriteAnsweredBySend
                ),
                "write, write-with-immediate, send or write-answered-by-send",
            ),
            Service::UnreliableDatagram => (self.operation == Operation::Send, "send"),
        };
        let service = format!("service = {}", self.service);
        faults.unless_fits(fits, "operation", self.operation, &service, allowed);
        if self.service == Service::UnreliableDatagram {
            let aligned = self.slot_layout != SlotLayout::Unaligned;
            let allowed =
                "packed or padded (each message lands behind its header, a packet from the next)";
            faults.unless_fits(aligned, "slot_layout", self.slot_layout, &service, allowed);
            // A datagram is one packet.
            faults.at_most("access_bytes", self.access_bytes, "mtu_bytes", self.mtu_bytes);
        }
    }

    fn check_inline(&self, operation: &str, faults: &mut Faults) {
        let Some(inline_bytes) = self.inline_bytes else { return };
        if !self.operation.sends_data() {
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
        let ranges = self.address_pattern != AddressPattern::OwnSlot;
        let allowed = "access_bytes or more";
        faults.needed(ranges, "working_set_bytes", self.working_set_bytes, &pattern, allowed);
        if let Some(bytes) = self.working_set_bytes {
            let fit = bytes >= u64::from(self.access_bytes);
            let because = format!("access_bytes = {}", self.access_bytes);
            faults.unless_fits(fit, "working_set_bytes", bytes, &because, "as much or more");
        }
        if self.slot_layout == SlotLayout::Spread {
            let allowed = "packed, padded or unaligned (spread is over a working set)";
            faults.unless_fits(ranges, "slot_layout", self.slot_layout, &pattern, allowed);
            let least = u64::from(self.access_bytes) * u64::from(self.queue_pairs);
            let fit = self.working_set_bytes.is_none_or(|bytes| bytes >= least);
            let because = format!("slot_layout = spread with {} queue pairs", self.queue_pairs);
            let bytes = self.working_set_bytes.unwrap_or(0);
            let allowed = "access_bytes for each queue pair, or more";
            faults.unless_fits(fit, "working_set_bytes", bytes, &because, allowed);
        }
    }

    fn check_queues(&self, faults: &mut Faults) {
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
    }

    fn check_loop(&self, faults: &mut Faults) {
        let shape = format!("loop = {}", self.loop_shape);
        let open = self.loop_shape == LoopShape::Open;
        faults.needed(open, "arrivals", self.arrivals, &shape, "fixed or poisson");
        let rate = self.rate_ops_per_second;
        faults.needed(open, "rate_ops_per_second", rate, &shape, "above 0");
        if self.loop_shape != LoopShape::Closed {
            let think_time = self.think_time_ns;
            faults.unless_fits(think_time == 0, "think_time_ns", think_time, &shape, "0");
        }
        if self.loop_shape == LoopShape::Batch {
            // The last of a batch would never be reported, and the next one never begin.
            let (every, whole) = (self.signal_every, self.window.is_multiple_of(self.signal_every));
            faults.unless_fits(whole, "signal_every", every, &shape, "a divisor of window");
        }
        if self.loop_shape == LoopShape::PingPong {
            let answered = matches!(
                self.operation,
                Operation::Write
                    | Operation::WriteWithImmediate
                    | Operation::Send
                    | Operation::WriteAnsweredBySend
            );
            let allowed = "write, write-with-immediate, send or write-answered-by-send";
            faults.unless_fits(answered, "operation", self.operation, &shape, allowed);
            faults.unless_fits(self.window == 1, "window", self.window, &shape, "1");
            let bytes = self.access_bytes;
            let allowed = "1 or more (whose turn it is stands in the message)";
            faults.unless_fits(bytes > 0, "access_bytes", bytes, &shape, allowed);
            // Its threads answer one client, whose buffer they know.
            let (hosts, alone) = (self.client_hosts, self.client_hosts <= 1);
            faults.unless_fits(alone, "client_hosts", hosts, &shape, "1");
        }
    }

    fn check_times(&self, faults: &mut Faults) {
        if self.window_ms >= 1 {
            let whole = self.duration_ms.is_multiple_of(self.window_ms);
            let because = format!("window_ms = {}", self.window_ms);
            let allowed = "a multiple of it";
            faults.unless_fits(whole, "duration_ms", self.duration_ms, &because, allowed);
        }
        let windows = self.duration_ms / self.window_ms.max(1);
        let counts = windows.saturating_mul(self.queue_pairs.into());
        if counts > MOST_COUNTS {
            let because = format!("window_ms = {}", self.window_ms);
            let value = format!("{} with {} queue pairs", self.duration_ms, self.queue_pairs);
            let allowed = "134217728 counts, one of each queue pair in each window";
            faults.unless_fits(false, "duration_ms", value, &because, allowed);
        }
    }
}

/// Faults found so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    /// What is out of bounds is told once, whatever else is wrong with it.
    fn is_told(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field() == field)
    }

    fn unless(&mut self, fit: bool, field: &'static str, value: impl ToString, allowed: &str) {
        if !fit && !self.is_told(field) {
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
        if !fit && !self.is_told(field) {
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
