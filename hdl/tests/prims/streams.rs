//! FIFO and skid buffer keep every word, in order, and stop at their size.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::prims::{Fifo, MemoryStyle, SkidBuffer};
use rust_hdl::prelude::*;

macro_rules! stream_test {
    ($block:expr, $most:expr) => {{
        let mut block = $block;
        block.connect_all();
        let mut rng = StdRng::seed_from_u64(11);
        let mut inside = VecDeque::new();
        let (mut passed, mut fullest) = (0, 0);
        for cycle in 0..4000u64 {
            block.clk.next = Clock { clk: false };
            block.rst.next = cycle < 2;
            block.in_valid.next = rng.random_range(0..8) < [7, 2, 8][cycle as usize / 50 % 3];
            block.out_ready.next = rng.random_range(0..8) < [2, 7, 8][cycle as usize / 50 % 3];
            let word: u64 = rng.random_range(0..512);
            block.in_data.next = word.into();
            assert!(simulate(&mut block, 20));
            if cycle >= 2 {
                if block.out_valid.val() {
                    let first = *inside.front().expect("a word comes out of an empty stream");
                    assert_eq!(block.out_data.val(), Bits::<9>::from(first), "cycle {cycle}");
                    if block.out_ready.val() {
                        inside.pop_front();
                        passed += 1;
                    }
                }
                if block.in_valid.val() && block.in_ready.val() {
                    inside.push_back(word);
                }
            }
            fullest = fullest.max(inside.len());
            block.clk.next = Clock { clk: true };
            assert!(simulate(&mut block, 20));
        }
        assert_eq!(fullest, $most);
        assert!(passed > 1500, "only {passed} words passed");
    }};
}

#[test]
fn a_fifo_holds_its_size_and_passes_words_in_order() {
    stream_test!(Fifo::<Bits<9>, 3, 4>::new("words", MemoryStyle::Block), 8);
}

#[test]
fn a_skid_buffer_holds_two_and_passes_words_in_order() {
    stream_test!(SkidBuffer::<Bits<9>>::default(), 2);
}
