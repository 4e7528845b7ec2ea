use std::time::Instant;

use onesided_load::worker::{WorkerOperation, WorkerPattern, WorkerPlan};
use onesided_placement::{BoundMemory, PageSize};

use super::*;
use crate::threads::{
    Batch, Done, FirstTouch, Pace, SharedMemory, ThreadPlan, drive::Pacing, task::MakeBatch,
};

struct Dies;

impl Batch for Dies {
    fn run(&mut self, _accesses: u32) -> Done {
        panic!("the ground gave way")
    }
}

struct Lives;

impl Batch for Lives {
    fn run(&mut self, _accesses: u32) -> Done {
        Done::default()
    }
}

fn started(makes: Vec<MakeBatch>) -> Result<Running, StartError> {
    let clock = Clock::calibrate().unwrap();
    let memory = BoundMemory::allocate(4096, PageSize::Base, None).unwrap();
    let accesses = WorkerPlan {
        pattern: WorkerPattern::Uniform,
        operation: WorkerOperation::Read,
        write_fraction: 0.0,
        object_bytes: 8,
        access_bytes: 8,
        region_bytes: 4096,
        worker: 0,
        workers: 1,
        seed: 1,
    };
    let counting = Counting::of(&ThreadsPlan {
        memory: SharedMemory::of(Arc::new(memory)),
        first_touch: FirstTouch::Done,
        threads: vec![ThreadPlan { cpus: None, accesses, pace: Pace::Unpaced }],
        clock,
        window: Duration::from_millis(1),
        expected: Duration::from_secs(1),
    });
    let task = |(thread, make)| Task { thread, cpus: None, pacing: Pacing::Unpaced, make };
    Running::of_tasks(makes.into_iter().enumerate().map(task).collect(), clock, counting.unwrap())
}

#[test]
fn a_thread_that_dies_while_others_run_is_told_at_once_and_when_they_are_stopped() {
    let lives: MakeBatch = Box::new(|| Ok(Box::new(Lives)));
    let dies: MakeBatch = Box::new(|| Ok(Box::new(Dies)));
    // It may die before the start is over, which then says so.
    let failure = match started(vec![lives, dies]) {
        Err(StartError::Died(failure)) => failure,
        Err(other) => panic!("{other}"),
        Ok(running) => {
            let deadline = Instant::now() + Duration::from_secs(10);
            while running.failure().is_none() {
                assert!(Instant::now() < deadline, "nothing is told");
                thread::sleep(LOOK_AGAIN);
            }
            let told = running.failure().unwrap();
            assert_eq!(running.stop().unwrap_err(), told);
            told
        }
    };
    assert_eq!(failure, ThreadFailure { thread: 1, why: "the ground gave way".to_owned() });
}

#[test]
fn a_thread_that_dies_while_it_prepares_keeps_all_from_starting() {
    let lives: MakeBatch = Box::new(|| Ok(Box::new(Lives)));
    let dies: MakeBatch = Box::new(|| panic!("no table"));
    let error = started(vec![lives, dies]).unwrap_err();
    assert!(
        matches!(&error, StartError::Died(ThreadFailure { thread: 1, why }) if why == "no table")
    );
}
