//! Devices, listed and opened.

use std::{collections::BTreeMap, fmt, sync::Arc};

use onesided_transport::{
    Access, CreateEndpointError, DeviceDescription, EndpointAttributes, NotAvailable, PortState,
    RegisterError, Transport,
};

use crate::{
    abilities::Abilities,
    context::ProtectionDomain,
    counters,
    description::port_state,
    device_list::DeviceList,
    endpoint::VerbsEndpoint,
    library::{Library, LibraryError},
    open_error::OpenError,
    opening::{self, Opened, Selection, refused},
    region::VerbsRegion,
    sysfs::Sysfs,
};

/// The name of a device in the RDMA subsystem, for instance `mlx5_0` or `rxe0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceName(String);

impl DeviceName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The devices that libibverbs can open, in its order; none on a machine without RDMA.
///
/// # Errors
/// When libibverbs is missing, is another library, or cannot list devices.
pub fn devices() -> Result<Vec<DeviceName>, LibraryError> {
    let list = DeviceList::query(&Library::load()?)?;
    Ok(list.names().into_iter().map(DeviceName).collect())
}

/// An RDMA device with one port, opened through libibverbs.
pub struct VerbsDevice {
    protection_domain: Arc<ProtectionDomain>,
    description: Arc<DeviceDescription>,
    selection: Selection,
}

impl VerbsDevice {
    /// Opens a device and port. A port that is not active is opened, too: see
    /// [`Transport::port_state`].
    ///
    /// With no name it is the first device with an active port (and with `port`, that port), or
    /// else the first that opens. With no port it is the first active one, or else port 1.
    ///
    /// # Errors
    /// [`OpenError`] says what to do.
    pub fn open(name: Option<&str>, port: Option<u8>) -> Result<Self, OpenError> {
        let sysfs = Sysfs::of_kernel();
        let (opened, selection) = opening::open(&Library::load()?, &sysfs, name, port)?;
        let Opened { context, queried } = opened;
        let protection_domain = ProtectionDomain::allocate(&context)
            .map_err(refused("allocate a protection domain", &queried.name))?;
        let mut description = queried.describe(&context, &sysfs)?;
        let abilities = Abilities::find(&protection_domain);
        description.services = abilities.services;
        description.shared_receives = abilities.shared_receives;
        let description = Arc::new(description);
        Ok(Self { protection_domain, description, selection })
    }

    /// Why this device.
    pub fn selection(&self) -> Selection {
        self.selection
    }
}

impl Transport for VerbsDevice {
    type Region = VerbsRegion;
    type Endpoint = VerbsEndpoint;

    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<VerbsRegion, RegisterError> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { VerbsRegion::register(&self.protection_domain, address, length, access) }
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<VerbsEndpoint, CreateEndpointError> {
        self.description.check_service(attributes.service)?;
        self.description.check_receive_queues(attributes.receive_queues, attributes.service)?;
        VerbsEndpoint::create(&self.protection_domain, &self.description, attributes)
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        Ok(())
    }

    /// The counters that the kernel keeps for the port, as `counters/NAME` and
    /// `hw_counters/NAME`, since the device came up; those that it does not keep are absent.
    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        let DeviceDescription { name, port, .. } = self.description.as_ref();
        let counters = counters::read(&Sysfs::of_kernel().port(name, *port));
        let none =
            || NotAvailable(format!("the kernel keeps no counters of port {port} of {name}"));
        if counters.is_empty() { Err(none()) } else { Ok(counters) }
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        let DeviceDescription { name, port, .. } = self.description.as_ref();
        let attributes = self.protection_domain.context().query_port(*port);
        let silent =
            |error| NotAvailable(format!("{name} does not say how port {port} is: {error}"));
        Ok(port_state(attributes.map_err(silent)?.state))
    }
}
