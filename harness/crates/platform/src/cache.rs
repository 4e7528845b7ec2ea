//! Cache lines: flushed, warmed, and the proof by timing.
