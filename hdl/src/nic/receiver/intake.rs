//! Frames and their records, brought together.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::types::Types;
use super::words::{Beat, Found, TypedMeta};
use crate::comment;
use crate::config::Wire;
use crate::prims::{AxisUser, NamedBytes, Optional, Param, Reg};

/// Takes beats at once, but for the last of a frame, which is taken together with its record.
///
/// A record comes at most five edges after its last beat, and the queues of `rewrite_rx` hold more than what arrives
/// meanwhile. So nothing here makes its input wait. The outputs are registers: a beat, and with a frame's last one what
/// becomes of the frame.
#[block]
pub struct Intake<const W: usize, const K: usize> {
    #[flat]
    pub s_axis: AxisUser<In, W, K>,
    pub meta_valid: Signal<In, bool>,
    pub meta_ready: Signal<Out, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub error: Signal<In, Bits<3>>,
    pub bytes: Signal<In, Bits<16>>,
    pub ack_request: Signal<In, bool>,

    /// A beat came.
    pub valid: Signal<Out, bool>,
    pub beat: Signal<Out, Beat<W, K>>,
    /// The beat is its frame's last.
    pub is_last: Signal<Out, bool>,
    #[flat]
    pub found: Signal<Out, Found>,
    /// Of Ultra Ethernet: what else `rewrite_rx` says; and the frame is for the host, who is to open a connection for it, or for nobody.
    pub typed: Optional<Signal<In, TypedMeta>>,
    pub is_unbound: Optional<Signal<Out, bool>>,
    pub is_trimmed_other: Optional<Signal<Out, bool>>,
    pub is_ack_with_more: Optional<Signal<Out, bool>>,
    pub is_ack_by_opcode: Optional<Signal<Out, bool>>,

    named: NamedBytes<W, K>,
    asks_without_data: Signal<Local, bool>,
    #[reset = false]
    came: Reg<bool>,
    held: Reg<Beat<W, K>>,
    #[reset = false]
    last: Reg<bool>,
    #[reset = false]
    bad: Reg<bool>,
    #[reset = false]
    ack: Reg<bool>,
    #[reset = false]
    probe: Reg<bool>,
    #[reset = false]
    data: Reg<bool>,
    #[reset = false]
    other: Reg<bool>,
    #[reset = false]
    malformed: Reg<bool>,
    is_uet: Param<bool>,
    types: Optional<Types>,
    unbound: Optional<Reg<bool>>,
    trimmed_other: Optional<Reg<bool>>,
    ack_with_more: Optional<Reg<bool>>,
    ack_by_opcode: Optional<Reg<bool>>,
    has_types: Param<bool>,
}

#[block]
impl<const W: usize, const K: usize> Intake<W, K> {
    /// For the packets of a profile, told by the types of Ultra Ethernet or not.
    pub fn new(wire: Wire, has_types: bool) -> Self {
        Self {
            is_uet: Param::new(wire == Wire::Uet && !has_types),
            typed: Optional::new(has_types, Default::default),
            types: Optional::new(has_types, Default::default),
            is_unbound: Optional::new(has_types, Default::default),
            is_trimmed_other: Optional::new(has_types, Default::default),
            is_ack_with_more: Optional::new(has_types, Default::default),
            is_ack_by_opcode: Optional::new(has_types, Default::default),
            ack_with_more: Optional::new(has_types, Default::default),
            ack_by_opcode: Optional::new(has_types, Default::default),
            unbound: Optional::new(has_types, Default::default),
            trimmed_other: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module intake: brings frames and their records together, and says what each frame is");
        self.s_axis.tready = !self.s_axis.tlast | self.meta_valid;
        self.meta_ready = self.s_axis.tvalid & self.s_axis.tlast;
        let take = self.s_axis.tvalid & (!self.s_axis.tlast | self.meta_valid);
        self.came = take;
        comment!("Of a kept beat the first byte is there, so its place tells the last beat.");
        self.named.data = self.s_axis.tdata;
        self.named.keep = self.s_axis.tkeep;
        self.held.data = self.named.zeroed;
        self.held.keep = self.s_axis.tkeep.replace_bit(0, self.s_axis.tlast);
        self.last = take & self.s_axis.tlast;
        self.bad = take & self.s_axis.tlast & self.s_axis.tuser.get_bit(0);
        let ends = take & self.s_axis.tlast & !self.s_axis.tuser.get_bit(0);
        comment!("A request of uet without payload that asks for an ACK is a probe.");
        self.asks_without_data = self.is_uet & self.ack_request & (self.bytes == 0);
        self.ack = ends & (self.kind == 1);
        self.probe = ends & ((self.kind == 2) | ((self.kind == 0) & self.asks_without_data));
        self.data = ends & (self.kind == 0) & !self.asks_without_data;
        self.other = ends & (self.kind == 3);
        comment!("What is unsupported, error 4, is not malformed.");
        self.malformed = ends & (self.kind == 3) & (self.error != 0) & (self.error != 4);
        if self.has_types {
            self.types.kind = self.kind;
            self.types.typed = self.typed;
            self.types.bytes = self.bytes;
            self.ack = ends & self.types.is_ack;
            self.probe = ends & self.types.is_op_alone;
            self.data = ends & self.types.is_data;
            self.other = ends & self.types.is_other;
            self.unbound = ends & self.types.is_unbound;
            self.trimmed_other = ends & self.types.is_trimmed_other;
            self.is_unbound = self.unbound;
            self.is_trimmed_other = self.trimmed_other;
            self.ack_with_more = self.types.is_ack_with_more;
            self.ack_by_opcode = self.types.is_ack_by_opcode;
            self.is_ack_with_more = self.ack_with_more;
            self.is_ack_by_opcode = self.ack_by_opcode;
            if self.rst {
                self.unbound = false;
                self.trimmed_other = false;
            }
        }
        self.valid = self.came;
        self.beat = self.held;
        self.is_last = self.last;
        self.found.is_bad = self.bad;
        self.found.is_ack = self.ack;
        self.found.is_probe = self.probe;
        self.found.is_data = self.data;
        self.found.is_other = self.other;
        self.found.is_malformed = self.malformed;
    }
}
