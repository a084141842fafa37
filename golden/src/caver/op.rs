//! The ops of the engine, what a driver sets with them, and what comes of them.

/// What an op does; the discriminants of the first four are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A data packet asks for its port.
    #[default]
    Data,
    /// An ACK goes through.
    Ack,
    /// A host at this switch is added to the list, where ACKs speak of its hosts in turn.
    Host,
    /// The scale of a port's congestion is set.
    SetShift,
    /// The walker comes to the flow entry and the path entry of `Op::dst`. Not on the port.
    Visit,
    /// The DRE of `Op::port` decays. Not on the port.
    Decay,
}

impl OpKind {
    /// The kind of a code of the port, 2 bits.
    pub const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => OpKind::Data,
            1 => OpKind::Ack,
            2 => OpKind::Host,
            _ => OpKind::SetShift,
        }
    }
}

/// What a driver sets, sampled with each op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// A path entry older than this is dead, in ticks.
    pub path_age: u8,
    /// A flow entry that saw no packet for longer than this is dead, in ticks.
    pub flow_timeout: u8,
    /// Bit `p`: a host is at port `p`.
    pub is_host: u64,
    /// Bit `p`: port `p` is alive.
    pub up: u64,
    /// A DRE loses its `2^-dre_alpha`th a period, 0..=7.
    pub dre_alpha: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { path_age: 128, flow_timeout: 128, is_host: 0, up: u64::MAX, dre_alpha: 2 }
    }
}

/// One op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// Data: the host that it goes to; ACK: the host that its path leads to, which is the one that it comes from unless the host's own
    /// switch speaks of others, too; host: the host; as the FIB numbers hosts. Visit: the index, below the larger
    /// of the two tables; the smaller one comes round.
    pub dst: u16,
    /// Data, ACK: port that it came in by.
    pub in_port: u8,
    /// Data: hash of the flow.
    pub hash: u32,
    /// Data: bytes of the packet, 14 bits.
    pub bytes: u16,
    /// Data: its host is at this switch.
    pub is_local: bool,
    /// Data: port that the FIB gives, by ECMP.
    pub fib_port: u8,
    /// Data: its shim has a route. Without a shim false.
    pub enable: bool,
    /// Data: the hop of the route that brought it here, 0..=3.
    pub hop: u8,
    /// Data: the route, byte `i` the port of hop `i`. ACK: the path from the switch before on, of which the low 24 bits count.
    pub path: u32,
    /// ACK: congestion of that path.
    pub ce: u8,
    /// ACK: ports of that path, 0..=3.
    pub len: u8,
    /// ACK: the host that it goes to is at this switch.
    pub to_local: bool,
    /// Set_shift, host, decay: the port.
    pub port: u8,
    /// Set_shift: bits to shift the port's DRE by, 0..=31.
    pub shift: u8,
    /// The time in ticks, modulo 256.
    pub now: u8,
    pub settings: Settings,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Data for a host at this switch.
    Deliver,
    /// Data of a flow with an entry: it goes where that says.
    Same,
    /// Data of a flow whose entry another one has: by ECMP.
    Collided,
    /// The first packet of a flow, by the best path.
    New,
    /// Data of a flow without a known path, or from another switch without a route: by ECMP.
    Ecmp,
    /// Data from another switch, by its route.
    Routed,
    /// The same with a route that cannot be: by ECMP from here on.
    BadRoute,
    /// An ACK between two hosts of this switch.
    Pass,
    /// An ACK that begins the path.
    Advertised,
    /// An ACK that goes on as it is, because its path or the stored one is full.
    Refused,
    /// An ACK whose path is the best one now.
    Took,
    /// An ACK whose path is worse than the stored one.
    Kept,
}

impl Kind {
    /// In the order of their codes.
    pub const ALL: [Kind; 12] = [
        Kind::Deliver,
        Kind::Same,
        Kind::Collided,
        Kind::New,
        Kind::Ecmp,
        Kind::Routed,
        Kind::BadRoute,
        Kind::Pass,
        Kind::Advertised,
        Kind::Refused,
        Kind::Took,
        Kind::Kept,
    ];

    /// The code at the port `res_kind`, 4 bits.
    pub const fn code(self) -> u8 {
        match self {
            Kind::Deliver => 0,
            Kind::Same => 1,
            Kind::Collided => 2,
            Kind::New => 3,
            Kind::Ecmp => 4,
            Kind::Routed => 5,
            Kind::BadRoute => 6,
            Kind::Pass => 8,
            Kind::Advertised => 9,
            Kind::Refused => 10,
            Kind::Took => 11,
            Kind::Kept => 12,
        }
    }
}

/// What a data packet leaves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataShim {
    /// The hop of the route that it leaves by, 0..=3.
    pub hop: u8,
    /// The route, byte `i` the port of hop `i`.
    pub path: u32,
}

/// What an ACK leaves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AckShim {
    /// Congestion of the path.
    pub ce: u8,
    /// Ports of the path, 0..=3.
    pub len: u8,
    /// Byte 0 is this switch's port, and unused bytes are 0xff.
    pub path: u32,
    /// The host that the path leads to.
    pub dst: u16,
}

/// What came of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The op has no result.
    Nothing,
    /// The packet leaves by `port`, with an enabled shim or without.
    Data { kind: Kind, port: u8, shim: Option<DataShim> },
    /// The ACK leaves by ECMP, and this is written into it. Without: a refused one leaves as it came, others without a shim.
    Ack { kind: Kind, shim: Option<AckShim> },
}
