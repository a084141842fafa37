//! What a frame of the host asks for.

use super::headers::{Addressing, Peer};
use super::host_frame::{Asks, Request, Sent, Stage};
use super::{Counter, Nic};
use crate::rewrite::{self, Extent, FrameError, Headers};

/// UDP's header in bytes.
const UDP_BYTES: usize = 8;

impl Nic {
    /// How far a frame of the host is when it comes.
    pub(super) fn read_frame(&mut self, frame: &[u8]) -> Stage {
        match self.headers_of_host(frame) {
            Ok(Some(headers)) => match self.asks(frame, &headers) {
                Some(asks) => Stage::Asks(self.request(frame, &headers, asks)),
                None => Stage::Leaves(Sent::Other),
            },
            Ok(None) | Err(FrameError::Unsupported) => Stage::Leaves(Sent::Other),
            Err(_) => {
                self.counters.count(Counter::TxMalformed);
                Stage::Leaves(Sent::Other)
            }
        }
    }

    /// A frame of the host is judged with the beat that decides, as `rewrite_tx` does: a long one leaves before its end is there. It was not
    /// trimmed, whatever its DSCP.
    ///
    /// # Errors
    /// Those of [`rewrite::read`].
    pub fn headers_of_host(&self, frame: &[u8]) -> Result<Option<Headers>, FrameError> {
        let extent = Extent::Beats(self.config.bus_bits as usize / 8);
        rewrite::read(frame, self.traffic().untrimmed(), extent)
    }

    /// What a frame of the profile asks for, if it does.
    pub fn asks(&self, frame: &[u8], headers: &Headers) -> Option<Asks> {
        match headers.kind {
            rewrite::Kind::Probe => Some(Asks::Probe),
            rewrite::Kind::Data => Some(Asks::Data),
            _ => self.uet_asks(frame, headers),
        }
    }

    fn request(&self, frame: &[u8], headers: &Headers, asks: Asks) -> Request {
        // A frame is judged with the beat that has what every header of the profile begins with. Behind that beat a
        // longer header may be cut off: what the frame has not is 0.
        let mut bytes: Vec<u8> = frame[headers.at..].iter().copied().take(headers.bytes).collect();
        bytes.resize(headers.bytes, 0);
        let header = self.config.profile.parse(&bytes).expect("a header of the profile");
        let payload = (headers.udp_length - UDP_BYTES - headers.bytes) as u16;
        Request {
            number: header.sender_connection(),
            asks,
            psn: self.psns().wrap(header.psn()),
            bytes: payload,
            size: self.size(asks, payload, headers.bytes),
            peer: Peer { addressing: Addressing::of(frame, headers), header },
        }
    }
}
