//! On simrs: one component has the machine, each step is an event to itself.

use std::{cell::RefCell, rc::Rc, time::Duration};

use simrs::{Component, ComponentId, Scheduler, Simulation, State};

use crate::machine::{Machine, QUEUE_PAIRS, Step};

struct All(Rc<RefCell<Machine>>);

#[derive(Debug)]
struct Event(Step);

/// simrs tells time in nanoseconds at best, and this machine's times are whole ones.
fn ps(time: Duration) -> u64 {
    time.as_nanos() as u64 * 1_000
}

impl Component for All {
    type Event = Event;

    fn process_event(
        &self,
        own: ComponentId<Event>,
        event: &Event,
        scheduler: &mut Scheduler,
        _state: &mut State,
    ) {
        let now = ps(scheduler.time());
        let (step, at) = self.0.borrow_mut().step(event.0, now);
        scheduler.schedule(Duration::from_nanos((at - now) / 1_000), own, Event(step));
    }
}

pub fn simulate(end: u64) -> u64 {
    let machine = Rc::new(RefCell::new(Machine::until(end)));
    let mut simulation = Simulation::default();
    let all = simulation.add_component(All(Rc::clone(&machine)));
    for _ in 0..QUEUE_PAIRS {
        let first = Duration::from_nanos(Machine::first() / 1_000);
        simulation.schedule(first, all, Event(Step::Issue));
    }
    while ps(simulation.scheduler.time()) < end {
        simulation.step();
    }
    machine.borrow().completed
}
