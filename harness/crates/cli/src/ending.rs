//! How the program ends: the one place that prints an error and chooses the exit status.

use std::process::ExitCode;

use crate::say::in_one_line;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It did what was asked: 0.
    Valid,
    /// It ran, but a check failed: 1.
    CheckFailed,
    /// It could not run: 2.
    CouldNotRun,
}

impl Ending {
    /// The ending of a command; an error is printed once, with all its causes.
    pub fn of(result: anyhow::Result<Self>) -> Self {
        match result {
            Ok(ending) => ending,
            Err(error) if is_closed_pipe(&error) => Self::Valid,
            Err(error) => {
                say!("{}", in_one_line(&told(&error)));
                Self::CouldNotRun
            }
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Valid => 0,
            Ending::CheckFailed => 1,
            Ending::CouldNotRun => 2,
        })
    }
}

/// The error and its causes in one line; a cause that its effect repeats is told once.
fn told(error: &anyhow::Error) -> String {
    let mut story = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if story.contains(&text) {
            continue;
        }
        if !story.is_empty() {
            story.push_str(": ");
        }
        story.push_str(&text);
    }
    story
}

/// `onesided schema ... | head` closes our output early: that is no error. Commands that do more
/// than print (`run`, `check`) go on without it and do not come here.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(io_of).any(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The system's error that a cause is or, as the writer of tables does, keeps inside.
fn io_of<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a std::io::Error> {
    if let Some(io) = cause.downcast_ref() {
        return Some(io);
    }
    match cause.downcast_ref::<csv::Error>()?.kind() {
        csv::ErrorKind::Io(io) => Some(io),
        _ => None,
    }
}
