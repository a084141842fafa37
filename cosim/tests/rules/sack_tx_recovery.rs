//! Recovery and probes of the sender's scoreboard where 004 section 3.3.2 is short: what begins and ends a recovery, which probe counts,
//! and what of it a SACK that is refused changes. Each rule is a sentence of the page of `sack_tx`.

use respray_cosim::cores::sack_tx::SackTxCore;
use respray_golden::psn::PsnSpace;

use super::{WIRES, holds, lines};

/// Fields of a line behind `now,op,conn`: what the op brings, the settings, and what is expected.
const COLUMNS: &str = "psn,bytes,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,idle,probe_timeout,probe_rtt,rto,\
                       expect_status,expect_psn,expect_in_flight,expect_in_recovery,expect_loss_ooo,expect_loss_probe,\
                       expect_recovery_left,expect_bytes_acked";

/// Edges in which the walker goes round all connections more than once.
const ROUND: &str = "idle=300";

/// A line of these fields, each as `column=value`; those that are not named are empty.
fn line(now: u32, op: &str, fields: &str) -> String {
    let given: Vec<(&str, &str)> =
        fields.split_whitespace().map(|field| field.split_once('=').expect("column=value")).collect();
    let columns: Vec<&str> = COLUMNS.split(',').collect();
    assert!(given.iter().all(|(name, _)| columns.contains(name)), "{fields}");
    let value = |column: &&str| given.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value);
    let values: Vec<&str> = columns.iter().map(value).collect();
    format!("{now},{op},0,{}", values.join(","))
}

/// A rule in both engines, with a window of 64 packets, in which nothing times out unless a line says so. Where PSNs have 32 bits it
/// is followed in `small` alone, as what they widen is in parts that both engines share.
fn rule(wire: &str, text: Vec<String>) {
    let quiet = "# respray: cwnd_packets=4 probe_timeout=65535 probe_rtt=0 rto=65535\n";
    let text = lines(&format!("{quiet}now,op,conn,{COLUMNS}"), text);
    for engine in ["sack.engine=small", "sack.engine=fast"] {
        if engine == "sack.engine=small" || wire == WIRES[0].0 {
            holds::<SackTxCore>(&text, &["sack.window=64", engine, wire]);
        }
    }
}

/// PSNs counted from the first one, which lies so far before the wrap.
#[derive(Clone, Copy)]
struct Psns {
    space: PsnSpace,
    first: u32,
}

impl Psns {
    fn of(self, n: u32) -> u32 {
        self.space.add(self.first, n)
    }

    /// The connection begins with this many packets of 100 bytes.
    fn begin(self, packets: u32) -> Vec<String> {
        let mut text = vec![line(0, "init", &format!("psn={}", self.first))];
        text.extend((0..packets).map(|n| self.sent(0, n)));
        text
    }

    fn sent(self, now: u32, n: u32) -> String {
        line(now, "sent", &format!("psn={} bytes=100 expect_status=0", self.of(n)))
    }

    /// A SACK with EPSN `epsn` that shows `received`, all of the segment of the first of them.
    fn sack(self, now: u32, epsn: u32, received: &[u32], fields: &str) -> String {
        let place = self.of(*received.first().unwrap_or(&epsn));
        let base = place - place % 64;
        let bits = received.iter().map(|&n| 1_u64 << self.space.distance(base, self.of(n)));
        let bitmap: u64 = bits.sum();
        line(now, "sack", &format!("epsn={} base={base} bitmap={bitmap:#x} {fields}", self.of(epsn)))
    }

    /// `next_rtx` gives these, and then nothing.
    fn handed_out(self, now: u32, all: &[u32]) -> Vec<String> {
        let given =
            all.iter().map(|&n| line(now, "next_rtx", &format!("expect_status=0 expect_psn={}", self.of(n))));
        given.chain([line(now, "next_rtx", "expect_status=1")]).collect()
    }
}

/// PSNs of both widths from so many before the wrap on.
fn before_wrap(n: u32) -> [(&'static str, Psns); 2] {
    WIRES.map(|(wire, space)| (wire, Psns { space, first: space.sub(0, n) }))
}

/// Rule 1 holds for lost what is not acknowledged from EPSN to the highest PSN received. EPSN itself is not received, whatever a
/// SACK before said, so there is no such range where nothing above it was.
#[test]
fn nothing_received_above_epsn_is_no_loss_whatever_the_count() {
    for (wire, psns) in [0, 1, 2, 40].map(before_wrap).into_iter().flatten() {
        let quiet = "ooo=9 expect_status=0 expect_in_recovery=0 expect_loss_ooo=0 expect_loss_probe=0";
        let mut text = psns.begin(2);
        text.push(psns.sack(0, 0, &[1], "ooo=1 expect_status=0 expect_in_flight=1"));
        text.push(psns.sack(0, 1, &[], &format!("{quiet} expect_in_flight=0")));
        text.extend(psns.handed_out(0, &[]));
        // the count alone says nothing either
        text.extend([psns.sent(0, 2), psns.sack(0, 2, &[], quiet), psns.sack(0, 3, &[], quiet)]);
        // with one above EPSN there is a loss, and what earlier SACKs showed as received is not sent again
        text.extend((3..9).map(|n| psns.sent(0, n)));
        text.push(psns.sack(0, 3, &[4, 5, 7], "ooo=3 expect_status=0"));
        text.push(psns.sack(0, 4, &[], "ooo=9 expect_status=0 expect_loss_ooo=1 expect_in_recovery=1"));
        text.extend(psns.handed_out(0, &[6]));
        rule(wire, text);
    }
}

/// A SACK that leaves recovery and answers the probe at once: the range of rule 2 is what is left of the recovery's, which is
/// nothing, and what was received above EPSN. What was sent after the recovery's range is not held for lost.
#[test]
fn an_answer_that_ends_recovery_proves_a_loss_only_below_what_was_received() {
    for (wire, psns) in before_wrap(62) {
        for (received, lost) in [(&[][..], &[][..]), (&[11][..], &[9, 10][..])] {
            let mut text = psns.begin(9);
            text.push(psns.sack(
                0,
                0,
                &[1, 2, 3, 4, 5, 6, 8],
                "ooo=7 expect_loss_ooo=1 expect_in_recovery=1",
            ));
            text.extend((9..13).map(|n| psns.sent(0, n)));
            text.extend(psns.handed_out(0, &[0, 7]));
            text.push(line(400, "read", &format!("{ROUND} probe_timeout=300 expect_in_recovery=1")));
            let proves = u32::from(!lost.is_empty());
            let fields = format!(
                "timestamp=400 probe=1 probe_rtt=100 expect_recovery_left=1 expect_loss_probe={proves} \
                 expect_in_recovery={proves}"
            );
            text.push(psns.sack(450, 9, received, &fields));
            text.extend(psns.handed_out(450, lost));
            rule(wire, text);
        }
    }
}

/// Of two probes the second one counts: what was sent before it is held for lost. The answer of the first is late, as
/// `probe_timeout` is above `probe_rtt`; else it would prove a loss of what was sent after it.
#[test]
fn of_two_probes_the_second_one_counts() {
    for (wire, psns) in before_wrap(2) {
        let two_probes = || {
            let mut text = psns.begin(4);
            text.push(line(300, "read", &format!("{ROUND} probe_timeout=300")));
            text.push(psns.sent(300, 4));
            text.push(line(600, "read", &format!("{ROUND} probe_timeout=300")));
            text.push(psns.sent(600, 5));
            text
        };
        let answer = |now, of: u32, probe_rtt: u32, proves: u32| {
            let fields = format!(
                "timestamp={of} probe=1 probe_timeout=300 probe_rtt={probe_rtt} expect_loss_probe={proves}"
            );
            psns.sack(now, 0, &[], &fields)
        };
        let mut second = two_probes();
        second.push(answer(650, 600, 299, 1));
        second.extend(psns.handed_out(650, &[0, 1, 2, 3, 4]));
        rule(wire, second);
        // an answer of the first cancels the second
        let mut first = two_probes();
        first.extend([answer(650, 300, 299, 0), answer(660, 600, 299, 0)]);
        rule(wire, first);
        let mut taken_for_the_second = two_probes();
        taken_for_the_second.push(answer(650, 300, 350, 1));
        taken_for_the_second.extend(psns.handed_out(650, &[0, 1, 2, 3, 4]));
        rule(wire, taken_for_the_second);
    }
}

/// Recovery is left by EPSN alone, which a receiver moves over all that it has: not by what bitmaps show, and by nothing that was
/// sent after the range.
#[test]
fn recovery_is_left_when_epsn_passes_the_range() {
    for (wire, psns) in before_wrap(62) {
        let stays = "expect_in_recovery=1 expect_recovery_left=0";
        let mut text = psns.begin(9);
        text.push(psns.sack(0, 0, &[1, 2, 3, 4, 5, 6, 8], "ooo=7 expect_loss_ooo=1"));
        text.extend((9..13).map(|n| psns.sent(0, n)));
        text.extend(psns.handed_out(0, &[0, 7]));
        // bitmaps have shown all of the range but EPSN
        text.push(psns.sack(0, 0, &[7, 9, 10, 11], stays));
        text.push(psns.sack(0, 8, &[], stays));
        text.push(psns.sack(0, 9, &[], "expect_in_recovery=0 expect_recovery_left=1 expect_in_flight=1"));
        text.push(psns.sack(0, 13, &[], "expect_in_recovery=0 expect_recovery_left=0"));
        rule(wire, text);
    }
}

/// `next_rtx` gives the lowest PSN of the range that is not acknowledged and was not given yet: over segments and the wrap, behind
/// what a SACK moved, and from the beginning where recovery starts anew.
#[test]
fn the_lowest_psn_is_handed_out_first() {
    for (wire, psns) in before_wrap(40) {
        let given = |n: u32| line(0, "next_rtx", &format!("expect_status=0 expect_psn={}", psns.of(n)));
        let mut text = psns.begin(64);
        text.push(psns.sack(0, 3, &[4, 6, 7, 8, 9, 20], "ooo=6 expect_loss_ooo=1"));
        text.extend([given(3), given(5), given(10)]);
        // what a SACK shows meanwhile is left out, and what lies below its EPSN
        text.push(psns.sack(0, 3, &[11, 12], ""));
        text.push(given(13));
        text.push(psns.sack(0, 16, &[17], ""));
        text.extend(psns.handed_out(0, &[16, 18, 19]));
        text.push(psns.sack(0, 16, &[41, 42, 60], ""));
        // the timeout begins anew, with all that was sent
        let from = |n: u32| format!("{ROUND} rto=1000 expect_status=0 expect_psn={}", psns.of(n));
        text.push(line(1000, "next_rtx", &from(16)));
        let rest: Vec<u32> = (18..64).filter(|n| ![20, 41, 42, 60].contains(n)).collect();
        text.extend(psns.handed_out(1000, &rest));
        rule(wire, text);
    }
}

/// A SACK that is refused is no word of the connection: a probe that is out stays out, and its timer goes on. Line 10 of Algorithm 1
/// looks at the bytes acknowledged, of which it brings none. One that is taken cancels the probe, even if it moves nothing.
#[test]
fn a_refused_sack_cancels_no_probe() {
    let psns = Psns { space: WIRES[0].1, first: 64 };
    let answered = |others: &[String], proves: u32| {
        let mut text = psns.begin(6);
        text.push(psns.sack(0, 2, &[], "expect_status=0"));
        text.push(line(400, "read", &format!("{ROUND} probe_timeout=300")));
        text.extend(others.iter().cloned());
        let fields =
            format!("timestamp=400 probe=1 probe_rtt=100 expect_status=0 expect_loss_probe={proves}");
        text.push(psns.sack(450, 2, &[], &fields));
        rule(WIRES[0].0, text);
    };
    let refused = [
        psns.sack(440, 1, &[], "expect_status=1"),
        psns.sack(440, 7, &[], "expect_status=2"),
        line(440, "sack", "epsn=66 base=65 expect_status=3"),
        psns.sack(440, 2, &[6], "expect_status=4"),
        psns.sack(440, 2, &[2], "expect_status=5"),
        // with the bit of a probe, too, and in time
        psns.sack(440, 1, &[], "timestamp=400 probe=1 probe_rtt=100 expect_status=1 expect_loss_probe=0"),
    ];
    answered(&[], 1);
    answered(&refused, 1);
    answered(&[psns.sack(440, 2, &[], "expect_status=0")], 0);
    answered(&[psns.sack(440, 2, &[4], "expect_status=0")], 0);

    // the timer of the probe goes on: it is due 300 ticks after the SACK that was taken, at 0
    let mut text = psns.begin(6);
    text.push(psns.sack(0, 2, &[], "expect_status=0"));
    text.push(psns.sack(299, 1, &[], "expect_status=1 probe_timeout=300"));
    text.push(line(300, "read", &format!("{ROUND} probe_timeout=300")));
    text.push(psns.sack(
        310,
        2,
        &[],
        "timestamp=300 probe=1 probe_rtt=100 expect_status=0 expect_loss_probe=1",
    ));
    rule(WIRES[0].0, text);
}

/// Bytes newly acknowledged are those by which the bytes in flight fall, 2^20 - 1 for all above.
#[test]
fn bytes_newly_acknowledged_are_those_that_are_no_longer_in_flight() {
    let psns = Psns { space: WIRES[0].1, first: 0 };
    let mut text = vec![line(0, "init", "psn=0")];
    text.extend((0..60).map(|psn| line(0, "sent", &format!("psn={psn} bytes=60000"))));
    for (recvd, acked) in
        [(70_000_u32, 70_000_u32), (69_999, 0), (1_118_575, 1_048_575), (3_600_000, 1_048_575), (0, 0)]
    {
        text.push(psns.sack(
            0,
            0,
            &[],
            &format!("bytes_recvd={recvd} expect_status=0 expect_bytes_acked={acked}"),
        ));
    }
    rule(WIRES[0].0, text);
}

/// The count of 16 ops in a row after which the walker visits begins anew with `rst`, whatever was counted before. The visit finds the
/// timeout of connection 0, where the walker begins.
#[test]
fn a_reset_begins_the_count_of_ops_in_a_row_anew() {
    let op = |now: u32, op: &str, fields: &str| line(now, op, &format!("rto=5 {fields}"));
    for before in [0, 1, 9, 15, 16, 17] {
        let mut text = vec![line(0, "init", "psn=0")];
        text.extend((1..before).map(|_| line(0, "read", "")));
        text.push(format!(",reset,,{}", ",".repeat(COLUMNS.split(',').count() - 1)));
        text.extend([op(0, "init", "psn=0"), op(0, "sent", "psn=0 expect_status=0")]);
        text.extend((2..16).map(|_| op(9, "read", "expect_in_recovery=0")));
        text.push(op(9, "read", "expect_in_recovery=1"));
        rule(WIRES[0].0, text);
    }
}
