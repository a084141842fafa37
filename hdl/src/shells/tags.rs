//! `shell_tags`: the tag of each frame from the host, again beside it when it leaves, and a completion for each.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg};
use crate::{comment, signal_struct};

/// The tag of frames that the block makes: no host has one as high, whose tags are places in its table of descriptors.
pub const OWN_TAG: u64 = 0xffff;

/// Completions owed to the host up to which a frame of it begins.
const OWED: u64 = 64;

signal_struct! {
    /// A completion: when the frame left, and its tag.
    pub struct Completion {
        pub ts: Bits<96>,
        pub tag: Bits<16>,
    }
}

/// Frames of the host keep their order in the block, and some are not sent. So tags wait in the order of the frames, and each
/// goes when its frame is settled: on to the frame as it leaves, or back to the host with a timestamp of 0.
///
/// ```text
///  tag ──► waiting ──┬─► leaving ──► beside the frame, to the MAC ──► its completion ─┬─► to the host
///                    └─► lost ────────────────────────────────────────────────────────┘
/// ```
///
/// The first beat of a frame of the host bears a mark through the block, so that a frame without it is one of the block's own: its
/// tag is [`OWN_TAG`], and its completion ends here. A mark in a later beat is that of a frame which a reset cut.
///
/// When the block forgets its frames (`cut`), all tags inside are answered, and no frame begins before they are. The rest of a frame that
/// was coming in does not reach this block: [`HostGate`](super::HostGate) stands before it.
#[block]
pub struct Tags {
    pub cut: Signal<In, bool>,
    /// Frames from the host to the block; the data passes beside.
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tag: Signal<In, Bits<16>>,
    pub s_axis_tready: Signal<Out, bool>,
    pub in_tvalid: Signal<Out, bool>,
    pub in_tuser: Signal<Out, bool>,
    pub in_tready: Signal<In, bool>,
    /// One of these for each of them, in their order, when it is settled.
    pub rewritten: Signal<In, bool>,
    pub passed: Signal<In, bool>,
    pub malformed: Signal<In, bool>,
    pub dropped: Signal<In, bool>,
    /// Frames from the block to the MAC.
    pub out_tvalid: Signal<In, bool>,
    pub out_tlast: Signal<In, bool>,
    pub out_tuser: Signal<In, bool>,
    pub out_tready: Signal<Out, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tag: Signal<Out, Bits<16>>,
    pub m_axis_error: Signal<Out, bool>,
    /// A frame that was cut ends.
    pub lost_frame: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    /// Completions from the MAC, and to the host.
    pub s_cpl_ts: Signal<In, Bits<96>>,
    pub s_cpl_tag: Signal<In, Bits<16>>,
    pub s_cpl_valid: Signal<In, bool>,
    pub s_cpl_ready: Signal<Out, bool>,
    pub m_cpl_ts: Signal<Out, Bits<96>>,
    pub m_cpl_tag: Signal<Out, Bits<16>>,
    pub m_cpl_valid: Signal<Out, bool>,
    pub m_cpl_ready: Signal<In, bool>,

    /// Frames in the block that are not settled, at most 32; that have not left, as many; and completions owed.
    waiting: Fifo<Bits<16>, 6, 7>,
    leaving: Fifo<Bits<16>, 6, 7>,
    lost: Fifo<Bits<16>, 8, 9>,
    #[reset = false]
    is_inside: Reg<bool>,
    /// Tags are being answered because of a cut: for so many edges more, from the last one found on.
    #[reset = 0]
    drains: Reg<Bits<3>>,
    #[reset = 0]
    owed: Reg<Bits<9>>,
    /// The frame at the way out: its first beat has left, with this tag.
    #[reset = false]
    has_begun: Reg<bool>,
    tag: Reg<Bits<16>>,
    #[reset = false]
    has_completion: Reg<bool>,
    completion: Reg<Completion>,
    own_tag: Param<Bits<16>>,
    most_owed: Param<Bits<9>>,
}

#[block]
impl Tags {
    /// Without a frame.
    pub fn new() -> Self {
        let mut block = Self {
            waiting: Fifo::new("waiting_memory", MemoryKind::Distributed),
            leaving: Fifo::new("leaving_memory", MemoryKind::Distributed),
            lost: Fifo::new("lost_memory", MemoryKind::Distributed),
            own_tag: Param::new(OWN_TAG.into()),
            most_owed: Param::new(OWED.into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Tags of the frames of the host, and a completion for each.");

        comment!(
            "A frame begins when no tags of frames before a cut are left, and not too many completions are owed."
        );
        let is_draining = self.drains != 0;
        let may_begin = self.is_inside || (!is_draining && (self.owed < self.most_owed));
        self.in_tvalid = self.s_axis_tvalid && may_begin && !self.cut;
        self.in_tuser = !self.is_inside;
        let passes = self.s_axis_tvalid && may_begin && !self.cut && self.in_tready;
        self.s_axis_tready = may_begin && !self.cut && self.in_tready;
        self.waiting.in_valid = passes && !self.is_inside;
        self.waiting.in_data = self.s_axis_tag;
        if passes {
            self.is_inside = !self.s_axis_tlast;
        }
        if self.cut {
            self.is_inside = false;
        }

        comment!(
            "The tag of a frame that is settled goes on with it, or back. That of the frame at the way out waits for it."
        );
        let is_settled = self.rewritten || self.passed || self.malformed || self.dropped;
        // A frame of the host is at the way out with its first beat: the next tag is its.
        let needs_tag = self.out_tvalid && self.out_tuser && !self.has_begun;
        let has_tag = !self.out_tuser || self.has_begun || self.leaving.out_valid;
        let leaves = self.out_tvalid && has_tag && self.m_axis_tready;
        let returns =
            is_draining && !self.cut && !self.waiting.out_valid && self.leaving.out_valid && !needs_tag;
        self.waiting.out_ready = is_settled || (is_draining && !self.cut);
        self.leaving.in_valid = is_settled && !self.dropped;
        self.leaving.in_data = self.waiting.out_data;
        self.leaving.out_ready = returns || (needs_tag && self.m_axis_tready);
        self.lost.in_valid = self.dropped || (is_draining && !self.cut && self.waiting.out_valid) || returns;
        self.lost.in_data = self.waiting.out_data;
        if returns {
            self.lost.in_data = self.leaving.out_data;
        }
        if is_draining {
            self.drains = self.drains - 1;
        }
        if self.cut || (is_draining && (self.waiting.out_valid || self.leaving.out_valid)) {
            self.drains = 7;
        }

        comment!("The frame at the way out: its own tag, or that of the block.");
        // The tag of the beat at the way out.
        let mut out_tag = self.own_tag;
        if self.has_begun {
            out_tag = self.tag;
        } else if self.out_tuser {
            out_tag = self.leaving.out_data;
        }
        self.m_axis_tvalid = self.out_tvalid && has_tag;
        self.out_tready = self.m_axis_tready && has_tag;
        self.m_axis_tag = out_tag;
        self.m_axis_error = self.out_tuser && self.has_begun;
        self.lost_frame = leaves && self.out_tuser && self.has_begun;
        if leaves {
            self.has_begun = !self.out_tlast;
            self.tag = out_tag;
        }

        comment!("Completions: those of the MAC first, but for the block's own.");
        let is_own = self.s_cpl_tag == self.own_tag;
        let is_free = !self.has_completion || self.m_cpl_ready;
        self.s_cpl_ready = is_free;
        let answers = is_free && self.lost.out_valid && (!self.s_cpl_valid || is_own);
        self.lost.out_ready = is_free && (!self.s_cpl_valid || is_own);
        if is_free {
            self.has_completion = (self.s_cpl_valid && !is_own) || self.lost.out_valid;
            self.completion.ts = self.s_cpl_ts;
            self.completion.tag = self.s_cpl_tag;
            if answers {
                self.completion.ts = 0;
                self.completion.tag = self.lost.out_data;
            }
        }
        if self.lost.in_valid && !answers {
            self.owed = self.owed + 1;
        }
        if !self.lost.in_valid && answers {
            self.owed = self.owed - 1;
        }
        self.m_cpl_valid = self.has_completion;
        self.m_cpl_ts = self.completion.ts;
        self.m_cpl_tag = self.completion.tag;
    }
}
