//! The receiver's arrival bitmap and the SACKs that report it: 004 section 3.3.1 and Figure 7.
//!
//! # What the paper leaves open
//! - A probe carries no data and changes nothing: it only reads. Its PSN names the segment asked for, and outside the
//!   window the segment that holds EPSN is sent. So a probe cannot hide what the next SACK was to report.
//! - A duplicate triggers a SACK (it says that a SACK was lost), and its PSN counts for the lowest PSN received since
//!   the last SACK; a PSN below EPSN counts as being in EPSN's segment.
//! - A PSN beyond the window is refused: no SACK, whatever the packet's flags.
//! - Segments are aligned to multiples of 64 in PSN space; bits below EPSN read 1, bits beyond the window 0.

use bitvec::array::BitArray;
use bitvec::field::BitField;

use crate::psn::{PsnSpace, SEGMENT, segment_base, slot};

pub mod uet;

/// Largest window, in packets.
pub const MAX_WINDOW: u32 = 512;

/// The engine's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Connections that share the engine, 1..=16384.
    pub connections: u32,
    /// Receive bitmap in packets: 64, 128, 256 or 512.
    pub window: u32,
    /// PSNs, of 24 or 32 bits.
    pub psns: PsnSpace,
}

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A packet arrived.
    #[default]
    Packet,
    /// The connection starts anew, expecting `psn`.
    Init,
    /// The connection ends: it is as if it had never been initialised.
    Close,
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    /// One of [`Params::psns`]. Of a probe: a PSN of the segment asked for.
    pub psn: u32,
    /// Payload bytes; a probe has none.
    pub bytes: u16,
    /// CE-marked.
    pub ecn: bool,
    pub ev: u16,
    pub timestamp: u16,
    /// The sender asks for a SACK.
    pub ack_request: bool,
    pub probe: bool,
    /// New bytes since the last SACK that make the next one due.
    pub sack_threshold: u16,
}

/// What became of a packet; the discriminants are the codes of the port `res_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    New = 0,
    Duplicate = 1,
    /// Beyond the window: refused.
    Outside = 2,
    Probe = 3,
    /// The connection was never initialised, or was closed since: refused.
    Uninitialised = 7,
}

/// A SACK, 004 Figure 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack {
    /// PSN of the packet that triggered it.
    pub psn: u32,
    /// EPSN: the lowest PSN not received.
    pub epsn: u32,
    /// PSN of the bitmap's bit 0, a multiple of 64.
    pub base: u32,
    /// Bit `i`: PSN `base + i` was received.
    pub bitmap: u64,
    /// Packets held beyond EPSN, below the window.
    pub ooo: u16,
    /// Bytes received without duplicates, modulo 2^32.
    pub bytes_recvd: u32,
    /// The triggering packet was CE-marked.
    pub ecn: bool,
    pub ev: u16,
    pub timestamp: u16,
    /// It answers a probe.
    pub probe: bool,
}

/// Kinds of op that an implementation may take different times for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Init,
    Close,
    Uninitialised,
    Probe,
    DuplicateBelow,
    DuplicateHeld,
    Outside,
    NewAhead,
    /// EPSN moved; the number of segments by which it did.
    NewInOrder {
        advance_segments: u32,
    },
}

/// Everything that an op shows outside, and what its time may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Of a packet, and of no other op.
    pub status: Option<Status>,
    pub sack: Option<Sack>,
    pub class: Class,
}

/// State of one connection, readable for reports and for tests of the invariants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    pub initialised: bool,
    /// Lowest PSN not received.
    pub epsn: u32,
    /// Whether a PSN of `epsn..epsn + window` was received, at index PSN modulo window.
    held: BitArray<[u64; MAX_WINDOW as usize / 64]>,
    /// Bytes received without duplicates, modulo 2^32.
    pub bytes_recvd: u32,
    /// Bytes of new packets since the last SACK.
    pub since_bytes: u32,
    /// Lowest segment of the packets since the last SACK, counted from EPSN's.
    pub lowest: Option<u32>,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct SackRx {
    params: Params,
    connections: Vec<Connection>,
}

impl SackRx {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, window, .. } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!(matches!(window, 64 | 128 | 256 | 512), "window must be 64, 128, 256 or 512, not {window}");
        SackRx { params, connections: vec![Connection::default(); connections as usize] }
    }

    /// `rst`: no connection is initialised.
    pub fn reset(&mut self) {
        self.connections.fill(Connection::default());
    }

    pub fn params(&self) -> &Params {
        &self.params
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &Connection {
        &self.connections[usize::from(conn)]
    }

    /// What was stored of a connection is found spoilt: it is as if it had never been initialised.
    pub fn lose(&mut self, conn: u16) {
        self.restore(conn, Connection::default());
    }

    /// A connection as it was once.
    pub fn restore(&mut self, conn: u16, connection: Connection) {
        self.connections[usize::from(conn)] = connection;
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        let params = self.params;
        let c = &mut self.connections[usize::from(op.conn)];
        match op.kind {
            OpKind::Init => {
                *c = Connection { initialised: true, epsn: op.psn, ..Connection::default() };
                Outcome { status: None, sack: None, class: Class::Init }
            }
            OpKind::Close => {
                *c = Connection::default();
                Outcome { status: None, sack: None, class: Class::Close }
            }
            OpKind::Packet if !c.initialised => refuse(Status::Uninitialised, Class::Uninitialised),
            OpKind::Packet if op.probe => c.probe(op, params),
            OpKind::Packet => c.packet(op, params),
        }
    }
}

fn refuse(status: Status, class: Class) -> Outcome {
    Outcome { status: Some(status), sack: None, class }
}

impl Connection {
    /// Whether a PSN was received, as far as the bitmap tells: 1 below EPSN, 0 beyond the window.
    pub fn has(&self, psn: u32, params: Params) -> bool {
        let Params { window, psns, .. } = params;
        psns.is_below(psn, self.epsn) || (self.is_in_window(psn, params) && self.held[slot(psn, window)])
    }

    /// Packets held beyond EPSN.
    pub fn ooo(&self) -> u16 {
        self.held.count_ones() as u16
    }

    fn is_in_window(&self, psn: u32, Params { window, psns, .. }: Params) -> bool {
        psns.distance(self.epsn, psn) < window
    }

    fn probe(&self, op: &Op, params: Params) -> Outcome {
        let asked = if self.is_in_window(op.psn, params) { op.psn } else { self.epsn };
        let sack = Some(self.sack(op, segment_base(asked), params));
        Outcome { status: Some(Status::Probe), sack, class: Class::Probe }
    }

    fn packet(&mut self, op: &Op, params: Params) -> Outcome {
        let Op { psn, bytes, .. } = *op;
        let Params { window, psns, .. } = params;
        let below = psns.is_below(psn, self.epsn);
        if !below && !self.is_in_window(psn, params) {
            return refuse(Status::Outside, Class::Outside);
        }
        let before = self.epsn;
        let duplicate = self.has(psn, params);
        // 004 3.3.1: "the receiver records the lowest PSN since the last SACK"
        let segment = if below { 0 } else { psns.segments_between(self.epsn, psn) };
        self.lowest = Some(self.lowest.map_or(segment, |lowest| lowest.min(segment)));
        if !duplicate {
            self.held.set(slot(psn, window), true);
            self.bytes_recvd = self.bytes_recvd.wrapping_add(bytes.into());
            self.since_bytes += u32::from(bytes);
            self.advance(params);
        }
        let advanced = self.epsn != before;
        let class = match (duplicate, below, advanced) {
            (true, true, _) => Class::DuplicateBelow,
            (true, false, _) => Class::DuplicateHeld,
            (false, _, false) => Class::NewAhead,
            (false, _, true) => {
                Class::NewInOrder { advance_segments: psns.segments_between(before, self.epsn) }
            }
        };
        // 004 3.3.1, conditions (1), (2) and (4); a duplicate is ours
        let due = self.since_bytes >= op.sack_threshold.into() || advanced || op.ack_request || duplicate;
        let mut sack = None;
        if due {
            let lowest = self.lowest.expect("this packet counts");
            let base = if advanced { self.epsn } else { psns.add(self.epsn, lowest * SEGMENT) };
            sack = Some(self.sack(op, segment_base(base), params));
            self.since_bytes = 0;
            self.lowest = None;
        }
        let status = if duplicate { Status::Duplicate } else { Status::New };
        Outcome { status: Some(status), sack, class }
    }

    /// EPSN moves over the whole run of received packets.
    fn advance(&mut self, Params { window, psns, .. }: Params) {
        while self.held[slot(self.epsn, window)] {
            self.held.set(slot(self.epsn, window), false);
            self.epsn = psns.add(self.epsn, 1);
        }
    }

    /// A segment of the bitmap, from its first PSN: 1 below EPSN, 0 beyond the window.
    fn segment(&self, base: u32, Params { window, psns, .. }: Params) -> u64 {
        // the segment in the ring: below EPSN and beyond the window its bits belong to other PSNs
        let start = slot(base, window);
        let arrived: u64 = self.held[start..start + SEGMENT as usize].load_le();
        let received =
            if psns.is_below(base, self.epsn) { low_bits(psns.distance(base, self.epsn)) } else { 0 };
        let in_window = low_bits(psns.distance(base, psns.add(self.epsn, window)));
        received | arrived & in_window
    }

    fn sack(&self, op: &Op, base: u32, params: Params) -> Sack {
        Sack {
            psn: op.psn,
            epsn: self.epsn,
            base,
            bitmap: self.segment(base, params),
            ooo: self.ooo(),
            bytes_recvd: self.bytes_recvd,
            ecn: op.ecn,
            ev: op.ev,
            timestamp: op.timestamp,
            probe: op.probe,
        }
    }
}

/// The lowest `n` bits of a segment, all 64 from there on.
fn low_bits(n: u32) -> u64 {
    u64::MAX.checked_shr(SEGMENT.saturating_sub(n)).unwrap_or(0)
}
