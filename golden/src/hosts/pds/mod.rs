//! An endpoint of Ultra Ethernet's packet delivery sublayer (PDS) that stands by itself. What it talks to is a `nic` with
//! `wire = "uet"`, or another one of these.
//!
//! It shares nothing with the models of the block, neither code nor reading: headers, receiver and scoreboard are its
//! own. Of what other endpoints do it knows the habits of three that are public: P, a provider of libfabric
//! (`ultraethernet/uet-ref-prov`), H, a simulator (`ultraethernet/uet-htsim`), and K, a driver of a Linux kernel
//! (`intel-lab-lkp/linux`). Other letters in comments are of notes that quote the specification.
//!
//! A rule names the section of the contract that it is from: 1 settings, 1.1 peers, 2 headers (2.1 what carries them,
//! 2.3 requests, 2.4 ACKs, 2.5 NACKs, 2.6 control packets), 3 receiver, 4 sender, 4.1 corner cases. The tests hold
//! vectors (V1 to V58), exchanges (E1 to E6) and properties of the same contract.
//!
//! ```text
//!  messages ──► submit ──► Sender ──┐                      ┌──► Receiver ──► delivered ──► messages
//!                 ▲  scoreboard ◄── ACK, NACK ◄──┐   frame │ request, control packet
//!                 └── timers                poll ┴─► ... ──┴─► receive
//! ```
//!
//! An [`Endpoint`] is initiator and target at once. It has no clock: every call says the time, in nanoseconds. All
//! that is random comes from its seed. `receive` takes a frame; `poll` gives the frames that leave; `wake_at` says
//! when to ask next.
//!
//! # What is decided here
//! - A PDC opens at the first SYN of an address and PDCID that is not bound; a SYN of a bound one is data (4.1). A
//!   first SYN of ROD with an offset gets NACK 0D and opens nothing (2.3).
//! - A response is guaranteed if the packet asks for it; it is held until CLEAR_PSN covers it, and CACK stays below it.
//! - CLEAR_PSN covers only packets whose own response came, or that CACK covers: a bit says that a packet arrived,
//!   and not that its response did.
//! - A PSN outside the window is sent again after `nack_retx` and not at once, for nothing says that the window has
//!   moved.
//! - A Close, a Close Request and a Negotiation are answered whether they ask for an ACK or not (2.6 leaves no choice).
//! - What came again, and what is asked for, counts for the segment of the next bitmap, as what is new does.
//! - A connection that a NACK ends is reported with what it did not finish. Whether that is tried once more is for
//!   who asked.

mod answering;
mod answers;
pub mod config;
mod counts;
pub mod crc;
mod endpoint;
pub mod ev;
pub mod frame;
pub mod headers;
mod incoming;
mod pdc;
pub mod receiver;
mod scoreboard;
pub mod sender;
pub mod ses;
mod timers;

pub use config::{AckRequests, AckType, Base, ClearForm, Config, ConfigError, Fault};
pub use counts::{Counts, Refusal, Taken};
pub use endpoint::Endpoint;
pub use ev::{AnyEv, Chooser, Feedback};
pub use frame::{Address, Carrier, Encapsulation};
pub use headers::Mode;
pub use pdc::{Life, Pdc, Role};
pub use scoreboard::{Finished, Outcome};

use self::ses::Response;

/// A message that is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub bytes: Vec<u8>,
    /// Its last packet asks for a response that the target holds until it is cleared.
    pub wants_response: bool,
}

/// A message that has come, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    pub pdc: u16,
    /// Of the packet that made it whole.
    pub psn: u32,
    /// ID of the message within the connection; 0 without a header of a standard request.
    pub message: u16,
    pub bytes: Vec<u8>,
}

/// What an endpoint tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An ACK has brought the PDCID of the peer.
    Bound {
        pdc: u16,
        peer: u16,
    },
    /// Another endpoint has opened a connection.
    Opened {
        pdc: u16,
        peer: u16,
        from: Address,
    },
    /// CACK covers all of a message.
    Finished {
        pdc: u16,
        message: u64,
    },
    /// The response to a message that asked for one has come, for the first time.
    Responded {
        pdc: u16,
        message: u64,
        response: Response,
    },
    /// An ACK was taken.
    Acknowledged {
        pdc: u16,
        outcome: Outcome,
    },
    Nack {
        pdc: u16,
        code: u8,
        psn: u32,
        payload: u32,
    },
    /// The target asks for a clear, or for a close.
    ClearRequest {
        pdc: u16,
    },
    CloseRequest {
        pdc: u16,
    },
    /// All arrived, and the target is asked for this PSN.
    AckRequest {
        pdc: u16,
        psn: u32,
    },
    /// Nothing came for an RTO; `psn` is una.
    LossTimeout {
        pdc: u16,
        psn: u32,
    },
    /// A probe was answered after so long, in nanoseconds.
    Probed {
        pdc: u16,
        rtt: u64,
    },
    /// No answer came to the last timeout that is allowed.
    Dead {
        pdc: u16,
        unfinished: Vec<u64>,
    },
    /// A NACK has ended the connection.
    Ended {
        pdc: u16,
        code: u8,
        unfinished: Vec<u64>,
    },
    /// The peer has acknowledged the Close, or has closed.
    Closed {
        pdc: u16,
    },
}
