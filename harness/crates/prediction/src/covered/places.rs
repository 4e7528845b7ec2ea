//! What words for places mean on a machine of the model, which has a card's node and another one.

use onesided_results::RunConfiguration;
use onesided_sim::Locality;

use super::NotCovered;

/// Where something is, and who said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The word that it was asked for by.
    pub asked: String,
    /// Where it is.
    pub locality: Locality,
    /// Whether a place was asked for; otherwise the model decided.
    pub given: bool,
    /// Whether its threads share the node's CPUs, rather than have one each.
    pub shares_cpus: bool,
}

impl Placed {
    /// Number of the node: the card's is 0.
    pub(crate) fn node(&self) -> u32 {
        match self.locality {
            Locality::RdmaLocal => 0,
            Locality::RdmaRemote => 1,
        }
    }
}

/// Where the parts of a run are, but for load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub region: Placed,
    pub server_rings: Placed,
    pub client_threads: Placed,
    pub client_buffers: Placed,
    pub client_rings: Placed,
    /// Absent without workers.
    pub workers: Option<Placed>,
}

/// A factor at a level that the model has no notion of.
pub(super) fn refused(factor: &'static str, level: impl ToString, why: &'static str) -> NotCovered {
    NotCovered::Level { factor, level: level.to_string(), why }
}

/// The place of `factor`; `any` is where `otherwise` is.
pub(super) fn placed(
    factor: &'static str,
    asked: &str,
    otherwise: Locality,
) -> Result<Placed, NotCovered> {
    let (shares_cpus, node) = match asked.strip_prefix("shared:") {
        Some(node) => (true, node),
        None => (false, asked),
    };
    let (locality, given) = match node {
        "any" => (otherwise, false),
        "rdma-local" => (Locality::RdmaLocal, true),
        "rdma-remote" => (Locality::RdmaRemote, true),
        _ => return Err(refused(factor, asked, NO_NUMBERS)),
    };
    Ok(Placed { asked: asked.to_owned(), locality, given, shares_cpus })
}

const NO_NUMBERS: &str =
    "the model's nodes and CPUs have no numbers; say any, rdma-local or rdma-remote";

impl Places {
    /// Of a run whose configuration was checked.
    pub(super) fn of(configuration: &RunConfiguration) -> Result<Self, NotCovered> {
        let of = placed;
        let region = of("server_region", &configuration.server_region, Locality::RdmaLocal)?;
        let client_threads =
            of("client_threads", &configuration.client_threads, Locality::RdmaLocal)?;
        let client = client_threads.locality;
        let places = Self {
            server_rings: of("server_rings", &configuration.server_rings, Locality::RdmaLocal)?,
            client_buffers: of("client_buffers", &configuration.client_buffers, client)?,
            client_rings: of("client_rings", &configuration.client_rings, client)?,
            workers: (configuration.workers > 0)
                .then(|| of("worker_threads", &configuration.worker_threads, region.locality))
                .transpose()?,
            region,
            client_threads,
        };
        places.check()?;
        Ok(places)
    }

    fn check(&self) -> Result<(), NotCovered> {
        let client = self.client_threads.locality;
        for (factor, part) in
            [("client_buffers", &self.client_buffers), ("client_rings", &self.client_rings)]
        {
            if part.locality != client {
                return Err(refused(factor, &part.asked, ONE_NODE));
            }
        }
        if self.server_rings.locality == Locality::RdmaRemote {
            let why = "the model has the rings of the server on its card's node";
            return Err(refused("server_rings", &self.server_rings.asked, why));
        }
        match &self.workers {
            Some(workers) if workers.locality != self.region.locality => {
                let why = "the model has workers on the region's node only";
                Err(refused("worker_threads", &workers.asked, why))
            }
            _ => Ok(()),
        }
    }

    /// Places that were left open and matter, with what was taken; empty without any.
    pub(super) fn assumed(&self) -> String {
        let parts = [
            ("server_region", Some(&self.region)),
            ("client_threads", Some(&self.client_threads)),
            ("client_buffers", Some(&self.client_buffers)),
            ("worker_threads", self.workers.as_ref()),
        ];
        let open = |(factor, part): (_, Option<&Placed>)| {
            part.filter(|part| !part.given).map(|part| format!("{factor} as {}", part.locality))
        };
        parts.into_iter().filter_map(open).collect::<Vec<_>>().join(", ")
    }
}

const ONE_NODE: &str = "the model has the client's threads, buffers and rings on one node";
