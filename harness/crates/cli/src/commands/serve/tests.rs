use std::sync::{Arc, atomic::AtomicBool};

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_control::{
    ChannelError, Token, WhenRefused, connect,
    message::{ClientMessage, PinnedClient, Preparation, ServerMessage},
};
use onesided_placement::{DeviceLocality, NodeId};
use onesided_results::RunConfiguration;

use super::*;

#[test]
fn only_what_was_off_is_said_to_have_been_switched_on() {
    let told = |restored| recovered(&"0000:3a:00.0".parse().unwrap(), restored);
    assert!(told(Restored::Restored).contains("0000:3a:00.0 was left switched off"));
    for restored in [Restored::FoundOn, Restored::WasOff] {
        let told = told(restored);
        assert!(told.contains("0000:3a:00.0") && !told.contains("switched off"), "{told}");
    }
}

#[test]
fn a_mistake_that_one_client_meets_ends_its_session_only() {
    let is_right = AtomicBool::new(false);
    let device = ReferenceTransport::open(&Arc::new(Fabric::right())).on_port_state(move || {
        assert!(is_right.swap(true, Ordering::AcqRel), "a mistake that this test wants");
    });
    let described = device.description().clone();
    let locality = DeviceLocality::given(&described.name, NodeId(0));
    let site = Site::around(&device, locality, back_end::harness(None)).unwrap();
    let token = Token::generate().unwrap();
    let settings = back_end::control_settings();
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone()).unwrap();
    let address = listener.local_address().to_string();
    let server = Server {
        site: &site,
        pool: Pool::new(Duration::ZERO),
        listener,
        limit: Some(2),
        most_clients: 2,
        proven: AtomicU64::new(0),
        present: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        refusals: Refusals::default(),
        ending: AtomicBool::new(false),
        enders: Mutex::default(),
    };
    let within = Duration::from_secs(20);
    let asks = || {
        let channel = connect(&address, &token, within, WhenRefused::Fail, &settings).unwrap();
        let preparation = Preparation {
            configuration: RunConfiguration::default(),
            host: "elsewhere".to_owned(),
            device: described.clone(),
            pinned: PinnedClient::default(),
            measurement: None,
        };
        channel.send(&ClientMessage::Prepare(Box::new(preparation))).unwrap();
        channel.receive::<ServerMessage>(within)
    };
    thread::scope(|scope| {
        let serving = scope.spawn(|| thread::scope(|sessions| server.accept_all(sessions)));
        let first = asks();
        assert!(matches!(first, Err(ChannelError::Closed | ChannelError::Reset)), "{first:?}");
        let second = asks();
        assert!(matches!(second, Ok(ServerMessage::Prepared(_))), "{second:?}");
        serving.join().expect("it serves two clients and ends");
    });
    assert_eq!(server.failed.load(Ordering::Acquire), 2, "the second client left in the middle");
    assert_eq!(server.present.load(Ordering::Acquire), 0);
}
