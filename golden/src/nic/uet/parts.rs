//! Parts that a block of Ultra Ethernet may lack.

/// Which of them there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Connections in order (ROD).
    pub ordered: bool,
    /// Counters of packets ahead of their order, and of losses by a NACK of such a connection.
    pub counts_order: bool,
    /// There is `accept`.
    pub accept: bool,
    /// The host answers where `command_mode` says so, and the block completes ACKs of the host.
    pub host_answers: bool,
    /// Control packets of the host take PSNs.
    pub host_control: bool,
    /// The block sends probes.
    pub own_probes: bool,
    /// ACKs go to the host, too.
    pub acks_to_host: bool,
    /// ACKs of the block may have type 9.
    pub acks_with_credit: bool,
}

impl Parts {
    /// All of them.
    pub const ALL: Parts = Parts {
        ordered: true,
        counts_order: true,
        accept: true,
        host_answers: true,
        host_control: true,
        own_probes: true,
        acks_to_host: true,
        acks_with_credit: true,
    };

    /// None of them.
    pub const NONE: Parts = Parts {
        ordered: false,
        counts_order: false,
        accept: false,
        host_answers: false,
        host_control: false,
        own_probes: false,
        acks_to_host: false,
        acks_with_credit: false,
    };
}
