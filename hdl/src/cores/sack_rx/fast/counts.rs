//! The two byte counts.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Delay;

/// Bytes received in all, and since the last SACK.
#[derive(LogicBlock, Default)]
pub struct Counts {
    pub clk: Signal<In, Clock>,
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

    added: Signal<Local, Bits<16>>,
    is_added: DFF<bool>,
    is_cleared: DFF<bool>,
    bytes_before: Delay<Bits<16>, 2>,
    total_before: Delay<Bits<32>, 2>,
    total: DFF<Bits<32>>,
    total_after: Delay<Bits<32>, 2>,
    sum: DFF<Bits<17>>,
    sum_kept: DFF<Bits<16>>,
    is_sent: DFF<bool>,
    since_sack: DFF<Bits<16>>,
    since_after: Delay<Bits<16>, 2>,
}

impl Logic for Counts {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module counts: bytes received in all, and since the last SACK");
        dff_setup!(self, clk, is_added, is_cleared, total, sum, sum_kept, is_sent, since_sack);
        self.bytes_before.clk.next = self.clk.val();
        self.total_before.clk.next = self.clk.val();
        self.total_after.clk.next = self.clk.val();
        self.since_after.clk.next = self.clk.val();

        comment!(
            "Compare: added for any packet. Where it is not new, a SACK makes it 0 or nothing is written back."
        );
        self.sum.d.next = bit_cast::<17, 16>(self.stored_since.val()) + bit_cast::<17, 16>(self.bytes.val());
        self.bytes_before.input_value.next = self.bytes.val();
        self.total_before.input_value.next = self.stored_bytes_recvd.val();

        comment!("Decide.");
        self.reached.next = self.sum.q.val() >= bit_cast::<17, 16>(self.threshold.val());
        self.sum_kept.d.next = bit_cast::<16, 17>(self.sum.q.val());
        self.is_sent.d.next = self.due.val() | self.is_init.val();
        self.is_added.d.next = self.is_new.val();
        self.is_cleared.d.next = self.is_init.val();

        comment!("Choose.");
        self.added.next = 0.into();
        if self.is_added.q.val() {
            self.added.next = self.bytes_before.output_value.val();
        }
        self.total.d.next = self.total_before.output_value.val() + bit_cast::<32, 16>(self.added.val());
        if self.is_cleared.q.val() {
            self.total.d.next = 0.into();
        }
        self.since_sack.d.next = self.sum_kept.q.val();
        if self.is_sent.q.val() {
            self.since_sack.d.next = 0.into();
        }

        self.total_after.input_value.next = self.total.q.val();
        self.bytes_recvd.next = self.total_after.output_value.val();
        self.since_after.input_value.next = self.since_sack.q.val();
        self.since.next = self.since_after.output_value.val();
    }
}
