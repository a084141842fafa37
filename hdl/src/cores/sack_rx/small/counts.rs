//! The two byte counts.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// Bytes received in all, and since the last SACK.
#[derive(LogicBlock, Default, Part)]
pub struct Counts {
    pub clk: Signal<In, Clock>,
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    /// Payload of the packet.
    pub bytes: Signal<In, Bits<16>>,
    /// Bytes that make a SACK due.
    pub threshold: Signal<In, Bits<16>>,
    pub stored_bytes_recvd: Signal<In, Bits<32>>,
    pub stored_since: Signal<In, Bits<16>>,
    /// Decide: the packet is new.
    pub is_new: Signal<In, bool>,
    /// Decide: a SACK is due.
    pub due: Signal<In, bool>,

    /// Decide: the bytes since the last SACK reach the threshold, the packet's own included.
    pub reached: Signal<Out, bool>,
    pub bytes_recvd: Signal<Out, Bits<32>>,
    pub since: Signal<Out, Bits<16>>,

    added: Signal<Local, Bits<16>>,
    total: DFF<Bits<32>>,
    since_sack: DFF<Bits<17>>,
}

impl Logic for Counts {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module counts: bytes received in all, and since the last SACK");
        dff_setup!(self, clk, total, since_sack);
        comment!(
            "Added for any packet: where it is not new, either a SACK makes it 0 or nothing is written back."
        );
        if self.compare.val() {
            self.since_sack.d.next =
                bit_cast::<17, 16>(self.stored_since.val()) + bit_cast::<17, 16>(self.bytes.val());
        }
        self.reached.next = self.since_sack.q.val() >= bit_cast::<17, 16>(self.threshold.val());
        self.added.next = 0.into();
        if self.is_new.val() {
            self.added.next = self.bytes.val();
        }
        if self.decide.val() {
            self.total.d.next = self.stored_bytes_recvd.val() + bit_cast::<32, 16>(self.added.val());
        }
        if (self.decide.val() & self.due.val()) | self.fill.val() {
            self.since_sack.d.next = 0.into();
        }
        if self.fill.val() {
            self.total.d.next = 0.into();
        }
        self.bytes_recvd.next = self.total.q.val();
        self.since.next = bit_cast::<16, 17>(self.since_sack.q.val());
    }
}
