//! The wires between the ports and parts of the engine.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::Small;

impl<
    const CONN: usize,
    const WORD_ADDRESS: usize,
    const BYTES_ADDRESS: usize,
    const TIME_ADDRESS: usize,
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> Logic
    for Small<
        CONN,
        WORD_ADDRESS,
        BYTES_ADDRESS,
        TIME_ADDRESS,
        PACKETS,
        PACKETS_DIFFERENCE,
        SEGMENTS,
        WORDS,
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
        self.steps.refused.next = !self.op_status.ok.val();
        self.steps.last_word.next = self.walk.last_word.val();
        self.op_ready.next = self.steps.ready.val();
        self.step.next = self.steps.step.val();

        self.taken.clk.next = self.clk.val();
        self.taken.starts.next = self.steps.starts.val();
        self.taken.op.next.psn = self.op_psn.val();
        self.taken.op.next.bytes = self.op_bytes.val();
        self.taken.op.next.epsn = self.op_epsn.val();
        self.taken.op.next.base = self.op_base.val();
        self.taken.op.next.bitmap = self.op_bitmap.val();
        self.taken.op.next.ooo = self.op_ooo.val();
        self.taken.op.next.bytes_recvd = self.op_bytes_recvd.val();
        self.taken.op.next.timestamp = self.op_timestamp.val();
        self.taken.op.next.probe = self.op_probe.val();
        self.taken.op.next.now = self.now.val();
        self.taken.op.next.cwnd_packets = self.cwnd_packets.val();
        self.taken.op.next.probe_timeout = self.probe_timeout.val();
        self.taken.op.next.probe_rtt = self.probe_rtt.val();
        self.taken.op.next.rto_backoff_max = self.rto_backoff_max.val();

        self.changed.next = self.steps.done.val()
            & (!self.steps.is_read.val() | self.steps.is_close.val())
            & (self.op_status.ok.val() | self.steps.is_visit.val() | self.steps.is_init.val());
        if self.steps.is_visit.val() & !self.rules.timeout.val() & !self.rules.probe_due.val() {
            self.changed.next = false;
        }
        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.steps.conn.val();
        self.control_ram.write_enable.next = self.changed.val() | self.steps.clearing.val();
        self.control_ram.write_address.next = self.steps.conn.val();
        self.control_ram.write_data.next.initialised =
            !(self.steps.clearing.val() | self.steps.is_close.val());
        self.control_ram.write_data.next.in_recovery =
            self.rules.in_recovery_after.val() & !self.steps.is_init.val();
        self.control_ram.write_data.next.probe_out = (self.control_ram.read_data.val().probe_out
            | self.rules.probe_due.val())
            & !self.rules.timeout.val()
            & !self.steps.is_sack.val()
            & !self.steps.is_init.val();
        self.control_ram.write_data.next.una = self.renew.una.val();
        self.control_ram.write_data.next.nxt = self.renew.nxt.val();
        self.control_ram.write_data.next.high = self.renew.high.val();
        self.control_ram.write_data.next.rec_end = self.renew.rec_end.val();
        self.control_ram.write_data.next.rtx = self.renew.rtx.val();
        self.control_ram.write_data.next.in_flight = self.tally.in_flight.val();

        self.distance.clk.next = self.clk.val();
        self.distance.step_2.next = self.step.val().get_bit(1);
        self.distance.step_3.next = self.step.val().get_bit(2);
        self.distance.step_4.next = self.step.val().get_bit(3);
        self.distance.is_sack.next = self.steps.is_sack.val();
        self.distance.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.distance.una.next = self.control_ram.read_data.val().una;
        self.distance.psn.next = self.taken.held.val().psn;
        self.distance.epsn.next = self.taken.held.val().epsn;
        self.distance.base.next = self.taken.held.val().base;

        self.order.clk.next = self.clk.val();
        self.order.step_2.next = self.step.val().get_bit(1);
        self.order.step_3.next = self.step.val().get_bit(2);
        self.order.step_5.next = self.step.val().get_bit(4);
        self.order.step_7.next = self.step.val().get_bit(6);
        self.order.step_12.next = self.step.val().get_bit(11);
        self.order.keep.next = (self.step.val().get_bit(5) & self.pick.found.val())
            | self.step.val().get_bit(7)
            | (self.step.val().get_bit(12) & self.rules.proves.val());
        self.order.place.next = self.distance.place.val();
        self.order.nxt.next = self.control_ram.read_data.val().nxt;
        self.order.stored_high.next = self.control_ram.read_data.val().high;
        self.order.rec_end.next = self.control_ram.read_data.val().rec_end;
        self.order.top.next = self.pick.past.val();

        self.op_status.clk.next = self.clk.val();
        self.op_status.step_3.next = self.step.val().get_bit(2);
        self.op_status.step_7.next = self.step.val().get_bit(6);
        self.op_status.settle.next = self.steps.settle.val();
        self.op_status.is_sent.next = self.steps.is_sent.val();
        self.op_status.is_sack.next = self.steps.is_sack.val();
        self.op_status.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.op_status.is_read.next = self.steps.is_read.val();
        self.op_status.initialised.next = self.control_ram.read_data.val().initialised;
        self.op_status.una_low.next = bit_cast::<6, PSN>(self.control_ram.read_data.val().una);
        self.op_status.nxt.next = self.control_ram.read_data.val().nxt;
        self.op_status.below.next = self.distance.below.val();
        self.op_status.far.next = self.distance.far.val();
        self.op_status.reached.next = self.order.reached.val();
        self.op_status.equal.next = self.order.equal.val();
        self.op_status.base_bad.next = self.distance.base_bad.val();
        self.op_status.beyond.next = self.pick.beyond.val();
        self.op_status.contradicts.next = self.contradiction.contradicts.val();
        self.op_status.found.next = self.pick.found.val();

        self.scan.next = self.steps.is_sack.val()
            & (self.step.val().get_bit(0)
                | self.step.val().get_bit(1)
                | self.step.val().get_bit(2)
                | self.step.val().get_bit(3));
        self.walk.clk.next = self.clk.val();
        self.walk.rst.next = self.rst.val();
        self.walk.starts.next = self.steps.starts.val();
        self.walk.start.next = (self.steps.is_sack.val() & self.step.val().get_bit(4))
            | ((self.steps.is_next_rtx.val() | self.steps.is_init.val()) & self.step.val().get_bit(0));
        self.walk.scan.next = self.scan.val();
        self.walk.stop.next = self.step.val().get_bit(7) & !self.op_status.ok.val();
        self.walk.conn.next = self.steps.conn.val();
        self.walk.is_sack.next = self.steps.is_sack.val();
        self.walk.is_init.next = self.steps.is_init.val();
        self.walk.segments.next = self.distance.segments.val();
        self.walk.base_segment.next = self.distance.base_segment.val();
        self.walk.recovering.next = self.rules.recovering_now.val();
        self.walk.una.next = self.control_ram.read_data.val().una;
        self.walk.epsn_low.next = bit_cast::<6, PSN>(self.taken.held.val().epsn);
        self.walk.rtx.next = self.control_ram.read_data.val().rtx;
        self.walk.rec_end.next = self.control_ram.read_data.val().rec_end;

        self.acked_ram.clk.next = self.clk.val();
        self.acked_ram.read_address.next = self.walk.read_address.val();
        self.acked_ram.write_enable.next = self.walk.valid.val()
            & (self.steps.is_init.val() | (self.steps.is_sack.val() & self.op_status.ok.val()));
        self.acked_ram.write_address.next = self.walk.write_address.val();
        self.acked_ram.write_data.next = self.word.data.val();

        self.sack_bits.next = self.taken.held.val().bitmap.get_bits::<16>(0);
        if self.walk.part.val() == 1 {
            self.sack_bits.next = self.taken.held.val().bitmap.get_bits::<16>(16);
        }
        if self.walk.part.val() == 2 {
            self.sack_bits.next = self.taken.held.val().bitmap.get_bits::<16>(32);
        }
        if self.walk.part.val() == 3 {
            self.sack_bits.next = self.taken.held.val().bitmap.get_bits::<16>(48);
        }
        self.contradiction.clk.next = self.clk.val();
        self.contradiction.scan.next = self.scan.val();
        self.contradiction.sack_bits.next = self.sack_bits.val();
        self.contradiction.part.next = self.walk.part.val();
        self.contradiction.epsn_low.next = bit_cast::<6, PSN>(self.taken.held.val().epsn);
        self.contradiction.epsn_segment.next = self.distance.segments.val();
        self.contradiction.base_segment.next = self.distance.base_segment.val();

        self.word.clk.next = self.clk.val();
        self.word.is_init.next = self.steps.is_init.val();
        self.word.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.word.sack_bits.next = self.sack_bits.val();
        self.word.stored.next = self.acked_ram.read_data.val();
        self.word.in_base.next = self.walk.in_base.val();
        self.word.una_above.next = self.walk.una_above.val();
        self.word.epsn_above.next = self.walk.epsn_above.val();
        self.word.rtx_above.next = self.walk.rtx_above.val();
        self.word.rec_above.next = self.walk.rec_above.val();

        self.pick.clk.next = self.clk.val();
        self.pick.starts.next = self.steps.starts.val();
        self.pick.is_sack.next = self.steps.is_sack.val();
        self.pick.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.pick.of_una.next = self.steps.is_visit.val() | self.steps.is_read.val();
        self.pick.step_5.next = self.step.val().get_bit(4);
        self.pick.scan.next = self.scan.val();
        self.pick.sack_bits.next = self.sack_bits.val();
        self.pick.part.next = self.walk.part.val();
        self.pick.base_segment.next = self.distance.base_segment.val();
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
        self.tally.step_7.next = self.step.val().get_bit(6);
        self.tally.settle.next = self.steps.settle.val();
        self.tally.is_sent.next = self.steps.is_sent.val();
        self.tally.is_sack.next = self.steps.is_sack.val();
        self.tally.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.tally.is_init.next = self.steps.is_init.val();
        self.tally.initialised.next = self.control_ram.read_data.val().initialised;
        self.tally.ok.next = self.op_status.ok.val();
        self.tally.found.next = self.pick.found.val();
        self.tally.enters.next = self.rules.enters.val();
        self.tally.timeout.next = self.rules.timeout.val();
        self.tally.counted.next = self.walk.counted.val();
        self.tally.newly.next = self.word.acked.val();
        self.tally.landed.next = self.word.landed.val();
        self.tally.stored.next = self.control_ram.read_data.val().in_flight;
        self.tally.after_mark.next = self.order.after_mark.val();

        self.accounts.clk.next = self.clk.val();
        self.accounts.step.next = self.step.val();
        self.accounts.done.next = self.steps.done.val();
        self.accounts.is_sent.next = self.steps.is_sent.val();
        self.accounts.is_sack.next = self.steps.is_sack.val();
        self.accounts.is_init.next = self.steps.is_init.val();
        self.accounts.is_visit.next = self.steps.is_visit.val();
        self.accounts.initialised.next = self.control_ram.read_data.val().initialised;
        self.accounts.ok.next = self.op_status.ok.val();
        self.accounts.empty.next = self.op_status.empty.val();
        self.accounts.moved.next = self.distance.moved.val();
        self.accounts.timeout.next = self.rules.timeout.val();
        self.accounts.probe_due.next = self.rules.probe_due.val();
        self.accounts.bytes.next = self.taken.held.val().bytes;
        self.accounts.bytes_recvd.next = self.taken.held.val().bytes_recvd;
        self.accounts.timestamp.next = self.taken.held.val().timestamp;
        self.accounts.now.next = self.taken.held.val().now;
        self.accounts.probe_timeout.next = self.taken.held.val().probe_timeout;
        self.accounts.probe_rtt.next = self.taken.held.val().probe_rtt;
        self.accounts.rto.next = self.backoff.limit.val();
        self.accounts.timeouts_after.next = self.backoff.one_more.val();
        self.accounts.stored_bytes.next = self.bytes_ram.read_data.val();
        self.accounts.stored_time.next = self.times_ram.read_data.val().time;
        self.backoff.clk.next = self.clk.val();
        self.backoff.starts.next = self.steps.starts.val();
        self.backoff.step_2.next = self.step.val().get_bit(1);
        self.backoff.step_3.next = self.step.val().get_bit(2);
        self.backoff.step_4.next = self.step.val().get_bit(3);
        self.backoff.rto.next = self.rto.val();
        self.backoff.most.next = self.taken.held.val().rto_backoff_max;
        self.backoff.timeouts.next = self.times_ram.read_data.val().timeouts;

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

        self.rules.clk.next = self.clk.val();
        self.rules.step_2.next = self.step.val().get_bit(1);
        self.rules.step_4.next = self.step.val().get_bit(3);
        self.rules.step_13.next = self.step.val().get_bit(12);
        self.rules.is_sack.next = self.steps.is_sack.val();
        self.rules.is_visit.next = self.steps.is_visit.val();
        self.rules.ok.next = self.op_status.ok.val();
        self.rules.initialised.next = self.control_ram.read_data.val().initialised;
        self.rules.in_recovery.next = self.control_ram.read_data.val().in_recovery;
        self.rules.probe_out.next = self.control_ram.read_data.val().probe_out;
        self.rules.empty.next = self.op_status.empty.val();
        self.rules.probe.next = self.taken.held.val().probe;
        self.rules.ooo.next = self.taken.held.val().ooo;
        self.rules.cwnd_packets.next = self.taken.held.val().cwnd_packets;
        self.rules.reached.next = self.order.reached.val();
        self.rules.equal.next = self.order.equal.val();
        self.rules.ahead.next = self.order.ahead.val();
        self.rules.is_slow.next = self.accounts.is_slow.val();
        self.rules.is_stuck.next = self.accounts.is_stuck.val();
        self.rules.is_silent.next = self.accounts.is_silent.val();

        self.renew.clk.next = self.clk.val();
        self.renew.is_sent.next = self.steps.is_sent.val();
        self.renew.is_sack.next = self.steps.is_sack.val();
        self.renew.is_next_rtx.next = self.steps.is_next_rtx.val();
        self.renew.is_init.next = self.steps.is_init.val();
        self.renew.recovering.next = self.rules.recovering.val();
        self.renew.enters.next = self.rules.enters.val();
        self.renew.timeout.next = self.rules.timeout.val();
        self.renew.probe_due.next = self.rules.probe_due.val();
        self.renew.psn.next = self.taken.held.val().psn;
        self.renew.epsn.next = self.taken.held.val().epsn;
        self.renew.segments.next = self.distance.segments.val();
        self.renew.mark.next = self.order.mark.val();
        self.renew.past.next = self.pick.past.val();
        self.renew.stored_una.next = self.control_ram.read_data.val().una;
        self.renew.stored_nxt.next = self.control_ram.read_data.val().nxt;
        self.renew.stored_high.next = self.control_ram.read_data.val().high;
        self.renew.stored_rec_end.next = self.control_ram.read_data.val().rec_end;
        self.renew.stored_rtx.next = self.control_ram.read_data.val().rtx;

        self.res_valid.next = self.steps.done.val() & !self.steps.is_visit.val() & !self.steps.is_init.val();
        self.res_conn.next = self.steps.conn.val();
        self.res_status.next = self.op_status.status.val();
        self.res_psn.next = self.pick.psn.val();
        self.res_snd_nxt.next = self.pick.snd_nxt.val();
        self.res_acked.next = self.tally.acked.val();
        self.res_in_flight.next = self.tally.in_flight.val();
        self.res_bytes_in_flight.next = self.accounts.in_flight.val();
        self.res_bytes_acked.next = self.accounts.acked_bytes.val();
        self.res_in_recovery.next = self.rules.in_recovery_after.val();
        self.res_rtt_valid.next = self.steps.done.val() & self.steps.is_sack.val() & self.op_status.ok.val();
        self.res_rtt.next = self.accounts.rtt.val();
        self.loss_ooo.next = self.steps.done.val() & self.rules.enters_ooo.val();
        self.loss_probe.next = self.steps.done.val() & self.rules.enters_probe.val();
        self.loss_timeout.next = self.steps.done.val() & self.rules.timeout.val();
        self.probe_due.next = self.steps.done.val() & self.rules.probe_due.val();
        self.recovery_left.next = self.steps.done.val() & self.rules.leaves.val();
    }
}
