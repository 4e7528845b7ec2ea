//! A point of a study, simulated.

use onesided_results::{
    row::ShapeRow,
    version,
    vocabulary::{Operation, Source},
};
use onesided_sim::{Parameters, StationUse, utilisations};

use super::{ShapePoint, Study, StudyError, messages::messages};
use crate::predict::{Effort, Prediction, predict};

/// What computed the numbers, as rows have it.
const BACK_END: &str = "sim";
/// A station that is busy for so much of the time is what limits throughput. Ours: random arrivals
/// leave some idle time.
const BUSY: f64 = 0.9;
/// A first look, to tell how long to look.
const GLANCE: Effort = Effort { warm_up_us: 100, measured_us: 400 };
/// A look that sees fewer completions than this share of what is posted at first was too short,
const GLANCE_SHARE: f64 = 0.1;
/// unless it was as long as that: then so few complete.
const LONGEST_GLANCE_US: u64 = 1_000_000;
/// No machine is slower.
const SLOWEST_PER_US: f64 = 0.01;
/// Requests that are looked at; of a mix their kinds then vary by less than 1 %.
const REQUESTS: f64 = 200_000.0;

/// What the simulator says of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Operations a second: of a key-value store its own.
    pub throughput_ops: f64,
    /// Mean time of a request; absent where none completed.
    pub latency_mean_ns: Option<f64>,
    /// The busiest station, or what keeps it from being busy.
    pub limit: &'static str,
    /// How busy that station is; absent of messages, for which no law says it.
    pub limit_utilisation: Option<f64>,
}

/// Simulates a point on a machine.
///
/// # Errors
/// When the point is none that there can be.
pub fn shape(parameters: &Parameters, point: &ShapePoint) -> Result<Shape, StudyError> {
    if let Some(way) = point.message {
        return Ok(messages(parameters, point, way));
    }
    let machine = point.parameters(parameters);
    let effort = effort(&machine, point)?;
    let scenario = point.scenario(effort.end())?;
    let Prediction { throughput_ops: requests, latency_mean_ns } =
        predict(&machine, &scenario, effort)?;
    let stations = utilisations(&machine, &scenario, requests);
    let busiest =
        stations.into_iter().reduce(|a, b| if b.utilisation > a.utilisation { b } else { a });
    let busiest = busiest.unwrap_or(StationUse { station: "none", utilisation: 0.0 });
    let limit = if busiest.utilisation >= BUSY {
        busiest.station
    } else if waits_in_order(&machine, point, effort, requests)? {
        "lock slots, in order"
    } else {
        in_flight(point)
    };
    Ok(Shape {
        throughput_ops: requests / point.requests(),
        latency_mean_ns,
        limit,
        limit_utilisation: Some(busiest.utilisation),
    })
}

/// So much that every request that is posted at first has completed three times over, and
/// [`REQUESTS`] have after that.
fn effort(machine: &Parameters, point: &ShapePoint) -> Result<Effort, StudyError> {
    let at_first = f64::from(point.queue_pairs) * f64::from(point.window);
    let mut glance = GLANCE;
    let per_us = loop {
        let seen = predict(machine, &point.scenario(glance.end())?, glance)?;
        let per_us = seen.throughput_ops * 1e-6;
        // Threads post all that they may before they look at the first completion.
        let enough = per_us * glance.measured_us as f64 >= at_first * GLANCE_SHARE;
        if enough || glance.measured_us >= LONGEST_GLANCE_US {
            break per_us.max(SLOWEST_PER_US);
        }
        glance = Effort { warm_up_us: 8 * glance.warm_up_us, measured_us: 8 * glance.measured_us };
    };
    Ok(Effort {
        warm_up_us: (3.0 * at_first / per_us).ceil() as u64 + GLANCE.warm_up_us,
        measured_us: (REQUESTS / per_us).ceil() as u64,
    })
}

/// Whether there would be a tenth more throughput if atomics did not wait behind others for whose
/// slots they have no use: there is no law that tells this from service times.
fn waits_in_order(
    machine: &Parameters,
    point: &ShapePoint,
    effort: Effort,
    requests: f64,
) -> Result<bool, StudyError> {
    let has_atomics = matches!(point.operation, Operation::FetchAndAdd | Operation::Mixed);
    if !has_atomics {
        return Ok(false);
    }
    let any_order = Parameters { atomics_waiting: f64::INFINITY, ..machine.clone() };
    let scenario = point.scenario(effort.end())?;
    Ok(predict(&any_order, &scenario, effort)?.throughput_ops > 1.1 * requests)
}

/// What of a queue pair's is used up where no station is.
fn in_flight(point: &ShapePoint) -> &'static str {
    let reads = point.operation != Operation::Write;
    if reads && point.max_rd_atomic < point.window { "reads in flight" } else { "window" }
}

impl Shape {
    /// The row of a point of `study` on the machine `profile`, whose first point of the same
    /// operation has a throughput of `first`; absent if that is nothing.
    pub fn row(
        &self,
        (profile, set_up): (&str, Option<&str>),
        study: &Study,
        point: &ShapePoint,
        first: Option<f64>,
    ) -> ShapeRow {
        ShapeRow {
            schema_version: version::SHAPES.written,
            source: Source::Simulated,
            back_end: BACK_END.to_owned(),
            profile: profile.to_owned(),
            set_up: set_up.map(str::to_owned),
            study: study.name.to_owned(),
            operation: point.operation,
            locality: Some(point.region),
            access_bytes: Some(point.access_bytes),
            queue_pairs: Some(point.queue_pairs),
            threads: Some(point.threads),
            client_hosts: Some(point.client_hosts),
            window: Some(point.window),
            post_list: Some(point.post_list),
            max_rd_atomic: Some(point.max_rd_atomic),
            mtu_bytes: Some(point.mtu_bytes),
            counters: point.counters,
            put_fraction: point.put_fraction,
            throughput_ops: Some(six_digits(self.throughput_ops)),
            relative_throughput: first.map(|first| six_digits(self.throughput_ops / first)),
            bytes_per_second: Some(six_digits(self.throughput_ops * point.payload_bytes())),
            latency_mean_ns: self.latency_mean_ns.map(six_digits),
            limit: Some(self.limit.to_owned()),
            limit_utilisation: self.limit_utilisation.map(six_digits),
        }
    }
}

/// As in the other tables.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a printed number is one")
}
