//! Devices listed, opened, described and refused.

use onesided_transport::{
    Access, CompletionQueues, CreateEndpointError, EndpointAttributes, PortState, RegisterError,
    Transport,
};
use onesided_verbs::{OpenError, Selection, VerbsDevice, devices};

use crate::{Test, loop_back::attributes};

pub const TESTS: &[Test] = &[
    ("an_opened_device_is_listed_and_describes_itself", describes_itself),
    ("with_no_name_an_active_device_is_opened_and_the_choice_is_said", says_its_choice),
    ("a_wrong_name_or_port_is_answered_with_the_right_ones", refuses_wrong_names),
    ("more_than_a_limit_of_the_device_is_refused_before_anything_is_made", keeps_limits),
    ("too_long_an_inline_payload_is_named_as_the_reason", blames_inline),
    ("memory_that_is_not_mapped_cannot_be_registered", refuses_unmapped_memory),
];

fn describes_itself(device: &VerbsDevice) {
    let description = device.description();
    let listed = devices().expect("the library is there");
    assert!(listed.iter().any(|name| name.as_str() == description.name), "{listed:?}");
    assert_eq!((description.back_end.as_str(), description.port >= 1), ("verbs", true));
    assert_eq!(description.port_state, PortState::Active);
    assert_eq!(device.port_state(), Ok(PortState::Active));
    assert!(description.driver.is_some(), "{description:?}");
    let limits = description.limits;
    assert!(limits.queue_pairs > 1 && limits.queue_depth > 16, "{limits:?}");
    assert!(limits.completion_queue_entries > 16, "{limits:?}");
    assert!(limits.max_rd_atomic_as_responder > 0, "{limits:?}");
    assert!(description.gids.iter().all(|entry| !entry.gid.is_zero()), "{description:?}");
    assert!(description.gids.is_sorted_by_key(|entry| entry.index), "{description:?}");
}

fn says_its_choice(_: &VerbsDevice) {
    let any = VerbsDevice::open(None, None).expect("there is an active device");
    let count = devices().expect("the library is there").len();
    assert_eq!(any.selection(), Selection::FirstActive { of: count });
    assert_eq!(any.description().port_state, PortState::Active);
}

fn refuses_wrong_names(device: &VerbsDevice) {
    let name = device.description().name.as_str();
    let Err(OpenError::NoSuchDevice { available, .. }) = VerbsDevice::open(Some("none7"), None)
    else {
        panic!("there is no device none7")
    };
    assert!(available.iter().any(|one| one == name), "{available:?}");
    for port in [0, 200] {
        let Err(error) = VerbsDevice::open(Some(name), Some(port)) else {
            panic!("there is no port {port}")
        };
        assert!(matches!(error, OpenError::NoSuchPort { .. }), "{error}");
    }
    let named = VerbsDevice::open(Some(name), Some(device.description().port));
    assert_eq!(named.expect("it opens a second time").selection(), Selection::Named);
}

fn keeps_limits(device: &VerbsDevice) {
    let limits = device.description().limits;
    let deep = EndpointAttributes {
        send_queue_depth: limits.queue_depth + 1,
        ..attributes(1, CompletionQueues::PerThread)
    };
    let many = attributes(limits.queue_pairs as usize + 1, CompletionQueues::PerQueuePair);
    for wrong in [deep, many] {
        let Err(error) = device.create_endpoint(&wrong) else { panic!("it is above a limit") };
        assert!(matches!(error, CreateEndpointError::AboveLimit { .. }), "{error}");
    }
}

fn blames_inline(device: &VerbsDevice) {
    let long =
        EndpointAttributes { inline_bytes: 1 << 20, ..attributes(2, CompletionQueues::PerThread) };
    let Err(CreateEndpointError::Refused { what, index: 0, count: 2, source }) =
        device.create_endpoint(&long)
    else {
        panic!("no device has 1 MiB of inline payload")
    };
    assert_eq!(what, "queue pair");
    assert!(source.to_string().contains("inline payload of 1048576 bytes"), "{source}");
}

fn refuses_unmapped_memory(device: &VerbsDevice) {
    // SAFETY: page 1 is never mapped, so nothing can be registered there.
    let registered =
        unsafe { device.register(std::ptr::without_provenance_mut(4096), 4096, Access::LOCAL) };
    let Err(RegisterError::Refused { length_bytes: 4096, source }) = registered else {
        panic!("page 1 is not mapped")
    };
    assert_eq!(source.raw_os_error(), Some(libc::EFAULT));
}
