//! A count that tells readers whether what they have read was stored meanwhile (a sequence lock).
//!
//! One thread stores at a time, and never waits for readers. Readers copy what may change under
//! them, by atomics, and take the copy only where the count is even and the same before and after.

use super::atomic::{AtomicU64, Ordering, fence};

/// Odd while something is being stored; all zeroes before.
#[repr(transparent)]
pub struct Version(AtomicU64);

impl Version {
    /// Something is stored, by atomics only, until what it returns is dropped. One at a time.
    #[inline]
    pub fn storing(&self) -> Storing<'_> {
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count.wrapping_add(1), Ordering::Relaxed);
        // Who sees a part of what is stored sees the odd count.
        fence(Ordering::Release);
        Storing { version: self, even: count.wrapping_add(2) }
    }

    /// What `copy` gives, which loads by atomics only, if nothing was stored meanwhile.
    #[inline]
    pub fn unchanged<T>(&self, copy: impl FnOnce() -> T) -> Option<T> {
        let count = self.now()?;
        let copied = copy();
        self.is_still(count).then_some(copied)
    }

    /// The count; absent while something is being stored.
    #[inline]
    pub fn now(&self) -> Option<u64> {
        let count = self.0.load(Ordering::Acquire);
        count.is_multiple_of(2).then_some(count)
    }

    /// Whether what was copied since [`Version::now`] gave this is of one time.
    #[inline]
    fn is_still(&self, count: u64) -> bool {
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == count
    }
}

/// That something is being stored.
pub struct Storing<'a> {
    version: &'a Version,
    even: u64,
}

impl Drop for Storing<'_> {
    #[inline]
    fn drop(&mut self) {
        self.version.0.store(self.even, Ordering::Release);
    }
}

/// Every order that the language allows, by loom. What the model refuses, tried one at a time:
/// either fence left out; the last store relaxed; the first load relaxed.
#[cfg(all(test, loom))]
mod model {
    use std::sync::Arc;

    use loom::thread;

    use super::*;

    struct Pair {
        version: Version,
        halves: [AtomicU64; 2],
    }

    #[test]
    fn loom_a_copy_that_is_taken_is_of_one_time() {
        loom::model(|| {
            let [first, second] = std::array::from_fn(|_| AtomicU64::new(0));
            let version = Version(AtomicU64::new(0));
            let pair = Arc::new(Pair { version, halves: [first, second] });
            let written = Arc::clone(&pair);
            let writer = thread::spawn(move || {
                for number in 1..=2 {
                    let _storing = written.version.storing();
                    for half in &written.halves {
                        half.store(number, Ordering::Relaxed);
                    }
                }
            });
            let mut count = 0;
            let copied = pair.version.unchanged(|| {
                // A word of its own: it is read anew, and is no older than what came before.
                count = pair.version.0.load(Ordering::Relaxed);
                [0, 1].map(|half: usize| pair.halves[half].load(Ordering::Relaxed))
            });
            if let Some([first, second]) = copied {
                assert_eq!(first, second, "both halves are of one time");
                assert!(first >= count / 2, "and not of an earlier one than the count");
            }
            writer.join().unwrap();
        });
    }
}
