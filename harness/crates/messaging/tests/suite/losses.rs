//! A peer that goes away.

use std::time::Duration;

use onesided_conformance::Fixture;
use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, ChannelError, SendError, Settings};

use super::{
    LONG, Property, Verdict,
    ends::{barrier, channel, message},
};

pub fn all<F: Fixture>() -> Vec<Property<F>> {
    vec![
        ("a_receive_from_a_peer_that_is_gone_ends_with_an_error", receiving),
        ("a_send_to_a_peer_that_is_gone_ends_with_an_error", sending),
        ("a_drain_to_a_peer_that_is_gone_ends_with_an_error", draining),
        ("a_drain_beside_a_peer_that_makes_no_calls_ends_and_can_go_on", draining_in_vain),
        ("a_pull_from_a_peer_that_is_gone_ends_with_an_error", pulling),
        ("a_barrier_names_who_is_gone_and_the_others_go_on", meeting),
    ]
}

fn is_loss(error: &ChannelError) -> bool {
    matches!(error, ChannelError::PeerGone { .. })
}

fn receiving<F: Fixture>(fixture: &F) -> Verdict {
    let (mut here, mut there) = channel(fixture, Settings::default())?;
    there.send(b"what had come")?;
    drop(there);
    here.receive_with(|bytes| assert_eq!(bytes, b"what had come"))?;
    let lost = here.receive_with(|_| ()).unwrap_err();
    assert!(is_loss(&lost), "{lost:?}");
    let again = here.receive_with(|_| ()).unwrap_err();
    assert!(is_loss(&again), "{again:?}");
    Ok(())
}

fn sending<F: Fixture>(fixture: &F) -> Verdict {
    for threshold_bytes in [ALWAYS_PULL, ALWAYS_PUSH] {
        let settings = Settings { ring_lines: 32, outbox_bytes: 1 << 12, threshold_bytes };
        let (mut here, there) = channel(fixture, settings)?;
        drop(there);
        let lost = (0..1_000).find_map(|number| here.send(&message(number, 100)).err());
        let lost = lost.expect("a ring is bounded");
        assert!(matches!(&lost, SendError::Channel { source } if is_loss(source)), "{lost:?}");
    }
    Ok(())
}

fn draining<F: Fixture>(fixture: &F) -> Verdict {
    let (mut here, there) = channel(fixture, Settings::default())?;
    here.send(b"nobody receives it")?;
    drop(there);
    let lost = here.drain(LONG).unwrap_err();
    assert!(is_loss(&lost), "{lost:?}");
    Ok(())
}

fn draining_in_vain<F: Fixture>(fixture: &F) -> Verdict {
    let (mut here, mut there) = channel(fixture, Settings::default())?;
    here.send(b"it is received later")?;
    let late = here.drain(Duration::from_millis(50)).unwrap_err();
    assert!(matches!(late, ChannelError::NotReceived { .. }), "{late:?}");
    there.receive_with(|bytes| assert_eq!(bytes, b"it is received later"))?;
    // What was received is said in a call.
    drop(there);
    here.drain(LONG)?;
    Ok(())
}

fn pulling<F: Fixture>(fixture: &F) -> Verdict {
    let settings = Settings { threshold_bytes: ALWAYS_PULL, ..Settings::default() };
    let (mut here, mut there) = channel(fixture, settings)?;
    there.send(&message(1, 5_000))?;
    // The descriptor has come; what it names goes.
    drop(there);
    let lost = here.receive_with(|_| ()).unwrap_err();
    assert!(
        matches!(lost, ChannelError::PeerGone { .. } | ChannelError::Failed { .. }),
        "{lost:?}"
    );
    let again = here.receive_with(|_| ()).unwrap_err();
    assert_eq!(again.to_string(), lost.to_string());
    Ok(())
}

fn meeting<F: Fixture>(fixture: &F) -> Verdict {
    use onesided_messaging::BarrierError;
    let mut nodes = barrier(fixture, 3)?;
    let meet = |nodes: Vec<super::ends::BarrierOf<F>>, rounds: u64| {
        std::thread::scope(|scope| {
            let node = |mut node: super::ends::BarrierOf<F>| {
                scope.spawn(move || {
                    let mut lost = Vec::new();
                    while node.rounds() < rounds {
                        if let Err(BarrierError::Lost { node: gone, source }) = node.wait() {
                            assert!(is_loss(&source), "{source:?}");
                            lost.push(gone);
                            node.leave_out(gone);
                        }
                    }
                    (node, lost)
                })
            };
            let threads: Vec<_> = nodes.into_iter().map(node).collect();
            let ended = threads.into_iter().map(|thread| thread.join().expect("it ends"));
            ended.collect::<Vec<_>>()
        })
    };
    nodes = meet(nodes, 10).into_iter().map(|(node, _)| node).collect();
    drop(nodes.remove(1));
    for (_, lost) in meet(nodes, 20) {
        assert_eq!(lost, [1]);
    }
    Ok(())
}
