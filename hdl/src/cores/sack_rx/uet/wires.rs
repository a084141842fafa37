//! The wires between the ports and parts of the engine.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::Uet;

impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
> Logic for Uet<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.steps.clk.next = self.clk.val();
        self.steps.rst.next = self.rst.val();
        self.steps.op_valid.next = self.op_valid.val();
        self.steps.op_is_init.next = self.op_kind.val() == 1;
        self.steps.op_is_close.next = (self.op_kind.val() == 2) | (self.op_kind.val() == 7);
        self.steps.op_conn.next = self.op_conn.val();
        self.steps.again.next = self.advance.again.val();
        self.steps.refused.next = self.verdict.refused.val();
        self.steps.sack_due.next = self.verdict.sack_due.val();
        self.steps.filled.next = self.place.filled.val();
        self.op_ready.next = self.steps.ready.val();

        self.taken.clk.next = self.clk.val();
        self.taken.ready.next = self.steps.ready.val();
        self.taken.op.next.kind = self.op_kind.val();
        self.taken.op.next.psn = self.op_psn.val();
        self.taken.op.next.cum_next = self.op_cum_next.val();
        self.taken.op.next.bytes = self.op_bytes.val();
        self.taken.op.next.control = self.op_control.val();
        self.taken.op.next.ack_request = self.op_ack_request.val();
        self.taken.op.next.syn = self.op_syn.val();
        self.taken.op.next.retransmit = self.op_retransmit.val();
        self.taken.op.next.ecn = self.op_ecn.val();
        self.taken.op.next.ordered = self.op_ordered.val();
        self.taken.op.next.host = self.op_host.val();
        self.taken.op.next.last_hop = self.op_last_hop.val();
        self.taken.op.next.ev = self.op_ev.val();
        self.taken.op.next.echo = self.op_echo.val();
        self.taken.op.next.trigger = self.ack_gen_trigger.val();
        self.taken.op.next.least = self.ack_gen_min.val();
        self.taken.op.next.on_ecn = self.ack_on_ecn.val();
        self.taken.op.next.extra = self.nominal_extra.val();

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.steps.conn.val();
        self.control_ram.write_enable.next = self.steps.write.val();
        self.control_ram.write_address.next = self.steps.conn.val();
        self.control_ram.write_data.next.initialised = !(self.steps.clearing.val() | self.steps.close.val());
        self.control_ram.write_data.next.ordered = self.control_ram.read_data.val().ordered;
        self.control_ram.write_data.next.host = self.control_ram.read_data.val().host;
        if self.taken.is_init.val() {
            self.control_ram.write_data.next.ordered = self.taken.held.val().ordered;
            self.control_ram.write_data.next.host = self.taken.held.val().host;
        }
        self.control_ram.write_data.next.told = self.verdict.told_after.val();
        self.control_ram.write_data.next.asked = self.verdict.asked_after.val();
        self.control_ram.write_data.next.epsn = self.advance.epsn.val();
        self.control_ram.write_data.next.cleared = self.cumulative.cum_next.val();
        self.control_ram.write_data.next.ooo = self.advance.ooo.val();
        self.control_ram.write_data.next.rcvd = self.counts.rcvd.val();
        self.control_ram.write_data.next.since = self.counts.since.val();
        self.control_ram.write_data.next.lowest = self.counts.lowest.val();

        self.place.clk.next = self.clk.val();
        self.place.rst.next = self.rst.val();
        self.place.conn.next = self.steps.conn.val();
        self.place.psn.next = self.taken.held.val().psn;
        self.place.look.next = self.steps.look.val();
        self.place.segment.next = self.advance.read_segment.val();
        self.place.fill.next = self.steps.fill.val();
        self.bitmap_ram.clk.next = self.clk.val();
        self.bitmap_ram.read_address.next = self.place.read_address.val();
        self.bitmap_ram.write_enable.next =
            (self.steps.decide.val() & self.verdict.is_new.val()) | self.steps.fill.val();
        self.bitmap_ram.write_address.next = self.place.write_address.val();
        self.bitmap_ram.write_data.next = self.place.write_data.val();

        self.distance.clk.next = self.clk.val();
        self.distance.compare.next = self.steps.compare.val();
        self.distance.psn.next = self.taken.held.val().psn;
        self.distance.cum_next.next = self.taken.held.val().cum_next;
        self.distance.cleared.next = self.control_ram.read_data.val().cleared;
        self.distance.epsn.next = self.control_ram.read_data.val().epsn;

        self.verdict.clk.next = self.clk.val();
        self.verdict.compare.next = self.steps.compare.val();
        self.verdict.decide.next = self.steps.decide.val();
        self.verdict.fill.next = self.steps.fill.val();
        self.verdict.is_packet.next = self.taken.is_packet.val();
        self.verdict.is_probe.next = self.taken.is_probe.val();
        self.verdict.is_ask.next = self.taken.is_ask.val();
        self.verdict.is_answer.next = self.taken.is_answer.val();
        self.verdict.is_trimmed.next = self.taken.is_trimmed.val();
        self.verdict.ack_request.next = self.taken.held.val().ack_request;
        self.verdict.syn.next = self.taken.held.val().syn;
        self.verdict.retransmit.next = self.taken.held.val().retransmit;
        self.verdict.ecn.next = self.taken.held.val().ecn;
        self.verdict.on_ecn.next = self.taken.held.val().on_ecn;
        self.verdict.op_host.next = self.taken.held.val().host;
        self.verdict.last_hop.next = self.taken.held.val().last_hop;
        self.verdict.initialised.next = self.control_ram.read_data.val().initialised;
        self.verdict.ordered.next = self.control_ram.read_data.val().ordered;
        self.verdict.host.next = self.control_ram.read_data.val().host;
        self.verdict.told.next = self.control_ram.read_data.val().told;
        self.verdict.asked.next = self.control_ram.read_data.val().asked;
        self.verdict.below.next = self.distance.below.val();
        self.verdict.recent.next = self.distance.recent.val();
        self.verdict.in_window.next = self.distance.in_window.val();
        self.verdict.is_first.next = self.distance.is_first.val();
        self.verdict.too_far.next = self.distance.too_far.val();
        self.verdict.arrived.next = self.segment.arrived.val();
        self.verdict.reached.next = self.counts.reached.val();
        self.verdict.holds.next = self.advance.ooo.val().any();
        self.acked.next =
            self.steps.sack_valid.val() | (self.steps.res_valid.val() & self.verdict.late.val());

        self.counts.clk.next = self.clk.val();
        self.counts.compare.next = self.steps.compare.val();
        self.counts.decide.next = self.steps.decide.val();
        self.counts.fill.next = self.steps.fill.val();
        self.counts.bytes.next = self.taken.held.val().bytes;
        self.counts.extra.next = self.taken.held.val().extra;
        self.counts.least.next = self.taken.held.val().least;
        self.counts.adds.next = self.verdict.is_new.val() & !self.taken.held.val().control;
        self.counts.answers.next = self.verdict.answers.val();
        self.counts.trigger.next = self.taken.held.val().trigger;
        self.counts.is_probe.next = self.taken.is_probe.val();
        self.counts.stored_rcvd.next = self.control_ram.read_data.val().rcvd;
        self.counts.stored_since.next = self.control_ram.read_data.val().since;
        self.counts.stored_lowest.next = self.control_ram.read_data.val().lowest;
        self.counts.segment.next = self.distance.segment.val();
        self.counts.acked.next = self.acked.val();

        self.segment.clk.next = self.clk.val();
        self.segment.look.next = self.steps.look.val();
        self.segment.load.next = self.steps.decide.val()
            | (self.steps.finish.val() & (!self.verdict.in_order.val() | self.advance.again.val()));
        self.segment.stored.next = self.bitmap_ram.read_data.val();
        self.segment.lap.next = self.place.lap.val();
        self.segment.place.next = bit_cast::<6, 32>(self.taken.held.val().psn);
        self.segment.epsn_place.next = bit_cast::<6, 32>(self.control_ram.read_data.val().epsn);
        self.segment.is_first.next = self.advance.is_first.val();
        self.segment.is_last.next = self.advance.is_last.val();

        self.advance.clk.next = self.clk.val();
        self.advance.decide.next = self.steps.decide.val();
        self.advance.look.next = self.steps.look.val();
        self.advance.finish.next = self.steps.finish.val();
        self.advance.fill.next = self.steps.fill.val();
        self.advance.psn.next = self.taken.held.val().psn;
        self.advance.stored_epsn.next = self.control_ram.read_data.val().epsn;
        self.advance.stored_ooo.next = self.control_ram.read_data.val().ooo;
        self.advance.was_new.next = self.verdict.status.val() == 0;
        self.advance.first_segment.next = self.counts.shown.val();
        self.advance.in_order.next = self.verdict.in_order.val();
        self.advance.full.next = self.segment.full.val();
        self.advance.missing.next = self.segment.missing.val();

        self.cumulative.clk.next = self.clk.val();
        self.cumulative.look.next = self.steps.look.val();
        self.cumulative.fill.next = self.steps.fill.val();
        self.cumulative.is_answer.next = self.taken.is_answer.val();
        self.cumulative.host.next = self.control_ram.read_data.val().host;
        self.cumulative.below.next = self.distance.below.val();
        self.cumulative.recent.next = self.distance.recent.val();
        self.cumulative.after.next = self.distance.after.val();
        self.cumulative.given.next = self.taken.held.val().cum_next;
        self.cumulative.stored.next = self.control_ram.read_data.val().cleared;
        self.cumulative.epsn.next = self.advance.epsn.val();

        self.res_valid.next = self.steps.res_valid.val();
        self.res_conn.next = self.steps.conn.val();
        self.res_status.next = self.verdict.status.val();
        self.res_psn.next = self.taken.held.val().psn;
        self.res_epsn.next = self.advance.epsn.val();
        self.res_ecn.next = self.taken.held.val().ecn & !self.taken.is_probe.val();
        self.res_retransmit.next = self.taken.held.val().retransmit;
        self.res_ev.next = self.taken.held.val().ev;
        self.res_echo.next = self.taken.held.val().echo;
        self.sack_valid.next = self.acked.val();
        self.nack_valid.next = self.steps.res_valid.val() & self.verdict.nack_due.val();
        self.nack_code.next = self.verdict.nack_code.val();
        self.sack_cum_next.next = self.cumulative.cum_next.val();
        self.sack_base.next = self.advance.base.val();
        self.sack_bitmap.next = self.segment.bitmap.val();
        self.sack_mpr.next = self.window_units.val();
        self.sack_ooo.next = bit_cast::<12, PLACE>(self.advance.ooo.val());
        self.sack_rcvd.next = self.counts.rcvd.val().get_bits::<24>(8);
    }
}
