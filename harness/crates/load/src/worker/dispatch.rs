//! From a plan to a type.

use super::{
    Accesses, Additions, Addresses, Choice, Draw, Fixed, LINE_BYTES, MOST_OBJECTS, Reads,
    ReadsAndWrites, Sequential, Stream, Swaps, Uniform, WorkerOperation, WorkerPattern, WorkerPlan,
    WorkerPlanError, Writes,
    published::{AsPublished, ByteWalk, Scattered, SwapsUntilDone, WordWalk},
};

/// What is done with a generator, once for each of its types.
pub trait WorkerVisitor {
    /// What comes of it.
    type Output;

    /// Takes the generator; each of its accesses is of `BYTES` bytes, within the plan's region and
    /// at a multiple of `BYTES`.
    fn visit<const BYTES: usize, A: Accesses + Send + 'static>(self, accesses: A) -> Self::Output;
}

/// Makes the generator of a plan.
///
/// # Errors
/// The plan cannot be carried out.
pub fn with_worker<V: WorkerVisitor>(
    plan: &WorkerPlan,
    visitor: V,
) -> Result<V::Output, WorkerPlanError> {
    plan.check()?;
    let fixed = |line| Fixed { offset: line * LINE_BYTES };
    match plan.pattern {
        WorkerPattern::AsPublished => published(plan, visitor),
        WorkerPattern::Uniform => {
            let object_bytes = u64::from(plan.access_bytes);
            by_operation(plan, Uniform { objects: plan.objects(), object_bytes }, visitor)
        }
        WorkerPattern::Sequential => by_operation(plan, sequential(plan), visitor),
        WorkerPattern::OwnLine => {
            let lines = plan.region_bytes / LINE_BYTES;
            by_operation(plan, fixed(u64::from(plan.worker) % lines), visitor)
        }
        WorkerPattern::SharedLine => by_operation(plan, fixed(0), visitor),
    }
}

fn sequential(plan: &WorkerPlan) -> Sequential {
    let object_bytes = u64::from(plan.access_bytes);
    let first = plan.objects() * u64::from(plan.worker) / u64::from(plan.workers);
    Sequential { next: first * object_bytes, end: plan.objects() * object_bytes, object_bytes }
}

fn by_operation<A: Addresses + Send + 'static, V: WorkerVisitor>(
    plan: &WorkerPlan,
    addresses: A,
    visitor: V,
) -> Result<V::Output, WorkerPlanError> {
    match plan.operation {
        WorkerOperation::None => Err(WorkerPlanError::NoOperation),
        WorkerOperation::Read => by_width(plan, addresses, Reads, visitor),
        WorkerOperation::Write => by_width(plan, addresses, Writes, visitor),
        WorkerOperation::Mixed => {
            let write_fraction = plan.write_fraction;
            let choice = ReadsAndWrites::new(write_fraction);
            let choice = choice.ok_or(WorkerPlanError::WriteFraction { write_fraction })?;
            by_width(plan, addresses, choice, visitor)
        }
        WorkerOperation::CompareAndSwap => {
            Ok(visitor.visit::<8, _>(stream(plan, addresses, Swaps)))
        }
        WorkerOperation::FetchAndAdd => {
            Ok(visitor.visit::<8, _>(stream(plan, addresses, Additions)))
        }
    }
}

fn stream<A, C>(plan: &WorkerPlan, addresses: A, choice: C) -> Stream<A, C> {
    Stream { draw: Draw::new(plan.seed, u64::from(plan.worker)), addresses, choice }
}

fn by_width<A, C, V>(
    plan: &WorkerPlan,
    addresses: A,
    choice: C,
    visitor: V,
) -> Result<V::Output, WorkerPlanError>
where
    A: Addresses + Send + 'static,
    C: Choice + Send + 'static,
    V: WorkerVisitor,
{
    let accesses = stream(plan, addresses, choice);
    match plan.access_bytes {
        1 => Ok(visitor.visit::<1, _>(accesses)),
        2 => Ok(visitor.visit::<2, _>(accesses)),
        4 => Ok(visitor.visit::<4, _>(accesses)),
        8 => Ok(visitor.visit::<8, _>(accesses)),
        16 => Ok(visitor.visit::<16, _>(accesses)),
        32 => Ok(visitor.visit::<32, _>(accesses)),
        64 => Ok(visitor.visit::<64, _>(accesses)),
        access_bytes => Err(WorkerPlanError::AccessBytes { access_bytes }),
    }
}

fn published<V: WorkerVisitor>(
    plan: &WorkerPlan,
    visitor: V,
) -> Result<V::Output, WorkerPlanError> {
    let WorkerPlan { region_bytes, object_bytes, .. } = *plan;
    let aligned = object_bytes.is_multiple_of(8) && region_bytes.is_multiple_of(8);
    if plan.operation.is_atomic() && !aligned {
        return Err(WorkerPlanError::PublishedAlignment { object_bytes, region_bytes });
    }
    if !plan.operation.is_atomic() && plan.access_bytes != 1 {
        return Err(WorkerPlanError::PublishedBytes { access_bytes: plan.access_bytes });
    }
    Ok(match plan.operation {
        WorkerOperation::None => return Err(WorkerPlanError::NoOperation),
        WorkerOperation::Read => visitor.visit::<1, _>(AsPublished::new(plan, Scattered(Reads))),
        WorkerOperation::Write => visitor.visit::<1, _>(AsPublished::new(plan, Scattered(Writes))),
        WorkerOperation::Mixed => {
            let mode = ByteWalk::new(plan.write_fraction);
            visitor.visit::<1, _>(AsPublished::new(plan, mode))
        }
        WorkerOperation::CompareAndSwap => {
            visitor.visit::<8, _>(AsPublished::new(plan, WordWalk(SwapsUntilDone)))
        }
        WorkerOperation::FetchAndAdd => {
            visitor.visit::<8, _>(AsPublished::new(plan, WordWalk(Additions)))
        }
    })
}

impl WorkerPlan {
    /// Whether the plan can be carried out.
    ///
    /// # Errors
    /// What of it cannot.
    pub fn check(&self) -> Result<(), WorkerPlanError> {
        let Self { access_bytes, write_fraction, region_bytes, worker, workers, .. } = *self;
        if !matches!(access_bytes, 1 | 2 | 4 | 8 | 16 | 32 | 64) {
            return Err(WorkerPlanError::AccessBytes { access_bytes });
        }
        if self.operation.is_atomic() && access_bytes != 8 {
            return Err(WorkerPlanError::AtomicBytes { access_bytes });
        }
        if self.operation == WorkerOperation::Mixed && !(0.0..=1.0).contains(&write_fraction) {
            return Err(WorkerPlanError::WriteFraction { write_fraction });
        }
        let needed_bytes = match self.pattern {
            WorkerPattern::OwnLine | WorkerPattern::SharedLine => LINE_BYTES,
            _ => u64::from(access_bytes),
        };
        if region_bytes < needed_bytes {
            return Err(WorkerPlanError::RegionTooSmall { region_bytes, needed_bytes });
        }
        if self.objects() > MOST_OBJECTS {
            return Err(WorkerPlanError::RegionTooLarge { region_bytes, objects: self.objects() });
        }
        if worker >= workers {
            return Err(WorkerPlanError::Worker { worker, workers });
        }
        Ok(())
    }
}
