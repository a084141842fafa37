//! What is proved of the blocks that stand between two streams: the FIFO and the skid buffer.

use respray_hdl::cores::GenerateError;
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::prims::{Fifo, MemoryStyle, SkidBuffer};
use rust_hdl::prelude::*;

use super::{Claim, Fault, Method, Proof, Rules};

pub const FIFO: Proof =
    Proof {
        core: "fifo",
        block: Some(fifo),
        sets: &["8 words", "9 bits"],
        rules: || {
            Rules::of("", include_str!("stream.v").replace("5'dSIZE", "5'd8") + include_str!("fifo.v"))
                .watching("words", "memory", "which_place", "kept")
        },
        method: Method::Unbounded(6),
        fault_edges: 0..40,
        shortened: &[],
        claims: &[
            in_order("out_valid <= fill != 4'd1;", "out_valid <= fill != 4'd0;"),
            stays(".read_address(next_tail)", ".read_address(next_tail + {2'd0, out_ready})"),
            never_more(" & !(push & (fill == LAST_PLACE))", ""),
            never_stuck("in_ready <= pop | ", "in_ready <= "),
        ],
    };

pub const SKID_BUFFER: Proof = Proof {
    core: "skid_buffer",
    block: Some(skid_buffer),
    sets: &["9 bits"],
    rules: || {
        Rules::of("", include_str!("stream.v").replace("5'dSIZE", "5'd2") + include_str!("skid_buffer.v"))
    },
    method: Method::Unbounded(6),
    fault_edges: 0..20,
    shortened: &[],
    claims: &[
        in_order("out_data <= has_spare ? spare : in_data;", "out_data <= in_data;"),
        stays("wire moves = out_ready | !out_valid;", "wire moves = out_ready | !out_valid | in_valid;"),
        never_more("else if (push | has_spare) in_ready", "else if (has_spare) in_ready"),
        never_stuck("in_ready <= 1'b1;", "in_ready <= !out_valid;"),
    ],
};

/// No loss, no duplicate, no other order.
const fn in_order(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "in_order",
        source: "a word in, the word out",
        says: "The word that goes out in its turn is the one that came in in that turn: none is lost, none comes twice, none overtakes another, and \
               none goes out that has not come in.",
        fault: Fault::Shown(right, wrong),
    }
}

/// Of AXI4-Stream.
const fn stays(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "stays_until_taken",
        source: "AXI4-Stream section 2.2.1",
        says: "A word that is offered is offered, unchanged, until it is taken.",
        fault: Fault::Shown(right, wrong),
    }
}

/// Of its size.
const fn never_more(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "never_more_than_its_size",
        source: "its size",
        says: "It never takes a word that it has no room for.",
        fault: Fault::Shown(right, wrong),
    }
}

/// No deadlock.
const fn never_stuck(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "never_stuck",
        source: "no deadlock",
        says: "An edge after a word is inside it is offered, and an edge after there is room the next word is taken.",
        fault: Fault::Shown(right, wrong),
    }
}

/// The FIFO by itself, as a design.
fn fifo() -> Result<String, GenerateError> {
    let mut block = Fifo::<Bits<9>, 3, 4>::new("words", MemoryStyle::Block);
    block.connect_all();
    Ok(verilog(&block, &EmitOptions { module: "fifo", ..EmitOptions::default() })?)
}

/// The skid buffer by itself.
fn skid_buffer() -> Result<String, GenerateError> {
    let mut block = SkidBuffer::<Bits<9>>::default();
    block.connect_all();
    Ok(verilog(&block, &EmitOptions { module: "skid_buffer", ..EmitOptions::default() })?)
}
