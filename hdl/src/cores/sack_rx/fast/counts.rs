//! The two byte counts.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Delay, Reg, resize};

/// Bytes received in all, and since the last SACK.
#[block(no_reset)]
pub struct Counts {
    /// Stage 1.
    pub bytes: Signal<In, Bits<16>>,
    pub stored_bytes_recvd: Signal<In, Bits<32>>,
    pub stored_since: Signal<In, Bits<16>>,
    /// Stage 2: bytes that make a SACK due.
    pub threshold: Signal<In, Bits<16>>,
    /// Stage 2: the packet is new; a SACK is due; it is an `init`.
    pub is_new: Signal<In, bool>,
    pub due: Signal<In, bool>,
    pub is_init: Signal<In, bool>,

    /// Stage 2: the bytes since the last SACK reach the threshold, the packet's own included.
    pub reached: Signal<Out, bool>,
    /// Stage 6.
    pub bytes_recvd: Signal<Out, Bits<32>>,
    pub since: Signal<Out, Bits<16>>,

    is_added: Reg<bool>,
    is_cleared: Reg<bool>,
    bytes_before: Delay<Bits<16>, 2>,
    total_before: Delay<Bits<32>, 2>,
    total: Reg<Bits<32>>,
    total_after: Delay<Bits<32>, 2>,
    sum: Reg<Bits<17>>,
    sum_kept: Reg<Bits<16>>,
    is_sent: Reg<bool>,
    since_sack: Reg<Bits<16>>,
    since_after: Delay<Bits<16>, 2>,
}

#[block]
impl Counts {
    fn update(&mut self) {
        comment!("module counts: bytes received in all, and since the last SACK");

        comment!(
            "Compare: added for any packet. Where it is not new, a SACK makes it 0 or nothing is written back."
        );
        self.sum = bit_cast::<17, 16>(self.stored_since) + bit_cast::<17, 16>(self.bytes);
        self.bytes_before.input_value = self.bytes;
        self.total_before.input_value = self.stored_bytes_recvd;

        comment!("Decide.");
        self.reached = self.sum >= bit_cast::<17, 16>(self.threshold);
        self.sum_kept = resize(self.sum);
        self.is_sent = self.due | self.is_init;
        self.is_added = self.is_new;
        self.is_cleared = self.is_init;

        comment!("Choose.");
        let mut added: Bits<16> = 0;
        if self.is_added {
            added = self.bytes_before.output_value;
        }
        self.total = self.total_before.output_value + bit_cast::<32, 16>(added);
        if self.is_cleared {
            self.total = 0;
        }
        self.since_sack = self.sum_kept;
        if self.is_sent {
            self.since_sack = 0;
        }

        self.total_after.input_value = self.total;
        self.bytes_recvd = self.total_after.output_value;
        self.since_after.input_value = self.since_sack;
        self.since = self.since_after.output_value;
    }
}
