//! The reference as the suite opens it.

use std::{sync::Arc, time::Duration};

use onesided_transport::{Service, Word};

use super::{defect::Defect, fabric::Fabric, transport::ReferenceTransport};
use crate::fixture::{Capability, Fixture, FixtureError, Patience, Quirk};

/// One fabric that both ends share, right or wrong in one way.
pub struct ReferenceFixture {
    fabric: Arc<Fabric>,
    lacking: Option<Capability>,
    offering: Vec<Service>,
    sharing: Vec<Service>,
    quirks: Vec<Quirk>,
    said: SaidOfLosses,
}

/// What it says where messages are lost or late on purpose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SaidOfLosses {
    OnPurpose,
    NowAndThen,
    Nothing,
}

impl ReferenceFixture {
    /// Without a mistake.
    pub fn right() -> Self {
        Self::with(Fabric::right())
    }

    /// With one.
    pub fn wrong(defect: Defect) -> Self {
        Self::with(Fabric::wrong(defect))
    }

    /// On a fabric of any kind.
    pub fn with(fabric: Fabric) -> Self {
        Self {
            fabric: Arc::new(fabric),
            lacking: None,
            offering: Service::ALL.to_vec(),
            sharing: Service::ALL.to_vec(),
            quirks: Vec::new(),
            said: SaidOfLosses::OnPurpose,
        }
    }

    /// The same, said not to have a capability.
    pub fn lacking(self, capability: Capability) -> Self {
        Self { lacking: Some(capability), ..self }
    }

    /// The same, whose device says that it has only queue pairs of these services, which all can share a receive
    /// queue.
    pub fn offering(self, services: &[Service]) -> Self {
        Self { offering: services.to_vec(), ..self.sharing(services) }
    }

    /// The same, whose device says that only queue pairs of these services can share a receive queue.
    pub fn sharing(self, services: &[Service]) -> Self {
        Self { sharing: services.to_vec(), ..self }
    }

    /// The same, which says that messages may get lost, not that they are on purpose.
    pub fn losing_now_and_then(self) -> Self {
        Self { said: SaidOfLosses::NowAndThen, ..self }
    }

    /// The same, which does not say that messages may get lost.
    pub fn hiding_losses(self) -> Self {
        Self { said: SaidOfLosses::Nothing, ..self }
    }

    fn open(&self) -> ReferenceTransport {
        ReferenceTransport::open(&self.fabric).described(|device| {
            device.services.clone_from(&self.offering);
            device.shared_receives.clone_from(&self.sharing);
        })
    }

    /// The same, said to have a defect.
    pub fn quirk(mut self, quirk: Quirk) -> Self {
        self.quirks.push(quirk);
        self
    }
}

impl Fixture for ReferenceFixture {
    type Transport = ReferenceTransport;

    fn client(&self) -> Result<ReferenceTransport, FixtureError> {
        Ok(self.open())
    }

    fn server(&self) -> Result<ReferenceTransport, FixtureError> {
        Ok(self.open())
    }

    fn patience(&self) -> Patience {
        Patience::Steps(2_000)
    }

    fn settling(&self) -> Patience {
        Patience::Steps(50)
    }

    fn time_limit(&self) -> Duration {
        match self.fabric.defect() {
            Some(Defect::Blocks) => Duration::from_millis(500),
            _ => Duration::from_secs(30),
        }
    }

    fn lacks(&self, capability: Capability) -> Option<String> {
        let is_told = self.said == SaidOfLosses::OnPurpose && self.fabric.disturbs();
        if capability == Capability::UnreliableArrival && is_told {
            return Some("messages are lost or late on purpose".to_owned());
        }
        (self.lacking == Some(capability)).then(|| "it was told to lack it".to_owned())
    }

    fn may_lose_messages(&self) -> bool {
        self.said == SaidOfLosses::NowAndThen
    }

    fn quirks(&self) -> Vec<Quirk> {
        self.quirks.clone()
    }
}
