//! Connections that are closed in the midst of everything: what is refused from then on, what ends with them, what of them still leaves, and
//! that others go on.

use respray_cosim::nic::{Difference, End, Given};
use respray_golden::hosts::frames::{self, Data};
use respray_golden::nic::{Command, Counter, Kind, Nic, Sent};
use respray_golden::paths;

use super::{Block, FIRST_PSN, config, config_with, write};
use crate::nic::joints::{Fault, faulty};

/// The connection that is closed, and one that goes on.
const CLOSED: u16 = 0;
const OTHER: u16 = 1;
/// Cycles in which frames go through the block and their answers come back.
const SOON: u64 = 800;
/// Ticks of `sack_tx`, of 16 cycles, and cycles behind several probes and timeouts.
const PROBE_TIMEOUT: u32 = 40;
const RTO: u32 = 100;
const LONG: u64 = 16 * 8 * RTO as u64;

/// A block with both connections open, and the golden one at the other end.
struct Bench {
    end: End,
    peer: Nic,
    /// What left and was told since it was last asked for.
    left: Vec<(Vec<u8>, Sent)>,
    told: Vec<(u32, Kind)>,
}

impl Bench {
    fn new(block: &Block) -> Result<Bench, Difference> {
        let (end, peer) = (block.end(), Nic::new(block.golden()));
        let mut bench = Bench { end, peer, left: Vec::new(), told: Vec::new() };
        for (name, value) in
            [("sack_threshold", 0), ("sack_prescale", 4), ("probe_timeout", 0xffff), ("rto", 0xffff)]
        {
            bench.write(name, value)?;
        }
        for conn in [CLOSED, OTHER] {
            for command in [Command::OpenTx, Command::OpenRx] {
                bench.give(command, conn, FIRST_PSN)?;
            }
        }
        Ok(bench)
    }

    /// A register of both ends.
    fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        self.peer.advance(self.end.cycle());
        write(&mut self.end, &mut self.peer, name, value)
    }

    /// A command at both ends.
    fn give(&mut self, command: Command, conn: u16, psn: u32) -> Result<(), Difference> {
        for (name, value) in
            [("command_conn", conn.into()), ("command_psn", psn), ("command", command as u32)]
        {
            self.write(name, value)?;
        }
        Ok(())
    }

    /// A command at the block alone.
    fn close(&mut self, command: Command) -> Result<(), Difference> {
        self.end.write("command_conn", CLOSED.into())?;
        self.end.write("command", command as u32)
    }

    /// Packets of a connection, with PSNs from the first one on.
    fn frames(&self, from: paths::End, conn: u16, psns: std::ops::Range<u32>) -> Vec<Vec<u8>> {
        let profile = self.end.golden().config().profile;
        let data =
            |psn| Data { from, conn, psn: FIRST_PSN + psn, bytes: 100, ack_request: false, again: false };
        psns.map(|psn| frames::data(profile, &data(psn))).collect()
    }

    fn send(&mut self, conn: u16, psns: std::ops::Range<u32>) {
        for bytes in self.frames(paths::End::A, conn, psns) {
            self.end.send(Given { bytes, user: false });
        }
    }

    fn receive(&mut self, conn: u16, psns: std::ops::Range<u32>) {
        for bytes in self.frames(paths::End::B, conn, psns) {
            self.end.receive(Given { bytes, user: false });
        }
    }

    fn steps(&mut self, cycles: u64) -> Result<(), Difference> {
        for _ in 0..cycles {
            self.end.step()?;
        }
        let out = std::mem::take(&mut self.end.out);
        self.left.extend(out.transmitted.into_iter().map(|sent| (sent.frame, sent.sent)));
        self.told.extend(out.events.into_iter().map(|event| (event.conn, event.kind)));
        Ok(())
    }

    /// The peer gets what left, and its answers come back.
    fn answer(&mut self) -> Result<(), Difference> {
        self.peer.advance(self.end.cycle());
        for (frame, _) in self.left.drain(..) {
            self.peer.receive(frame, false);
        }
        while let Some(answer) = self.peer.transmit() {
            self.end.receive(Given { bytes: answer.frame, user: false });
        }
        while self.peer.event().is_some() || self.peer.deliver().is_some() {}
        self.steps(SOON)
    }

    /// What left, by kind: data, SACKs, probes.
    fn left(&mut self) -> [usize; 3] {
        let mut count = [0; 3];
        for (_, sent) in self.left.drain(..) {
            match sent {
                Sent::Data { .. } => count[0] += 1,
                Sent::Sack => count[1] += 1,
                Sent::Probe { .. } => count[2] += 1,
                Sent::Other => {}
            }
        }
        count
    }

    /// What was told of a connection, and how often.
    fn told(&mut self, conn: u16) -> Vec<(Kind, usize)> {
        let times = |kind: Kind| self.told.iter().filter(|told| **told == (conn.into(), kind)).count();
        let told =
            Kind::ALL.into_iter().map(|kind| (kind, times(kind))).filter(|(_, times)| *times > 0).collect();
        self.told.retain(|(of, _)| *of != u32::from(conn));
        told
    }
}

/// Both ways of a connection are closed, one after the other, while another one goes on, and it is opened anew. With `moment` the command comes
/// so many cycles behind what is on its way.
fn closed(block: &Block, moment: u64) -> Result<(), Difference> {
    let mut bench = Bench::new(block)?;
    // receiving: packets of both are on their way when the command comes, and those behind it are not open
    for conn in [CLOSED, OTHER] {
        bench.receive(conn, 0..6);
    }
    bench.steps(moment)?;
    bench.close(Command::CloseRx)?;
    bench.steps(SOON)?;
    let taken = bench.end.golden().counter(Counter::RxNew);
    assert_eq!(bench.left()[1] as u64, taken, "each packet that was taken in is acknowledged");
    bench.told.clear();
    for conn in [CLOSED, OTHER] {
        bench.receive(conn, 6..9);
    }
    bench.steps(SOON)?;
    assert_eq!(bench.left(), [0, 3, 0], "of the other one alone");
    assert_eq!((bench.told(CLOSED), bench.told(OTHER)), (vec![(Kind::Stray, 3)], vec![]));

    // sending: it goes on until that is closed, too
    for conn in [CLOSED, OTHER] {
        bench.send(conn, 0..6);
    }
    bench.steps(SOON)?;
    let acknowledges = bench.left.len();
    bench.answer()?;
    assert_eq!(acknowledges, 12);
    bench.told.clear();
    for conn in [CLOSED, OTHER] {
        bench.send(conn, 6..10);
    }
    bench.steps(moment)?;
    bench.close(Command::CloseTx)?;
    bench.steps(SOON)?;
    let [left, ..] = bench.left();
    let refused = bench.told(CLOSED).iter().map(|(_, times)| times).sum::<usize>();
    assert_eq!((left + refused, bench.told(OTHER)), (8, vec![]), "each of them leaves or is refused");
    bench.send(CLOSED, 10..12);
    bench.steps(SOON)?;
    assert_eq!((bench.left(), bench.told(CLOSED)), ([0; 3], vec![(Kind::Refused, 2)]));

    // both anew, with other PSNs: nothing of before is known
    bench.give(Command::OpenTx, CLOSED, FIRST_PSN + 50)?;
    bench.give(Command::OpenRx, CLOSED, FIRST_PSN + 50)?;
    bench.send(CLOSED, 50..53);
    bench.receive(CLOSED, 50..53);
    bench.steps(SOON)?;
    assert_eq!(bench.left.len(), 6);
    bench.end.read_connection(CLOSED.into())?;
    bench.end.check_counters()
}

/// Two connections lose all that they sent. Where one of them is closed, then or before, no probe, no timeout and no PSN to be sent again
/// comes of it any more.
fn silent(block: &Block, closes_at: u64) -> Result<(), Difference> {
    let mut bench = Bench::new(block)?;
    bench.write("probe_timeout", PROBE_TIMEOUT)?;
    bench.write("rto", RTO)?;
    for conn in [CLOSED, OTHER] {
        bench.send(conn, 0..20);
    }
    bench.steps(closes_at)?;
    bench.end.around.event_ready = false;
    bench.close(Command::CloseTx)?;
    // where it stood is read of it, and of the next command that it is not open
    for name in
        ["result_status", "result_snd_una", "result_snd_nxt", "result_in_flight", "result_in_recovery"]
    {
        bench.end.check_register(name)?;
    }
    bench.end.around.event_ready = true;
    bench.steps(SOON)?;
    bench.left.clear();
    bench.told.clear();
    bench.steps(LONG)?;
    let [data, sacks, probes] = bench.left();
    assert_eq!((data, sacks, bench.told(CLOSED)), (0, 0, vec![]));
    let told: Vec<Kind> = bench.told(OTHER).into_iter().map(|(kind, _)| kind).collect();
    assert!(
        probes > 2 && told.contains(&Kind::Loss) && told.contains(&Kind::Retransmit),
        "{probes} {told:?}"
    );
    bench.end.read_connection(CLOSED.into())?;
    bench.end.check_counters()
}

/// Moments at which the connections are closed.
const MOMENTS: [u64; 4] = [0, 40, 150, SOON];
/// Before the first timer, behind some probes, and in recovery.
const SILENCES: [u64; 3] = [SOON, 16 * 70, 16 * 150];

fn closes(block: &Block) -> Result<(), Difference> {
    MOMENTS.iter().try_for_each(|moment| closed(block, *moment))?;
    SILENCES.iter().try_for_each(|at| silent(block, *at))
}

#[test]
fn a_connection_that_is_closed_ends_and_others_go_on() {
    closes(&Block::small()).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
#[ignore = "blocks of their own"]
fn a_connection_that_is_closed_ends_in_other_blocks() {
    for sets in
        [&["wire=uet", "sack.engine=fast"][..], &["nic.window=strack"], &["bus_bits=512", "nic.selector=ops"]]
    {
        let block = Block::new(config_with(sets), |verilog| verilog, false);
        closes(&block).unwrap_or_else(|difference| panic!("{sets:?}: {difference}"));
    }
}

/// Packets come all the time while their connection is closed and opened anew: each is before the command or behind it, as `sack_rx` takes
/// them, whenever its result comes and whenever the command is answered.
fn among_packets(block: &Block) -> Result<(), Difference> {
    let mut bench = Bench::new(block)?;
    for moment in 0..60 {
        bench.receive(CLOSED, 0..30);
        bench.steps(moment)?;
        for command in [Command::CloseRx, Command::OpenRx, Command::CloseRx, Command::OpenRx] {
            bench.close(command)?;
        }
        bench.steps(SOON)?;
    }
    let [new, strange] =
        [Counter::RxNew, Counter::RxNotOpen].map(|counter| bench.end.golden().counter(counter));
    assert!(new > 200 && strange > 200, "{new} new, {strange} not open");
    bench.end.check_counters()
}

#[test]
fn a_command_is_executed_among_packets_as_they_are_taken() {
    among_packets(&Block::small()).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
#[ignore = "blocks of their own"]
fn a_command_is_executed_among_packets_in_other_blocks() {
    for sets in [&["bus_bits=512", "sack.engine=fast"][..], &["wire=uet", "bus_bits=128", "sack.engine=fast"]]
    {
        let block = Block::new(config_with(sets), |verilog| verilog, false);
        among_packets(&block).unwrap_or_else(|difference| panic!("{sets:?}: {difference}"));
    }
}

/// Each of these is found by what the tests above do.
const FAULTS: [Fault; 3] = [
    // a close of the receiver opens it
    ("sack_rx.op_kind", "receiver_rx_op_kind", "{1'b0, |receiver_rx_op_kind}"),
    // a close of the sender reads alone
    (
        "sack_tx.op_kind",
        "scoreboard_op_kind",
        "{scoreboard_op_kind[2:1], scoreboard_op_kind[0] & !scoreboard_op_kind[2]}",
    ),
    // another connection is closed
    (
        "receiver.open_conn",
        "registers_command_conn[3:0]",
        "registers_command_conn[3:0] ^ {3'd0, commands_close_rx_valid}",
    ),
];

#[test]
#[ignore = "a model of its own"]
fn a_block_in_which_a_close_does_not_close_is_found() {
    let mut block = Block::new(config(), |verilog| faulty(verilog, &FAULTS), false);
    block.fault = Some(0);
    closes(&block).unwrap_or_else(|difference| panic!("{difference}"));
    for (number, fault) in (1..).zip(&FAULTS) {
        block.fault = Some(number);
        let outcome = std::panic::catch_unwind(|| closes(&block));
        let difference = outcome.expect("a difference comes first").expect_err(fault.0);
        println!("{}: {difference}", fault.0);
    }
}
