//! Which requests were posted and not yet accounted for, so that every completion is checked
//! against what was really asked.

use std::collections::VecDeque;

use onesided_transport::{CompletionKind, CompletionStatus, Signal, WorkCompletion, WorkRequest};

use crate::{
    deviation::{Deviation, Verdict},
    pair::expect_status,
};

/// Requests of one endpoint, by queue pair, oldest first.
pub(crate) struct Ledger {
    queue_pairs: Vec<Account>,
    signaled_posts: usize,
    completions: usize,
}

struct Account {
    number: u32,
    open: VecDeque<(u64, Signal)>,
}

impl Ledger {
    /// An empty ledger of queue pairs with these numbers.
    pub(crate) fn new(numbers: &[u32]) -> Self {
        let account = |&number: &u32| Account { number, open: VecDeque::new() };
        let queue_pairs = numbers.iter().map(account).collect();
        Self { queue_pairs, signaled_posts: 0, completions: 0 }
    }

    /// Notes what was posted to a queue pair.
    pub(crate) fn posted(&mut self, queue_pair: usize, requests: &[WorkRequest]) {
        for request in requests {
            self.signaled_posts += usize::from(request.signal == Signal::Signaled);
            self.queue_pairs[queue_pair].open.push_back((request.id, request.signal));
        }
    }

    /// Checks that a completion is a success and of the oldest signaled request of its queue
    /// pair; settles it and the unsignaled ones before it.
    pub(crate) fn completed(&mut self, completion: &WorkCompletion) -> Verdict {
        let surplus = || Deviation::Surplus { completion: *completion };
        self.completions += 1;
        let of_number = |account: &&mut Account| account.number == completion.queue_pair_number;
        let account = self.queue_pairs.iter_mut().find(of_number).ok_or_else(surplus)?;
        expect_status(completion, &[CompletionStatus::Success])?;
        if completion.kind != CompletionKind::Request {
            return Err(surplus());
        }
        while let Some((id, signal)) = account.open.pop_front() {
            match signal {
                Signal::Signaled if id == completion.id => return Ok(()),
                Signal::Signaled => {
                    return Err(Deviation::Identity {
                        expected_id: id,
                        expected_queue_pair_number: account.number,
                        found: *completion,
                    });
                }
                Signal::Unsignaled if id == completion.id => return Err(surplus()),
                Signal::Unsignaled => {}
            }
        }
        Err(surplus())
    }

    /// Requests of a queue pair that may still occupy its send queue.
    pub(crate) fn open(&self, queue_pair: usize) -> usize {
        self.queue_pairs[queue_pair].open.len()
    }

    /// Completions that must still come.
    pub(crate) fn awaited(&self) -> usize {
        let signaled = |account: &Account| {
            account.open.iter().filter(|(_, signal)| *signal == Signal::Signaled).count()
        };
        self.queue_pairs.iter().map(signaled).sum()
    }

    /// Checks that completions and signaled posts are equally many.
    pub(crate) fn balance(&self) -> Verdict {
        if self.completions == self.signaled_posts {
            return Ok(());
        }
        let Self { signaled_posts, completions, .. } = self;
        let what = format!("{completions} completions of {signaled_posts} signaled requests");
        Err(Deviation::broken(what))
    }
}
