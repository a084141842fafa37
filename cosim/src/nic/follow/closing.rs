//! The steps of connections that drain, and of those that are closed for receiving.

use respray_golden::nic::Command;
use respray_hdl::nic::top::Seen;

use super::Follower;
use super::engines::{CLOSE, READ};
use crate::nic::device::Numbers;
use crate::nic::difference::Difference;

impl Follower {
    /// An op of `sack_tx` may be that by which the host has a connection drain, or one by which the block closes a connection that has drained.
    /// The reads by which the block looks whether it has change nothing.
    pub(super) fn drains(&mut self, seen: &Seen, op: Option<u64>, conn: u16) -> Result<(), Difference> {
        if !self.golden.config().graceful_close {
            return Ok(());
        }
        if op == Some(READ) && seen.drain_valid && !seen.closing_owns && self.done.is_none() {
            self.done = Some(self.command(Command::CloseTx));
        }
        if op == Some(CLOSE) && seen.closing_owns {
            let closed = self.golden.close_drained(conn);
            self.need(closed, "the block closes a connection", "it does not drain, or has not drained")?;
        }
        let [draining, drained] =
            if self.drains.is_due() { self.golden.draining() } else { Default::default() };
        self.drains
            .wait(draining.len() as u64, drained.first().copied())
            .map_err(|(seen, expected)| self.difference("a connection that drains", seen, expected))
    }

    /// The host is told that a connection is closed for receiving: the event is that which the receiver offers.
    pub(super) fn closed_receiving(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if seen.closed_rx_told {
            let told = self.golden.tell_closed_rx(numbers.receiver_event_conn as u16);
            self.need(
                told,
                "the host is told that receiving is closed",
                "it was not closed, or a packet of it waits",
            )?;
        }
        Ok(())
    }
}
