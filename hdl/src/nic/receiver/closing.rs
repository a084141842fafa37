//! Connections that are closed for receiving, and when the host is told.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort};

/// Tells that a connection is closed when all frames have left that were in the ring when its turn came: what was taken in before the close is
/// among them. A scan visits all connections, two cycles each, so that any number of them may be closed at a time. `C` is the width of a
/// connection's number.
#[block]
pub struct Closing<const C: usize> {
    /// `sack_rx` takes a `close` of this connection.
    pub closes: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    /// A frame goes into the ring, and the last beat of one leaves it.
    pub commit: Signal<In, bool>,
    pub leaves: Signal<In, bool>,
    /// The host is to be told of a connection, and is.
    pub tells: Signal<Out, bool>,
    pub closed_conn: Signal<Out, Bits<C>>,
    pub may_tell: Signal<In, bool>,
    pub told: Signal<Out, bool>,

    closed: SimpleDualPort<Bits<C>, bool>,
    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    at: Reg<Bits<C>>,
    #[reset = false]
    looks: Reg<bool>,
    /// Frames in the ring, and those of them that are waited for.
    #[reset = 0]
    frames: Reg<Bits<10>>,
    ahead: Reg<Bits<10>>,
    #[reset = false]
    waits: Reg<bool>,
    #[reset = false]
    has_event: Reg<bool>,
    last_conn: Param<Bits<C>>,
}

#[block]
impl<const C: usize> Closing<C> {
    /// No connection is closed.
    pub fn new() -> Self {
        Self {
            closed: SimpleDualPort::new(
                "closed_memory",
                "which connections were closed for receiving, without the host being told",
                MemoryKind::Distributed,
            ),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module closing: when the host is told that a connection is closed for receiving");
        if self.commit & !self.leaves {
            self.frames = self.frames + 1;
        }
        if self.leaves & !self.commit {
            self.frames = self.frames - 1;
        }

        comment!("The scan. A close goes before what the scan writes, which then looks again.");
        self.closed.read_address = self.at;
        let is_idle = self.is_ready & !self.waits & !self.has_event;
        let begins = is_idle & self.looks & self.closed.read_data & !self.closes;
        let passes = is_idle & self.looks & !self.closed.read_data;
        self.looks = is_idle & !self.looks;
        if begins {
            self.waits = true;
            self.ahead = self.frames;
            if self.leaves {
                self.ahead = self.frames - 1;
            }
        }
        if self.waits {
            if self.leaves & self.ahead.any() {
                self.ahead = self.ahead - 1;
            }
            if !self.ahead.any() {
                self.waits = false;
                self.has_event = true;
            }
        }
        let is_told = self.has_event & self.may_tell;
        if is_told {
            self.has_event = false;
        }
        if !self.is_ready | passes | is_told {
            self.at = self.at + 1;
        }
        if self.at == self.last_conn {
            self.is_ready = true;
        }
        self.closed.write_enable = self.closes | begins | !self.is_ready;
        self.closed.write_address = self.at;
        self.closed.write_data = false;
        if self.closes {
            self.closed.write_address = self.conn;
            self.closed.write_data = true;
        }
        self.tells = self.has_event;
        self.told = is_told;
        self.closed_conn = self.at;
    }
}
