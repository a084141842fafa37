//! The core: a queue of beats beside the parser, and a queue of records.

use rust_hdl::prelude::*;

use super::{Header, HeaderSum, Ingest, IpFields, Layout, Queue, Record, Recorder, Verdict};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Halves;
use crate::manifest::MemoryKind;
use crate::prims::Param;

/// Edges from the one that takes a beat to the one at which it can leave.
pub(super) const BEAT_CYCLES: u32 = 2;
/// Edges from the one that takes a packet's last beat to the one at which its record can be taken.
pub(super) const RECORD_CYCLES: u32 = 6;
/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 2;

/// The `rewrite_rx` core. Of [`BusSizes`](crate::cores::sizes::BusSizes) `W` is `data`, `K` `bytes`, `N` `steps`, `BB` `beat_number`
/// and `D` `beat`.
#[derive(LogicBlock, Default)]
pub struct RewriteRx<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub udp_port: Signal<In, Bits<16>>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub meta_valid: Signal<Out, Bit>,
    pub meta_ready: Signal<In, Bit>,
    pub meta_kind: Signal<Out, Bits<2>>,
    pub meta_error: Signal<Out, Bits<3>>,
    pub meta_conn: Signal<Out, Bits<24>>,
    pub meta_psn: Signal<Out, Bits<32>>,
    pub meta_bytes: Signal<Out, Bits<16>>,
    pub meta_ecn: Signal<Out, Bits<2>>,
    pub meta_ev: Signal<Out, Bits<16>>,
    pub meta_timestamp: Signal<Out, Bits<16>>,
    pub meta_ack_request: Signal<Out, Bit>,
    pub ack_ecn: Signal<Out, Bit>,
    pub ack_flags: Signal<Out, Bits<2>>,
    pub ack_ev: Signal<Out, Bits<16>>,
    pub ack_timestamp: Signal<Out, Bits<16>>,
    pub ack_bytes: Signal<Out, Bits<32>>,
    pub ack_epsn: Signal<Out, Bits<32>>,
    pub ack_offset: Signal<Out, Bits<16>>,
    pub ack_ooo: Signal<Out, Bits<16>>,
    pub ack_base: Signal<Out, Bits<32>>,
    pub ack_bitmap: Signal<Out, Bits<64>>,
    pub pkt_data: Signal<Out, Bit>,
    pub pkt_ack: Signal<Out, Bit>,
    pub pkt_probe: Signal<Out, Bit>,
    pub pkt_other: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    ingest: Ingest<W, K, N, BB>,
    header_sum: HeaderSum<W, N>,
    halves: Halves<W, N>,
    ip_fields: IpFields<W>,
    header: Header<W>,
    verdict: Verdict,
    recorder: Recorder,
    beats: Queue<Bits<D>>,
    records: Queue<Record>,

    push: Signal<Local, Bit>,
    marked_keep: Signal<Local, Bits<K>>,
    kept: Signal<Local, Bits<K>>,
    last_3: DFF<Bit>,
    bytes_3: DFF<Bits<14>>,
    layout_3: DFF<Layout>,
    judge_3: DFF<Bit>,
    judge_4: DFF<Bit>,
    record: Signal<Local, Record>,
    is_target: Signal<Local, Bit>,
    data: DFF<Bit>,
    ack: DFF<Bit>,
    probe: DFF<Bit>,
    other: DFF<Bit>,
    malformed: DFF<Bit>,
    at_keep: Param<Bits<10>>,
    at_user: Param<Bits<10>>,
    is_strack: Param<Bit>,
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize>
    RewriteRx<W, K, N, BB, D>
{
    /// The core for a profile.
    pub fn new(wire: Wire, kind: MemoryKind) -> Self {
        Self {
            verdict: Verdict::new(wire),
            recorder: Recorder::new(wire),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, 24),
            records: Queue::new(
                "record_memory",
                "records that wait to be taken",
                MemoryKind::Distributed,
                16,
            ),
            at_keep: Param::new((W as u64).into()),
            at_user: Param::new(((W + K) as u64).into()),
            is_strack: Param::new(wire == Wire::Strack),
            ingest: Ingest::new(),
            header_sum: HeaderSum::new(),
            halves: Halves::new(),
            ip_fields: IpFields::new(),
            header: Header::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize> Logic
    for RewriteRx<W, K, N, BB, D>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Reads the packets of a stream and passes them on untouched.");
        dff_setup!(
            self, clk, last_3, bytes_3, layout_3, judge_3, judge_4, data, ack, probe, other, malformed
        );
        self.ingest.clk.next = self.clk.val();
        self.header_sum.clk.next = self.clk.val();
        self.ip_fields.clk.next = self.clk.val();
        self.header.clk.next = self.clk.val();
        self.verdict.clk.next = self.clk.val();
        self.recorder.clk.next = self.clk.val();
        self.beats.clk.next = self.clk.val();
        self.records.clk.next = self.clk.val();
        self.ingest.rst.next = self.rst.val();
        self.header_sum.rst.next = self.rst.val();
        self.beats.rst.next = self.rst.val();
        self.records.rst.next = self.rst.val();
        comment!(
            "A beat goes into the queue and into the parser. A kept beat's first byte is there, so its place tells the last beat."
        );
        self.s_axis_tready.next = self.beats.ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.beats.ready.val();
        self.marked_keep.next = self.s_axis_tkeep.val().replace_bit(0, self.s_axis_tlast.val());
        self.beats.push.next = self.push.val();
        self.beats.is_held_up.next = !self.records.ready.val();
        self.beats.item.next = bit_cast::<D, W>(self.s_axis_tdata.val())
            | (bit_cast::<D, K>(self.marked_keep.val()) << self.at_keep.val())
            | (bit_cast::<D, 1>(self.s_axis_tuser.val()) << self.at_user.val());
        self.ingest.push.next = self.push.val();
        self.ingest.data.next = self.s_axis_tdata.val();
        self.ingest.keep.next = self.s_axis_tkeep.val();
        self.ingest.last.next = self.s_axis_tlast.val();
        self.header_sum.valid.next = self.ingest.valid_1.val();
        self.header_sum.first.next = self.ingest.first_1.val();
        self.header_sum.data.next = self.ingest.data_1.val();
        self.header_sum.step.next = self.ingest.step_1.val();
        self.header_sum.layout.next = self.ingest.layout_1.val();
        self.halves.data.next = self.ingest.data_2.val();
        self.ip_fields.valid.next = self.ingest.valid_2.val();
        self.ip_fields.step.next = self.ingest.step_2.val();
        self.ip_fields.layout.next = self.ingest.layout_2.val();
        self.header.valid.next = self.ingest.valid_2.val();
        self.header.step.next = self.ingest.step_2.val();
        self.header.udp_step.next = self.ingest.layout_2.val().udp;
        for i in 0..16 {
            self.ip_fields.even[i].next = self.halves.even[i].val();
            self.ip_fields.odd[i].next = self.halves.odd[i].val();
            self.header.even[i].next = self.halves.even[i].val();
            self.header.odd[i].next = self.halves.odd[i].val();
        }
        comment!("The first beat that waits is at the output. A kept beat's first byte is there.");
        self.kept.next = self.beats.head.val().get_bits::<K>(self.at_keep.val().index());
        self.beats.pop.next = self.beats.valid.val() && self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beats.valid.val();
        self.m_axis_tdata.next = self.beats.head.val().get_bits::<W>(0);
        self.m_axis_tkeep.next = self.kept.val().replace_bit(0, true);
        self.m_axis_tlast.next = self.kept.val().get_bit(0);
        self.m_axis_tuser.next = self.beats.head.val().get_bits::<1>(self.at_user.val().index());
        comment!("Register 3 holds the fields, register 4 what the tests found and the record.");
        self.last_3.d.next = self.ingest.last_2.val();
        self.bytes_3.d.next = self.ingest.bytes_2.val();
        self.layout_3.d.next = self.ingest.layout_2.val();
        self.verdict.udp_port.next = self.udp_port.val();
        self.verdict.last.next = self.last_3.q.val();
        self.verdict.bytes.next = self.bytes_3.q.val();
        self.verdict.layout.next = self.layout_3.q.val();
        self.verdict.ip.next = self.ip_fields.ip.val();
        self.verdict.udp.next = self.header.udp.val();
        self.verdict.lead.next = self.header.at_0[0].val();
        self.recorder.ecn.next = self.ip_fields.ip.val().ecn;
        self.recorder.udp.next = self.header.udp.val();
        for i in 0..9 {
            self.recorder.at_0[i].next = self.header.at_0[i].val();
            self.recorder.at_2[i].next = self.header.at_2[i].val();
        }
        comment!("A frame is judged at its end.");
        self.judge_3.d.next = self.ingest.valid_2.val() && self.ingest.last_2.val();
        self.judge_4.d.next = self.judge_3.q.val();
        comment!("The first rule that fires decides.");
        self.is_target.next = self.verdict.findings.val().is_data || self.verdict.findings.val().is_ack;
        self.record.next.kind = bits::<2>(3);
        self.record.next.error = bits::<3>(0);
        if self.verdict.findings.val().is_cut_early {
            self.record.next.error = bits::<3>(1);
        } else if self.verdict.findings.val().is_unsupported {
            self.record.next.error = bits::<3>(4);
        } else if self.verdict.findings.val().is_ip4 && !self.header_sum.is_sound.val() {
            self.record.next.error = bits::<3>(2);
        } else if self.verdict.findings.val().is_cut_in_udp {
            self.record.next.error = bits::<3>(1);
        } else if self.verdict.findings.val().is_ours {
            if self.verdict.findings.val().is_contradiction {
                self.record.next.error = bits::<3>(3);
            } else if self.verdict.findings.val().is_cut_in_lead {
                self.record.next.error = bits::<3>(1);
            } else if self.is_target.val() {
                if self.verdict.findings.val().is_short {
                    self.record.next.error = bits::<3>(3);
                } else if self.verdict.findings.val().is_cut {
                    self.record.next.error = bits::<3>(1);
                } else if self.verdict.is_wrong_length.val() {
                    self.record.next.error = bits::<3>(3);
                } else if self.verdict.findings.val().is_ack {
                    self.record.next.kind = bits::<2>(1);
                } else if self.is_strack.val() && self.recorder.is_probe.val() {
                    self.record.next.kind = bits::<2>(2);
                } else {
                    self.record.next.kind = bits::<2>(0);
                }
            }
        }
        self.record.next.conn = self.recorder.body.val().conn;
        self.record.next.psn = self.recorder.body.val().psn;
        self.record.next.bytes = self.recorder.body.val().bytes;
        self.record.next.ecn = self.recorder.body.val().ecn;
        self.record.next.ev = self.recorder.body.val().ev;
        self.record.next.timestamp = self.recorder.body.val().timestamp;
        self.record.next.ack_request = self.recorder.body.val().ack_request;
        self.record.next.ack_ecn = self.recorder.body.val().ack_ecn;
        self.record.next.ack_flags = self.recorder.body.val().ack_flags;
        self.record.next.ack_ev = self.recorder.body.val().ack_ev;
        self.record.next.ack_timestamp = self.recorder.body.val().ack_timestamp;
        self.record.next.ack_bytes = self.recorder.body.val().ack_bytes;
        self.record.next.ack_epsn = self.recorder.body.val().ack_epsn;
        self.record.next.ack_offset = self.recorder.body.val().ack_offset;
        self.record.next.ack_ooo = self.recorder.body.val().ack_ooo;
        self.record.next.ack_base = self.recorder.body.val().ack_base;
        self.record.next.ack_bitmap = self.recorder.body.val().ack_bitmap;
        self.records.push.next = self.judge_4.q.val();
        self.records.item.next = self.record.val();
        self.records.is_held_up.next = false;
        self.data.d.next = self.judge_4.q.val() && (self.record.val().kind == bits::<2>(0));
        self.ack.d.next = self.judge_4.q.val() && (self.record.val().kind == bits::<2>(1));
        self.probe.d.next = self.judge_4.q.val() && (self.record.val().kind == bits::<2>(2));
        self.other.d.next = self.judge_4.q.val() && (self.record.val().kind == bits::<2>(3));
        self.malformed.d.next = self.judge_4.q.val()
            && (self.record.val().error != bits::<3>(0))
            && (self.record.val().error != bits::<3>(4));
        self.meta_valid.next = self.records.valid.val();
        self.records.pop.next = self.records.valid.val() && self.meta_ready.val();
        self.meta_kind.next = self.records.head.val().kind;
        self.meta_error.next = self.records.head.val().error;
        self.meta_conn.next = self.records.head.val().conn;
        self.meta_psn.next = self.records.head.val().psn;
        self.meta_bytes.next = self.records.head.val().bytes;
        self.meta_ecn.next = self.records.head.val().ecn;
        self.meta_ev.next = self.records.head.val().ev;
        self.meta_timestamp.next = self.records.head.val().timestamp;
        self.meta_ack_request.next = self.records.head.val().ack_request;
        self.ack_ecn.next = self.records.head.val().ack_ecn;
        self.ack_flags.next = self.records.head.val().ack_flags;
        self.ack_ev.next = self.records.head.val().ack_ev;
        self.ack_timestamp.next = self.records.head.val().ack_timestamp;
        self.ack_bytes.next = self.records.head.val().ack_bytes;
        self.ack_epsn.next = self.records.head.val().ack_epsn;
        self.ack_offset.next = self.records.head.val().ack_offset;
        self.ack_ooo.next = self.records.head.val().ack_ooo;
        self.ack_base.next = self.records.head.val().ack_base;
        self.ack_bitmap.next = self.records.head.val().ack_bitmap;
        comment!(
            "Of other packets the record says no more: blanked here, where there is time, not on the way in."
        );
        if self.records.head.val().kind == bits::<2>(3) {
            self.meta_conn.next = bits::<24>(0);
            self.meta_psn.next = bits::<32>(0);
            self.meta_bytes.next = bits::<16>(0);
            self.meta_ecn.next = bits::<2>(0);
            self.meta_ev.next = bits::<16>(0);
            self.meta_timestamp.next = bits::<16>(0);
            self.meta_ack_request.next = false;
            self.ack_ecn.next = false;
            self.ack_flags.next = bits::<2>(0);
            self.ack_ev.next = bits::<16>(0);
            self.ack_timestamp.next = bits::<16>(0);
            self.ack_bytes.next = bits::<32>(0);
            self.ack_epsn.next = bits::<32>(0);
            self.ack_offset.next = bits::<16>(0);
            self.ack_ooo.next = bits::<16>(0);
            self.ack_base.next = bits::<32>(0);
            self.ack_bitmap.next = bits::<64>(0);
        }
        self.pkt_data.next = self.data.q.val();
        self.pkt_ack.next = self.ack.q.val();
        self.pkt_probe.next = self.probe.q.val();
        self.pkt_other.next = self.other.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            self.judge_3.d.next = false;
            self.judge_4.d.next = false;
            self.data.d.next = false;
            self.ack.d.next = false;
            self.probe.d.next = false;
            self.other.d.next = false;
            self.malformed.d.next = false;
        }
    }
}
