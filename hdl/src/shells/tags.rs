//! `shell_tags`: the tag of each frame from the host, again beside it when it leaves, and a completion for each.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param};
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
#[derive(LogicBlock, Default)]
pub struct Tags {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    is_inside: DFF<bool>,
    /// Tags are being answered because of a cut: for so many edges more, from the last one found on.
    drains: DFF<Bits<3>>,
    owed: DFF<Bits<9>>,
    may_begin: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    is_settled: Signal<Local, bool>,
    is_draining: Signal<Local, bool>,
    returns: Signal<Local, bool>,
    answers: Signal<Local, bool>,
    /// The frame at the way out: its first beat has left, with this tag.
    has_begun: DFF<bool>,
    tag: DFF<Bits<16>>,
    /// The tag of the beat at the way out.
    out_tag: Signal<Local, Bits<16>>,
    /// A frame of the host is at the way out with its first beat: the next tag is its.
    needs_tag: Signal<Local, bool>,
    has_tag: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    has_completion: DFF<bool>,
    completion: DFF<Completion>,
    is_own: Signal<Local, bool>,
    is_free: Signal<Local, bool>,
    own_tag: Param<Bits<16>>,
    most_owed: Param<Bits<9>>,
}

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
}

impl Logic for Tags {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Tags of the frames of the host, and a completion for each.");
        dff_setup!(self, clk, is_inside, drains, owed, tag, has_begun);
        dff_setup!(self, clk, has_completion, completion);
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.leaving.clk.next = self.clk.val();
        self.leaving.rst.next = self.rst.val();
        self.lost.clk.next = self.clk.val();
        self.lost.rst.next = self.rst.val();

        comment!(
            "A frame begins when no tags of frames before a cut are left, and not too many completions are owed."
        );
        self.is_draining.next = self.drains.q.val() != bits::<3>(0);
        self.may_begin.next =
            self.is_inside.q.val() || (!self.is_draining.val() && (self.owed.q.val() < self.most_owed.val()));
        self.in_tvalid.next = self.s_axis_tvalid.val() && self.may_begin.val() && !self.cut.val();
        self.in_tuser.next = !self.is_inside.q.val();
        self.passes.next =
            self.s_axis_tvalid.val() && self.may_begin.val() && !self.cut.val() && self.in_tready.val();
        self.s_axis_tready.next = self.may_begin.val() && !self.cut.val() && self.in_tready.val();
        self.waiting.in_valid.next = self.passes.val() && !self.is_inside.q.val();
        self.waiting.in_data.next = self.s_axis_tag.val();
        if self.passes.val() {
            self.is_inside.d.next = !self.s_axis_tlast.val();
        }
        if self.cut.val() {
            self.is_inside.d.next = false;
        }

        comment!(
            "The tag of a frame that is settled goes on with it, or back. That of the frame at the way out waits for it."
        );
        self.is_settled.next =
            self.rewritten.val() || self.passed.val() || self.malformed.val() || self.dropped.val();
        self.needs_tag.next = self.out_tvalid.val() && self.out_tuser.val() && !self.has_begun.q.val();
        self.has_tag.next = !self.out_tuser.val() || self.has_begun.q.val() || self.leaving.out_valid.val();
        self.leaves.next = self.out_tvalid.val() && self.has_tag.val() && self.m_axis_tready.val();
        self.returns.next = self.is_draining.val()
            && !self.cut.val()
            && !self.waiting.out_valid.val()
            && self.leaving.out_valid.val()
            && !self.needs_tag.val();
        self.waiting.out_ready.next = self.is_settled.val() || (self.is_draining.val() && !self.cut.val());
        self.leaving.in_valid.next = self.is_settled.val() && !self.dropped.val();
        self.leaving.in_data.next = self.waiting.out_data.val();
        self.leaving.out_ready.next =
            self.returns.val() || (self.needs_tag.val() && self.m_axis_tready.val());
        self.lost.in_valid.next = self.dropped.val()
            || (self.is_draining.val() && !self.cut.val() && self.waiting.out_valid.val())
            || self.returns.val();
        self.lost.in_data.next = self.waiting.out_data.val();
        if self.returns.val() {
            self.lost.in_data.next = self.leaving.out_data.val();
        }
        if self.is_draining.val() {
            self.drains.d.next = self.drains.q.val() - 1;
        }
        if self.cut.val()
            || (self.is_draining.val() && (self.waiting.out_valid.val() || self.leaving.out_valid.val()))
        {
            self.drains.d.next = bits::<3>(7);
        }

        comment!("The frame at the way out: its own tag, or that of the block.");
        self.out_tag.next = self.own_tag.val();
        if self.has_begun.q.val() {
            self.out_tag.next = self.tag.q.val();
        } else if self.out_tuser.val() {
            self.out_tag.next = self.leaving.out_data.val();
        }
        self.m_axis_tvalid.next = self.out_tvalid.val() && self.has_tag.val();
        self.out_tready.next = self.m_axis_tready.val() && self.has_tag.val();
        self.m_axis_tag.next = self.out_tag.val();
        self.m_axis_error.next = self.out_tuser.val() && self.has_begun.q.val();
        self.lost_frame.next = self.leaves.val() && self.out_tuser.val() && self.has_begun.q.val();
        if self.leaves.val() {
            self.has_begun.d.next = !self.out_tlast.val();
            self.tag.d.next = self.out_tag.val();
        }

        comment!("Completions: those of the MAC first, but for the block's own.");
        self.is_own.next = self.s_cpl_tag.val() == self.own_tag.val();
        self.is_free.next = !self.has_completion.q.val() || self.m_cpl_ready.val();
        self.s_cpl_ready.next = self.is_free.val();
        self.answers.next =
            self.is_free.val() && self.lost.out_valid.val() && (!self.s_cpl_valid.val() || self.is_own.val());
        self.lost.out_ready.next = self.is_free.val() && (!self.s_cpl_valid.val() || self.is_own.val());
        if self.is_free.val() {
            self.has_completion.d.next =
                (self.s_cpl_valid.val() && !self.is_own.val()) || self.lost.out_valid.val();
            self.completion.d.next.ts = self.s_cpl_ts.val();
            self.completion.d.next.tag = self.s_cpl_tag.val();
            if self.answers.val() {
                self.completion.d.next.ts = bits::<96>(0);
                self.completion.d.next.tag = self.lost.out_data.val();
            }
        }
        if self.lost.in_valid.val() && !self.answers.val() {
            self.owed.d.next = self.owed.q.val() + 1;
        }
        if !self.lost.in_valid.val() && self.answers.val() {
            self.owed.d.next = self.owed.q.val() - 1;
        }
        self.m_cpl_valid.next = self.has_completion.q.val();
        self.m_cpl_ts.next = self.completion.q.val().ts;
        self.m_cpl_tag.next = self.completion.q.val().tag;
        if self.rst.val() {
            self.is_inside.d.next = false;
            self.drains.d.next = bits::<3>(0);
            self.owed.d.next = bits::<9>(0);
            self.has_begun.d.next = false;
            self.has_completion.d.next = false;
        }
    }
}
