//! The 64-bit counters.

macro_rules! counters {
    ($($(#[doc = $meaning:literal])+ $counter:ident $name:literal)*) => {
        /// A counter of 64 bits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Counter {
            $($(#[doc = $meaning])+ $counter,)*
            /// Pulses of the selector's first event.
            SelectorEvent0,
            /// Of its second.
            SelectorEvent1,
            /// Of its third.
            SelectorEvent2,
            /// Of its fourth.
            SelectorEvent3,
            /// Of its fifth.
            SelectorEvent4,
            /// Packets that were parked, where the selector lets packets wait.
            Parked,
            /// Packets at which `tx_in` paused because they could not be parked.
            Held,
            /// Data packets that came without credit, where the host grants frames.
            NoCredit,
            /// Grants of the host without effect.
            CreditRefused,
            /// Data packets and probes from another address than the peer's, where the host says who it is.
            OtherAddress,
            /// ACKs from another one.
            AcksOtherAddress,
            /// Of Ultra Ethernet, as all that follow: packets with SYN.
            RxUnbound,
            /// Packets ahead of the one that a connection in order expects.
            RxAhead,
            /// Packets, ACKs and NACKs that are not of the peer.
            RxOtherPeer,
            /// Trimmed requests.
            RxTrimmed,
            /// Other trimmed packets.
            RxTrimmedOther,
            /// Control packets.
            RxControl,
            /// NACKs of what is outstanding.
            RxNacks,
            /// Other NACKs.
            RxNacksBad,
            /// NACKs sent.
            TxNacks,
            /// ACKs of the host that were completed.
            TxAnswers,
            /// Losses by a NACK.
            LossNack,
            /// Times at which the peer was to be asked for its cumulative PSN.
            AckRequests,
            /// Connections with too many timeouts.
            Dead,
        }

        impl Counter {
            /// All but those of the selector's events, in the order of their registers.
            pub const ALL: &[Counter] = &[$(Counter::$counter),*];
            /// Those of the selector's events, in the order of its list.
            pub const SELECTOR_EVENTS: [Counter; 5] = [
                Counter::SelectorEvent0,
                Counter::SelectorEvent1,
                Counter::SelectorEvent2,
                Counter::SelectorEvent3,
                Counter::SelectorEvent4,
            ];
            /// Those of a block whose selector lets packets wait, behind the events.
            pub const OF_PARK: [Counter; 2] = [Counter::Parked, Counter::Held];
            /// Those of a block whose host grants frames, behind these.
            pub const OF_CREDIT: [Counter; 2] = [Counter::NoCredit, Counter::CreditRefused];
            /// Those of a block whose host says who the peers are, behind these.
            pub const OF_PEERS: [Counter; 2] = [Counter::OtherAddress, Counter::AcksOtherAddress];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Counter::$counter => $name,)*
                    Counter::SelectorEvent0 => "selector_event_0",
                    Counter::SelectorEvent1 => "selector_event_1",
                    Counter::SelectorEvent2 => "selector_event_2",
                    Counter::SelectorEvent3 => "selector_event_3",
                    Counter::SelectorEvent4 => "selector_event_4",
                    Counter::Parked => "tx_parked",
                    Counter::Held => "tx_held",
                    Counter::NoCredit => "rx_no_credit",
                    Counter::CreditRefused => "rx_credit_refused",
                    Counter::OtherAddress => "rx_other_address",
                    Counter::AcksOtherAddress => "acks_other_address",
                    Counter::RxUnbound => "rx_unbound",
                    Counter::RxAhead => "rx_ahead",
                    Counter::RxOtherPeer => "rx_other_peer",
                    Counter::RxTrimmed => "rx_trimmed",
                    Counter::RxTrimmedOther => "rx_trimmed_other",
                    Counter::RxControl => "rx_control",
                    Counter::RxNacks => "rx_nacks",
                    Counter::RxNacksBad => "rx_nacks_bad",
                    Counter::TxNacks => "tx_nacks",
                    Counter::TxAnswers => "tx_answers",
                    Counter::LossNack => "loss_nack",
                    Counter::AckRequests => "ack_requests",
                    Counter::Dead => "dead",
                }
            }

            /// What is counted, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Counter::$counter => concat!($($meaning),+).trim(),)*
                    Counter::Parked => "Data packets that waited in the block for their connection",
                    Counter::Held => "Data packets at which tx_in paused because they could not wait in the block",
                    Counter::NoCredit => "Data packets dropped because the host had granted no frame for them",
                    Counter::CreditRefused => "Writes of rx_credit without effect: it went back, or too far ahead",
                    Counter::OtherAddress => "Data packets and probes from another address than the peer's",
                    Counter::AcksOtherAddress => "ACKs from another address than the peer's",
                    Counter::RxUnbound => "Packets with SYN, which the host gets before any connection hears of them",
                    Counter::RxAhead => "Packets ahead of the one that a connection in order expects, refused",
                    Counter::RxOtherPeer => {
                        "Packets, ACKs and NACKs of another PDC than the peer's, or of the other kind of delivery"
                    }
                    Counter::RxTrimmed => "Requests that were trimmed on their way",
                    Counter::RxTrimmedOther => "Other packets that were trimmed, dropped",
                    Counter::RxControl => "Control packets that the receiver was asked about, but probes",
                    Counter::RxNacks => "NACKs of PSNs that are outstanding",
                    Counter::RxNacksBad => "NACKs of other PSNs, or of connections that are not open",
                    Counter::TxNacks => "NACKs sent",
                    Counter::TxAnswers => "ACKs of the host that the block has completed",
                    Counter::LossNack => "Losses by a NACK, of connections in order",
                    Counter::AckRequests => "Times at which all had arrived and the cumulative PSN stood still",
                    Counter::Dead => "Connections that had too many timeouts in a row",
                    _ => "pulses of an event of the selector",
                }
            }
        }
    };
}

counters! {
    /// Data packets sent for the first time.
    TxData "tx_data"
    /// Data packets sent again.
    TxAgain "tx_again"
    /// Probes sent.
    TxProbes "tx_probes"
    /// SACKs sent.
    TxSacks "tx_sacks"
    /// Frames of the host that passed unchanged.
    TxOther "tx_other"
    /// Those of them that are malformed.
    TxMalformed "tx_malformed"
    /// Data packets of the host that were not sent: gap, window full, or connection not open.
    TxRefused "tx_refused"
    /// Packets with a random or next EV.
    Explore "selector_explore"
    /// Packets with an EV that feedback named.
    Recycle "selector_recycle"
    /// Packets with an EV used before.
    Replay "selector_replay"
    /// New data packets.
    RxNew "rx_new"
    /// Data packets that came again.
    RxDuplicate "rx_duplicate"
    /// Data packets beyond the window.
    RxOutside "rx_outside"
    /// Data packets and probes of connections that are not open.
    RxNotOpen "rx_not_open"
    /// Data packets and probes with a CE mark.
    RxMarked "rx_marked"
    /// Probes.
    RxProbes "rx_probes"
    /// ACKs that the scoreboard took.
    RxAcks "rx_acks"
    /// ACKs older than one that it had taken.
    RxAcksOld "rx_acks_old"
    /// ACKs that cannot be true, or of connections that are not open.
    RxAcksBad "rx_acks_bad"
    /// Frames that are not the profile's.
    RxOther "rx_other"
    /// Truncated, bad IPv4 checksum or length mismatch.
    RxMalformed "rx_malformed"
    /// Frames that the MAC marked as bad, dropped.
    RxBad "rx_bad"
    /// Frames dropped because the host did not take those before.
    RxDroppedHost "rx_dropped_host"
    /// Data packets and probes dropped because too many waited for `sack_rx`.
    RxDroppedEngine "rx_dropped_engine"
    /// ACKs dropped because too many waited for `sack_tx`.
    AcksDropped "acks_dropped"
    /// SACKs dropped because too many waited for `tx_out`.
    SacksDropped "sacks_dropped"
    /// Losses by the out-of-order count.
    LossOoo "loss_ooo"
    /// Losses by a probe.
    LossProbe "loss_probe"
    /// Losses by timeout.
    LossTimeout "loss_timeout"
    /// Recoveries that ended.
    RecoveryLeft "recovery_left"
    /// PSNs handed out to be sent again.
    HandedOut "handed_out"
    /// Events that found the queue full.
    EventsLost "events_lost"
    /// Register accesses that were refused.
    AccessesRefused "accesses_refused"
}

/// The values of all counters; each wraps at 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counters {
    values: Vec<u64>,
}

impl Counters {
    /// Each of them shows this number.
    pub fn showing(count: u64) -> Self {
        Counters { values: vec![count; Counter::Dead as usize + 1] }
    }

    pub fn get(&self, counter: Counter) -> u64 {
        self.values[counter as usize]
    }

    pub fn clear(&mut self, counter: Counter) {
        self.values[counter as usize] = 0;
    }

    pub fn count(&mut self, counter: Counter) {
        let value = &mut self.values[counter as usize];
        *value = value.wrapping_add(1);
    }
}
