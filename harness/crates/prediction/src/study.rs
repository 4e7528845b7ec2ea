//! Sweeps of papers, in virtual time: what a table of runs cannot say.
//!
//! A [`Study`] is a name and a list of points; [`Study::ALL`] is the table of them. Another study
//! is another line there and a function that lists its points. [`shape`] simulates a point.

mod messages;
mod points;
mod shape;

use onesided_load::{
    LoadPlan, MixPlan, PatternPlan, PlanError, PostedOperation, ShapePlan, SlotLayout,
};
use onesided_results::{
    vocabulary::{MessageWay, Operation},
    word::UnknownWord,
};
use onesided_sim::{
    ByVerb, Connection, HostLoad, Locality, Moment, Parameters, Scenario, SimulateError, Workers,
};

pub use shape::{Shape, shape};

/// A sweep.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Its name.
    pub name: &'static str,
    /// What it sweeps, and whose figure it is, in a line.
    pub about: &'static str,
    points: fn() -> Vec<ShapePoint>,
}

/// A point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapePoint {
    /// What is asked for. Mixed: a key-value store's GETs, a READ each, and PUTs, two atomics each.
    pub operation: Operation,
    /// Bytes of an access; of a mix, of a READ.
    pub access_bytes: u32,
    /// Queue pairs in all.
    pub queue_pairs: u32,
    /// Client threads in all.
    pub threads: u32,
    /// Machines that they are on.
    pub client_hosts: u32,
    /// Requests that a queue pair has posted at most.
    pub window: u32,
    /// Requests that it posts together.
    pub post_list: u32,
    /// Reads and atomics that it has under way at most.
    pub max_rd_atomic: u32,
    /// Path MTU.
    pub mtu_bytes: u32,
    /// The longest payload that a WRITE carries in its request.
    pub inline_bytes: u32,
    /// Objects that all queue pairs draw from; absent: each has its own.
    pub counters: Option<u64>,
    /// Share of PUTs.
    pub put_fraction: Option<f64>,
    /// Which way messages go; absent of what is no message.
    pub message: Option<MessageWay>,
    /// Who answers.
    pub responders: Responders,
    /// Where the memory is that they ask for.
    pub region: Locality,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responders {
    /// One host, which all clients ask.
    One,
    /// As many hosts as it takes for their cards not to be waited for.
    Enough,
}

/// Why a point cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// There is no study of the name.
    #[error(transparent)]
    Unknown(#[from] UnknownWord),
    /// The load cannot be.
    #[error(transparent)]
    Load(#[from] PlanError),
    /// The simulator refuses it.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// An operation that the model has no notion of.
    #[error("the model has no notion of {operation}")]
    Operation {
        /// Which.
        operation: Operation,
    },
}

impl Study {
    /// All of them, in the order of the papers.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "size",
            about: "inbound READs and WRITEs by payload (USENIX ATC 2016, Fig. 12)",
            points: points::size,
        },
        Self {
            name: "outbound",
            about: "READs and WRITEs of one host by payload (USENIX ATC 2016, section 5.3.2)",
            points: points::outbound,
        },
        Self {
            name: "window",
            about: "READs and WRITEs of 14 threads by requests in flight (ATC 2016, Fig. 13)",
            points: points::window,
        },
        Self {
            name: "atomics",
            about: "atomics on random counters by their number (USENIX ATC 2016, Fig. 14)",
            points: points::atomics,
        },
        Self {
            name: "key-value",
            about: "READs and atomics of DrTM-KV by share of PUTs (USENIX ATC 2016, Fig. 10)",
            points: points::key_value,
        },
        Self {
            name: "fabric",
            about: "one thread's reads and atomics by size, in cache lines (ASPLOS 2014, Fig. 7)",
            points: points::fabric,
        },
        Self {
            name: "messages-pushed",
            about: "messages there and back, written into the receiver's ring (ASPLOS 2014, Fig. 8)",
            points: points::messages_pushed,
        },
        Self {
            name: "messages-pulled",
            about: "the same, read by the receiver",
            points: points::messages_pulled,
        },
        Self {
            name: "queue-pairs",
            about: "READs and WRITEs of one host by queue pairs, up to 10,000, at both places",
            points: points::queue_pairs,
        },
        Self {
            name: "client-hosts",
            about: "READs and WRITEs by client hosts, up to 1,000, at both places",
            points: points::client_hosts,
        },
    ];

    /// The study of a name.
    ///
    /// # Errors
    /// [`StudyError::Unknown`], with the name that was probably meant.
    pub fn of(name: &str) -> Result<&'static Self, StudyError> {
        let names: Vec<_> = Self::ALL.iter().map(|study| study.name).collect();
        let unknown = || UnknownWord::new("study", name, &names);
        Self::ALL.iter().find(|study| study.name == name).ok_or_else(|| unknown().into())
    }

    /// Its points, in the order of the sweep.
    pub fn points(&self) -> Vec<ShapePoint> {
        (self.points)()
    }
}

impl ShapePoint {
    /// The machine that it is asked of.
    fn parameters(&self, parameters: &Parameters) -> Parameters {
        match self.responders {
            Responders::One => parameters.clone(),
            Responders::Enough => Parameters { respond_ns: ByVerb::all(0.0), ..parameters.clone() },
        }
    }

    /// What is asked of it, until `end`.
    fn scenario(&self, end: Moment) -> Result<Scenario, StudyError> {
        Ok(Scenario {
            load: self.load()?,
            threads: self.threads as usize,
            client_hosts: self.client_hosts as usize,
            region: self.region,
            client: Locality::RdmaLocal,
            connection: Connection {
                mtu_bytes: self.mtu_bytes,
                max_rd_atomic: self.max_rd_atomic,
                inline_bytes: self.inline_bytes,
            },
            workers: Workers::NONE,
            host_load: HostLoad::default(),
            end,
        })
    }

    fn load(&self) -> Result<LoadPlan, StudyError> {
        let (queue_pairs, access_bytes) = (self.queue_pairs as usize, self.access_bytes);
        let (pattern, slot_layout) = match self.counters {
            None => (PatternPlan::OwnSlot, SlotLayout::Padded),
            Some(counters) => {
                let working_set_bytes = counters * u64::from(access_bytes);
                (PatternPlan::Uniform { working_set_bytes }, SlotLayout::Packed)
            }
        };
        let shape = ShapePlan::ClosedLoop {
            window: self.window,
            think_time: std::time::Duration::ZERO,
            post_list: self.post_list,
        };
        let what = (shape, pattern, self.mix()?);
        let load = Scenario::load_of(what, (slot_layout, access_bytes), queue_pairs);
        Ok(load.map_err(PlanError::from)?)
    }

    fn mix(&self) -> Result<MixPlan, StudyError> {
        match (PostedOperation::of(self.operation), self.put_fraction) {
            // Messages have a model of their own.
            (Some(PostedOperation::Send), _) | (None, None) => {
                Err(StudyError::Operation { operation: self.operation })
            }
            (Some(operation), _) => Ok(MixPlan::Single(operation)),
            (None, Some(_)) => Ok(MixPlan::ReadAtomic { atomic_fraction: self.atomic_fraction() }),
        }
    }

    /// Share of atomics among requests: a PUT is two, a GET one READ (USENIX ATC 2016, section
    /// 4.3.2).
    fn atomic_fraction(&self) -> f64 {
        let puts = self.put_fraction.unwrap_or(0.0);
        2.0 * puts / (1.0 + puts)
    }

    /// Requests that one operation is made of.
    fn requests(&self) -> f64 {
        1.0 + self.put_fraction.unwrap_or(0.0)
    }

    /// Payload of one operation.
    fn payload_bytes(&self) -> f64 {
        let puts = self.put_fraction.unwrap_or(0.0);
        (1.0 - puts) * f64::from(self.access_bytes) + puts * 2.0 * 8.0
    }
}

#[cfg(test)]
mod tests;
