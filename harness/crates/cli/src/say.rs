//! To people, on stderr.

/// Says a line on stderr. Where nobody listens any more, or the disk behind it is full, there is
/// nobody to tell that to either: what is being done goes on.
macro_rules! say {
    ($($line:tt)*) => {{
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("onesided: {}\n", format_args!($($line)*)),
        );
    }};
}
