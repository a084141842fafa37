//! Random flows through a network of CAVER switches. Frames of all flows are on their way at once; each link keeps its order, and which
//! link moves next is random. The run fails if a frame goes astray or, where that is promised, if one overtakes another of its flow.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::topology::{End, PORTS, Peer};
use super::{Astray, Cargo, Fabric, Frame, Switch};
use crate::caver::Kind;

/// Knobs of a run.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    pub seed: u64,
    /// Frames that move a link, or begin.
    pub steps: u32,
    /// Flows that last as long as the run.
    pub flows: u32,
    /// Of so many ACKs one is lost; 0: none.
    pub ack_loss: u32,
    /// Steps between two ticks. At each tick a period of the DRE goes by.
    pub tick: u32,
    /// No entry of a flow table dies in the run: the order is checked.
    pub is_ordered: bool,
}

/// What a run saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub data: u32,
    pub acks: u32,
    /// Data that its first switch gave a route as a first packet, as a later one, and none because of a collision.
    pub new: u32,
    pub same: u32,
    pub collided: u32,
    /// Hops by a route, and routes that could not be.
    pub routed: u32,
    pub bad_routes: u32,
    /// ACKs' hops that replaced a path, that found a better one, and that were full.
    pub took: u32,
    pub kept: u32,
    pub refused: u32,
    /// Data frames behind a later one of their flow.
    pub overtaken: u32,
}

struct Flow {
    from: u16,
    tor: usize,
    to: u16,
    hash: u32,
    sent: u32,
    /// Frames that arrived, if none was overtaken.
    arrived: u32,
    /// How often it sends: a weight.
    weight: u32,
}

/// A frame and what the switches do not see of it.
struct Flying {
    frame: Frame,
    flow: usize,
    number: u32,
}

/// Runs random traffic.
pub fn run<S: Switch>(fabric: &mut Fabric<S>, traffic: &Traffic) -> Result<Counts, Astray> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(traffic.seed);
    let hosts = fabric.topology().hosts().len() as u16;
    let switches = fabric.topology().switches().len();
    let mut flows: Vec<Flow> = (0..traffic.flows).map(|_| flow(fabric, &mut rng, hosts)).collect();
    let place = |end: End| end.switch * usize::from(PORTS) + usize::from(end.port);
    let mut links: Vec<VecDeque<Flying>> = Vec::new();
    links.resize_with(switches * usize::from(PORTS), VecDeque::new);
    let (mut busy, mut counts) = (Vec::new(), Counts::default());
    for step in 1..=traffic.steps {
        if step % traffic.tick == 0 {
            fabric.now = fabric.now.wrapping_add(1);
            fabric.rest();
        }
        busy.clear();
        busy.extend((0..links.len()).filter(|link| !links[*link].is_empty()));
        if busy.len() < 2 || rng.random_range(0..5_u32) == 0 {
            let index = rng.random_range(0..flows.len());
            let flow = &mut flows[index];
            if rng.random_range(0..8) < flow.weight {
                let bytes = rng.random_range(64..9000);
                let frame = fabric.data(flow.from, flow.tor, flow.to, flow.hash, bytes);
                links[place(frame.at)].push_back(Flying { frame, flow: index, number: flow.sent });
                flow.sent += 1;
            }
            continue;
        }
        let link = busy[rng.random_range(0..busy.len())];
        let mut flying = links[link].pop_front().expect("busy links hold frames");
        let has_arrived = fabric.hop(&mut flying.frame)?;
        count(&mut counts, &flying.frame);
        let flow = &mut flows[flying.flow];
        match (flying.frame.cargo, has_arrived) {
            (Cargo::Ack { .. }, false) if is_one_of(&mut rng, 8 * traffic.ack_loss) => {}
            (_, false) => links[place(flying.frame.at)].push_back(flying),
            (Cargo::Ack { .. }, true) => counts.acks += 1,
            (Cargo::Data { .. }, true) => {
                counts.data += 1;
                if flying.number != flow.arrived {
                    counts.overtaken += 1;
                    if traffic.is_ordered {
                        return Err(Astray::Overtaken(flow.arrived, flow.hash));
                    }
                }
                flow.arrived = flow.arrived.max(flying.number + 1);
                if !is_one_of(&mut rng, traffic.ack_loss) {
                    // a bonded host answers by the link that the data came by
                    let tor = flying.frame.trail.last().expect("it arrived by a switch").switch;
                    let frame = fabric.ack(flow.to, tor, flow.from, rng.random());
                    links[place(frame.at)].push_back(Flying { frame, ..flying });
                }
            }
        }
    }
    Ok(counts)
}

fn flow<S: Switch>(fabric: &Fabric<S>, rng: &mut Xoshiro256PlusPlus, hosts: u16) -> Flow {
    let from = rng.random_range(0..hosts);
    let to = (from + rng.random_range(1..hosts)) % hosts;
    let topology = fabric.topology();
    let is_there = |switch: &usize| topology.mask(*switch, |peer| peer == Peer::Host(from)) != 0;
    let tors: Vec<usize> = (0..topology.switches().len()).filter(is_there).collect();
    let tor = tors[rng.random_range(0..tors.len())];
    // few places of the flow table, so that some collide
    let hash = rng.random::<u32>() & 0xffff_000f;
    Flow { from, tor, to, hash, sent: 0, arrived: 0, weight: rng.random_range(1..=8) }
}

fn is_one_of(rng: &mut Xoshiro256PlusPlus, many: u32) -> bool {
    many != 0 && rng.random_range(0..many) == 0
}

fn count(counts: &mut Counts, frame: &Frame) {
    let kind = frame.trail.last().map(|step| step.kind);
    let counter = match kind {
        Some(Kind::New) => &mut counts.new,
        Some(Kind::Same) => &mut counts.same,
        Some(Kind::Collided) => &mut counts.collided,
        Some(Kind::Routed) => &mut counts.routed,
        Some(Kind::BadRoute) => &mut counts.bad_routes,
        Some(Kind::Took) => &mut counts.took,
        Some(Kind::Kept) => &mut counts.kept,
        Some(Kind::Refused) => &mut counts.refused,
        _ => return,
    };
    *counter += 1;
}
