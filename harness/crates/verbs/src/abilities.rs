//! What no verb tells of a device: found by trying.

use std::{io, sync::Arc};

use onesided_transport::{
    Access, CompletionQueues, EndpointAttributes, ReceiveQueues, Service, Word,
};

use crate::{
    context::ProtectionDomain,
    queue::{CompletionQueue, QueuePair, Queues},
    shared_receives::SharedReceiveQueue,
};

/// What was found. Providers refuse what they have not, with an error of their own choice. Where there is only
/// no room now an ability counts as there: who uses it is told what was lacking.
pub(crate) struct Abilities {
    /// The services that the device has.
    pub(crate) services: Vec<Service>,
    /// Those of which queue pairs can share a receive queue.
    pub(crate) shared_receives: Vec<Service>,
}

impl Abilities {
    /// Makes one queue pair of each service, with a receive queue of its own and with a shared one.
    pub(crate) fn find(protection_domain: &Arc<ProtectionDomain>) -> Self {
        let makes = |service, receive_queues| {
            make(protection_domain, service, receive_queues).map_or_else(is_for_room, |_| true)
        };
        let own = |service: &Service| {
            service.is_reliable() || makes(*service, ReceiveQueues::PerQueuePair)
        };
        let services: Vec<_> = Service::ALL.iter().copied().filter(own).collect();
        let shared = |service: &Service| makes(*service, ReceiveQueues::Shared);
        let shared_receives = services.iter().copied().filter(shared).collect();
        Self { services, shared_receives }
    }
}

fn make(
    protection_domain: &Arc<ProtectionDomain>,
    service: Service,
    receive_queues: ReceiveQueues,
) -> io::Result<QueuePair> {
    let attributes = EndpointAttributes {
        service,
        queue_pairs: 1,
        send_queue_depth: 1,
        receive_queue_depth: 1,
        receive_queues,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::LOCAL,
    };
    let completions = CompletionQueue::create(protection_domain.context(), 2)?;
    let receives = match receive_queues {
        ReceiveQueues::PerQueuePair => None,
        ReceiveQueues::Shared => Some(SharedReceiveQueue::create(protection_domain, 1)?),
    };
    QueuePair::create(protection_domain, &Queues { completions, receives }, &attributes)
}

/// Whether there is only no room now.
fn is_for_room(error: io::Error) -> bool {
    let no_room = [libc::ENOMEM, libc::EAGAIN, libc::EMFILE, libc::ENOSPC];
    error.raw_os_error().is_some_and(|code| no_room.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_room_is_there_and_what_is_refused_is_not() {
        for (code, is_there) in [(libc::ENOMEM, true), (libc::EAGAIN, true), (libc::EINVAL, false)]
        {
            assert_eq!(is_for_room(io::Error::from_raw_os_error(code)), is_there, "{code}");
        }
        assert!(!is_for_room(io::Error::from_raw_os_error(libc::EOPNOTSUPP)));
    }
}
