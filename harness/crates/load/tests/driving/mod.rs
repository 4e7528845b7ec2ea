//! Generators under a clock and completions that the test makes up.

use std::time::Duration;

use onesided_load::{
    Generator, Instant, LoadPlan, MixPlan, Next, PatternPlan, Post, PostedOperation, ShapePlan,
    SlotLayout, Visitor, with_generator,
};

/// A closed loop of reads on one queue pair's own slot; an [`Instant`] is a nanosecond.
pub fn plan() -> LoadPlan {
    LoadPlan {
        shape: ShapePlan::ClosedLoop { window: 1, think_time: Duration::ZERO, post_list: 1 },
        pattern: PatternPlan::OwnSlot,
        mix: MixPlan::Single(PostedOperation::Read),
        access_bytes: 8,
        slot_layout: SlotLayout::Packed,
        region_bytes: 1 << 20,
        queue_pairs: 0..1,
        run_queue_pairs: 1,
        operations_per_queue_pair: None,
        units_per_second: 1_000_000_000,
        seed: 42,
    }
}

/// Time goes on, some of what is outstanding completes, and then the generator is asked.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub advance: u64,
    pub completions: u32,
}

/// What the first generator of a plan did.
#[derive(Debug)]
#[allow(dead_code, reason = "each test binary reads its own part")]
pub struct Trace {
    pub posts: Vec<Post>,
    /// When each was posted.
    pub posted_at: Vec<u64>,
    /// The answer that ended each step.
    pub ends: Vec<Next>,
    pub most_outstanding: u32,
    pub outstanding: u32,
    pub finished: bool,
    pub backlog: Option<u64>,
}

/// Runs the first generator of a plan through the steps, from time 0.
pub fn drive(plan: &LoadPlan, steps: &[Step]) -> Trace {
    with_generator(plan, Drive { steps }).expect("a valid plan")
}

struct Drive<'a> {
    steps: &'a [Step],
}

impl Visitor for Drive<'_> {
    type Output = Trace;

    fn visit<G: Generator>(self, mut generators: Vec<G>) -> Trace {
        let generator = &mut generators[0];
        let (mut posts, mut posted_at, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let (mut now, mut most_outstanding) = (Instant(0), 0);
        for step in self.steps {
            now.0 += step.advance;
            generator.completed(step.completions.min(generator.outstanding()), now);
            let end = loop {
                match generator.next(now) {
                    Next::Post(post) => {
                        assert!(post.intended <= now, "posted before it is due");
                        posts.push(post);
                        posted_at.push(now.0);
                        most_outstanding = most_outstanding.max(generator.outstanding());
                    }
                    end => break end,
                }
            };
            assert!(!matches!(end, Next::WaitUntil(moment) if moment <= now), "waits for the past");
            assert!(
                end != Next::WaitForCompletion || generator.outstanding() > 0,
                "waits for a completion with nothing outstanding"
            );
            ends.push(end);
        }
        Trace {
            posts,
            posted_at,
            finished: ends.last() == Some(&Next::Finished),
            ends,
            most_outstanding,
            outstanding: generator.outstanding(),
            backlog: generator.backlog(now),
        }
    }
}

/// The first posts of each generator of a plan, where everything completes at once.
pub fn posts(plan: &LoadPlan, count: usize) -> Vec<Vec<Post>> {
    with_generator(plan, First { count }).expect("a valid plan")
}

/// The first remote offsets of each generator of a plan.
#[allow(dead_code, reason = "each test binary calls its own part")]
pub fn offsets(plan: &LoadPlan, count: usize) -> Vec<Vec<u64>> {
    let offset = |posts: Vec<Post>| posts.iter().map(|post| post.remote_offset).collect();
    posts(plan, count).into_iter().map(offset).collect()
}

struct First {
    count: usize,
}

impl Visitor for First {
    type Output = Vec<Vec<Post>>;

    fn visit<G: Generator>(self, mut generators: Vec<G>) -> Self::Output {
        generators.iter_mut().map(|generator| first(generator, self.count)).collect()
    }
}

fn first<G: Generator>(generator: &mut G, count: usize) -> Vec<Post> {
    let (mut posts, mut now) = (Vec::new(), Instant(0));
    while posts.len() < count {
        match generator.next(now) {
            Next::Post(post) => posts.push(post),
            Next::WaitUntil(moment) => now = moment,
            Next::WaitForCompletion => generator.completed(generator.outstanding(), now),
            Next::Finished => break,
        }
    }
    posts
}
