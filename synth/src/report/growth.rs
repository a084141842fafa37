//! Why the cost of a core grows with a key as it does: a sentence or two from its design, to stand beside the figures.

/// What grows in `core` with `key`, and what does not. The core may be named with its structure, e.g. `sack_rx fast`.
pub fn why(core: &str, key: &str) -> &'static str {
    let core = core.split(' ').next().unwrap_or(core);
    match (core, key) {
        ("reps", "connections") => {
            "One engine serves all connections and its state is in block RAM, so logic grows by the connection's number alone: two bits \
             for four times as many, in each stage's register and in the comparators that forward between ops of one connection. Block RAM grows \
             with the state; where a memory gets deeper than one block, a multiplexer joins the blocks."
        }
        ("reps", "reps.depth") => {
            "A doubling adds one bit to head, tail and replay slot, which go through every stage, and to their increments. Block RAM \
             grows by the EVs."
        }
        ("sack_rx", "connections") => {
            "The engine is shared and its state is in block RAM: four times as many add two bits to the connection's number in the stages. At \
             16384 connections the bitmap memory is deeper than one block of RAM and needs a multiplexer as wide as a segment; \
             the fast engine has two copies of it."
        }
        ("sack_rx", "sack.window") => {
            "The bitmap is read and searched in segments of 64 bits whatever the window, so the data path stays as wide; a doubling \
             adds one bit to each place in the window and to the count of packets held. A longer advance takes more cycles, \
             not more logic."
        }
        ("sack_tx", "connections") => {
            "One state machine for all connections, its state in block RAM: four times as many add two bits to the addresses and to the \
             walker's counter. At 16384 connections the memories are deeper than one block of RAM and need multiplexers."
        }
        ("sack_tx", "sack.window") => {
            "The scoreboard is walked 16 PSNs at a time whatever the window, so a doubling adds one bit to each place in it and to \
             the counts of packets; a walk over more words takes more cycles, not more logic."
        }
        ("rewrite_tx", "bus_bits") => {
            "What stands beside every byte of the bus grows: the registers of the beat, the copies from which fields are taken, the pairs of \
             halfwords of the header sum, and the lanes that write. The rules, the checksum update and the plan work on fields \
             and do not. Up to 256 bits the queue of beats is LUT RAM, and its output a multiplexer a byte; at 512 it is \
             block RAM whose byte enables write, so that LUTs fall and block RAM comes in."
        }
        ("rewrite_rx", "bus_bits") => {
            "What stands beside every byte of the bus grows: the registers of the beat, the turn that brings UDP's first step to the \
             front, which also gets deeper, and the pairs of halfwords of the header sum. The rules, the record and its queue do \
             not. The queue of beats is LUT RAM up to 256 bits and block RAM at 512."
        }
        ("shim_push" | "shim_pop", "bus_bits") => {
            "What stands beside every byte of the bus grows: the registers of the window, of which a narrow bus has more, and the choice of \
             one of three bytes for each that leaves. Where a shim begins and what it says is found in the same nine words whatever \
             the width. The queue of beats is LUT RAM up to 256 bits and block RAM at 512."
        }
        _ => "Logic should grow with the address bits, block RAM with the memory bits.",
    }
}
