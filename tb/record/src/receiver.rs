//! The receiver: every data frame is answered with a SACK that shows the exact state, 004 section 3.3.1.

use std::collections::{BTreeSet, HashMap};

use respray_cosim::traffic::capture::{Data, Kind, ProfileFrame};
use respray_golden::wire::strack;

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
    pub fn answer(&mut self, interface: &mut Interface) -> Result<usize, RecordError> {
        let mut sent = 0;
        loop {
            let Some(heard) = interface.hear()? else { return Ok(sent) };
            if heard.outgoing {
                continue;
            }
            let Some(frame) = frames::parse(heard.time_ns, heard.data) else { continue };
            if let Some(sack) = self.packet(&frame) {
                interface.send(&frames::ack(&sack)?)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(receiver: &mut Receiver, psn: u32) -> Option<strack::Ack> {
        let header = strack::Data { connection: 5, psn, timestamp: 9, ..Default::default() };
        receiver.packet(&frames::parse(0, &frames::data(&header, 77, 10).unwrap()).unwrap())
    }

    #[test]
    fn a_sack_shows_the_exact_state_in_aligned_segments() {
        let mut receiver = Receiver::default();
        let first = packet(&mut receiver, 0).unwrap();
        assert_eq!((first.expected_psn, first.sack_base, first.sack_bitmap, first.ooo), (1, 0, 1, 0));
        assert_eq!((first.echo_entropy, first.echo_timestamp, first.recv_bytes), (77, 9, 10));
        // beyond a gap: the packet's own segment
        let far = packet(&mut receiver, 130).unwrap();
        assert_eq!((far.expected_psn, far.sack_base, far.sack_bitmap, far.ooo), (1, 128, 1 << 2, 1));
        for psn in 2..64 {
            packet(&mut receiver, psn).unwrap();
        }
        // the gap closes: EPSN runs over all that was received, and its segment is shown
        let closing = packet(&mut receiver, 1).unwrap();
        assert_eq!(
            (closing.expected_psn, closing.sack_base, closing.sack_bitmap, closing.ooo),
            (64, 64, 0, 1)
        );
        // a duplicate counts nothing and says the state
        let again = packet(&mut receiver, 3).unwrap();
        assert_eq!((again.psn, again.recv_bytes), (3, closing.recv_bytes));
        assert_eq!((again.expected_psn, again.sack_base, again.sack_bitmap), (64, 64, 0));
        let held = packet(&mut receiver, 130).unwrap();
        assert_eq!((held.sack_base, held.sack_bitmap, held.recv_bytes), (128, 1 << 2, 650));
        assert_eq!(packet(&mut receiver, 64 + 256), None, "beyond the window");
        assert_eq!(packet(&mut receiver, 64 + 255).unwrap().ooo, 2);
    }

    #[test]
    fn a_marked_packet_is_echoed_as_marked() {
        let mut frame = frames::data(&strack::Data { connection: 5, ..Default::default() }, 77, 0).unwrap();
        assert!(!Receiver::default().packet(&frames::parse(0, &frame).unwrap()).unwrap().ecn_echo);
        frame[15] |= 3;
        assert!(Receiver::default().packet(&frames::parse(0, &frame).unwrap()).unwrap().ecn_echo);
    }
}
