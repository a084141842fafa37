//! The receiver: every data frame is answered with a SACK that shows the exact state, 004 section 3.3.1.

use std::collections::{BTreeSet, HashMap};

use respray_cosim::traffic::capture::{Data, Kind, ProfileFrame};
use respray_golden::wire::strack;

use super::sockets::Sockets;
use crate::error::RecordError;
use crate::frames;
use crate::socket::Interface;

/// Packets beyond EPSN that are taken.
const WINDOW: u32 = 256;
/// Bits of a SACK segment, and what its base is aligned to.
const SEGMENT: u32 = 64;

/// What the receiver knows of its connections.
#[derive(Default)]
pub struct Receiver {
    connections: HashMap<u32, Arrivals>,
}

/// A connection's arrivals. PSNs begin at 0 and a recording ends long before they wrap.
#[derive(Default)]
struct Arrivals {
    epsn: u32,
    beyond: BTreeSet<u32>,
    bytes: u32,
}

impl Receiver {
    /// Answers all that has come; returns the number of SACKs sent.
    pub fn answer(&mut self, interface: &mut Interface, sockets: &Sockets) -> Result<usize, RecordError> {
        let mut sent = 0;
        loop {
            let Some(heard) = interface.hear()? else { return Ok(sent) };
            if heard.outgoing {
                continue;
            }
            let Some(frame) = frames::parse(Some(heard.time_ns), heard.data) else { continue };
            if let Some(sack) = self.packet(&frame) {
                // the answer goes by the EV of its packet
                sockets.send(sack.echo_entropy, sack.to_bytes().to_vec())?;
                sent += 1;
            }
        }
    }

    /// Takes a data frame and returns its SACK; `None` for what is beyond the window or no data.
    fn packet(&mut self, frame: &ProfileFrame) -> Option<strack::Ack> {
        let Kind::Data(Data { psn, bytes, timestamp, .. }) = frame.kind else { return None };
        let arrivals = self.connections.entry(frame.id).or_default();
        let before = arrivals.epsn;
        if psn >= before + WINDOW {
            return None;
        }
        if psn >= before && arrivals.beyond.insert(psn) {
            arrivals.bytes = arrivals.bytes.wrapping_add(bytes);
            while arrivals.beyond.remove(&arrivals.epsn) {
                arrivals.epsn += 1;
            }
        }
        // the segment of the packet, or of EPSN after an advance and for a duplicate below it
        let shown = psn.max(arrivals.epsn);
        let base = shown / SEGMENT * SEGMENT;
        let has = |psn: u32| psn < arrivals.epsn || arrivals.beyond.contains(&psn);
        let bitmap = (0..SEGMENT).filter(|bit| has(base + bit)).fold(0, |bits, bit| bits | 1u64 << bit);
        Some(strack::Ack {
            connection: frame.id,
            psn,
            echo_entropy: frame.ev,
            echo_timestamp: timestamp.unwrap_or(0),
            recv_bytes: arrivals.bytes,
            expected_psn: arrivals.epsn,
            ooo: arrivals.beyond.len() as u16,
            ecn_echo: frame.ecn == 3,
            probe_echo: false,
            sack_base: base,
            sack_bitmap: bitmap,
        })
    }
}
