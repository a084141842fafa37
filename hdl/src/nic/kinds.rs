//! The kinds of event that the host is told of, and what the fields of a record say of each.

/// A kind of event. Its number in the record, and its bit of `event_enable` if it has one, is its place in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub name: &'static str,
    /// What happened.
    pub meaning: &'static str,
    /// What `psn` is; where this and the following say nothing, the field is 0.
    pub psn: &'static str,
    pub detail: &'static str,
    pub value: &'static str,
    /// Whether `in_flight` is told.
    pub has_in_flight: bool,
}

/// A kind whose fields say nothing.
const fn kind(name: &'static str, meaning: &'static str) -> Kind {
    Kind { name, meaning, psn: "", detail: "", value: "", has_in_flight: false }
}

/// All kinds in the order of their numbers, from 0 on. The last one answers a command and has no bit in `event_enable`.
pub const KINDS: [Kind; 16] = [
    Kind {
        psn: "the EPSN: everything below it is acknowledged",
        detail: "PSNs newly acknowledged, those beyond the EPSN included",
        value: "bytes in flight",
        has_in_flight: true,
        ..kind("acknowledged", "a SACK was taken")
    },
    Kind {
        psn: "the EPSN of the SACK; 0 with rule 3",
        detail: "the loss rule: 1 out-of-order count, 2 probe, 3 timeout",
        has_in_flight: true,
        ..kind("loss", "loss was inferred; `in_flight` is told with rules 1 and 2")
    },
    Kind {
        psn: "the PSN",
        has_in_flight: true,
        ..kind("retransmit", "a PSN is to be sent again, at once; this event is never lost")
    },
    Kind {
        psn: "the EPSN",
        has_in_flight: true,
        ..kind("recovery_left", "all of the range held for lost is acknowledged")
    },
    Kind {
        detail: "the RTT in ticks of the wire",
        ..kind("rtt", "an ACK that was taken, or is merely old, gave a sample of the RTT")
    },
    kind("freeze_entered", "the path selector entered freezing"),
    kind("freeze_left", "the path selector left freezing"),
    Kind { psn: "its PSN", ..kind("duplicate", "a packet came again") },
    Kind {
        psn: "its PSN",
        detail: "the status of `sent`: 2 gap, 3 window full, 7 not open; 4 where the connection drains",
        ..kind("refused", "a data packet of the host was not sent")
    },
    Kind {
        psn: "its EPSN",
        detail: "the status of `sack`, 2 to 7",
        ..kind("bad_ack", "an ACK that cannot be true, or of a connection that is not open")
    },
    Kind {
        psn: "its PSN",
        detail: "the status of `packet`: 2 outside the window, 7 not open, 6 from another address than the peer's",
        ..kind("stray", "a packet was not taken in")
    },
    Kind {
        detail: "as `rx_error`",
        ..kind("malformed", "a frame from the network is malformed; `conn` is 0")
    },
    Kind {
        detail: "the window in whole packets",
        value: "the window in 2^-16 packets",
        ..kind(
            "window",
            "an ACK gave the connection another window, in whole packets, where `nic.window` = strack",
        )
    },
    kind("xoff", "the connection drains, and its packets wait, where `nic.selector` = flowcut"),
    kind("xon", "that drain has ended, or was given up by a timeout"),
    Kind {
        psn: "of sending: the next PSN that would have been sent for the first time",
        detail: "1 sending, 2 receiving",
        value: "of sending: the lowest PSN that is not acknowledged",
        has_in_flight: true,
        ..kind(
            "closed",
            "that way of the connection is closed, where `nic.close` = graceful; told whatever `event_enable` says",
        )
    },
];

/// Kinds that only a block of Ultra Ethernet has, from 16 on. Bit 4 of their number is the lowest reserved bit of the record.
pub const TYPED_KINDS: [Kind; 6] = [
    Kind {
        psn: "the PSN that the ACK answers",
        detail: "the PDC",
        ..kind("bound", "the first ACK has brought the peer's PDC")
    },
    Kind {
        psn: "the PSN that is refused",
        detail: "the code",
        value: "the payload",
        ..kind("nack", "a NACK of a PSN that is outstanding came")
    },
    Kind { psn: "the PSN that the ACK answers", ..kind("clear_request", "an ACK asks for a clear") },
    Kind { psn: "the PSN that the ACK answers", ..kind("close_request", "an ACK asks for a close") },
    Kind {
        psn: "the PSN to ask for",
        ..kind("ack_request", "all arrived, and the cumulative PSN stands still: the peer is to be asked")
    },
    kind("dead", "more timeouts in a row than are borne"),
];
