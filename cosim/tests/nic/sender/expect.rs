//! What the sender is to do with frames, by the golden reader and the golden rewriter.

use respray_golden::rewrite::{Extent, FrameError, Headers, Kind, read};
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::Packet;

/// Codes of `grant_action`.
pub const REWRITE: u64 = 0;
pub const PASS: u64 = 1;
pub const DROP: u64 = 2;

/// Bytes of UDP's header.
const UDP_BYTES: usize = 8;

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    /// Code of `grant_action`.
    pub action: u64,
    pub ev: u16,
    pub timestamp: u16,
    /// Cycles from the request to the grant, at least.
    pub delay: u64,
}

/// A frame of the host, and the answer if there is a request for it.
#[derive(Clone, Debug)]
pub struct Given {
    pub data: Vec<u8>,
    pub grant: Grant,
}

/// A request: `req_is_probe`, `req_conn`, `req_psn`, `req_bytes`, `req_destination_pdc`, `req_is_ordered`.
pub type Request = [u64; 6];

/// A frame that leaves.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// Which of the host's it is.
    pub index: usize,
    pub data: Vec<u8>,
    /// `m_conn`, if a request was made.
    pub conn: Option<u64>,
    pub is_data: bool,
}

/// Positions among the four events.
pub const EVENTS: [&str; 4] = ["pkt_rewritten", "pkt_passed", "pkt_malformed", "pkt_dropped"];
const REWRITTEN: usize = 0;
const PASSED: usize = 1;
const MALFORMED: usize = 2;
const DROPPED: usize = 3;

/// All of it, in the order in which it is to come.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub requests: Vec<Request>,
    /// The answers to the requests.
    pub grants: Vec<Grant>,
    pub leaves: Vec<Leaving>,
    /// Positions in [`EVENTS`].
    pub events: Vec<usize>,
}

/// What is to become of the frames.
pub fn expected(frames: &[Given], settings: Params) -> Expected {
    let mut all = Expected::default();
    for (index, Given { data, grant }) in frames.iter().enumerate() {
        let mut leaving = Leaving { index, data: data.clone(), conn: None, is_data: false };
        let event = match read(data, settings.wire, Extent::Beats(settings.beat_bytes)) {
            Ok(Some(headers)) if headers.kind.is_data() => {
                let request = request(data, &headers, settings);
                leaving.conn = Some(request[1]);
                leaving.is_data = headers.kind == Kind::Data && grant.action == REWRITE;
                all.requests.push(request);
                all.grants.push(*grant);
                granted(&mut leaving.data, *grant, settings)
            }
            Ok(_) | Err(FrameError::Unsupported) => PASSED,
            Err(_) => MALFORMED,
        };
        all.events.push(event);
        if event != DROPPED {
            all.leaves.push(leaving);
        }
    }
    all
}

fn request(data: &[u8], headers: &Headers, settings: Params) -> Request {
    let packet = settings.wire.profile.parse(&data[headers.at..]).expect("the frame holds a whole header");
    let bytes = headers.udp_length - UDP_BYTES - headers.bytes;
    let is_probe = headers.kind == Kind::Probe;
    let (destination_pdc, is_ordered) = match packet {
        Packet::UetRequest(request) => (request.destination_pdc, request.ordered),
        _ => (0, false),
    };
    [
        is_probe.into(),
        packet.sender_connection().into(),
        packet.psn().into(),
        bytes as u64,
        destination_pdc.into(),
        is_ordered.into(),
    ]
}

/// Does what was granted, and says which event that is.
fn granted(data: &mut [u8], grant: Grant, settings: Params) -> usize {
    match grant.action {
        REWRITE => {
            let stamp = Stamp { ev: grant.ev, timestamp: grant.timestamp, enable: true };
            assert_eq!(rewrite(data, stamp, settings), Disposition::Rewritten, "nothing is wrong with it");
            REWRITTEN
        }
        PASS => PASSED,
        _ => DROPPED,
    }
}
