//! The parameters by name: for files, for fitting, for anybody who asks what there is.

use super::Parameters;

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name, with its unit: `interconnect_ns.read`.
    pub name: &'static str,
    /// What is below it or above `most` is absurd and refused.
    pub least: f64,
    /// See `least`.
    pub most: f64,
    place: fn(&mut Parameters) -> &mut f64,
}

/// Why a parameter cannot have a value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no parameter of the name.
    #[error("there is no parameter `{name}`{}", nearest(name))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The value is negative, no number, or beyond any machine.
    #[error("{name} = {value} is not within {least} and {most}")]
    Absurd {
        /// Which parameter.
        name: &'static str,
        /// What was asked for.
        value: f64,
        /// The least that is believed.
        least: f64,
        /// The most that is believed.
        most: f64,
    },
}

fn nearest(name: &str) -> String {
    let group = name.split('.').next().unwrap_or(name);
    let of_group = FIELDS.iter().filter(|field| field.name.split('.').next() == Some(group));
    let names: Vec<&str> = of_group.map(|field| field.name).collect();
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

impl Field {
    /// All parameters, in the order of the way of an operation.
    pub const ALL: &'static [Self] = FIELDS;

    /// The parameter of a name.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    pub fn of(name: &str) -> Result<&'static Self, ParameterError> {
        let unknown = || ParameterError::Unknown { name: name.to_owned() };
        FIELDS.iter().find(|field| field.name == name).ok_or_else(unknown)
    }

    /// Its value.
    pub fn get(&self, parameters: &Parameters) -> f64 {
        *(self.place)(&mut parameters.clone())
    }

    /// Sets it.
    ///
    /// # Errors
    /// [`ParameterError::Absurd`]; it is unchanged then.
    pub fn set(&self, parameters: &mut Parameters, value: f64) -> Result<(), ParameterError> {
        let Self { name, least, most, .. } = *self;
        if !(least..=most).contains(&value) {
            return Err(ParameterError::Absurd { name, value, least, most });
        }
        *(self.place)(parameters) = value;
        Ok(())
    }
}

const fn field(
    name: &'static str,
    (least, most): (f64, f64),
    place: fn(&mut Parameters) -> &mut f64,
) -> Field {
    Field { name, least, most, place }
}

/// A tenth of a millisecond: no single step of an operation takes longer.
const STEP: (f64, f64) = (0.0, 100_000.0);
/// Down to 10 MB/s.
const PER_BYTE: (f64, f64) = (0.0, 100.0);
const COUNT: (f64, f64) = (1.0, 1e9);
const SHARE: (f64, f64) = (0.0, 1.0);

const FIELDS: &[Field] = &[
    field("post_ns.read", STEP, |p| &mut p.post_ns.read),
    field("post_ns.write", STEP, |p| &mut p.post_ns.write),
    field("post_ns.atomic", STEP, |p| &mut p.post_ns.atomic),
    field("post_next_ns", STEP, |p| &mut p.post_next_ns),
    field("poll_ns", STEP, |p| &mut p.poll_ns),
    field("doorbell_ns", STEP, |p| &mut p.doorbell_ns),
    field("completion_ns", STEP, |p| &mut p.completion_ns),
    field("client_cpus", COUNT, |p| &mut p.client_cpus),
    field("quantum_ns", (0.0, 1e9), |p| &mut p.quantum_ns),
    field("copy_ns_per_byte", PER_BYTE, |p| &mut p.copy_ns_per_byte),
    field("wqe_line_ns", STEP, |p| &mut p.wqe_line_ns),
    field("request_ns.read", STEP, |p| &mut p.request_ns.read),
    field("request_ns.write", STEP, |p| &mut p.request_ns.write),
    field("request_ns.atomic", STEP, |p| &mut p.request_ns.atomic),
    field("gather_ns_per_byte", PER_BYTE, |p| &mut p.gather_ns_per_byte),
    field("client_remote_ns.read", STEP, |p| &mut p.client_remote_ns.read),
    field("client_remote_ns.write", STEP, |p| &mut p.client_remote_ns.write),
    field("client_remote_ns.atomic", STEP, |p| &mut p.client_remote_ns.atomic),
    field("client_remote_post_ns", STEP, |p| &mut p.client_remote_post_ns),
    field("request_cache_entries", COUNT, |p| &mut p.request_cache_entries),
    field("request_miss_ns", STEP, |p| &mut p.request_miss_ns),
    field("link_ns_per_byte", PER_BYTE, |p| &mut p.link_ns_per_byte),
    field("packet_ns", STEP, |p| &mut p.packet_ns),
    field("one_way_ns", STEP, |p| &mut p.one_way_ns),
    field("respond_ns.read", STEP, |p| &mut p.respond_ns.read),
    field("respond_ns.write", STEP, |p| &mut p.respond_ns.write),
    field("respond_ns.atomic", STEP, |p| &mut p.respond_ns.atomic),
    field("context_entries", COUNT, |p| &mut p.context_entries),
    field("context_miss_ns", STEP, |p| &mut p.context_miss_ns),
    field("pcie_ns_per_byte", PER_BYTE, |p| &mut p.pcie_ns_per_byte),
    field("pcie_packet_ns", STEP, |p| &mut p.pcie_packet_ns),
    field("memory_ns.read", STEP, |p| &mut p.memory_ns.read),
    field("memory_ns.write", STEP, |p| &mut p.memory_ns.write),
    field("memory_ns.atomic", STEP, |p| &mut p.memory_ns.atomic),
    field("interconnect_ns.read", STEP, |p| &mut p.interconnect_ns.read),
    field("interconnect_ns.write", STEP, |p| &mut p.interconnect_ns.write),
    field("interconnect_ns.atomic", STEP, |p| &mut p.interconnect_ns.atomic),
    field("posted_writes", COUNT, |p| &mut p.posted_writes),
    field("line_ns.read.local", STEP, |p| &mut p.line_ns.read.local),
    field("line_ns.read.remote", STEP, |p| &mut p.line_ns.read.remote),
    field("line_ns.write.local", STEP, |p| &mut p.line_ns.write.local),
    field("line_ns.write.remote", STEP, |p| &mut p.line_ns.write.remote),
    field("line_ns.atomic.local", STEP, |p| &mut p.line_ns.atomic.local),
    field("line_ns.atomic.remote", STEP, |p| &mut p.line_ns.atomic.remote),
    field("transfer_ns.read.local", STEP, |p| &mut p.transfer_ns.read.local),
    field("transfer_ns.read.remote", STEP, |p| &mut p.transfer_ns.read.remote),
    field("transfer_ns.write.local", STEP, |p| &mut p.transfer_ns.write.local),
    field("transfer_ns.write.remote", STEP, |p| &mut p.transfer_ns.write.remote),
    field("transfer_ns.atomic.local", STEP, |p| &mut p.transfer_ns.atomic.local),
    field("transfer_ns.atomic.remote", STEP, |p| &mut p.transfer_ns.atomic.remote),
    field("reader_share.read.local", SHARE, |p| &mut p.reader_share.read.local),
    field("reader_share.read.remote", SHARE, |p| &mut p.reader_share.read.remote),
    field("reader_share.write.local", SHARE, |p| &mut p.reader_share.write.local),
    field("reader_share.write.remote", SHARE, |p| &mut p.reader_share.write.remote),
    field("reader_share.atomic.local", SHARE, |p| &mut p.reader_share.atomic.local),
    field("reader_share.atomic.remote", SHARE, |p| &mut p.reader_share.atomic.remote),
    field("copies_ns.read.local", STEP, |p| &mut p.copies_ns.read.local),
    field("copies_ns.read.remote", STEP, |p| &mut p.copies_ns.read.remote),
    field("copies_ns.write.local", STEP, |p| &mut p.copies_ns.write.local),
    field("copies_ns.write.remote", STEP, |p| &mut p.copies_ns.write.remote),
    field("copies_ns.atomic.local", STEP, |p| &mut p.copies_ns.atomic.local),
    field("copies_ns.atomic.remote", STEP, |p| &mut p.copies_ns.atomic.remote),
    field("most_transfers", COUNT, |p| &mut p.most_transfers),
    field("server_cpus", COUNT, |p| &mut p.server_cpus),
    field("atomic_slots", COUNT, |p| &mut p.atomic_slots),
    field("atomic_ns", STEP, |p| &mut p.atomic_ns),
    field("atomic_miss_ns", STEP, |p| &mut p.atomic_miss_ns),
    field("atomic_card_share", SHARE, |p| &mut p.atomic_card_share),
    field("atomics_waiting", COUNT, |p| &mut p.atomics_waiting),
    field("atomic_write_back", SHARE, |p| &mut p.atomic_write_back),
    field("controller_wait_ns", STEP, |p| &mut p.controller_wait_ns),
    field("crossing_wait_ns", STEP, |p| &mut p.crossing_wait_ns),
    field("cache_bytes", (0.0, 1e12), |p| &mut p.cache_bytes),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_set_and_read_back_by_its_own_name() {
        let mut parameters = Parameters::ideal();
        for (number, field) in FIELDS.iter().enumerate() {
            let value = field.least + (field.most - field.least) * (number + 1) as f64 / 1e3;
            field.set(&mut parameters, value).unwrap();
        }
        for (number, field) in FIELDS.iter().enumerate() {
            let value = field.least + (field.most - field.least) * (number + 1) as f64 / 1e3;
            assert_eq!(field.get(&parameters), value, "{} shares its place", field.name);
            assert_eq!(Field::of(field.name).unwrap().name, field.name);
        }
    }

    #[test]
    fn no_value_of_the_parameters_is_without_a_name() {
        let size = size_of::<Parameters>() / size_of::<f64>();
        assert_eq!(FIELDS.len(), size);
    }

    #[test]
    fn negative_absurd_and_unknown_ones_are_refused_by_name() {
        let mut parameters = Parameters::ideal();
        let mut told = |name: &str, value| match Field::of(name) {
            Ok(field) => field.set(&mut parameters, value).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(told("poll_ns", -1.0), "poll_ns = -1 is not within 0 and 100000");
        assert_eq!(told("poll_ns", f64::NAN), "poll_ns = NaN is not within 0 and 100000");
        assert_eq!(
            told("reader_share.read.local", 1.5),
            "reader_share.read.local = 1.5 is not within 0 and 1"
        );
        let unknown = told("post_ns", 1.0);
        assert!(
            unknown.ends_with("there is post_ns.read, post_ns.write, post_ns.atomic"),
            "{unknown}"
        );
        assert_eq!(told("speed", 1.0), "there is no parameter `speed`");
    }
}
