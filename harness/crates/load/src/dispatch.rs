//! From a plan to types, once.

use std::num::NonZeroU32;

use onesided_random::Random;

use crate::{
    generator::{Generator, PostedOperation, QueuePairGenerator},
    mix::{Mix, ReadOr, Single},
    pattern::{AddressPattern, OwnSlot, Sequential, Uniform, Zipf},
    plan::{ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PlanError, ShapePlan, window},
    shape::{Batch, ClosedLoop, FixedInterval, OpenLoop, Poisson, Shape, Thinking},
};

/// What is to be done with a thread's generators, whatever their type.
pub trait Visitor {
    /// What comes out of it.
    type Output;

    /// Takes the generators, one for each of the plan's queue pairs in order.
    fn visit<G: Generator>(self, generators: Vec<G>) -> Self::Output;
}

/// Makes the generators of a plan and hands them to `visitor`.
///
/// # Errors
/// [`PlanError`] says what in the plan cannot be carried out; the visitor is not called then.
pub fn with_generator<V: Visitor>(plan: &LoadPlan, visitor: V) -> Result<V::Output, PlanError> {
    plan.check_queue_pairs()?;
    if plan.units_per_second == 0 {
        return Err(PlanError::NoClock);
    }
    match plan.shape {
        ShapePlan::ClosedLoop { window: outstanding, think_time, post_list } => {
            let window = window(outstanding)?;
            let refused = PlanError::PostList { post_list, window: outstanding };
            let post_list = NonZeroU32::new(post_list).ok_or(refused.clone())?;
            if think_time.is_zero() {
                let shape = ClosedLoop::new(window, post_list).ok_or(refused)?;
                with_shape(plan, |_| Ok(shape), visitor)
            } else {
                let think_units = plan.think_units(think_time)?;
                let shape = Thinking::new(window, post_list, think_units).ok_or(refused)?;
                with_shape(plan, |_| Ok(shape.clone()), visitor)
            }
        }
        ShapePlan::Batch { window: outstanding, post_list } => {
            let window = window(outstanding)?;
            if post_list == 0 || post_list > outstanding {
                return Err(PlanError::PostList { post_list, window: outstanding });
            }
            with_shape(plan, |_| Ok(Batch::new(window)), visitor)
        }
        ShapePlan::OpenLoop { arrivals, max_outstanding } => {
            with_arrivals(plan, arrivals, window(max_outstanding)?, visitor)
        }
    }
}

fn with_arrivals<V: Visitor>(
    plan: &LoadPlan,
    arrivals: ArrivalPlan,
    max_outstanding: NonZeroU32,
    visitor: V,
) -> Result<V::Output, PlanError> {
    let refused = |operations_per_second| PlanError::Rate {
        operations_per_second,
        units_per_second: plan.units_per_second,
    };
    match arrivals {
        ArrivalPlan::FixedInterval { operations_per_second } => {
            let interval = plan.arrival_interval(operations_per_second);
            let shape = |queue_pair: usize| {
                let phase = queue_pair as f64 / plan.run_queue_pairs as f64;
                let arrivals = FixedInterval::new(interval, phase);
                let arrivals = arrivals.ok_or(refused(operations_per_second))?;
                Ok(OpenLoop::new(arrivals, max_outstanding))
            };
            with_shape(plan, shape, visitor)
        }
        ArrivalPlan::Poisson { operations_per_second } => {
            let interval = plan.arrival_interval(operations_per_second);
            let shape = |queue_pair| {
                let arrivals = Poisson::new(interval, random(plan, queue_pair, Purpose::Arrival));
                let arrivals = arrivals.ok_or(refused(operations_per_second))?;
                Ok(OpenLoop::new(arrivals, max_outstanding))
            };
            with_shape(plan, shape, visitor)
        }
    }
}

fn with_shape<S: Shape, V: Visitor>(
    plan: &LoadPlan,
    shape: impl Fn(usize) -> Result<S, PlanError>,
    visitor: V,
) -> Result<V::Output, PlanError> {
    let slots = plan.slots()?;
    let random = |queue_pair| random(plan, queue_pair, Purpose::Address);
    match plan.pattern {
        PatternPlan::OwnSlot => {
            let pattern = |queue_pair| {
                Ok(OwnSlot::new(&slots, queue_pair as u64).expect("a slot for each queue pair"))
            };
            with_pattern(plan, shape, pattern, visitor)
        }
        PatternPlan::Sequential { .. } => {
            let start = |queue_pair: usize| {
                let product = u128::from(slots.count().get()) * queue_pair as u128;
                (product / plan.run_queue_pairs as u128) as u64
            };
            let pattern = |queue_pair| {
                Ok(Sequential::new(slots, start(queue_pair)).expect("a share of all is below all"))
            };
            with_pattern(plan, shape, pattern, visitor)
        }
        PatternPlan::Uniform { .. } => {
            let pattern = |queue_pair| Ok(Uniform::new(slots, random(queue_pair)));
            with_pattern(plan, shape, pattern, visitor)
        }
        PatternPlan::Zipf { exponent, .. } => {
            let refused = PlanError::ZipfExponent { exponent };
            let pattern =
                |queue_pair| Zipf::new(slots, exponent, random(queue_pair)).ok_or(refused.clone());
            with_pattern(plan, shape, pattern, visitor)
        }
    }
}

fn with_pattern<S: Shape, P: AddressPattern, V: Visitor>(
    plan: &LoadPlan,
    shape: impl Fn(usize) -> Result<S, PlanError>,
    pattern: impl Fn(usize) -> Result<P, PlanError>,
    visitor: V,
) -> Result<V::Output, PlanError> {
    match plan.mix {
        MixPlan::Single(operation) => {
            let mix = |_| Ok(Single(operation));
            Ok(visitor.visit(generators(plan, shape, pattern, mix)?))
        }
        MixPlan::ReadWrite { write_fraction: fraction } => {
            let refused = PlanError::WriteFraction { write_fraction: fraction };
            let mix = read_or(plan, PostedOperation::Write, fraction, refused);
            Ok(visitor.visit(generators(plan, shape, pattern, mix)?))
        }
        MixPlan::ReadAtomic { atomic_fraction: fraction } => {
            let refused = PlanError::AtomicFraction { atomic_fraction: fraction };
            let mix = read_or(plan, PostedOperation::FetchAndAdd, fraction, refused);
            Ok(visitor.visit(generators(plan, shape, pattern, mix)?))
        }
    }
}

fn read_or(
    plan: &LoadPlan,
    other: PostedOperation,
    fraction: f64,
    refused: PlanError,
) -> impl Fn(usize) -> Result<ReadOr, PlanError> {
    move |queue_pair| {
        ReadOr::new(other, fraction, random(plan, queue_pair, Purpose::Operation))
            .ok_or(refused.clone())
    }
}

fn generators<S: Shape, P: AddressPattern, M: Mix>(
    plan: &LoadPlan,
    shape: impl Fn(usize) -> Result<S, PlanError>,
    pattern: impl Fn(usize) -> Result<P, PlanError>,
    mix: impl Fn(usize) -> Result<M, PlanError>,
) -> Result<Vec<QueuePairGenerator<S, P, M>>, PlanError> {
    let limit = plan.operations_per_queue_pair;
    let generator = |queue_pair| {
        let (shape, pattern, mix) = (shape(queue_pair)?, pattern(queue_pair)?, mix(queue_pair)?);
        Ok(QueuePairGenerator::new(shape, pattern, mix, limit))
    };
    plan.queue_pairs.clone().map(generator).collect()
}

/// What random numbers are drawn for. Each has a stream of its own, so that, for instance, the
/// arrivals stay the same when the mix changes.
#[derive(Clone, Copy)]
enum Purpose {
    Address,
    Operation,
    Arrival,
}

fn random(plan: &LoadPlan, queue_pair: usize, purpose: Purpose) -> Random {
    const PURPOSES: u64 = 3;
    Random::new(plan.seed, queue_pair as u64 * PURPOSES + purpose as u64)
}
