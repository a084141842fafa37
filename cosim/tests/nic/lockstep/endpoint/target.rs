//! The host behind a block that receives: it opens the connection, puts messages together, and answers the close.

use std::collections::BTreeSet;

use respray_cosim::nic::End;
use respray_golden::hosts::pds::headers::{Ack, Ctl, Destination, Header, Request};
use respray_golden::hosts::pds::ses::{Assembly, Piece};
use respray_golden::nic::{Command, Delivery, Kind, Verdict};
use respray_golden::sack_rx::Status;

use super::{B, Host, encapsulation, frame_of};

/// Status of a packet that `accept` found ahead of its order.
const AHEAD: u32 = 6;

#[derive(Default)]
pub struct Target {
    /// Start_PSN, once the connection is open.
    start: Option<u32>,
    came: BTreeSet<u32>,
    assembly: Assembly,
    pub delivered: Vec<Vec<u8>>,
    is_closed: bool,
}

impl Target {
    /// An ACK that says of a packet that it came, beside the ones of the block.
    fn answer(end: &mut End, cack: u32, psn: u32, to: u16) {
        let offset = psn.wrapping_sub(cack) as u16;
        let ack = Ack { offset, cack, source: B, destination: to, ..Ack::default() };
        end.send(frame_of(B, 77, 46, &Header::Ack(ack), &[]));
    }

    /// A packet with SYN: the connection opens, and the receiver takes the packet in. The host answers it: it knows the PSN before the
    /// first one, and the one that came.
    fn open(&mut self, end: &mut End, request: &Request, offset: u16, behind: &[u8]) -> Result<(), String> {
        let Request { psn, source, .. } = *request;
        let start = psn.wrapping_sub(offset.into());
        if self.start.is_none() {
            let open = [
                ("command_conn", B.into()),
                ("command_psn", start),
                ("command_peer", source.into()),
                ("command", Command::OpenRx as u32),
            ];
            let opened = open.into_iter().try_for_each(|(name, value)| end.write(name, value));
            opened.map_err(|difference| difference.to_string())?;
            self.start = Some(start);
        }
        if self.start != Some(start) {
            return Err(format!("a SYN begins at {start:08x}"));
        }
        let flags = u32::from(request.ack_request) | u32::from(request.is_retransmission) << 1;
        let accept = [
            ("command_psn", psn),
            ("command_bytes", behind.len() as u32),
            ("command_flags", flags),
            ("accept", B.into()),
        ];
        let accepted = accept.into_iter().try_for_each(|(name, value)| end.write(name, value));
        let status =
            accepted.and_then(|()| end.read("result_status")).map_err(|difference| difference.to_string())?;
        match status {
            0 => self.piece(psn, behind)?,
            1 if self.came.contains(&psn) => {}
            // it comes again
            AHEAD => return Ok(()),
            _ => return Err(format!("a SYN of PSN {psn:08x} has status {status}")),
        }
        Target::answer(end, start.wrapping_sub(1), psn, source);
        Ok(())
    }

    /// A packet came for the first time.
    fn piece(&mut self, psn: u32, behind: &[u8]) -> Result<(), String> {
        if !self.came.insert(psn) {
            return Err(format!("PSN {psn:08x} comes twice"));
        }
        let (piece, data) = Piece::parse(behind).ok_or("a packet is no piece of a message")?;
        let whole = self.assembly.take(&piece, data).map_err(|error| error.to_string())?;
        self.delivered.extend(whole);
        Ok(())
    }

    fn take(&mut self, end: &mut End, delivery: &Delivery) -> Result<(), String> {
        let packet = encapsulation().read(&delivery.frame).map_err(|error| error.to_string())?;
        let (header, length) = Header::parse(packet.bytes).map_err(|error| error.to_string())?;
        let behind = &packet.bytes[length..];
        let odd = || format!("{header:?} comes with {:?} {:?}", delivery.status, delivery.verdict);
        match (header, delivery.status, delivery.verdict) {
            (Header::Request(request), None, Some(Verdict::Unbound)) => match request.destination {
                Destination::Syn { psn_offset, .. } => self.open(end, &request, psn_offset, behind),
                Destination::Pdc(_) => Err(odd()),
            },
            (Header::Request(request), Some(Status::New), None) => self.piece(request.psn, behind),
            (Header::Request(request), Some(Status::Duplicate), None) => {
                self.came.contains(&request.psn).then_some(()).ok_or_else(odd)
            }
            (Header::Control(control), Some(Status::New | Status::Duplicate), None)
                if control.ctl == Ctl::Close =>
            {
                // all below has come, since the initiator closes behind its last ACK
                self.is_closed = true;
                Target::answer(end, control.psn, control.psn, control.source);
                Ok(())
            }
            // a connection in order expects another one; it comes again
            (_, None, Some(Verdict::Ahead)) => Ok(()),
            // it clears nothing that is held
            (Header::Control(control), None, None) if control.ctl == Ctl::Clear => Ok(()),
            _ => Err(odd()),
        }
    }
}

impl Host for Target {
    fn serve(&mut self, end: &mut End) -> Result<(), String> {
        while let Some(delivery) = end.out.delivered.pop_front() {
            self.take(end, &delivery)?;
        }
        while let Some(event) = end.out.events.pop_front() {
            let is_ahead = event.kind == Kind::Stray && event.detail == u16::from(Verdict::Ahead.code());
            if event.kind != Kind::Duplicate && !is_ahead {
                return Err(format!("{event:?} comes"));
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_closed
    }

    fn state(&self) -> String {
        format!("{} packets came", self.came.len())
    }
}
