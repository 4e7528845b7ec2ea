//! The queue pairs of one thread, wired to their completion queue or queues.
//!
//! ```text
//!   per thread                         per queue pair
//!     queue pair 0 --.                   queue pair 0 --- completion queue 0
//!     queue pair 1 --+-- completion      queue pair 1 --- completion queue 1
//!     queue pair 2 --'   queue 0         queue pair 2 --- completion queue 2
//! ```

use std::{io, sync::Arc};

use onesided_transport::{
    CompletionQueues, CreateEndpointError, DeviceLimits, EndpointAttributes, ReceiveQueues,
};

use crate::{
    context::ProtectionDomain,
    queue::{CompletionQueue, QueuePair, Queues},
    shared_receives::SharedReceiveQueue,
};

/// Queue pairs in the state `INIT`, with what they report to.
pub(crate) struct Wiring {
    pub(crate) queue_pairs: Vec<QueuePair>,
    pub(crate) completion_queues: Vec<Arc<CompletionQueue>>,
    pub(crate) shared_receives: Option<Arc<SharedReceiveQueue>>,
}

impl Wiring {
    /// Creates them so that no completion queue can be overrun.
    ///
    /// Providers round queues up, each in its own way, so queue pairs may take more requests
    /// than were asked for, and then leave more completions. Where that is so they are created a
    /// second time with completion queues for what they really take; unless the device has none
    /// that long, and then the depth that was asked for is the caller's to keep.
    pub(crate) fn create(
        protection_domain: &Arc<ProtectionDomain>,
        limits: &DeviceLimits,
        port: u8,
        (attributes, datagram_key): (&EndpointAttributes, u32),
    ) -> Result<Self, CreateEndpointError> {
        let entries = completion_queue_entries(attributes, limits)?;
        let first =
            Self::with_entries(protection_domain, port, (attributes, datagram_key), entries)?;
        match first.needs_more() {
            Some(needed) if needed <= limits.completion_queue_entries => {
                drop(first);
                Self::with_entries(protection_domain, port, (attributes, datagram_key), needed)
            }
            _ => Ok(first),
        }
    }

    fn with_entries(
        protection_domain: &Arc<ProtectionDomain>,
        port: u8,
        (attributes, datagram_key): (&EndpointAttributes, u32),
        entries: u32,
    ) -> Result<Self, CreateEndpointError> {
        let count = attributes.queue_pairs;
        let queues = match attributes.completion_queues {
            CompletionQueues::PerThread => 1,
            CompletionQueues::PerQueuePair => count,
        };
        let completion_queues = (0..queues)
            .map(|index| {
                CompletionQueue::create(protection_domain.context(), entries).map_err(refused(
                    "completion queue",
                    index,
                    queues,
                ))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let shared_receives = match attributes.receive_queues {
            ReceiveQueues::PerQueuePair => None,
            ReceiveQueues::Shared => {
                let depth = attributes.receive_queue_depth;
                let made = SharedReceiveQueue::create(protection_domain, depth);
                Some(made.map_err(refused("shared receive queue", 0, 1))?)
            }
        };
        let queue_pairs = (0..count)
            .map(|index| {
                let completions = Arc::clone(&completion_queues[index % queues]);
                let queues = Queues { completions, receives: shared_receives.clone() };
                queue_pair(protection_domain, &queues, port, (attributes, datagram_key))
                    .map_err(refused("queue pair", index, count))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { queue_pairs, completion_queues, shared_receives })
    }

    /// Entries that each completion queue should have, if it has fewer. All queue pairs are
    /// alike, and so are all completion queues: the first tells.
    fn needs_more(&self) -> Option<u32> {
        let (queue_pair, completion_queue) =
            (self.queue_pairs.first()?, self.completion_queues.first()?);
        let reporting = (self.queue_pairs.len() / self.completion_queues.len()) as u64;
        // A provider that cannot be asked is taken at its word.
        let capacity = queue_pair.capacity().ok()?;
        let needed = match &self.shared_receives {
            None => (capacity.sends + capacity.receives).saturating_mul(reporting),
            Some(shared) => {
                capacity.sends.saturating_mul(reporting).saturating_add(shared.depth().into())
            }
        };
        let short = needed > completion_queue.entries();
        short.then(|| u32::try_from(needed).unwrap_or(u32::MAX))
    }
}

/// A queue pair in `INIT`.
fn queue_pair(
    protection_domain: &Arc<ProtectionDomain>,
    queues: &Queues,
    port: u8,
    (attributes, datagram_key): (&EndpointAttributes, u32),
) -> io::Result<QueuePair> {
    let created = QueuePair::create(protection_domain, queues, attributes);
    let queue_pair =
        created.map_err(|source| blame_inline(source, protection_domain, queues, attributes))?;
    queue_pair.initialize(port, attributes, datagram_key)?;
    Ok(queue_pair)
}

/// No verb tells the longest inline payload, so a refusal is tried again without one.
fn blame_inline(
    source: io::Error,
    protection_domain: &Arc<ProtectionDomain>,
    queues: &Queues,
    attributes: &EndpointAttributes,
) -> io::Error {
    let without = EndpointAttributes { inline_bytes: 0, ..*attributes };
    let inline_bytes = attributes.inline_bytes;
    if inline_bytes == 0 || QueuePair::create(protection_domain, queues, &without).is_err() {
        return source;
    }
    io::Error::new(
        source.kind(),
        format!("{source}: an inline payload of {inline_bytes} bytes is more than the device has"),
    )
}

/// Entries of one completion queue, after all limits were found to be kept.
fn completion_queue_entries(
    attributes: &EndpointAttributes,
    limits: &DeviceLimits,
) -> Result<u32, CreateEndpointError> {
    if attributes.queue_pairs == 0 || attributes.send_queue_depth == 0 {
        let source = io::Error::new(
            io::ErrorKind::InvalidInput,
            "an endpoint has at least one queue pair, of a send queue depth of at least 1",
        );
        return Err(refused("queue pair", 0, attributes.queue_pairs)(source));
    }
    let asked = attributes.beside(limits);
    if let Some((what, asked, limit)) = asked.into_iter().find(|(_, asked, limit)| asked > limit) {
        return Err(CreateEndpointError::AboveLimit { what, asked, limit });
    }
    let [.., (_, entries, _)] = asked;
    Ok(u32::try_from(entries).expect("it is within a 32-bit limit"))
}

pub(crate) fn refused(
    what: &'static str,
    index: usize,
    count: usize,
) -> impl FnOnce(io::Error) -> CreateEndpointError {
    move |source| CreateEndpointError::Refused { what, index, count, source }
}

#[cfg(test)]
mod tests {
    use onesided_transport::{Access, Service};

    use super::*;

    const LIMITS: DeviceLimits = DeviceLimits {
        queue_pairs: 64,
        queue_depth: 128,
        shared_receive_queue_depth: 50,
        completion_queue_entries: 1000,
        max_rd_atomic_as_responder: 16,
        max_rd_atomic_as_requester: 16,
    };

    fn attributes(queue_pairs: usize, completion_queues: CompletionQueues) -> EndpointAttributes {
        EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs,
            send_queue_depth: 100,
            receive_queue_depth: 20,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues,
            access: Access::LOCAL,
        }
    }

    fn above(attributes: &EndpointAttributes) -> (&'static str, u64, u64) {
        match completion_queue_entries(attributes, &LIMITS) {
            Err(CreateEndpointError::AboveLimit { what, asked, limit }) => (what, asked, limit),
            other => panic!("expected a limit, found {other:?}"),
        }
    }

    #[test]
    fn a_shared_completion_queue_holds_what_all_its_queue_pairs_may_leave() {
        let shared = attributes(8, CompletionQueues::PerThread);
        assert_eq!(completion_queue_entries(&shared, &LIMITS).unwrap(), 8 * 120);
        let own = attributes(8, CompletionQueues::PerQueuePair);
        assert_eq!(completion_queue_entries(&own, &LIMITS).unwrap(), 120);
    }

    #[test]
    fn a_completion_queue_holds_what_a_shared_receive_queue_may_leave_once() {
        let receive_queues = ReceiveQueues::Shared;
        let shared = |completion_queues| EndpointAttributes {
            receive_queues,
            ..attributes(8, completion_queues)
        };
        let one = shared(CompletionQueues::PerThread);
        assert_eq!(completion_queue_entries(&one, &LIMITS).unwrap(), 8 * 100 + 20);
        // All of them may be for one queue pair.
        let own = shared(CompletionQueues::PerQueuePair);
        assert_eq!(completion_queue_entries(&own, &LIMITS).unwrap(), 120);
        let deep = EndpointAttributes { receive_queue_depth: 51, ..one };
        assert_eq!(above(&deep), ("shared receive queue depth", 51, 50));
    }

    #[test]
    fn each_limit_of_the_device_is_named_before_anything_is_created() {
        let many = attributes(65, CompletionQueues::PerQueuePair);
        assert_eq!(above(&many), ("queue pairs", 65, 64));
        let shared = attributes(9, CompletionQueues::PerThread);
        let (what, asked, limit) = above(&shared);
        assert!(what.starts_with("completion queue entries"), "{what}");
        assert_eq!((asked, limit), (1080, 1000));
        let deep = EndpointAttributes {
            send_queue_depth: 129,
            ..attributes(1, CompletionQueues::PerThread)
        };
        assert_eq!(above(&deep), ("send queue depth", 129, 128));
        let deep = EndpointAttributes {
            receive_queue_depth: 129,
            ..attributes(1, CompletionQueues::PerThread)
        };
        assert_eq!(above(&deep), ("receive queue depth", 129, 128));
    }

    #[test]
    fn an_endpoint_without_queue_pairs_or_depth_is_refused() {
        for wrong in [
            attributes(0, CompletionQueues::PerThread),
            EndpointAttributes {
                send_queue_depth: 0,
                ..attributes(1, CompletionQueues::PerThread)
            },
        ] {
            let error = completion_queue_entries(&wrong, &LIMITS).unwrap_err();
            assert!(matches!(error, CreateEndpointError::Refused { .. }), "{error}");
        }
    }
}
