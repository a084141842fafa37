//! Blocks that are made on one thread and checked on another.

use respray_cosim::ahead::{BLOCKS_IN_TURN, make_and_check};

/// Makes blocks of one number each, 0 to 99; ends at `last`.
fn numbers(in_turn: usize, last: Option<u32>) -> (u32, Option<u32>, Vec<u32>) {
    let fill = |next: &mut u32, block: &mut u32| {
        *block = *next;
        *next += 1;
        *block < 100
    };
    let mut seen = Vec::new();
    let check = |block: &u32| {
        seen.push(*block);
        (Some(*block) == last).then_some(*block)
    };
    let (maker, end) = make_and_check(0, fill, || 0, check, in_turn);
    (maker, end, seen)
}

#[test]
fn every_block_is_checked_once_and_in_order() {
    for in_turn in [0, 1, BLOCKS_IN_TURN, usize::MAX] {
        let (maker, end, seen) = numbers(in_turn, None);
        assert_eq!((maker, end), (101, None));
        assert_eq!(seen, Vec::from_iter(0..100));
    }
}

#[test]
fn it_ends_with_the_block_that_ends_it_wherever_the_maker_is() {
    for in_turn in [0, 1, BLOCKS_IN_TURN, usize::MAX] {
        for last in [0, 7, 8, 99] {
            let (maker, end, seen) = numbers(in_turn, Some(last));
            assert_eq!(end, Some(last));
            assert_eq!(seen, Vec::from_iter(0..=last));
            assert!((last + 1..=101).contains(&maker));
        }
    }
}
