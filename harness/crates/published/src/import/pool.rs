//! Files read by several threads, and handed on in their order.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, SyncSender},
    },
    thread,
};

use onesided_results::regular_file;

use super::ImportError;
use crate::{
    RawError,
    run::{self, RawFile, ReadFile, Scratch},
};

/// Files that wait to be handed on; bounds what is in memory.
const WAITING: usize = 64;

type Answer = (usize, Result<ReadFile, RawError>);

/// Reads `files` and calls `next` with each, in their order.
///
/// # Errors
/// When `next` says so, or a file cannot be read: the first such file, whatever the threads.
pub(super) fn read_all<'f>(
    results: &Path,
    files: &'f [RawFile],
    threads: NonZeroUsize,
    mut next: impl FnMut(&'f RawFile, ReadFile) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let taken = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        for _ in 0..threads.get() {
            let (sender, taken) = (sender.clone(), &taken);
            scope.spawn(move || work(results, files, taken, &sender));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (index, read) in receiver {
            early.insert(index, read);
            while let Some(read) = early.remove(&due) {
                // The receiver is dropped with this, which ends the threads.
                next(&files[due], read?)?;
                due += 1;
            }
        }
        Ok(())
    })
}

/// Takes files until there is none left, or nobody listens.
fn work(results: &Path, files: &[RawFile], taken: &AtomicUsize, answer: &SyncSender<Answer>) {
    let mut scratch = Scratch::default();
    let mut text = Vec::new();
    loop {
        let index = taken.fetch_add(1, Ordering::Relaxed);
        let Some(file) = files.get(index) else { return };
        let read = read_one(results, file, &mut text, &mut scratch);
        if answer.send((index, read)).is_err() {
            return;
        }
    }
}

fn read_one(
    results: &Path,
    file: &RawFile,
    text: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<ReadFile, RawError> {
    let path = results.join(&file.raw_path);
    text.clear();
    let content = regular_file::bytes(&path, text);
    content.map_err(|source| RawError::Read { path: path.clone(), source })?;
    run::read(&path, file, text, scratch)
}
