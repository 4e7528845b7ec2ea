//! On NeXosim: one model has the machine, so that no message passes between models, and each step
//! is an event to itself. One thread.

use std::time::Duration;

use nexosim::{
    model::{Context, Model, schedulable},
    ports::{EventSinkReader as _, EventSource, Output, SinkState, event_slot},
    simulation::{Mailbox, SimInit},
    time::MonotonicTime,
};
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, QUEUE_PAIRS, Step};

#[derive(Serialize, Deserialize)]
struct All {
    machine: Machine,
    completed: Output<u64>,
}

#[Model]
impl All {
    #[nexosim(init)]
    async fn init(&mut self, context: &Context<Self>) {
        for _ in 0..QUEUE_PAIRS {
            let first = Duration::from_nanos(Machine::first() / 1_000);
            context.schedule_event(first, schedulable!(Self::step), Step::Issue).expect("later");
        }
    }

    #[nexosim(schedulable)]
    fn step(&mut self, step: Step, context: &Context<Self>) {
        let since = context.time().duration_since(MonotonicTime::EPOCH);
        let now = since.as_nanos() as u64 * 1_000;
        let (step, at) = self.machine.step(step, now);
        let after = Duration::from_nanos((at - now) / 1_000);
        context.schedule_event(after, schedulable!(Self::step), step).expect("later");
    }

    async fn report(&mut self) {
        self.completed.send(self.machine.completed).await;
    }
}

pub fn simulate(end: u64) -> u64 {
    let mut all = All { machine: Machine::until(end), completed: Output::default() };
    let mailbox = Mailbox::new();
    let mut bench = SimInit::with_num_threads(1);
    let (sink, mut completed) = event_slot(SinkState::Enabled);
    all.completed.connect_sink(sink);
    let report = EventSource::new().connect(All::report, &mailbox).register(&mut bench);
    let bench = bench.add_model(all, mailbox, "all");
    let mut simulation = bench.init(MonotonicTime::EPOCH).expect("one model");
    simulation.step_until(Duration::from_nanos(end / 1_000)).expect("nothing can fail");
    simulation.process_event(&report, ()).expect("nothing can fail");
    completed.try_read().expect("the report")
}
