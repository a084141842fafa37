//! Settings of an endpoint.

use std::net::{IpAddr, Ipv4Addr};

use thiserror::Error;

use super::frame::{Address, Encapsulation};

/// Which PSN bit 0 of a bitmap stands for (section 1.1, V21 to V24). Readers take every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The lowest segment of 64 in which a packet came since the last ACK, for the first time or again, not below the one of
    /// the EPSN.
    #[default]
    Segment,
    /// K: CACK, rounded down to a multiple of 8.
    Eights,
    /// P: the lowest packet held beyond the EPSN; CACK + 1 if there is none.
    LowestHeld,
    /// H: the PSN behind the EPSN, or later, so that the packet that is answered is the last of the bitmap.
    AroundTrigger,
}

impl Base {
    pub const ALL: [Base; 4] = [Base::Segment, Base::Eights, Base::LowestHeld, Base::AroundTrigger];
}

/// What ACKs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckType {
    /// Type 7.
    Plain,
    /// Type 8.
    #[default]
    Cc,
    /// Type 9, with a state of 16 bytes of zeros.
    Ccx,
}

/// Which packets ask for an ACK. Those that are sent again all do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckRequests {
    /// The first of a connection, the last of a message, and one behind which the window is closed.
    #[default]
    Sparse,
    Every,
    /// No new one.
    Never,
}

/// How a Clear says its CLEAR_PSN. Readers take both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClearForm {
    /// As payload, with PSN 0 (P, F).
    #[default]
    Payload,
    /// As PSN, with payload 0 (M3).
    Psn,
}

/// Timeouts in a row that have no limit.
pub const NO_LIMIT: u8 = 15;

/// Settings of an endpoint. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub struct Config {
    /// Of all that is random; two endpoints of one configuration do the same.
    pub seed: u64,
    pub address: Address,
    pub encapsulation: Encapsulation,
    /// DSCP of ACKs, NACKs and control packets, and of requests; 6 bits.
    pub dscp_control: u8,
    pub dscp_data: u8,
    /// Connections at once, 1 or more. A SYN beyond them gets NACK 04.
    pub max_pdcs: u16,
    /// PDCID of the first connection, 1 or more; each further one has the next that is free.
    pub first_pdc: u16,
    /// Start_PSN of every connection that it opens; `None`: random.
    pub start_psn: Option<u32>,

    /// Packets in flight, 1 or more.
    pub cwnd: u32,
    /// PSNs outstanding, 1..=32640.
    pub window: u32,
    /// Bytes of a message in a full packet, 1 or more.
    pub payload: usize,
    pub ack_requests: AckRequests,
    /// Packets before the first ACK, 1..=4096; 1 for a peer that makes a connection of each copy of a SYN.
    pub syn_packets: u16,
    /// MPR before the first ACK that says one, in 128 PSNs; 0: no limit.
    pub default_mpr: u8,
    /// Time without progress until a timeout; each further one in a row takes twice as long, 8 s at most.
    pub rto: u64,
    /// Timeouts in a row until a connection is given up, 0..=15; 15: no limit.
    pub max_rto_retx: u8,
    /// Until a packet is sent again that a receiver had no resources for.
    pub nack_retx: u64,
    /// Time without progress until a probe; `None`: none is sent.
    pub probe: Option<u64>,
    /// Until responses are cleared, once that is asked for.
    pub clear_delay: u64,
    pub clear_form: ClearForm,

    /// PSNs from the EPSN on that are taken, a multiple of 128, 128..=32640; so MPR is a 128th of it.
    pub receive_window: u32,
    pub ack_type: AckType,
    /// ACKs carry a default response.
    pub ack_ses: bool,
    pub base: Base,
    /// 1 or 8: CACK is rounded down to a multiple of it before the offset of a bitmap counts, written or read.
    pub sack_cack_align: u32,
    /// Bytes that arrive until an ACK is due, and the fewest that a packet counts for.
    pub ack_gen_trigger: u32,
    pub ack_gen_min: u32,
    /// A packet that a switch has marked makes an ACK due.
    pub ack_on_ecn: bool,
    /// Added to the length of UDP, in bytes, for `rcvd_bytes`.
    pub nominal_extra: u32,
    /// Until a target asks with a control packet that a response be cleared; `None`: by flags of ACKs alone.
    pub clear_request: Option<u64>,
    /// How long a closed connection of a target answers what comes late.
    pub linger: u64,
    /// A deliberate mistake, for tests that must find it.
    pub fault: Option<Fault>,
}

impl Default for Config {
    fn default() -> Self {
        let address = Address { mac: [2, 0, 0, 0, 0, 1], ip: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)) };
        Config {
            seed: 1,
            address,
            encapsulation: Encapsulation::default(),
            dscp_control: 46,
            dscp_data: 0,
            max_pdcs: 1024,
            first_pdc: 1,
            start_psn: None,
            cwnd: 64,
            window: 256,
            payload: 1024,
            ack_requests: AckRequests::default(),
            syn_packets: 4096,
            default_mpr: 1,
            rto: 100_000,
            max_rto_retx: 5,
            nack_retx: 20_000,
            probe: None,
            clear_delay: 0,
            clear_form: ClearForm::default(),
            receive_window: 256,
            ack_type: AckType::default(),
            ack_ses: true,
            base: Base::default(),
            sack_cack_align: 1,
            ack_gen_trigger: 16384,
            ack_gen_min: 1024,
            ack_on_ecn: true,
            nominal_extra: 40,
            clear_request: None,
            linger: 10_000_000,
            fault: None,
        }
    }
}

/// A setting that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key} must be {allowed}, not {got}")]
pub struct ConfigError {
    pub key: &'static str,
    pub allowed: &'static str,
    pub got: u64,
}

impl Config {
    /// # Errors
    /// The first setting that is not allowed.
    pub fn check(&self) -> Result<(), ConfigError> {
        let checks: [(&str, u64, bool, &str); 12] = [
            ("dscp_control", self.dscp_control.into(), self.dscp_control < 64, "below 64"),
            ("dscp_data", self.dscp_data.into(), self.dscp_data < 64, "below 64"),
            ("max_pdcs", self.max_pdcs.into(), self.max_pdcs > 0, "1 or more"),
            ("first_pdc", self.first_pdc.into(), self.first_pdc > 0, "1 or more"),
            ("cwnd", self.cwnd.into(), self.cwnd > 0, "1 or more"),
            ("window", self.window.into(), (1..=32640).contains(&self.window), "1 to 32640"),
            ("payload", self.payload as u64, (1..=9000).contains(&self.payload), "1 to 9000"),
            ("syn_packets", self.syn_packets.into(), (1..=4096).contains(&self.syn_packets), "1 to 4096"),
            ("rto", self.rto, self.rto > 0, "1 or more"),
            ("max_rto_retx", self.max_rto_retx.into(), self.max_rto_retx <= NO_LIMIT, "0 to 15"),
            (
                "receive_window",
                self.receive_window.into(),
                self.receive_window.is_multiple_of(128) && (128..=32640).contains(&self.receive_window),
                "a multiple of 128 from 128 to 32640",
            ),
            ("sack_cack_align", self.sack_cack_align.into(), matches!(self.sack_cack_align, 1 | 8), "1 or 8"),
        ];
        match checks.into_iter().find(|(_, _, is_allowed, _)| !is_allowed) {
            None => Ok(()),
            Some((key, got, _, allowed)) => Err(ConfigError { key, allowed, got }),
        }
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }
}

/// Deliberate mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A packet that was received is taken once more.
    DuplicateTaken,
    /// CACK passes responses that are held.
    HeldResponsePassed,
    /// The response to a duplicate is the default one, though another is held.
    ResponseForgotten,
    /// Start_PSN is the PSN of the SYN, whatever its offset.
    SynOffsetUnread,
    /// A trimmed packet counts as received.
    TrimmedReceived,
    /// A target of ROD holds packets ahead.
    RodHolds,
    /// `rcvd_bytes` counts duplicates.
    DuplicateCounted,
    /// Bit 0 of a bitmap that is read is the PSN behind its base.
    BitmapShifted,
    /// A clear bit says that a packet did not arrive.
    ClearBitIsLoss,
    /// An ACK that was overtaken moves the limit of outstanding PSNs.
    OvertakenMpr,
    /// CACK is compared as a number that does not wrap.
    CackUnsigned,
    /// An ACK of any peer is taken.
    AnyPeer,
    /// Every NACK of ROD begins another pass.
    EveryNackHeard,
    /// Responses are cleared that did not arrive.
    UnansweredCleared,
    /// A packet that is sent again lacks RETX.
    RetxNotSet,
    /// The last gap of a packet that asked for an ACK is not told at once.
    LateNotTold,
}

impl Fault {
    pub const ALL: [Fault; 16] = [
        Fault::DuplicateTaken,
        Fault::HeldResponsePassed,
        Fault::ResponseForgotten,
        Fault::SynOffsetUnread,
        Fault::TrimmedReceived,
        Fault::RodHolds,
        Fault::DuplicateCounted,
        Fault::BitmapShifted,
        Fault::ClearBitIsLoss,
        Fault::OvertakenMpr,
        Fault::CackUnsigned,
        Fault::AnyPeer,
        Fault::EveryNackHeard,
        Fault::UnansweredCleared,
        Fault::RetxNotSet,
        Fault::LateNotTold,
    ];
}
