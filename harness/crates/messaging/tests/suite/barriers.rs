//! Barriers that hold.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use onesided_conformance::Fixture;
use onesided_messaging::{OpeningBarrier, SetUpError};

use super::{Property, Verdict, ends::barrier};

pub fn all<F: Fixture>() -> Vec<Property<F>> {
    vec![
        ("no_node_leaves_a_barrier_before_all_have_come", holds),
        ("a_barrier_of_one_node_waits_for_nobody", alone),
        ("a_barrier_refuses_what_it_is_not_of", refusals),
    ]
}

fn holds<F: Fixture>(fixture: &F) -> Verdict {
    // Of six there are more than CPUs on many a machine.
    for (nodes, rounds) in [(2, 300), (6, 40)] {
        let come = &AtomicU64::new(0);
        thread::scope(|scope| -> Verdict {
            for mut node in barrier(fixture, nodes)? {
                scope.spawn(move || {
                    for round in 1..=rounds {
                        come.fetch_add(1, Ordering::SeqCst);
                        node.wait().expect("all live");
                        let all = come.load(Ordering::SeqCst);
                        let least = round * nodes as u64;
                        assert!(all >= least, "{all} of {least} have come");
                        node.wait().expect("all live");
                    }
                });
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn alone<F: Fixture>(fixture: &F) -> Verdict {
    let mut node = barrier(fixture, 1)?.remove(0);
    (0..5).for_each(|_| node.wait().expect("there is nobody to be lost"));
    assert_eq!(node.rounds(), 5);
    Ok(())
}

fn refusals<F: Fixture>(fixture: &F) -> Verdict {
    let device = fixture.client()?;
    let refused = OpeningBarrier::new(&device, 2, 2).err().expect("there is no third");
    assert!(matches!(refused, SetUpError::NoSuchNode { node: 2, nodes: 2 }), "{refused}");
    let opening = OpeningBarrier::new(&device, 0, 2)?;
    let refused = opening.invitation(0, None).unwrap_err();
    assert!(matches!(refused, SetUpError::NoSuchNode { node: 0, .. }), "{refused}");
    let refused = opening.finish().err().expect("nobody was connected");
    assert!(matches!(refused, SetUpError::NotConnected { node: 1 }), "{refused}");
    Ok(())
}
