//! The wires between the ports and parts of the engine.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::Uet;

impl<
    const CONN: usize,
    const WORD_ADDRESS: usize,
    const BYTES_ADDRESS: usize,
    const TIME_ADDRESS: usize,
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const SIGNED_WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> Logic
    for Uet<
        CONN,
        WORD_ADDRESS,
        BYTES_ADDRESS,
        TIME_ADDRESS,
        PACKETS,
        PACKETS_DIFFERENCE,
        SEGMENTS,
        WORDS,
        SIGNED_WORDS,
        PSN,
        SEGMENT_NUMBER,
        SEGMENT_NUMBER_MAGNITUDE,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        self.steps.clk.next = self.clk.val();
        self.steps.rst.next = self.rst.val();
        self.steps.op_valid.next = self.op_valid.val();
        self.steps.op_kind.next = self.op_kind.val();
        self.steps.op_conn.next = self.op_conn.val();
        self.steps.walks.next = (self.steps.is_ack.val() & self.op_status.ok.val())
            | self.single.val()
            | self.back.val()
            | self.loss.times_out.val();
        self.steps.times_out.next = self.loss.times_out.val();
        self.steps.recovering.next = self.loss.recovering_now.val();
        self.steps.last_word.next = self.walk.last_word.val();
        self.op_ready.next = self.steps.ready.val();
        self.step.next = self.steps.step.val();

        self.taken.clk.next = self.clk.val();
        self.taken.starts.next = self.steps.starts.val();
        self.taken.op.next.psn = self.op_psn.val();
        self.taken.op.next.bytes = self.op_bytes.val();
        self.taken.op.next.ordered = self.op_ordered.val();
        self.taken.op.next.code = self.op_code.val();
        self.taken.op.next.mpr = self.op_mpr.val();
        self.taken.op.next.cum_next = self.op_cum_next.val();
        self.taken.op.next.probe = self.op_probe.val();
        self.taken.op.next.has_sack = self.op_has_sack.val();
        self.taken.op.next.base = self.op_base.val();
        self.taken.op.next.bitmap = self.op_bitmap.val();
        self.taken.op.next.has_state = self.op_has_state.val();
        self.taken.op.next.rcvd = self.op_rcvd.val();
        self.taken.op.next.ooo = self.op_ooo.val();
        self.taken.op.next.timestamp = self.op_timestamp.val();
        self.taken.op.next.now = self.now.val();
        self.taken.op.next.ooo_packets = self.ooo_packets.val();
        self.taken.op.next.probe_timeout = self.probe_timeout.val();
        self.taken.op.next.probe_rtt = self.probe_rtt.val();
        self.taken.op.next.rto_backoff_max = self.rto_backoff_max.val();
        self.taken.op.next.rules = self.rules.val();
        self.taken.op.next.max_rto_retx = self.max_rto_retx.val();

        self.single.next = self.steps.is_nack.val() & self.op_status.ok.val() & self.refusal.single.val();
        self.back.next = self.steps.is_nack.val() & self.op_status.ok.val() & self.refusal.back.val();
        self.moves.next = self.cumulative.moves.val();
        self.changed.next = self.steps.done.val()
            & ((self.op_status.ok.val()
                & (self.steps.is_sent.val()
                    | self.steps.is_ack.val()
                    | self.steps.is_next_rtx.val()
                    | self.steps.is_close.val()))
                | self.back.val()
                | self.steps.is_init.val()
                | self.loss.times_out.val()
                | self.loss.probe_due.val()
                | self.loss.notes.val());
        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.steps.conn.val();
        self.control_ram.write_enable.next = self.changed.val() | self.steps.clearing.val();
        self.control_ram.write_address.next = self.steps.conn.val();
        self.control_ram.write_data.next.initialised =
            !(self.steps.clearing.val() | self.steps.is_close.val());
        self.control_ram.write_data.next.ordered = self.control_ram.read_data.val().ordered;
        if self.steps.is_init.val() {
            self.control_ram.write_data.next.ordered = self.taken.held.val().ordered;
        }
        self.control_ram.write_data.next.told =
            ((self.control_ram.read_data.val().told & !self.moves.val() & !self.loss.times_out.val())
                | self.back.val())
                & !self.steps.is_init.val();
        self.control_ram.write_data.next.in_recovery =
            self.loss.in_recovery_after.val() & !self.steps.is_init.val();
        self.control_ram.write_data.next.probe_out = (self.control_ram.read_data.val().probe_out
            | self.loss.probe_due.val())
            & !self.loss.times_out.val()
            & !self.steps.is_ack.val()
            & !self.steps.is_init.val();
        self.control_ram.write_data.next.phase =
            self.control_ram.read_data.val().phase ^ self.loss.notes.val();
        if self.steps.is_init.val() {
            self.control_ram.write_data.next.phase = self.phase.turn.val();
        }
        self.control_ram.write_data.next.has_mpr = (self.control_ram.read_data.val().has_mpr
            | (self.steps.is_ack.val()
                & self.taken.held.val().has_sack
                & !self.op_status.unheard.val()
                & (self.moves.val() | !self.control_ram.read_data.val().has_mpr)))
            & !self.steps.is_init.val();
        self.control_ram.write_data.next.mpr = self.control_ram.read_data.val().mpr;
        if (self.steps.is_ack.val()
            & self.taken.held.val().has_sack
            & !self.op_status.unheard.val()
            & (self.moves.val() | !self.control_ram.read_data.val().has_mpr))
            | self.steps.is_init.val()
        {
            self.control_ram.write_data.next.mpr = self.allowance.kept.val();
        }
        self.control_ram.write_data.next.una = self.renew.una.val();
        self.control_ram.write_data.next.nxt = self.renew.nxt.val();
        self.control_ram.write_data.next.high = self.renew.high.val();
        self.control_ram.write_data.next.rec_end = self.renew.rec_end.val();
        self.control_ram.write_data.next.rtx = self.renew.rtx.val();
        self.control_ram.write_data.next.recent = self.renew.recent.val();
        self.control_ram.write_data.next.aged = self.renew.aged.val();
        self.control_ram.write_data.next.in_flight = self.tally.in_flight.val();

        self.distance.clk.next = self.clk.val();
        self.distance.step_2.next = self.step.val().get_bit(1);
        self.distance.step_3.next = self.step.val().get_bit(2);
        self.distance.step_4.next = self.step.val().get_bit(3);
        self.distance.step_5.next = self.step.val().get_bit(4);
        self.distance.is_ack.next = self.steps.is_ack.val();
        self.distance.is_visit.next = self.steps.is_visit.val();
        self.distance.una.next = self.control_ram.read_data.val().una;
        self.distance.psn.next = self.taken.held.val().psn;
        self.distance.cum_next.next = self.taken.held.val().cum_next;
        self.distance.base.next = self.taken.held.val().base;

        self.has_psn.next = self.single.val()
            | (self.steps.is_ack.val() & !self.taken.held.val().probe & !self.distance.psn_below.val());
        self.has_bitmap.next =
            self.steps.is_ack.val() & self.taken.held.val().has_sack & !self.distance.base_below.val();
        self.order.clk.next = self.clk.val();
        self.order.step_2.next = self.step.val().get_bit(1);
        self.order.step_3.next = self.step.val().get_bit(2);
        self.order.step_5.next = self.step.val().get_bit(4);
        self.order.step_6.next = self.step.val().get_bit(5);
        self.order.step_9.next = self.step.val().get_bit(8);
        self.order.step_12.next = self.step.val().get_bit(11);
        self.order.is_nack.next = self.steps.is_nack.val();
        self.order.is_visit.next = self.steps.is_visit.val();
        self.order.returns.next = (self.step.val().get_bit(2)
            & ((self.steps.is_ack.val() & self.distance.below.val()) | self.steps.is_visit.val()))
            | (self.step.val().get_bit(3) & self.steps.is_nack.val())
            | (self.step.val().get_bit(8) & self.op_status.unheard.val());
        self.order.keep.next = (self.step.val().get_bit(5)
            & (self.steps.is_visit.val()
                | (self.has_bitmap.val() & self.pick.found.val() & !self.pick.top_below.val())))
            | (self.step.val().get_bit(6) & (self.steps.is_visit.val() | self.has_psn.val()))
            | (self.steps.is_ack.val()
                & (self.step.val().get_bit(9) | (self.step.val().get_bit(12) & self.loss.proves.val())));
        self.order.place.next = self.distance.place.val();
        self.order.una_low.next = bit_cast::<6, PSN>(self.control_ram.read_data.val().una);
        self.order.nxt.next = self.control_ram.read_data.val().nxt;
        self.order.stored_high.next = self.control_ram.read_data.val().high;
        self.order.rec_end.next = self.control_ram.read_data.val().rec_end;
        self.order.rtx.next = self.control_ram.read_data.val().rtx;
        self.order.aged.next = self.control_ram.read_data.val().aged;
        if self.loss.notes.val() {
            self.order.aged.next = self.control_ram.read_data.val().recent;
        }
        self.order.top.next = self.pick.top.val();
        self.order.psn_place.next = self.distance.psn_place.val();

        self.allowance.mpr.next = self.control_ram.read_data.val().mpr;
        self.allowance.segments.next = self.distance.segments.val();
        self.allowance.borrows.next = self.distance.borrows.val();
        self.allowance.found_segment.next = self.pick.found_segment.val();
        self.allowance.found_low.next = self.pick.found_low.val();
        self.allowance.una_low.next = bit_cast::<6, PSN>(self.control_ram.read_data.val().una);
        self.allowance.given.next = self.taken.held.val().mpr;

        self.op_status.clk.next = self.clk.val();
        self.op_status.step_3.next = self.step.val().get_bit(2);
        self.op_status.step_8.next = self.step.val().get_bit(7);
        self.op_status.settle.next = self.steps.settle.val();
        self.op_status.is_sent.next = self.steps.is_sent.val();
        self.op_status.is_ack.next = self.steps.is_ack.val();
        self.op_status.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.op_status.is_nack.next = self.steps.is_nack.val();
        self.op_status.is_read.next = self.steps.is_read.val();
        self.op_status.probe.next = self.taken.held.val().probe;
        self.op_status.initialised.next = self.control_ram.read_data.val().initialised;
        self.op_status.below.next = self.distance.below.val();
        self.op_status.far.next = self.distance.far.val();
        self.op_status.reached.next = self.order.reached.val();
        self.op_status.equal.next = self.order.equal.val();
        self.op_status.full.next = self.allowance.full.val();
        self.op_status.beyond.next =
            (self.has_bitmap.val() & self.pick.found.val() & self.distance.base_far.val())
                | (self.has_psn.val() & self.distance.psn_far.val());
        self.op_status.found.next = self.pick.found.val() & !self.allowance.blocks.val();
        self.refusal.clk.next = self.clk.val();
        self.refusal.step_4.next = self.step.val().get_bit(3);
        self.refusal.code.next = self.taken.held.val().code;
        self.refusal.ordered.next = self.control_ram.read_data.val().ordered;
        self.refusal.told.next = self.control_ram.read_data.val().told;
        self.refusal.recovering.next = self.loss.recovering.val();
        self.refusal.reached.next = self.order.reached.val();
        self.refusal.finished.next =
            self.control_ram.read_data.val().rtx == self.control_ram.read_data.val().rec_end;

        self.cumulative.clk.next = self.clk.val();
        self.cumulative.step_3.next = self.step.val().get_bit(2);
        self.cumulative.step_9.next = self.step.val().get_bit(8);
        self.cumulative.is_ack.next = self.steps.is_ack.val();
        self.cumulative.single.next = self.steps.is_nack.val() & self.refusal.single.val();
        self.cumulative.una_low.next = bit_cast::<6, PSN>(self.control_ram.read_data.val().una);
        self.cumulative.nxt.next = self.control_ram.read_data.val().nxt;
        self.cumulative.cum_low.next = bit_cast::<6, PSN>(self.taken.held.val().cum_next);
        self.cumulative.below.next = self.distance.below.val();
        self.cumulative.segments.next = self.distance.segments.val();
        self.cumulative.differs.next = self.distance.differs.val();
        self.cumulative.ok.next = self.op_status.ok.val();
        self.cumulative.overtaken.next = self.op_status.overtaken.val();
        self.cumulative.unheard.next = self.op_status.unheard.val();

        self.walk.clk.next = self.clk.val();
        self.walk.rst.next = self.rst.val();
        self.walk.step_2.next = self.step.val().get_bit(1);
        self.walk.step_8.next = self.step.val().get_bit(7);
        self.walk.step_9.next = self.step.val().get_bit(8);
        self.walk.prime.next = self.steps.prime.val();
        self.walk.start.next = self.steps.start.val();
        self.walk.conn.next = self.steps.conn.val();
        self.walk.is_init.next = self.steps.is_init.val();
        self.walk.to_mark.next = self.steps.is_ack.val() | self.single.val();
        self.walk.unheard.next = self.op_status.unheard.val();
        self.walk.mark.next = self.order.mark.val();
        self.walk.nxt.next = self.control_ram.read_data.val().nxt;
        self.walk.una.next = self.control_ram.read_data.val().una;
        self.walk.cumulative.next = self.cumulative.place.val();
        self.walk.recovering.next = self.loss.recovering_now.val();
        self.walk.times_out.next = self.loss.times_out.val();
        self.walk.back.next = self.back.val();
        self.walk.from_una.next = self.loss.times_out.val() | (self.back.val() & self.refusal.to_una.val());
        self.walk.from_psn.next = self.back.val() & !self.refusal.goes_on.val();
        self.walk.psn_place.next = self.distance.psn_place.val();
        self.walk.rtx.next = self.control_ram.read_data.val().rtx;
        self.walk.rec_end.next = self.control_ram.read_data.val().rec_end;

        self.scan.next = self.steps.is_ack.val()
            & (self.step.val().get_bit(0)
                | self.step.val().get_bit(1)
                | self.step.val().get_bit(2)
                | self.step.val().get_bit(3));
        self.funnel.clk.next = self.clk.val();
        self.funnel.starts.next = self.steps.starts.val();
        self.funnel.scan.next = self.scan.val();
        self.funnel.prime.next = self.steps.prime.val();
        self.funnel.walks.next = self.walk.walks.val();
        self.funnel.bitmap.next = self.taken.held.val().bitmap;
        self.funnel.base_word.next = self.distance.base_place.val().get_bits::<SIGNED_WORDS>(4);
        self.funnel.shift.next = bit_cast::<4, PACKETS_DIFFERENCE>(self.distance.base_place.val());
        self.funnel.una_word.next = self.control_ram.read_data.val().una.get_bits::<2>(4);
        self.named.has_bitmap.next = self.has_bitmap.val() & !self.op_status.unheard.val();
        self.named.bitmap.next = self.funnel.moved.val();
        self.named.has_psn.next = self.has_psn.val();
        self.named.psn_place.next = self.distance.psn_place.val();
        self.named.word.next = self.walk.word_now.val();
        self.acked_ram.clk.next = self.clk.val();
        self.acked_ram.read_address.next = self.walk.read_address.val();
        self.acked_ram.write_enable.next = self.walk.valid.val()
            & (self.steps.is_init.val() | (self.steps.is_ack.val() & self.op_status.ok.val()));
        self.acked_ram.write_address.next = self.walk.write_address.val();
        self.acked_ram.write_data.next = self.word.data.val();

        self.word.clk.next = self.clk.val();
        self.word.is_init.next = self.steps.is_init.val();
        self.word.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.word.named.next = self.named.psns.val();
        self.word.stored.next = self.acked_ram.read_data.val();
        self.word.una_above.next = self.walk.una_above.val();
        self.word.cum_above.next = self.walk.cum_above.val();
        self.word.rtx_above.next = self.walk.rtx_above.val();
        self.word.rec_above.next = self.walk.rec_above.val();

        self.pick.clk.next = self.clk.val();
        self.pick.starts.next = self.steps.starts.val();
        self.pick.searches.next = self.steps.is_next_rtx.val() | self.single.val();
        self.pick.of_una.next = self.steps.is_visit.val() | self.steps.is_read.val();
        self.pick.step_5.next = self.step.val().get_bit(4);
        self.pick.scan.next = self.scan.val() & self.taken.held.val().has_sack;
        self.pick.bits_now.next = self.funnel.word.val();
        self.pick.part.next = self.funnel.part.val();
        self.pick.base_place.next = self.distance.base_place.val();
        self.pick.valid.next = self.walk.valid.val();
        self.pick.has.next = self.word.found.val();
        self.pick.first.next = self.word.first.val();
        self.pick.word.next = self.walk.word.val();
        self.pick.una.next = self.control_ram.read_data.val().una;
        self.pick.nxt.next = self.control_ram.read_data.val().nxt;

        self.tally.clk.next = self.clk.val();
        self.tally.step_1.next = self.step.val().get_bit(0);
        self.tally.step_2.next = self.step.val().get_bit(1);
        self.tally.step_4.next = self.step.val().get_bit(3);
        self.tally.step_10.next = self.step.val().get_bit(9);
        self.tally.settle.next = self.steps.settle.val();
        self.tally.is_sent.next = self.steps.is_sent.val();
        self.tally.is_ack.next = self.steps.is_ack.val();
        self.tally.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.tally.is_init.next = self.steps.is_init.val();
        self.tally.initialised.next = self.control_ram.read_data.val().initialised;
        self.tally.ok.next = self.op_status.ok.val();
        self.tally.found.next = self.pick.found.val() & !self.allowance.blocks.val();
        self.tally.enters.next = self.loss.enters.val();
        self.tally.times_out.next = self.loss.times_out.val();
        self.tally.back.next = self.back.val();
        self.tally.valid.next = self.walk.valid.val();
        self.tally.word_lacks.next = self.word.lacks.val();
        self.tally.counted.next = self.walk.counted.val();
        self.tally.newly.next = self.word.acked.val();
        self.tally.landed.next = self.word.landed.val();
        self.tally.stored.next = self.control_ram.read_data.val().in_flight;
        self.tally.after_mark.next = self.order.after_mark.val();

        self.phase.clk.next = self.clk.val();
        self.phase.rst.next = self.rst.val();
        self.phase.step_1.next = self.step.val().get_bit(0);
        self.phase.step_3.next = self.step.val().get_bit(2);
        self.phase.is_visit.next = self.steps.is_visit.val();
        self.phase.now.next = self.taken.held.val().now;
        self.phase.rto.next = self.backoff.limit.val();
        self.backoff.clk.next = self.clk.val();
        self.backoff.starts.next = self.steps.starts.val();
        self.backoff.step_2.next = self.step.val().get_bit(1);
        self.backoff.step_3.next = self.step.val().get_bit(2);
        self.backoff.step_4.next = self.step.val().get_bit(3);
        self.backoff.rto.next = self.rto.val();
        self.backoff.most.next = self.taken.held.val().rto_backoff_max;
        self.backoff.borne.next = self.taken.held.val().max_rto_retx;
        self.backoff.timeouts.next = self.times_ram.read_data.val().timeouts;
        self.accounts.clk.next = self.clk.val();
        self.accounts.step.next = self.step.val();
        self.accounts.done.next = self.steps.done.val();
        self.accounts.is_sent.next = self.steps.is_sent.val();
        self.accounts.is_ack.next = self.steps.is_ack.val();
        self.accounts.is_init.next = self.steps.is_init.val();
        self.accounts.is_visit.next = self.steps.is_visit.val();
        self.accounts.initialised.next = self.control_ram.read_data.val().initialised;
        self.accounts.ok.next = self.op_status.ok.val();
        self.accounts.empty.next = self.cumulative.empty.val();
        self.accounts.moves.next = self.moves.val();
        self.accounts.is_over.next = self.loss.times_out.val() | self.loss.dies.val();
        self.accounts.probe_due.next = self.loss.probe_due.val();
        self.accounts.bytes.next = self.taken.held.val().bytes;
        self.accounts.has_state.next = self.taken.held.val().has_state;
        self.accounts.rcvd.next = self.taken.held.val().rcvd;
        self.accounts.timestamp.next = self.taken.held.val().timestamp;
        self.accounts.now.next = self.taken.held.val().now;
        self.accounts.probe_timeout.next = self.taken.held.val().probe_timeout;
        self.accounts.probe_rtt.next = self.taken.held.val().probe_rtt;
        self.accounts.rto.next = self.backoff.limit.val();
        self.accounts.timeouts_after.next = self.backoff.one_more.val();
        self.accounts.stored_bytes.next = self.bytes_ram.read_data.val();
        self.accounts.stored_time.next = self.times_ram.read_data.val().time;

        self.bytes_ram.clk.next = self.clk.val();
        self.bytes_ram.read_address.next = (bit_cast::<BYTES_ADDRESS, CONN>(self.steps.conn.val()) << 2)
            | bit_cast::<BYTES_ADDRESS, 2>(self.accounts.bytes_read.val());
        self.bytes_ram.write_enable.next = self.accounts.bytes_write.val();
        self.bytes_ram.write_address.next = (bit_cast::<BYTES_ADDRESS, CONN>(self.steps.conn.val()) << 2)
            | bit_cast::<BYTES_ADDRESS, 2>(self.accounts.bytes_written.val());
        self.bytes_ram.write_data.next = self.accounts.bytes_data.val();
        self.times_ram.clk.next = self.clk.val();
        self.times_ram.read_address.next = (bit_cast::<TIME_ADDRESS, CONN>(self.steps.conn.val()) << 1)
            | bit_cast::<TIME_ADDRESS, 1>(self.accounts.time_read.val());
        self.times_ram.write_enable.next = self.accounts.time_write.val();
        self.times_ram.write_address.next = (bit_cast::<TIME_ADDRESS, CONN>(self.steps.conn.val()) << 1)
            | bit_cast::<TIME_ADDRESS, 1>(self.accounts.time_written.val());
        self.times_ram.write_data.next = self.accounts.time_data.val();

        self.loss.clk.next = self.clk.val();
        self.loss.step_2.next = self.step.val().get_bit(1);
        self.loss.step_4.next = self.step.val().get_bit(3);
        self.loss.step_13.next = self.step.val().get_bit(12);
        self.loss.is_ack.next = self.steps.is_ack.val();
        self.loss.is_visit.next = self.steps.is_visit.val();
        self.loss.ok.next = self.op_status.ok.val();
        self.loss.unheard.next = self.op_status.unheard.val();
        self.loss.initialised.next = self.control_ram.read_data.val().initialised;
        self.loss.in_recovery.next = self.control_ram.read_data.val().in_recovery;
        self.loss.probe_out.next = self.control_ram.read_data.val().probe_out;
        self.loss.empty.next = self.cumulative.empty.val();
        self.loss.is_dead.next = self.backoff.is_dead.val();
        self.loss.is_last.next = self.backoff.is_last.val();
        self.loss.turned.next = self.control_ram.read_data.val().phase != self.phase.turn.val();
        self.loss.probe.next = self.taken.held.val().probe;
        self.loss.has_state.next = self.taken.held.val().has_state;
        self.loss.ooo.next = self.taken.held.val().ooo;
        self.loss.ooo_packets.next = self.taken.held.val().ooo_packets;
        self.loss.enabled.next = self.taken.held.val().rules;
        self.loss.reached.next = self.order.reached.val();
        self.loss.equal.next = self.order.equal.val();
        self.loss.ahead.next = self.order.ahead.val();
        self.loss.is_slow.next = self.accounts.is_slow.val();
        self.loss.is_stuck.next = self.accounts.is_stuck.val();
        self.loss.is_silent.next = self.accounts.is_silent.val();
        self.loss.back.next = self.back.val();
        self.loss.lacks.next = self.tally.lacks.val();

        self.renew.clk.next = self.clk.val();
        self.renew.step_11.next = self.step.val().get_bit(10);
        self.renew.is_sent.next = self.steps.is_sent.val();
        self.renew.is_ack.next = self.steps.is_ack.val();
        self.renew.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.renew.is_init.next = self.steps.is_init.val();
        self.renew.recovering.next = self.loss.recovering.val();
        self.renew.enters.next = self.loss.enters.val();
        self.renew.loses.next = self.loss.loses.val();
        self.renew.probe_due.next = self.loss.probe_due.val();
        self.renew.notes.next = self.loss.notes.val();
        self.renew.back.next = self.back.val();
        self.renew.from_una.next = self.back.val() & self.refusal.to_una.val();
        self.renew.from_psn.next = self.back.val() & !self.refusal.goes_on.val();
        self.renew.psn.next = self.taken.held.val().psn;
        self.renew.cum_next.next = self.taken.held.val().cum_next;
        self.renew.moves.next = self.moves.val();
        self.renew.by.next = self.cumulative.by.val();
        self.renew.mark.next = self.order.mark.val();
        self.renew.past.next = self.pick.past.val();
        self.renew.psn_place.next = self.distance.psn_place.val();
        self.renew.stored_una.next = self.control_ram.read_data.val().una;
        self.renew.stored_nxt.next = self.control_ram.read_data.val().nxt;
        self.renew.stored_high.next = self.control_ram.read_data.val().high;
        self.renew.stored_rec_end.next = self.control_ram.read_data.val().rec_end;
        self.renew.stored_rtx.next = self.control_ram.read_data.val().rtx;
        self.renew.stored_recent.next = self.control_ram.read_data.val().recent;
        self.renew.stored_aged.next = self.control_ram.read_data.val().aged;

        self.res_valid.next = self.steps.done.val() & !self.steps.is_visit.val() & !self.steps.is_init.val();
        self.res_conn.next = self.steps.conn.val();
        self.res_status.next = self.op_status.status.val();
        self.res_psn.next = self.pick.psn.val();
        if self.steps.is_ack.val() {
            self.res_psn.next = self.renew.una.val();
        }
        self.res_snd_nxt.next = self.pick.snd_nxt.val();
        self.res_acked.next = self.tally.acked.val();
        self.res_in_flight.next = self.tally.in_flight.val();
        self.res_bytes_in_flight.next = self.accounts.in_flight.val();
        self.res_bytes_acked.next = self.accounts.acked_bytes.val();
        self.res_in_recovery.next = self.loss.in_recovery_after.val();
        self.res_rtt_valid.next = self.steps.done.val() & self.steps.is_ack.val() & self.op_status.ok.val();
        self.res_rtt.next = self.accounts.rtt.val();
        self.loss_ooo.next = self.steps.done.val() & self.loss.enters_ooo.val();
        self.loss_probe.next = self.steps.done.val() & self.loss.enters_probe.val();
        self.loss_timeout.next = self.steps.done.val() & self.loss.loses.val();
        self.loss_nack.next = self.steps.done.val() & self.back.val();
        self.retransmit.next = self.steps.done.val() & self.single.val() & self.pick.found.val();
        self.ack_request.next = self.steps.done.val() & self.loss.times_out.val() & !self.tally.lacks.val();
        self.dead.next = self.steps.done.val() & self.loss.dies.val();
        self.probe_due.next = self.steps.done.val() & self.loss.probe_due.val();
        self.recovery_left.next = self.steps.done.val() & self.loss.leaves.val();
    }
}
