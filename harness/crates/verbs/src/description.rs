//! What was opened, in the words of the contract.

use onesided_transport::{
    AtomicCapability, DeviceDescription, DeviceLimits, LinkLayer, PathMtu, PortState, Service,
};

use crate::{
    context::Context,
    device_list::text,
    ffi::{
        IBV_ATOMIC_GLOB, IBV_ATOMIC_HCA, IBV_LINK_LAYER_ETHERNET, IBV_PORT_ACTIVE, ibv_atomic_cap,
        ibv_device_attr, ibv_port_attr, ibv_port_state,
    },
    gid_table,
    open_error::OpenError,
    sysfs::Sysfs,
};

/// The back end's name in every record.
const BACK_END: &str = "verbs";

/// What the library says about a device and one port of it.
pub(crate) struct Queried {
    pub(crate) name: String,
    pub(crate) port: u8,
    pub(crate) device_attributes: ibv_device_attr,
    pub(crate) port_attributes: ibv_port_attr,
}

impl Queried {
    /// Describes it, with what only the kernel's sysfs tells.
    pub(crate) fn describe(
        self,
        context: &Context,
        sysfs: &Sysfs,
    ) -> Result<DeviceDescription, OpenError> {
        let Self { name, port, device_attributes, port_attributes } = self;
        let link_layer = link_layer(port_attributes.link_layer);
        let table = gid_table::Port {
            device: &name,
            number: port,
            link_layer,
            table_length: not_negative(port_attributes.gid_tbl_len),
            ports: device_attributes.phys_port_cnt,
        };
        let gids = gid_table::query(context, sysfs, &table).map_err(|source| {
            OpenError::Refused { what: "query the GID table", device: name.clone(), source }
        })?;
        let code = port_attributes.active_mtu;
        let Some(active_mtu) = path_mtu(code) else {
            return Err(OpenError::UnknownMtu { device: name, port, code });
        };
        Ok(DeviceDescription {
            back_end: BACK_END.to_owned(),
            driver: sysfs.driver(&name),
            firmware: Some(text(&device_attributes.fw_ver)).filter(|text| !text.is_empty()),
            vendor_part: Some(device_attributes.vendor_part_id).filter(|&part| part != 0),
            port,
            port_state: port_state(port_attributes.state),
            link_layer,
            local_identifier: port_attributes.lid,
            active_mtu,
            atomic_capability: atomic_capability(device_attributes.atomic_cap),
            services: vec![Service::ReliableConnection],
            shared_receives: Vec::new(),
            limits: limits(&device_attributes),
            gids,
            fabric_hop_ns: None,
            fabric_drop_every: None,
            name,
        })
    }
}

/// Whether packets flow (`enum ibv_port_state`).
pub(crate) fn port_state(code: ibv_port_state) -> PortState {
    if code == IBV_PORT_ACTIVE { PortState::Active } else { PortState::Inactive }
}

/// `enum ibv_mtu` is the index plus one.
fn path_mtu(code: u32) -> Option<PathMtu> {
    PathMtu::ALL.into_iter().find(|mtu| mtu.index() + 1 == code)
}

/// Providers that say nothing are InfiniBand: the field came with RoCE (`ibv_query_port(3)`).
fn link_layer(code: u8) -> LinkLayer {
    if u32::from(code) == IBV_LINK_LAYER_ETHERNET {
        LinkLayer::Ethernet
    } else {
        LinkLayer::Infiniband
    }
}

fn atomic_capability(code: ibv_atomic_cap) -> AtomicCapability {
    match code {
        IBV_ATOMIC_HCA => AtomicCapability::Device,
        IBV_ATOMIC_GLOB => AtomicCapability::Global,
        _ => AtomicCapability::None,
    }
}

fn limits(attributes: &ibv_device_attr) -> DeviceLimits {
    // 255 is what the wire format of a connection can say (IB spec vol. 1, 12.7.29 and 12.7.30).
    let per_queue_pair = |count: i32| u8::try_from(not_negative(count)).unwrap_or(u8::MAX);
    DeviceLimits {
        queue_pairs: not_negative(attributes.max_qp),
        queue_depth: not_negative(attributes.max_qp_wr),
        shared_receive_queue_depth: not_negative(attributes.max_srq_wr),
        completion_queue_entries: not_negative(attributes.max_cqe),
        max_rd_atomic_as_responder: per_queue_pair(attributes.max_qp_rd_atom),
        max_rd_atomic_as_requester: per_queue_pair(attributes.max_qp_init_rd_atom),
    }
}

/// C's `int` for a count: negative would be a provider's mistake, and is none.
fn not_negative(count: i32) -> u32 {
    u32::try_from(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::{
        IBV_ATOMIC_NONE, IBV_MTU_256, IBV_MTU_4096, IBV_PORT_ARMED, IBV_PORT_DOWN, IBV_PORT_INIT,
    };

    #[test]
    fn the_codes_of_an_mtu_are_those_of_the_header_and_others_are_unknown() {
        assert_eq!(path_mtu(IBV_MTU_256), Some(PathMtu::Bytes256));
        assert_eq!(path_mtu(IBV_MTU_4096), Some(PathMtu::Bytes4096));
        assert_eq!((path_mtu(0), path_mtu(6)), (None, None));
    }

    #[test]
    fn only_an_active_port_is_active() {
        assert_eq!(port_state(IBV_PORT_ACTIVE), PortState::Active);
        for code in [0, IBV_PORT_DOWN, IBV_PORT_INIT, IBV_PORT_ARMED, 5, 99] {
            assert_eq!(port_state(code), PortState::Inactive, "{code}");
        }
    }

    #[test]
    fn an_unknown_atomic_capability_promises_nothing() {
        assert_eq!(atomic_capability(IBV_ATOMIC_HCA), AtomicCapability::Device);
        assert_eq!(atomic_capability(IBV_ATOMIC_NONE), AtomicCapability::None);
        assert_eq!(atomic_capability(99), AtomicCapability::None);
    }

    #[test]
    fn limits_beyond_the_contracts_width_are_the_most_it_can_say() {
        let attributes = ibv_device_attr {
            max_qp: 7,
            max_cqe: -1,
            max_qp_rd_atom: 16,
            max_qp_init_rd_atom: 1_000,
            ..ibv_device_attr::default()
        };
        let limits = limits(&attributes);
        assert_eq!((limits.queue_pairs, limits.completion_queue_entries), (7, 0));
        assert_eq!(limits.max_rd_atomic_as_responder, 16);
        assert_eq!(limits.max_rd_atomic_as_requester, 255);
    }
}
