//! The endpoint's sender, which hears what an initiator of cores hears: the two must hold the same for acknowledged.

use respray_golden::hosts::pds::Config;
use respray_golden::hosts::pds::headers::{Ack, Nack};
use respray_golden::hosts::pds::sender::{Content, Sender};
use respray_golden::sack_tx::uet::{Connection, Status};

use super::{Case, Found, same};

pub(super) struct Shadow {
    sender: Sender,
    config: Config,
}

impl Shadow {
    pub fn new(case: &Case) -> Self {
        let config = Config {
            // whatever the scoreboard lets go, goes
            cwnd: u32::MAX,
            window: case.window,
            default_mpr: case.default_mpr,
            sack_cack_align: case.sack_cack_align,
            fault: case.fault,
            ..Config::default()
        };
        Shadow { sender: Sender::new(case.mode, case.start), config }
    }

    /// A new packet leaves, as the scoreboard lets it.
    pub fn sent(&mut self, psn: u32, now: u64) -> Found {
        self.sender.submit(Content::Request {
            bytes: Vec::new(),
            message: 0,
            is_last: false,
            wants_response: false,
        });
        let Shadow { sender, config } = self;
        let departures = || sender.next(true, now, config);
        let new = std::iter::from_fn(departures).find(|departure| !departure.is_retransmission);
        same("PSN that the endpoint would send", new.map(|departure| departure.psn), Some(psn))
    }

    pub fn ack(&mut self, ack: &Ack, status: Option<Status>, c: &Connection, now: u64) -> Found {
        let taken = self.sender.ack(ack, false, now, &self.config);
        let is_overtaken = taken.ok().map(|outcome| outcome.is_overtaken);
        let wanted = match status {
            Some(Status::Ok) => Some(false),
            Some(Status::Overtaken) => Some(true),
            _ => None,
        };
        same("an ACK is taken, or overtaken", is_overtaken, wanted)?;
        self.check(c)
    }

    pub fn nack(&mut self, nack: &Nack, status: Option<Status>, c: &Connection, now: u64) -> Found {
        let is_taken = self.sender.nack(nack, true, now, &self.config).is_ok();
        same("a NACK is of what is outstanding", is_taken, status == Some(Status::Ok))?;
        self.check(c)
    }

    fn check(&self, c: &Connection) -> Found {
        let Shadow { sender, config } = self;
        same("una, nxt", [sender.una(), sender.nxt()], [c.snd_una, c.snd_nxt])?;
        same("limit", sender.limit(config), c.limit(config.window))?;
        same("bytes that were received", sender.received(), c.bytes_rcvd.into())?;
        for at in 0..c.snd_nxt.wrapping_sub(c.snd_una) {
            let psn = c.snd_una.wrapping_add(at);
            let marks = [sender.is_acknowledged(psn), c.is_acked(psn, config.window)];
            same(&format!("mark of {psn:08x}"), marks[0], marks[1])?;
        }
        Ok(())
    }
}
