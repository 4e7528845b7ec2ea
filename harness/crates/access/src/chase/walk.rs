//! The loads themselves.

/// A line's first word: where the next visited line is.
pub(super) type Link = *const u8;

/// Loads of one turn of the loop, so that the loop's own jump is one in 32 instructions.
pub(super) const UNROLLED: u64 = 32;

/// Follows the links from `at`, `turns` × [`UNROLLED`] of them; where that leads.
///
/// # Safety
/// `at` and whatever is reached from it hold the address of a readable, aligned [`Link`].
#[inline(never)]
pub(super) unsafe fn walk(mut at: Link, turns: u64) -> Link {
    for _ in 0..turns {
        // Volatile: the loads must happen, one by one, although their values are known to the
        // compiler to be used for nothing but the next.
        macro_rules! eight {
            () => {
                // SAFETY: by the caller's promise each link leads to another.
                unsafe {
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                    at = at.cast::<Link>().read_volatile();
                }
            };
        }
        eight!();
        eight!();
        eight!();
        eight!();
    }
    at
}
