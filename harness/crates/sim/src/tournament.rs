//! Which of many actors acts next: a tournament tree of their next moments.

use crate::time::Moment;

/// Bits of a key that name the actor.
const ACTOR_BITS: u32 = 14;
/// Actors that a tournament takes at most.
pub(crate) const MOST_ACTORS: usize = 1 << ACTOR_BITS;
/// The last moment that a tournament can tell, some 1126 s.
pub(crate) const LAST_MOMENT: Moment = Moment((1 << (64 - ACTOR_BITS)) - 2);

/// A moment followed by the number of its actor, so that the order of keys is that of actions.
pub(crate) trait Key: Copy + Ord {
    /// Of an actor that has nothing to do: after all others.
    const NOTHING: Self;
    /// Actors that it can tell apart.
    const MOST_ACTORS: usize;

    fn new(moment: Moment, actor: usize) -> Self;

    fn actor(self) -> usize;

    fn moment(self) -> Moment;
}

/// The shortest, for moments up to [`LAST_MOMENT`].
impl Key for u64 {
    const NOTHING: Self = Self::MAX;
    const MOST_ACTORS: usize = MOST_ACTORS;

    #[inline]
    fn new(moment: Moment, actor: usize) -> Self {
        (moment.0 << ACTOR_BITS) | actor as u64
    }

    #[inline]
    fn actor(self) -> usize {
        (self & (MOST_ACTORS as u64 - 1)) as usize
    }

    #[inline]
    fn moment(self) -> Moment {
        Moment(self >> ACTOR_BITS)
    }
}

/// For all moments.
impl Key for u128 {
    const NOTHING: Self = Self::MAX;
    const MOST_ACTORS: usize = 1 << 31;

    fn new(moment: Moment, actor: usize) -> Self {
        (u128::from(moment.0) << 64) | actor as u128
    }

    fn actor(self) -> usize {
        self as u64 as usize
    }

    fn moment(self) -> Moment {
        Moment((self >> 64) as u64)
    }
}

/// The earliest of the actors' next moments.
///
/// Each actor has one. A change costs a comparison for each level of the tree. Of equal moments
/// the actor of the lower number is first, so that the order never depends on history.
///
/// ```text
///              root: the earliest
///            /                    \
///        earlier                earlier
///       /       \              /       \
///   actor 0   actor 1      actor 2   actor 3
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Tournament<K> {
    /// Keys of the nodes: 1 is the root, the children of n are 2n and 2n + 1.
    keys: Vec<K>,
    leaves: usize,
}

impl<K: Key> Tournament<K> {
    /// Of so many actors, none of which has anything to do.
    pub(crate) fn new(actors: usize) -> Self {
        assert!(actors <= K::MOST_ACTORS, "the caller checks the number of queue pairs");
        let leaves = actors.next_power_of_two().max(2);
        Self { keys: vec![K::NOTHING; 2 * leaves], leaves }
    }

    /// Has room for so many actors, the new ones without anything to do.
    pub(crate) fn grow(&mut self, actors: usize) {
        if actors <= self.leaves {
            return;
        }
        let mut larger = Self::new(actors);
        for key in &self.keys[self.leaves..] {
            if *key != K::NOTHING {
                larger.set(key.actor(), key.moment());
            }
        }
        *self = larger;
    }

    /// The earliest actor and its moment; none where nobody has anything to do.
    #[inline]
    pub(crate) fn first(&self) -> Option<(usize, Moment)> {
        let key = self.keys[1];
        (key != K::NOTHING).then(|| (key.actor(), key.moment()))
    }

    /// The actor's next moment is `moment`; [`Moment::NEVER`] for none.
    #[inline]
    pub(crate) fn set(&mut self, actor: usize, moment: Moment) {
        let mut node = self.leaves + actor;
        let mut key = match moment {
            Moment::NEVER => K::NOTHING,
            moment => K::new(moment, actor),
        };
        loop {
            self.keys[node] = key;
            if node == 1 {
                return;
            }
            key = key.min(self.keys[node ^ 1]);
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_equal_moments_the_lower_actor_is_first() {
        let mut tournament = Tournament::<u64>::new(5);
        assert_eq!(tournament.first(), None);
        tournament.set(4, Moment(7));
        tournament.set(2, Moment(7));
        assert_eq!(tournament.first(), Some((2, Moment(7))));
        tournament.set(2, Moment::NEVER);
        assert_eq!(tournament.first(), Some((4, Moment(7))));
    }

    #[test]
    fn the_last_moment_can_be_told() {
        let mut tournament = Tournament::<u64>::new(MOST_ACTORS);
        tournament.set(MOST_ACTORS - 1, LAST_MOMENT);
        assert_eq!(tournament.first(), Some((MOST_ACTORS - 1, LAST_MOMENT)));
    }

    proptest! {
        #[test]
        fn the_first_is_the_minimum_after_any_changes(
            actors in 1_usize..40,
            changes in proptest::collection::vec((0_usize..40, 0_u64..9), 1..200),
        ) {
            let mut tournament = Tournament::<u64>::new(actors);
            let mut growing = Tournament::<u128>::new(1);
            let mut model = vec![Moment::NEVER; actors];
            for (actor, time) in changes {
                let (actor, moment) = (actor % actors, Moment(time));
                let moment = if time == 8 { Moment::NEVER } else { moment };
                tournament.set(actor, moment);
                growing.grow(actor + 1);
                growing.set(actor, moment);
                model[actor] = moment;
                let expected = model.iter().enumerate().map(|(actor, moment)| (*moment, actor));
                let expected = expected.min().filter(|(moment, _)| *moment != Moment::NEVER);
                let expected = expected.map(|(moment, actor)| (actor, moment));
                prop_assert_eq!(tournament.first(), expected);
                prop_assert_eq!(growing.first(), expected);
            }
        }
    }
}
