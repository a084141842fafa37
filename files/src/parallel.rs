//! Several tool runs at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most runs at once: place and route takes up to a gigabyte.
const MOST: usize = 4;

/// Applies `work` to each of `items`, a few at a time, and returns the results in the order of `items`.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MOST).min(items.len());
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(index) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < items.len())
                {
                    let result = work(&items[index]);
                    *results[index].lock().expect("no worker panics while it holds a result") = Some(result);
                }
            });
        }
    });
    results
        .into_iter()
        .map(|slot| slot.into_inner().expect("as above").expect("each index was taken by one worker"))
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..50).collect();
        let squares = super::map(&items, |n| {
            std::thread::sleep(std::time::Duration::from_micros(50 * (n % 7)));
            n * n
        });
        assert_eq!(squares, items.iter().map(|n| n * n).collect::<Vec<_>>());
    }
}
