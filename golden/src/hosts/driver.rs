//! A driver's view of a `nic`: registers by name.

use crate::nic::{Command, Nic};

/// Where a connection's sender stands, by the command `read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub in_flight: u32,
    pub in_recovery: bool,
}

pub fn write(nic: &mut Nic, name: &str, value: u32) {
    let address = nic.address(name).expect(name);
    nic.write(address, value).unwrap_or_else(|error| panic!("{name}: {error}"));
}

pub fn read(nic: &mut Nic, name: &str) -> u32 {
    let address = nic.address(name).expect(name);
    nic.read(address).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Opens a connection in both directions.
pub fn open(nic: &mut Nic, conn: u16, psn: u32) {
    write(nic, "command_conn", conn.into());
    write(nic, "command_psn", psn);
    write(nic, "command", Command::OpenTx as u32);
    write(nic, "command", Command::OpenRx as u32);
}

pub fn state(nic: &mut Nic, conn: u16) -> State {
    write(nic, "command_conn", conn.into());
    write(nic, "command", Command::Read as u32);
    State {
        snd_una: read(nic, "result_snd_una"),
        snd_nxt: read(nic, "result_snd_nxt"),
        in_flight: read(nic, "result_in_flight"),
        in_recovery: read(nic, "result_in_recovery") == 1,
    }
}
