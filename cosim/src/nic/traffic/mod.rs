//! Random traffic at a block: its host and its MAC give frames of every kind, and the golden block stands at the other end of a network that
//! loses and marks. How busy both are, and which streams are held, changes from phase to phase.

mod accesses;
mod given;
mod grants;
mod peers;
mod typed;

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::{Command, Kind, MOST_EVENTS, Nic, PSNS};
use respray_golden::psn::PsnSpace;
use respray_golden::rewrite::ProfileTraffic;

use super::access::REST_CYCLES;
use super::around::Around;
use super::difference::Difference;
use super::end::End;
use crate::traffic::frames::{FrameKnobs, RandomFrames};

/// Longest frames of those that differ in layout alone, in bytes.
const LONGEST: usize = 1500;
/// Cycles of a phase that is short, and of one in which a stream is held.
const SHORT_PHASE: u64 = 500;
const LONG_PHASE: std::ops::RangeInclusive<u64> = 1500..=6000;
/// Cycles in which the host fills the window of a connection.
const FLOOD: u64 = 2000;
/// Ticks of `sack_tx` without a SACK until packets are held for lost, where all is to come to an end.
const SHORT_TIMEOUT: u32 = 50;
/// Cycles that are waited for a time without any frame, at most.
const MOST_CYCLES: u64 = 300_000;
/// Cycles between two questions whether to go on.
const WATCH_CYCLES: u64 = 1 << 10;
/// Probes that wait at a side where there is nothing else.
const WAITING_PROBES: usize = 4;
/// PSNs with a wrap soon behind them.
const BEFORE_WRAP: std::ops::Range<u32> = 0xff_ff80..0x100_0000;

/// A connection, which may not be open yet.
#[derive(Clone, Copy, Debug)]
struct Connection {
    number: u16,
    /// The next PSN of the host, and of the other end.
    next: u32,
    theirs: u32,
}

/// How traffic is for some cycles.
#[derive(Clone, Copy, Debug)]
struct Phase {
    left: u64,
    /// Streams that are held all the time; and of the cycles the share in which each is, by itself.
    around: Around,
    held: f64,
    /// Share of the cycles in which host and MAC have a frame to give, while fewer wait than this.
    busy: [f64; 2],
    waiting: usize,
    /// Frames take one beat where they can.
    is_short: bool,
    /// The connection of which the host sends, without an answer and without stopping at its window, until the block refuses its packets.
    flooded: Option<usize>,
    /// Share of the frames that do not arrive at the other end.
    loss: f64,
}

impl Phase {
    /// The host sends of one connection, and all of it is lost.
    fn flood(cycles: u64, connection: usize) -> Phase {
        Phase {
            left: cycles,
            around: Around::FREE,
            held: 0.0,
            busy: [1.0, 0.2],
            waiting: 4,
            is_short: true,
            flooded: Some(connection),
            loss: 1.0,
        }
    }
}

/// Frames that carry a given header, and some that carry what they like.
struct Frames {
    usual: RandomFrames,
    short: RandomFrames,
    odd: RandomFrames,
    any: RandomFrames,
}

/// Traffic at a block.
pub struct Traffic<'a> {
    end: &'a mut End,
    peer: Nic,
    random: Xoshiro256PlusPlus,
    wire: ProfileTraffic,
    window: u32,
    frames: Frames,
    connections: Vec<Connection>,
    opened: usize,
    /// Packets that the block asks for once more.
    again: VecDeque<(u16, u32)>,
    /// ACKs of the other end.
    arriving: VecDeque<Vec<u8>>,
    phase: Phase,
    /// Bits in which the numbers of the other end differ from those of the block, where the hosts say who the peers are.
    mask: u32,
    /// Those of the block.
    psns: PsnSpace,
    /// Draws accesses to registers, if there are some beside those of commands.
    accesses: Option<Xoshiro256PlusPlus>,
}

/// Whether traffic is to go on; it is asked now and then.
pub(super) type GoesOn<'a> = &'a mut dyn FnMut(&End) -> bool;

impl<'a> Traffic<'a> {
    /// Traffic for so many cycles from a reset on, until all has come out.
    ///
    /// # Errors
    /// A difference.
    pub fn whole(end: &'a mut End, connections: usize, cycles: u64, seed: u64) -> Result<(), Difference> {
        let mut traffic = Traffic::begin(end, connections, seed)?;
        traffic.run(cycles)?;
        traffic.finish()
    }

    /// Random settings, and half of so many connections open, of those that there are.
    ///
    /// # Errors
    /// A difference.
    pub fn begin(end: &'a mut End, connections: usize, seed: u64) -> Result<Traffic<'a>, Difference> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let config = end.golden().config().clone();
        let peer = Nic::new(config.clone());
        let profile = config.profile;
        let udp_port = if random.random() { profile.udp_port() } else { random.random() };
        let mut frames = |odd, longest: usize| {
            let knobs = FrameKnobs { odd, longest, disabled: 0.0, resets: 0.0, ..FrameKnobs::default() };
            RandomFrames::new(random.random(), profile, udp_port, knobs)
        };
        let frames = Frames {
            usual: frames(0.0, LONGEST),
            short: frames(0.0, config.bus_bits as usize / 8),
            odd: frames(1.0, LONGEST),
            any: frames(0.3, FrameKnobs::default().longest),
        };
        let number = connections.min(config.connections as usize);
        let connections = sample(&mut random, config.connections as usize, number).into_iter().map(|conn| {
            let psn = match (random.random(), config.uet) {
                (true, None) => random.random_range(BEFORE_WRAP),
                (false, None) => random.random_range(0..1 << 24),
                (true, Some(_)) => random.random_range(u32::MAX - 0x80..=u32::MAX),
                (false, Some(_)) => random.random(),
            };
            Connection { number: conn as u16, next: psn, theirs: psn }
        });
        let connections: Vec<Connection> = connections.collect();
        let mut traffic = Traffic {
            end,
            peer,
            random,
            wire: ProfileTraffic { udp_port, ..ProfileTraffic::of(profile) },
            window: 0,
            frames,
            connections,
            opened: 0,
            again: VecDeque::new(),
            arriving: VecDeque::new(),
            phase: Phase {
                left: 0,
                around: Around::FREE,
                held: 0.0,
                busy: [0.0; 2],
                waiting: 0,
                is_short: false,
                flooded: None,
                loss: 0.0,
            },
            mask: 0,
            psns: if config.uet.is_some() { PsnSpace::new(32) } else { PSNS },
            accesses: None,
        };
        traffic.set()?;
        traffic.begin_peers()?;
        while traffic.opened < number.div_ceil(2) {
            traffic.open_next()?;
        }
        Ok(traffic)
    }

    /// The block.
    pub fn end(&mut self) -> &mut End {
        self.end
    }

    /// Random settings, at both ends.
    fn set(&mut self) -> Result<(), Difference> {
        let is_typed = self.is_typed();
        let random = &mut self.random;
        self.window = random.random_range(2..=64);
        let selector_prescale = [0, 2, 16][random.random_range(0..3)];
        // no event of one kind; those that ask for packets once more are needed
        let bits = if is_typed { Kind::BITS_OF_UET } else { Kind::ENABLE_BITS };
        let untold = random.random_range(0..bits);
        let kinds = ((1 << bits) - 1) & !(1 << untold) | (1 << Kind::Retransmit.code());
        let settings = [
            ("udp_port", self.wire.udp_port.into()),
            ("flow_label_enable", random.random_range(0..2)),
            ("sack_prescale", random.random_range(3..=6)),
            ("wire_prescale", random.random_range(0..=3)),
            ("selector_prescale", selector_prescale),
            ("sack_threshold", [0, 0, 500, 4096][random.random_range(0..4)]),
            ("cwnd_packets", self.window),
            ("probe_timeout", random.random_range(10..=100)),
            ("probe_rtt", random.random_range(5..=60)),
            ("rto", random.random_range(100..=600)),
            ("rto_backoff_max", random.random_range(0..=3)),
            ("event_enable", kinds),
            ("freeze_timeout", random.random_range(200..=20_000) >> selector_prescale),
            ("bdp_packets", random.random_range(0..=20)),
            ("seed", random.random_range(0..1 << 16)),
            ("command", Command::Reset as u32),
        ];
        settings.into_iter().try_for_each(|(name, value)| self.write(name, value))?;
        self.set_event_frames()?;
        self.set_typed()?;
        self.grant()
    }

    /// How events come in frames, where they do: batches of every size, and waits of every length.
    fn set_event_frames(&mut self) -> Result<(), Difference> {
        if !self.end.golden().config().event_frames {
            return Ok(());
        }
        let random = &mut self.random;
        let batch = [1, 2, 7, random.random_range(1..=MOST_EVENTS as u32)][random.random_range(0..4)];
        let settings = [
            ("event_mac_high", random.random_range(0..1 << 16)),
            ("event_mac_low", random.random()),
            ("event_type", random.random_range(0..1 << 16)),
            ("event_batch", batch),
            ("event_ticks", [0, 1, 30, 400][random.random_range(0..4)]),
        ];
        settings.into_iter().try_for_each(|(name, value)| self.write(name, value))
    }

    /// Opens one more connection.
    fn open_next(&mut self) -> Result<(), Difference> {
        self.opened += 1;
        self.open(self.opened - 1)
    }

    /// Opens a connection, at both ends. A probe of it can be due before its first packet has left.
    fn open(&mut self, at: usize) -> Result<(), Difference> {
        let Connection { number, next, .. } = self.connections[at];
        self.write("command_conn", number.into())?;
        self.write("command_psn", next)?;
        self.write_peer(number)?;
        self.write("command", Command::OpenTx as u32)?;
        self.write("command", Command::OpenRx as u32)
    }

    /// Closes a connection one way, at this end alone or at both: what its host and the network give goes on until it is opened anew.
    fn close(&mut self, at: usize) -> Result<(), Difference> {
        let [command, other] = match self.random.random() {
            true => [Command::CloseTx, Command::CloseRx],
            false => [Command::CloseRx, Command::CloseTx],
        };
        if self.end.golden().config().graceful_close {
            let drains = self.random.random_range(0..2);
            self.write("close_drains", drains)?;
        }
        self.write("command_conn", self.connections[at].number.into())?;
        self.end.write("command", command as u32)?;
        if self.random.random() {
            let address = self.peer.address("command").expect("there is such a register");
            self.peer.write(address, other as u32).expect("a value of the register");
        }
        Ok(())
    }

    /// A register of both ends, if there is one of that name.
    fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        let Some(address) = self.peer.address(name) else { return Ok(()) };
        self.end.write(name, value)?;
        let theirs = if name == "command_conn" { value ^ self.mask } else { value };
        self.peer.write(address, theirs).expect("a value of the register");
        Ok(())
    }

    /// Traffic for so many cycles.
    ///
    /// # Errors
    /// The first difference.
    pub fn run(&mut self, cycles: u64) -> Result<(), Difference> {
        self.run_while(cycles, &mut |_| true).map(|_| ())
    }

    /// The same, as long as it is to go on; whether it did to the end.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn run_while(&mut self, cycles: u64, goes_on: GoesOn<'_>) -> Result<bool, Difference> {
        for cycle in 0..cycles {
            if cycle.is_multiple_of(WATCH_CYCLES) && !goes_on(self.end) {
                return Ok(false);
            }
            if self.phase.left == 0 {
                self.phase = self.next_phase();
                self.command()?;
                self.access()?;
                self.grant()?;
                self.change_peer()?;
            }
            self.phase.left -= 1;
            let Phase { around, held, busy, waiting, .. } = self.phase;
            let [of_host, of_mac] = self.end.waiting();
            if of_host < waiting && self.random.random_bool(busy[0]) {
                self.host();
            }
            if of_mac < waiting && self.random.random_bool(busy[1]) {
                self.mac();
            }
            let mut now = around;
            for stream in Around::STREAMS {
                if held > 0.0 && self.random.random_bool(held) {
                    now = now.holding(stream).expect("it is one of them");
                }
            }
            self.end.around = now;
            self.end.step()?;
            self.take();
        }
        self.end.around = Around::FREE;
        Ok(true)
    }

    /// For so many cycles the host sends of one connection and nothing of it arrives, so that its window fills up.
    ///
    /// # Errors
    /// The first difference.
    pub fn flood(&mut self, cycles: u64) -> Result<(), Difference> {
        let connection = self.chosen();
        self.phase = Phase::flood(cycles, connection);
        self.run(cycles)
    }

    /// Probes alone for so many cycles, one behind the other at both sides.
    ///
    /// # Errors
    /// The first difference.
    pub fn rush(&mut self, cycles: u64) -> Result<(), Difference> {
        self.phase.is_short = true;
        for _ in 0..cycles {
            let [of_host, of_mac] = self.end.waiting();
            if of_host < WAITING_PROBES {
                let probe = self.probe();
                self.end.send(probe.into());
            }
            if of_mac < WAITING_PROBES {
                let probe = self.probe();
                self.end.receive(probe.into());
            }
            self.end.step()?;
            self.take();
        }
        Ok(())
    }

    /// So many cycles of `rst`, behind which a frame of the host and one of the MAC are there already.
    pub fn restart(&mut self, cycles: u64) {
        self.end.reset(cycles);
        let [of_host, of_mac] = [(); 2].map(|()| self.frames.any.next().expect("it does not end").data);
        self.end.send(of_host.into());
        self.end.receive(of_mac.into());
    }

    /// Nothing more is given: all that waits comes out, connections stand where they should, and counters are equal.
    ///
    /// # Errors
    /// A difference.
    pub fn finish(&mut self) -> Result<(), Difference> {
        self.end.pace(None, 0);
        self.drain()?;
        self.end.stop_timers()?;
        let (mut quiet, mut left) = (0, MOST_CYCLES);
        while quiet < REST_CYCLES && left > 0 {
            left -= 1;
            self.end.step()?;
            let out = std::mem::take(&mut self.end.out);
            let is_quiet =
                self.end.waiting() == [0, 0] && out.events.is_empty() && out.transmitted.is_empty();
            quiet = if is_quiet { quiet + 1 } else { 0 };
        }
        for at in 0..self.opened.min(4) {
            self.end.read_connection(self.connections[at].number.into())?;
        }
        self.end.check_counters()
    }

    /// The network loses nothing more until the frames of the host have left: one that is told to wait does so until packets before it are
    /// acknowledged, or held for lost.
    fn drain(&mut self) -> Result<(), Difference> {
        self.phase.loss = 0.0;
        self.write("rto", SHORT_TIMEOUT)?;
        for _ in 0..MOST_CYCLES {
            if self.end.waiting()[0] == 0 && self.end.golden().host_frames() == 0 {
                break;
            }
            for ack in self.arriving.drain(..) {
                self.end.receive(ack.into());
            }
            while let Some((conn, psn)) = self.again.pop_front() {
                let bytes = self.again(conn, psn);
                self.end.send(bytes.into());
            }
            self.end.step()?;
            self.take();
        }
        Ok(())
    }

    fn next_phase(&mut self) -> Phase {
        let flooded = self.chosen();
        // that of Ultra Ethernet has two limits
        let (cycles, rarely) = if self.is_typed() { (2 * FLOOD, 16) } else { (FLOOD, 48) };
        let random = &mut self.random;
        if random.random_ratio(1, rarely) {
            return Phase::flood(cycles, flooded);
        }
        let is_long = random.random_ratio(1, 10);
        let stream = Around::STREAMS[random.random_range(0..Around::STREAMS.len())];
        let mut around = Around::FREE;
        let is_paced = self.end.is_paced();
        for other in Around::STREAMS {
            if if is_long { other == stream } else { random.random_ratio(1, 8) } {
                around = around.holding(other).expect("it is one of them");
            }
        }
        let mut share = || if is_long { 1.0 } else { [0.02, 0.2, 1.0][random.random_range(0..3)] };
        let busy = [share(), share()];
        let phase = Phase {
            left: if is_long {
                random.random_range(LONG_PHASE)
            } else {
                random.random_range(1..=SHORT_PHASE)
            },
            around,
            held: [0.0, 0.0, 0.2, 0.6][random.random_range(0..4)],
            busy,
            waiting: [1, 4, 32][random.random_range(0..3)],
            is_short: random.random(),
            flooded: None,
            loss: [0.0, 0.05, 0.3, 1.0][random.random_range(0..4)],
        };
        // the block is at a pace of its own
        if is_paced { Phase { around: Around::FREE, held: 0.0, ..phase } } else { phase }
    }

    /// Now and then the host gives a command.
    fn command(&mut self) -> Result<(), Difference> {
        self.end.around = Around::FREE;
        let at = self.chosen();
        let conn = self.connections[at].number.into();
        match self.random.random_range(0..8) {
            0 | 1 if self.opened < self.connections.len() => self.open_next()?,
            1 => {
                // another connection gets the number, while packets of the first may still wait
                let psn = self.psns.wrap(self.random.random());
                let Connection { number, .. } = self.connections[at];
                self.connections[at] = Connection { number, next: psn, theirs: psn };
                self.open(at)?;
            }
            2 => self.end.read_connection(conn)?,
            4 if self.end.golden().config().graceful_close || self.random.random_ratio(1, 4) => {
                self.close(at)?;
            }
            3 => {
                let ev = self.random.random_range(0..1 << 16);
                for (name, value) in
                    [("command_conn", conn), ("command_ev", ev), ("command", Command::Nack as u32)]
                {
                    self.end.write(name, value)?;
                }
            }
            _ if self.is_typed() => {
                let Connection { number, theirs, .. } = self.connections[at];
                self.accept(number, theirs)?;
            }
            _ => {}
        }
        self.take();
        Ok(())
    }

    /// A connection that is open.
    fn chosen(&mut self) -> usize {
        self.random.random_range(0..self.opened)
    }
}
