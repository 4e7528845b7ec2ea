//! To people, on stderr.
//!
//! What is said may have names and values from files and from other machines in it. So that none of them
//! clears a terminal or looks like a line of this program, control characters are escaped here, whoever
//! says it.

use std::borrow::Cow;

/// Says a line on stderr. Where nobody listens any more, or the disk behind it is full, there is
/// nobody to tell that to either: what is being done goes on.
macro_rules! say {
    ($($line:tt)*) => {{
        let line = format!($($line)*);
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("onesided: {}\n", $crate::say::shown(&line)),
        );
    }};
}

/// A text of this program, which may have several lines, with control characters escaped.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character.is_control() && !matches!(character, '\n' | '\t'))
}

/// A text from elsewhere, which is one line whatever is in it.
pub fn in_one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character.is_control() && character != '\t')
}

/// A line about somebody elsewhere, who may have chosen its words: in one line, and not longer than
/// [`LONGEST_LINE`].
pub fn of_a_peer(text: &str) -> String {
    let line = in_one_line(text);
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} ... ({} bytes in all)", &line[..end], line.len()),
        None => line.into_owned(),
    }
}

/// Characters of a line about a peer, at the most. Ours: twice what our own longest explanation has.
const LONGEST_LINE: usize = 1000;

fn escaped(text: &str, is_wrong: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_wrong) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_wrong(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_seen_and_not_obeyed() {
        assert_eq!(shown("two\nlines of µs"), "two\nlines of µs");
        assert_eq!(shown("\u{1b}[2J\u{9b}2J\ra\tb"), "\\u{1b}[2J\\u{9b}2J\\ra\tb");
        assert_eq!(in_one_line("gone\nonesided: all well"), "gone\\nonesided: all well");
    }

    #[test]
    fn who_is_elsewhere_fills_no_log() {
        assert_eq!(of_a_peer("short\n"), "short\\n");
        let line = of_a_peer(&"\u{7f}".repeat(4000));
        assert!(line.len() < LONGEST_LINE + 30, "{line}");
        assert!(line.ends_with("(24000 bytes in all)"), "{line}");
    }
}
