//! 003 Figure 1 as a story: ToRs T1, T4, T5 and T6 below the leaves L1 and L2, and flows to H3 that take the path which ACKs have told of.

use super::topology::{End, PORTS, Peer, Topology};
use super::{Astray, Fabric, Frame, Switch};
use crate::caver::{Kind, Settings};

/// Bytes of congestion 1 at a port with the shift after reset.
pub const UNIT: u32 = 1 << 13;

/// Ages that nothing reaches in a story; of a rest, all that a port's sum has.
pub const SETTINGS: Settings =
    Settings { path_age: 100, flow_timeout: 250, is_host: 0, up: u64::MAX, dre_alpha: 0 };

/// What became of a data packet from H1 to H3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What happened before it.
    pub after: &'static str,
    pub flow: u32,
    /// What T1 did with it.
    pub kind: Kind,
    /// The switches that it passed.
    pub way: Vec<String>,
}

/// The network of the figure with these switches.
pub fn network<S: Switch>(switch: impl FnMut() -> S) -> Fabric<S> {
    Fabric::new(Topology::figure_1(), SETTINGS, switch)
}

/// The end of a link at the first of two, which are switches or a switch and a host.
///
/// # Panics
/// If there is no such link.
pub fn end<S: Switch>(fabric: &Fabric<S>, from: &str, to: &str) -> End {
    let topology = fabric.topology();
    let switch = topology.switch(from);
    let port = match topology.hosts().iter().any(|host| host == to) {
        true => topology.port_to(switch, topology.host(to)),
        false => topology.port_between(switch, topology.switch(to)),
    };
    End { switch, port: port.expect("a link") }
}

/// Other data raises the congestion of a link by so much, at the first of its two ends.
pub fn load<S: Switch>(fabric: &mut Fabric<S>, from: &str, to: &str, congestion: u32) {
    let end = end(fabric, from, to);
    fabric.load(end, congestion * UNIT);
}

/// An ACK from the first to the last of these by the switches between them.
///
/// # Errors
/// What a switch did wrong.
pub fn ack_by<S: Switch>(fabric: &mut Fabric<S>, way: &[&str]) -> Result<Frame, Astray> {
    let (first, last) = (way[0], way[way.len() - 1]);
    let ports: Vec<u8> = way[1..].windows(2).map(|two| end(fabric, two[0], two[1]).port).collect();
    let (from, to) = (fabric.topology().host(first), fabric.topology().host(last));
    let frame = fabric.ack(from, fabric.topology().switch(way[1]), to, 0);
    fabric.carry_by(frame, &ports)
}

/// One RTT: an ACK of H3 from each neighbour to L1 and L2, and so from both of them to T1.
///
/// # Errors
/// What a switch did wrong.
pub fn one_rtt<S: Switch>(fabric: &mut Fabric<S>) -> Result<(), Astray> {
    for (tor, leaf) in [("T5", "L1"), ("T6", "L1"), ("T5", "L2"), ("T6", "L2")] {
        ack_by(fabric, &["H3", tor, leaf, "T1", "H1"])?;
    }
    Ok(())
}

/// A data packet from H1 to H3.
///
/// # Errors
/// What a switch did wrong.
pub fn send<S: Switch>(
    fabric: &mut Fabric<S>,
    after: &'static str,
    flow: u32,
    bytes: u16,
) -> Result<Told, Astray> {
    let topology = fabric.topology();
    let (from, to, tor) = (topology.host("H1"), topology.host("H3"), topology.switch("T1"));
    let frame = fabric.data(from, tor, to, flow, bytes);
    let trail = fabric.carry(frame)?;
    let way = trail.iter().map(|step| fabric.topology().switches()[step.switch].clone()).collect();
    Ok(Told { after, flow, kind: trail[0].kind, way })
}

/// The figure step by step, then a link that becomes congested, and one RTT.
///
/// # Errors
/// What a switch did wrong.
pub fn story<S: Switch>(fabric: &mut Fabric<S>) -> Result<Vec<Told>, Astray> {
    let mut told = Vec::new();
    load(fabric, "T6", "H3", 3);
    load(fabric, "T5", "H3", 1);
    told.push(send(fabric, "nothing is known yet", 1, 0)?);
    ack_by(fabric, &["H3", "T6", "L2", "T1", "H1"])?;
    told.push(send(fabric, "the green flow's ACK came by T6 and L2", 2, 0)?);
    ack_by(fabric, &["H3", "T5", "L2", "T4", "H4"])?;
    told.push(send(fabric, "the red flow's ACK told L2 and T4 of T5, but not T1", 3, 0)?);
    ack_by(fabric, &["H3", "T6", "L2", "T1", "H1"])?;
    told.push(send(fabric, "the green flow's next ACK carried T5's path on", 4, 0)?);
    told.push(send(fabric, "a running flow stays", 2, 0)?);
    load(fabric, "L2", "T5", 30);
    told.push(send(fabric, "the link from L2 to T5 became congested, unheard of at T1", 5, 0)?);
    one_rtt(fabric)?;
    told.push(send(fabric, "one RTT", 6, 0)?);
    told.push(send(fabric, "a running flow stays", 4, 0)?);
    Ok(told)
}

/// Congestion of the best way from a switch to a host, by trying all, where `congestion` is that of a port.
///
/// # Panics
/// If there is no way.
pub fn least<S: Switch>(
    fabric: &Fabric<S>,
    switch: usize,
    host: u16,
    congestion: &impl Fn(&S, u8) -> u8,
) -> u8 {
    let ports = fabric.next_ports(switch, host);
    let ways = (0..PORTS).filter(|port| ports >> port & 1 == 1).map(|port| {
        let own = congestion(fabric.switch(switch), port);
        match fabric.topology().peer(End { switch, port }) {
            Peer::Switch(next) => own.max(least(fabric, next.switch, host, congestion)),
            _ => own,
        }
    });
    ways.min().expect("a way")
}

/// Congestion of the links that a packet took.
///
/// # Panics
/// If it is not the way of a packet to H3.
pub fn along<S: Switch>(fabric: &Fabric<S>, way: &[String], congestion: &impl Fn(&S, u8) -> u8) -> u8 {
    let names = way.iter().map(String::as_str).chain(["H3"]).collect::<Vec<_>>();
    let links = names.windows(2).map(|two| {
        let End { switch, port } = end(fabric, two[0], two[1]);
        congestion(fabric.switch(switch), port)
    });
    links.max().expect("a way has links")
}
