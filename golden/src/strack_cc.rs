//! STrack's congestion control: the window of each connection, 004 Algorithms 1, 2 and 4 (`A4:15` is line 15 of Algorithm 4).
//!
//! All of it is integers. A window has 16 bits below the point, so 2^16 is one packet; a packet is `2^mtu_log2` bytes. Times are
//! ticks of 16 bits.
//!
//! # Where the paper contradicts itself
//! - `update_achievedBDP` runs in A1:13 and again in A4:2. Here it runs once, before its value is used, for twice would count every
//!   byte double.
//! - A1:6 sets `base_rtt = measured_delay`, which can only be meant as the measured RTT. The base RTT falls from `net_base_rtt` and
//!   never rises; a connection whose route grew longer needs an `Init`.
//! - A4:10 may cut the window for an unmarked ACK whose delay lies between the two targets, while section 3.2 speaks of an increase.
//!   The algorithm holds.
//! - A2:2 counts bytes over `base_rtt + target_Qdelay`, section 3 over one base RTT. The algorithm holds.
//!
//! # What the paper leaves open
//! - A window lies within 1 packet and `max_cwnd`, and begins at `max_cwnd`.
//! - A4:12 sets the window to what was achieved only once a whole period was counted, for `achievedBDP` is 0 before, and never raises it.
//! - `last_decrease_ts` and `last_selfai_ts` begin at the time of `Init`, the first period at the first ACK.
//! - A NACK and a timeout change nothing: the paper cuts for delay, never for loss.
//! - RTTs below `min_base_rtt` leave the base RTT as it is. An ACK that is older than 2^16 ticks reads as a small RTT, and would lower the
//!   base RTT for good. Its queuing delay, taken modulo 2^16, is right all the same.
//! - A period of 2^16 ticks or more never ends, as no difference of two times is greater.

mod op;

pub use op::{Action, Class, Op, OpKind, Outcome, Res, Settings, Status};

/// Classes of ops by the time that they take, in the order of [`Class`].
pub const CLASSES: [&str; 7] =
    ["idle", "read", "init", "ack_hold", "ack_achieved", "ack_increase", "ack_multiplicative"];

/// A window of one packet.
pub const ONE_PACKET: u32 = 1 << 16;
/// Most bytes that a period counts.
pub const MOST_BYTES: u32 = (1 << 20) - 1;
/// The largest gain of A4:9, `alpha * (target_Qdelay - delay)`, in 2^-16 packets^2: just below 256.
const MOST_GAIN: u64 = (1 << 24) - 1;
/// The largest part of the window that A4:15 takes away: a half, in 2^-16.
const MOST_CUT: u32 = 1 << 15;

/// The engine's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Connections that share the engine, 1..=16384.
    pub connections: u32,
}

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// `cwnd` in 2^-16 packets, 26 bits; at least one packet once it is initialised.
    pub cwnd: u32,
    /// Smallest RTT seen, in ticks.
    pub base_rtt: u16,
    /// 8 times `avg_delay`, the average queuing delay, in ticks; 19 bits.
    pub avg8: u32,
    /// `last_decrease_ts`.
    pub cut_at: u16,
    /// `last_selfai_ts`.
    pub fair_at: u16,
    /// `rxcount_clear_ts`: when the period began.
    pub since: u16,
    /// `rx_count`, the bytes of the period, up to [`MOST_BYTES`].
    pub rx: u32,
    /// `achievedBDP`, the bytes of the latest whole period, up to [`MOST_BYTES`].
    pub achieved: u32,
    /// `Init` was done.
    pub initialised: bool,
    /// A period began: there was an ACK since `Init`.
    pub counting: bool,
    /// A whole period was counted since `Init`.
    pub measured: bool,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Engine {
    connections: Vec<Connection>,
}

impl Engine {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(Params { connections }: Params) -> Self {
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        Engine { connections: vec![Connection::default(); connections as usize] }
    }

    /// `rst`: no connection is initialised.
    pub fn reset(&mut self) {
        self.connections.fill(Connection::default());
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &Connection {
        &self.connections[usize::from(conn)]
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        let c = &mut self.connections[usize::from(op.conn)];
        match op.kind {
            OpKind::Read | OpKind::Ack if !c.initialised || !op.settings.is_mtu_allowed() => {
                Outcome { result: Some(Res::UNINITIALISED), class: Class::Read }
            }
            OpKind::Read => Outcome { result: Some(Res::of_window(c.cwnd)), class: Class::Read },
            OpKind::Ack => c.on_receiving_ack(op),
            OpKind::Init => {
                c.init(op);
                Outcome { result: None, class: Class::Init }
            }
            OpKind::Nack | OpKind::Timeout | OpKind::Reserved => Outcome::default(),
        }
    }
}

impl Connection {
    fn init(&mut self, Op { now, settings, .. }: &Op) {
        *self = Connection {
            cwnd: settings.most_cwnd(),
            base_rtt: settings.net_base_rtt,
            cut_at: *now,
            fair_at: *now,
            initialised: true,
            ..Connection::default()
        };
    }

    /// Algorithm 1 without what concerns lost packets, which is the scoreboard's.
    fn on_receiving_ack(&mut self, op: &Op) -> Outcome {
        let rtt = op.now.wrapping_sub(op.timestamp);
        if rtt >= op.settings.min_base_rtt {
            self.base_rtt = self.base_rtt.min(rtt); // A1:5-7
        }
        let delay = rtt.wrapping_sub(self.base_rtt); // A1:8
        self.update_achieved_bdp(op); // A1:13
        self.adjust_cwnd(op, delay) // A1:14
    }

    /// Algorithm 2.
    fn update_achieved_bdp(&mut self, op: &Op) {
        let acked_bytes = if op.probe { 0 } else { op.bytes };
        let period = u32::from(self.base_rtt) + u32::from(op.settings.target_qdelay);
        self.rx = MOST_BYTES.min(self.rx + acked_bytes); // A2:3
        if !self.counting {
            self.counting = true;
            self.since = op.now;
        } else if elapsed(self.since, op.now) > period {
            self.achieved = self.rx; // A2:5
            self.measured = true;
            self.rx = 0; // A2:6
            self.since = op.now; // A2:7
        }
    }

    /// Algorithm 4.
    fn adjust_cwnd(&mut self, op: &Op, delay: u16) -> Outcome {
        let Settings { target_qdelay, target_qhigh, alpha, beta, eta, .. } = op.settings;
        let can_decrease = elapsed(self.cut_at, op.now) > self.base_rtt.into(); // A4:3
        let can_fairness_shuffle = elapsed(self.fair_at, op.now) > self.base_rtt.into(); // A4:4
        self.avg8 = self.avg8 - (self.avg8 >> 3) + u32::from(delay); // A4:5
        let is_full = self.cwnd >= op.settings.most_cwnd();
        let of_increase = if is_full { Class::AckHold } else { Class::AckIncrease };

        let (action, class) = if !op.ecn && delay > target_qhigh {
            self.cwnd += self.per_window(u64::from(beta) << 8); // A4:7
            (Action::Additive, of_increase)
        } else if !op.ecn && delay < target_qdelay {
            let gain = (u64::from(alpha) * u64::from(target_qdelay - delay)) >> 2;
            self.cwnd += self.per_window(gain.min(MOST_GAIN)); // A4:9
            (Action::Proportional, of_increase)
        } else if !can_decrease || self.avg8 <= 8 * u32::from(target_qdelay) {
            (Action::Hold, Class::AckHold) // A4:10
        } else if delay > target_qhigh && self.measured && self.is_achieved_low(&op.settings) {
            self.cwnd = self.cwnd.min(self.achieved << (16 - op.settings.mtu_log2)); // A4:12
            self.cut_at = op.now; // A4:13
            (Action::Achieved, Class::AckAchieved)
        } else if delay > target_qdelay {
            self.cwnd -= self.cut(&op.settings); // A4:15
            self.cut_at = op.now; // A4:16
            (Action::Multiplicative, Class::AckMultiplicative)
        } else {
            (Action::Hold, Class::AckHold)
        };

        if can_fairness_shuffle {
            self.cwnd += u32::from(eta) << 4; // A4:20
            self.fair_at = op.now; // A4:21
        }
        self.cwnd = self.cwnd.min(op.settings.most_cwnd()).max(ONE_PACKET);
        let result = Res { delay, action, fair: can_fairness_shuffle, ..Res::of_window(self.cwnd) };
        Outcome { result: Some(result), class }
    }

    /// `gain / cwnd` in 2^-16 packets; the gain is below 2^24, in 2^-16 packets^2.
    fn per_window(&self, gain: u64) -> u32 {
        ((gain << 16) / u64::from(self.cwnd)) as u32
    }

    /// A4:11 `achievedBDP < max_cwnd / 8`.
    fn is_achieved_low(&self, settings: &Settings) -> bool {
        8 * self.achieved < settings.most_packets() << settings.mtu_log2
    }

    /// What A4:15 takes away, in 2^-16 packets. The average delay is above the target.
    fn cut(&self, settings: &Settings) -> u32 {
        let above = u64::from(self.avg8 - 8 * u32::from(settings.target_qdelay));
        let part = ((above << 16) / u64::from(self.avg8)).min(u16::MAX.into());
        let cut = MOST_CUT.min(((u64::from(settings.gamma) * part) >> 16) as u32);
        ((u64::from(self.cwnd) * u64::from(cut)) >> 16) as u32
    }
}

/// Ticks from `then` to `now`, modulo 2^16 and without sign.
fn elapsed(then: u16, now: u16) -> u32 {
    now.wrapping_sub(then).into()
}
