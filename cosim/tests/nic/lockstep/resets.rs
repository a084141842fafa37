//! What becomes of packets that wait where the block is reset, or their connection is opened anew.

use std::collections::VecDeque;

use respray_cosim::nic::{Difference, End, Given};
use respray_golden::hosts::frames;
use respray_golden::nic::{self, Command, Counter, Kind, Nic};
use respray_golden::paths;

use super::{Block, FIRST_PSN, config_with, write};

/// Places for packets, and connections that drain.
const PLACES: u16 = 4;
/// Smallest RTT in ticks of the wire, which are 8 cycles; and cycles after which an ACK makes any connection drain.
const SMALLEST_RTT: u32 = 10;
const LATE: u64 = 8 * 4 * SMALLEST_RTT as u64 + 200;
const PAYLOAD: u32 = 200;
/// Ticks of `sack_tx`, which are 32 cycles: one that passes here, and one that does not.
const SHORT_RTO: u32 = 60;
const RTO: u32 = 20_000;

/// A block, and the golden one at the other end, which answers every packet that it is given.
struct Bench {
    end: End,
    peer: Nic,
    /// Packets that have left and were not given to the peer.
    left: VecDeque<Vec<u8>>,
    events: Vec<(Kind, u32)>,
}

impl Bench {
    fn new(block: &Block) -> Result<Bench, Difference> {
        let (end, peer) = (block.end(), Nic::new(block.golden()));
        let mut bench = Bench { end, peer, left: VecDeque::new(), events: Vec::new() };
        for (name, value) in [("sack_threshold", 0), ("command_rtt", SMALLEST_RTT)] {
            bench.write(name, value)?;
        }
        bench.begin()?;
        Ok(bench)
    }

    fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        self.peer.advance(self.end.cycle());
        write(&mut self.end, &mut self.peer, name, value)
    }

    /// Opens all connections, whose smallest RTT is set.
    fn begin(&mut self) -> Result<(), Difference> {
        self.write("command", Command::SetMin as u32)?;
        (0..=PLACES).try_for_each(|conn| self.open(conn, FIRST_PSN))
    }

    fn open(&mut self, conn: u16, psn: u32) -> Result<(), Difference> {
        self.write("command_conn", conn.into())?;
        self.write("command_psn", psn)?;
        self.write("command", Command::OpenTx as u32)?;
        self.write("command", Command::OpenRx as u32)
    }

    fn send(&mut self, conn: u16, psn: u32) {
        let data =
            frames::Data { from: paths::End::A, conn, psn, bytes: PAYLOAD, ack_request: false, again: false };
        let bytes = frames::data(self.end.golden().config().profile, &data);
        self.end.send(Given { bytes, user: false });
    }

    fn steps(&mut self, cycles: u64) -> Result<(), Difference> {
        for _ in 0..cycles {
            self.end.step()?;
        }
        let out = std::mem::take(&mut self.end.out);
        self.left.extend(out.transmitted.into_iter().map(|sent| sent.frame));
        self.events.extend(out.events.into_iter().map(|event| (event.kind, event.conn)));
        Ok(())
    }

    /// The peer gets what left first, so many packets, and its answers come back.
    fn answer(&mut self, packets: usize) -> Result<(), Difference> {
        self.peer.advance(self.end.cycle());
        for frame in self.left.drain(..packets) {
            self.peer.receive(frame, false);
        }
        while let Some(answer) = self.peer.transmit() {
            self.end.receive(Given { bytes: answer.frame, user: false });
        }
        while self.peer.event().is_some() || self.peer.deliver().is_some() {}
        self.steps(400)
    }

    /// How often the host was told this of a connection since it was last asked for.
    fn told(&mut self, kind: Kind) -> usize {
        let is_it = |event: &(Kind, u32)| event.0 == kind;
        let told = self.events.iter().filter(|event| is_it(event)).count();
        self.events.retain(|event| !is_it(event));
        told
    }

    fn count(&self, counter: Counter) -> u64 {
        self.end.golden().counter(counter)
    }

    /// Of each of these connections two packets leave, from a PSN on, and the first is acknowledged so late that it drains.
    fn drain(&mut self, conns: std::ops::Range<u16>, psn: u32) -> Result<(), Difference> {
        let many = conns.len();
        // the first of all, then the second of all: so they leave, and are answered
        for psn in [psn, psn + 1] {
            conns.clone().for_each(|conn| self.send(conn, psn));
        }
        self.steps(LATE + 60 * 2 * many as u64)?;
        assert_eq!(self.left.len(), 2 * many);
        self.answer(many)?;
        assert_eq!(self.told(Kind::Xoff), many);
        Ok(())
    }
}

fn block() -> Block {
    Block::new(config_with(&["nic.selector=flowcut", "nic.park=4"]), |verilog| verilog, false)
}

/// The command at many moments: packets wait in all places and one before `tx_in`, they are on their way into their places, or they leave.
/// Behind it nothing of them is left, and all places are free.
fn reset_at(bench: &mut Bench, moment: u64) -> Result<(), Difference> {
    let before = [Counter::Parked, Counter::Held].map(|counter| bench.count(counter));
    bench.drain(0..PLACES, FIRST_PSN)?;
    for conn in 0..PLACES {
        bench.send(conn, FIRST_PSN + 2);
    }
    bench.send(0, FIRST_PSN + 3);
    if moment < 1000 {
        // the frames have been given, as the page asks of the host, and some are on their way
        while bench.end.waiting()[0] > 0 && bench.count(Counter::Held) == before[1] {
            bench.steps(1)?;
        }
        bench.steps(moment)?;
    } else {
        bench.steps(1000)?;
        let parked = [Counter::Parked, Counter::Held].map(|counter| bench.count(counter));
        assert_eq!([parked[0] - before[0], parked[1] - before[1]], [u64::from(PLACES), 1]);
        if moment > 1000 {
            // the drains end, and what waited leaves or is cut
            bench.end.around.tx_out_ready = moment.is_multiple_of(2);
            bench.answer(usize::from(PLACES))?;
        }
    }
    bench.write("command", Command::Reset as u32)?;
    bench.end.around.tx_out_ready = true;
    bench.steps(1000)?;
    bench.left.clear();
    bench.events.clear();
    // what waited is gone
    bench.begin()?;
    bench.steps(2000)?;
    assert_eq!((bench.left.len(), bench.events.len()), (0, 0), "moment {moment}");
    // and there is room for as many
    let before = bench.count(Counter::Parked);
    bench.drain(0..PLACES, FIRST_PSN)?;
    (0..PLACES).for_each(|conn| bench.send(conn, FIRST_PSN + 2));
    bench.steps(1500)?;
    assert_eq!(bench.count(Counter::Parked) - before, u64::from(PLACES), "moment {moment}");
    bench.answer(usize::from(PLACES))?;
    bench.steps(1500)?;
    assert_eq!(bench.told(Kind::Xon), usize::from(PLACES), "moment {moment}");
    assert_eq!(bench.left.len(), usize::from(PLACES), "moment {moment}");
    bench.answer(usize::from(PLACES))?;
    bench.write("command", Command::Reset as u32)?;
    bench.begin()
}

fn resets(moments: &[u64]) -> Result<(), Difference> {
    let mut bench = Bench::new(&block())?;
    moments.iter().try_for_each(|moment| reset_at(&mut bench, *moment))?;
    bench.end.check_counters()
}

#[test]
fn the_command_reset_drops_what_is_parked() {
    resets(&[0, 90, 1000, 1001, 1002]).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
#[ignore = "more of the same moments"]
fn the_command_reset_drops_what_is_parked_at_any_moment() {
    let moments: Vec<u64> = (0..400).step_by(7).chain(1000..1003).collect();
    resets(&moments).unwrap_or_else(|difference| panic!("{difference}"));
}

/// What waits of a connection leaves where that is opened anew. Its bytes count among those of the connection as it is then, which no ACK
/// tells of: a drain ends by the timeout. Where nothing waited, it ends when all is acknowledged.
fn opened_anew() -> Result<(), Difference> {
    let mut bench = Bench::new(&block())?;
    bench.drain(0..1, FIRST_PSN)?;
    // one is parked, and tx_in pauses at the next one
    bench.send(0, FIRST_PSN + 2);
    bench.send(0, FIRST_PSN + 3);
    bench.steps(1000)?;
    assert_eq!([Counter::Parked, Counter::Held].map(|counter| bench.count(counter)), [1, 1]);
    bench.left.clear();
    let mut psn = nic::PSNS.add(FIRST_PSN, 0x1000);
    bench.open(0, psn)?;
    bench.steps(1000)?;
    assert_eq!(bench.left.len(), 2, "what waited leaves");
    bench.left.clear();
    bench.events.clear();
    for ends_by_ack in [false, true] {
        bench.drain(0..1, psn)?;
        bench.send(0, psn + 2);
        bench.steps(1000)?;
        assert_eq!(bench.left.len(), 1, "it waits");
        bench.answer(1)?;
        assert_eq!(bench.told(Kind::Xon), usize::from(ends_by_ack));
        bench.write("rto", SHORT_RTO)?;
        bench.steps(u64::from(SHORT_RTO) * 2 * 32)?;
        bench.write("rto", RTO)?;
        assert_eq!(bench.told(Kind::Xon), usize::from(!ends_by_ack));
        assert_eq!(bench.left.len(), 1, "it has left");
        bench.left.clear();
        bench.events.clear();
        psn += 0x1000;
        bench.open(0, psn)?;
    }
    bench.end.check_counters()
}

#[test]
fn what_waits_leaves_where_its_connection_is_opened_anew() {
    opened_anew().unwrap_or_else(|difference| panic!("{difference}"));
}
