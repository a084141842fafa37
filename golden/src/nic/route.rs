//! Who a frame from the network is for, and whether there is room for it.

use super::{Credit, Nic, sack};
use crate::rewrite;
use crate::rewrite_rx::Record;

/// Who a frame from the network is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The scoreboard, and then perhaps the host.
    Scoreboard {
        to_host: bool,
    },
    /// The receiver, and then the host with what that says.
    Data,
    /// The receiver alone.
    Receiver,
    /// The host, who is to open a connection for it.
    Opening,
    /// The host, as it is.
    Host,
    Nobody,
}

impl Route {
    /// Whether it goes to the host as far as the host takes it.
    pub const fn is_for_host(self) -> bool {
        matches!(self, Route::Scoreboard { to_host: true } | Route::Data | Route::Opening | Route::Host)
    }

    /// Whether it waits for grants of the host.
    pub const fn needs_credit(self) -> bool {
        matches!(self, Route::Scoreboard { to_host: true } | Route::Data | Route::Opening)
    }
}

/// What becomes of a frame from the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Taken,
    /// The host did not take those before.
    DroppedHost,
    /// It is data, and the host has granted no frame for it.
    NoCredit,
    /// Too many wait for the engine.
    DroppedEngine,
}

impl Nic {
    /// Who a frame is for that comes now, with what was read of it.
    pub fn route(&self, frame: &[u8], record: &Record) -> Route {
        if self.uet().is_some() {
            return self.uet_route(frame, record);
        }
        match record.flow_kind() {
            Some(rewrite::Kind::Ack) => Route::Scoreboard { to_host: false },
            Some(_) if sack::is_probe(self.config.profile, record) => Route::Receiver,
            Some(_) => Route::Data,
            None => Route::Host,
        }
    }

    /// What becomes of a frame by the limits.
    pub(super) fn fate(&mut self, route: Route) -> Fate {
        let limits = self.config.limits;
        let now = self.clock.cycles;
        let has_room = self.rx_out.len() < limits.rx_frames;
        if route.is_for_host() && !has_room {
            return Fate::DroppedHost;
        }
        if route.needs_credit() && !self.credit.is_none_or(Credit::has) {
            return Fate::NoCredit;
        }
        let is_taken = match route {
            Route::Scoreboard { .. } => self.ack_load.take(now, limits.ack_cycles, limits.engine_ops),
            Route::Data | Route::Receiver => self.data_load.take(now, limits.data_cycles, limits.engine_ops),
            Route::Opening | Route::Host | Route::Nobody => true,
        };
        if is_taken { Fate::Taken } else { Fate::DroppedEngine }
    }
}
