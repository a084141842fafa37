//! The example of docs/library.md, which has all below this line.

use respray_golden::hosts::frames;
use respray_golden::nic::{Command, Config, Kind, Nic};
use respray_golden::paths::End;
use respray_golden::sack_rx::Status;
use respray_golden::wire::Profile;

/// A `nic` that acknowledges every packet, with connection 3 open in both directions from PSN 100 on.
fn opened() -> Nic {
    let mut nic = Nic::new(Config::default());
    let (tx, rx) = (("command", Command::OpenTx as u32), ("command", Command::OpenRx as u32));
    for (name, value) in [("sack_threshold", 0), ("command_conn", 3), ("command_psn", 100), tx, rx] {
        let register = nic.registers().iter().find(|register| register.name == name).expect(name);
        nic.write(register.address, value).expect(name);
    }
    nic
}

#[test]
fn a_packet_is_delivered_and_acknowledged() {
    let (mut sender, mut receiver) = (opened(), opened());
    let (from, conn, psn) = (End::A, 3, 100);
    let data = frames::Data { from, conn, psn, bytes: 64, ack_request: false, again: false };
    sender.offer(frames::data(Profile::Strack, &data)).expect("tx_in has room");
    receiver.receive(sender.transmit().expect("the packet leaves").frame, false);
    receiver.advance(1000);
    assert_eq!(receiver.deliver().expect("the host gets it").status, Some(Status::New));
    sender.advance(2000);
    sender.receive(receiver.transmit().expect("a SACK leaves").frame, false);
    assert_eq!(sender.event().map(|event| event.kind), Some(Kind::Acknowledged));
}
