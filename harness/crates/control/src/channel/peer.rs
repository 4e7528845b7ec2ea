//! Whether the peer lives, for threads that must not wait.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use super::ChannelError;

/// Whether the peer of a channel lives, and if not, why not.
///
/// Once dead it stays dead, also after this side closed the channel itself.
#[derive(Clone, Debug)]
pub struct PeerState(Arc<Life>);

/// Alone on its cache lines and written once, so that a loop that spins on it shares it with nobody
/// who writes. 128 bytes: x86-64 processors fetch lines of 64 bytes in pairs (Intel 64 Optimization
/// Reference Manual, spatial prefetcher).
#[derive(Debug)]
#[repr(align(128))]
struct Life {
    alive: AtomicBool,
    cause: OnceLock<ChannelError>,
}

impl PeerState {
    pub(super) fn alive() -> Self {
        Self(Arc::new(Life { alive: AtomicBool::new(true), cause: OnceLock::new() }))
    }

    /// Whether the connection works as far as is known: one relaxed load, for the data path.
    #[inline]
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.0.alive.load(Ordering::Relaxed)
    }

    /// Why the connection ended; `None` while it works.
    #[must_use]
    pub fn death(&self) -> Option<ChannelError> {
        self.0.cause.get().cloned()
    }

    /// Records the end of the connection; the first cause stays, later ones follow from it.
    pub(super) fn bury(&self, cause: ChannelError) {
        let _ = self.0.cause.set(cause);
        self.0.alive.store(false, Ordering::Release);
    }

    /// Why the connection ended, for a caller who knows that it has.
    ///
    /// # Panics
    /// It has not: the reader ends only after recording why.
    pub(super) fn cause_of_death(&self) -> ChannelError {
        self.death().expect("a reader records the cause before it ends")
    }
}
