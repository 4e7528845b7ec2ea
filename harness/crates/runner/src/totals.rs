//! What the data path counts.

/// What a thread's queue pairs did, counted for the check against the completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Work requests posted.
    pub posted: u64,
    /// Of these, signaled.
    pub signaled: u64,
    /// Completions reported by the completion queue.
    pub reported: u64,
    /// Operations of the load known to be complete.
    pub completed: u64,
}
