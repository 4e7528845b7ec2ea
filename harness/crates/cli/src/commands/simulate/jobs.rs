//! Several runs at once, told in the order of the table.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Does `work` for each of `items` on so many threads, and `tell`s what came out in their order.
///
/// After an error no more is begun; what precedes it is told, and it is returned.
pub(super) fn in_order<T: Sync, R: Send>(
    jobs: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
    mut tell: impl FnMut(R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.get().min(items.len()) {
            let (sender, next, stop, work) = (sender.clone(), &next, &stop, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let told = told_in_order(&receiver, &mut tell);
        stop.store(true, Ordering::Relaxed);
        told
    })
}

fn told_in_order<R>(
    receiver: &mpsc::Receiver<(usize, anyhow::Result<R>)>,
    tell: &mut impl FnMut(R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut due, mut early) = (0, BTreeMap::new());
    for (at, result) in receiver {
        early.insert(at, result);
        while let Some(result) = early.remove(&due) {
            due += 1;
            tell(result?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_in_order_whoever_is_ready_first() {
        let items: Vec<u64> = (0..50).collect();
        let mut told = Vec::new();
        let work = |item: &u64| {
            thread::sleep(std::time::Duration::from_micros((50 - item) * 20));
            Ok(*item)
        };
        let jobs = NonZeroUsize::new(7).unwrap();
        let tell = |item| {
            told.push(item);
            Ok(())
        };
        in_order(jobs, &items, work, tell).unwrap();
        assert_eq!(told, items);
    }

    #[test]
    fn after_an_error_nothing_is_told_and_the_error_is_returned() {
        let work = |item: &i32| if *item == 3 { anyhow::bail!("no {item}") } else { Ok(*item) };
        let (items, mut told) = ([1, 2, 3, 4], Vec::new());
        let tell = |item| {
            told.push(item);
            Ok(())
        };
        let error = in_order(NonZeroUsize::MIN, &items, work, tell);
        assert_eq!((told, error.unwrap_err().to_string()), (vec![1, 2], "no 3".to_owned()));
    }
}
