//! Which threads execute what others ask of a node.

/// Who executes what others ask of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serving {
    /// A thread of the node's own, which spins while there is something to do: it answers at once,
    /// and takes a CPU.
    #[default]
    Thread,
    /// The threads that poll an endpoint of the node; where none has for a millisecond, the node's
    /// thread. For nodes that all do the same, with as many CPUs as nodes. A thread that polls now
    /// and then, more often than once a millisecond, keeps others waiting in between: let it poll
    /// all the time that it waits, or not at all.
    Polls,
}
