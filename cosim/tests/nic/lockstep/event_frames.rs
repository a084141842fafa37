//! A block whose events go to the host in frames: random traffic agrees, events that nobody takes are lost and the host hears how many, and a
//! host that reads frames gets every event of ACKs that come faster than it could read registers.

use respray_cosim::nic::{Difference, End};
use respray_golden::hosts::frames::{self, Data};
use respray_golden::nic::{Command, Counter, EventFrame, Kind, MOST_AHEAD, MOST_EVENTS, Nic};
use respray_golden::paths;

use super::found::{self, CYCLES, Within, at_joints_are_found, instead, lossy_pair, within_are_found};
use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const EVENT_TYPE: u16 = 0x88b5;
/// Millions of cycles a second, of ACKs, and of events that frames have to carry.
const CLOCK_MHZ: f64 = 322.265625;
const ACKS: f64 = 3.0;
const EVENTS: f64 = 20.0;

const FAULTS: [Fault; 12] = [
    // frames go to another host, or are of another kind
    ("mac_low", "registers_event_mac_low", "registers_event_mac_low ^ 32'd1"),
    ("event_frames.kind", "registers_event_type", "registers_event_type ^ 16'd1"),
    // a batch is another, or waits for longer
    ("most", "registers_event_batch", "registers_event_batch ^ 6'd1"),
    ("ticks", "registers_event_ticks", "registers_event_ticks + 16'd600"),
    // a frame begins with an event that is not there
    ("waiting", "events_events_waiting", "events_events_waiting + 16'd1"),
    // an event has the PSN of another
    ("event_frames.event_tdata", "events_event_tdata", "events_event_tdata ^ 128'h1_0000_0000"),
    // an event is taken and goes nowhere
    (
        "events.event_tready",
        "event_frames_event_tready",
        "event_frames_event_tready | (events_events_waiting == 16'd9)",
    ),
    // a loss is not told
    ("lost0", "events_events_lost", "1'b0"),
    // a frame goes without credit, or never
    ("granted", "receiver_event_frame_granted", "1'b1"),
    ("event_frame_wanted", "event_frames_wants", "1'b0"),
    // a frame that came is taken while one of events passes
    ("receiver.m_axis_tready", "event_frames_s_axis_tready", "rx_out_tready"),
    // what stands beside a frame is another's
    ("event_frames.rx_status", "receiver_rx_status", "3'd0"),
];

/// Within: what stands in the Verilog once, and what stands there with a fault.
const WITHIN: [Within; 9] = [
    // a loss in the receiver is not told
    ("+ {1'b0, lost1} +", "+"),
    // a frame has a record more than it says
    ("last_at <= ({1'b0, records} << 1'b1) + 7'd3;", "last_at <= ({1'b0, records} << 1'b1) + 7'd5;"),
    // a frame of one record is too short
    ("is_short | is_record ? ", "is_record ? "),
    // numbers stand still
    ("number <= number + 32'd1;", "number <= number;"),
    // a third frame is begun
    ("assign has_room = whole < 2'd2;", "assign has_room = whole < 2'd3;"),
    // what was due is forgotten where the batch grows
    ("(is_batch | is_late | is_due)", "is_late"),
    // the credit of a frame that came and of one of events is one
    ("granted <= asks & !commit;", "granted <= asks;"),
    // one that is granted is granted again
    ("wire asks = wanted & has_credit & !granted;", "wire asks = wanted & has_credit;"),
    // a frame needs no credit
    ("wire asks = wanted & has_credit & !granted;", "wire asks = wanted & !granted;"),
];

fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&[&["nic.events=frames"], sets].concat()), change, false)
}

/// With a host that grants frames.
fn granting(change: impl Fn(String) -> String) -> Block {
    block(&["bus_bits=512", "nic.rx_credit=frames"], change)
}

/// Random traffic, where the host grants frames with grants of every kind.
fn traffic(block: &Block, seed: u64) -> Result<(), Difference> {
    found::traffic(block, seed, &["event_mac_low", "event_type", "event_batch"], []).map(|_| ())
}

/// A block with an open connection, whose host grants all that it can.
fn opened(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    for (name, value) in [
        ("rx_credit", MOST_AHEAD as u32),
        ("sack_threshold", 0),
        ("command_psn", 0),
        ("command", Command::OpenTx as u32),
        ("command", Command::OpenRx as u32),
    ] {
        end.write(name, value)?;
    }
    Ok(end)
}

fn data(end: &End, psn: u32) -> Vec<u8> {
    frames::data(
        end.golden().config().profile,
        &Data { from: paths::End::A, psn, bytes: 40, ..Data::default() },
    )
}

/// The host sends packets that are refused, each of which is an event.
fn refused(end: &mut End, packets: u32) -> Result<(), Difference> {
    for psn in 0..packets {
        let frame = data(end, 1000 + psn);
        end.send(frame.into());
        while end.waiting()[0] > 2 {
            end.step()?;
        }
    }
    (0..1000).try_for_each(|_| end.step())
}

/// The frames of events that came out.
fn taken(end: &mut End) -> Vec<EventFrame> {
    let delivered = std::mem::take(&mut end.out).delivered;
    let frames = delivered.into_iter().filter(|delivery| delivery.is_events);
    frames.map(|delivery| EventFrame::read(&delivery.frame, EVENT_TYPE).expect("events")).collect()
}

/// Nobody takes frames for long: two of them and the queue are kept, all others are counted, and the next frame says how many.
fn nobody_takes(block: &Block) -> Result<(), Difference> {
    const TOLD: u32 = 1600;
    let mut end = opened(block)?;
    end.around.rx_out_ready = false;
    refused(&mut end, TOLD)?;
    let lost = end.golden().counter(Counter::EventsLost) as u32;
    let kept = end.golden().config().limits.events + 2 * MOST_EVENTS;
    assert_eq!(lost as usize, TOLD as usize - kept);
    end.around.rx_out_ready = true;
    (0..8000).try_for_each(|_| end.step())?;
    let frames = taken(&mut end);
    assert_eq!(frames.iter().map(|frame| frame.events.len()).sum::<usize>(), kept);
    assert_eq!([frames[1].lost, frames[2].lost], [0, lost], "two were begun before a place was missing");
    assert!((0..).zip(&frames).all(|(number, frame)| frame.number == number));
    let psns = frames.iter().flat_map(|frame| &frame.events).map(|event| event.psn);
    assert!(psns.eq(1000..1000 + kept as u32), "in their order");
    end.check_counters()
}

/// A reset comes within a frame of events: the next frame is whole, and numbers begin anew.
fn reset_within(block: &Block) -> Result<(), Difference> {
    let mut end = opened(block)?;
    refused(&mut end, 200)?;
    assert!(taken(&mut end).len() >= 3);
    let before = end.beats().rx_out;
    for psn in 0..62 {
        let frame = data(&end, 3000 + psn);
        end.send(frame.into());
    }
    while end.beats().rx_out < before + 3 {
        end.step()?;
    }
    end.around.rx_out_ready = false;
    end.write("command", Command::Reset as u32)?;
    end.around.rx_out_ready = true;
    for (name, value) in
        [("rx_credit", MOST_AHEAD as u32), ("command_psn", 0), ("command", Command::OpenTx as u32)]
    {
        end.write(name, value)?;
    }
    taken(&mut end);
    end.write("event_ticks", 10)?;
    refused(&mut end, 5)?;
    let frames = taken(&mut end);
    assert_eq!(frames.first().map(|frame| (frame.number, frame.lost)), Some((0, 0)));
    end.check_counters()
}

/// ACKs come three million times a second, and none of their events is lost.
fn acks(block: &Block) -> Result<(), Difference> {
    let mut end = opened(block)?;
    let mut peer = Nic::new(block.golden());
    for (name, value) in
        [("rx_credit", MOST_AHEAD as u32), ("sack_threshold", 0), ("command", Command::OpenRx as u32)]
    {
        super::write(&mut end, &mut peer, name, value)?;
    }
    let between = (CLOCK_MHZ / ACKS) as u64;
    let (mut psn, mut acknowledged, mut told) = (0, 0, 0);
    for cycle in 0..CYCLES {
        if cycle.is_multiple_of(between) {
            let frame = data(&end, psn);
            end.send(frame.into());
            psn += 1;
        }
        end.step()?;
        let out = std::mem::take(&mut end.out);
        for sent in out.transmitted {
            peer.advance(end.cycle());
            peer.receive(sent.frame, false);
            while let Some(sack) = peer.transmit() {
                end.receive(sack.frame.into());
            }
            while peer.deliver().is_some() {}
        }
        for event in out.events {
            told += 1;
            if event.kind == Kind::Acknowledged {
                acknowledged = event.psn;
            }
        }
    }
    assert_eq!(end.golden().counter(Counter::EventsLost), 0);
    assert!(
        acknowledged + 20 > psn && u64::from(psn) * between + between > CYCLES,
        "{acknowledged} of {psn}"
    );
    assert!(told + 40 > 2 * psn, "an event of progress and one of the RTT each, not {told} of {psn}");
    end.check_counters()
}

/// Events as fast as frames carry them: millions a second.
fn rate(block: &Block) -> Result<f64, Difference> {
    const BEFORE: u64 = 2000;
    const MEASURED: u64 = 6000;
    let mut end = opened(block)?;
    // malformed: a length that is none
    let mut malformed = data(&end, 0);
    malformed[17] = 0xff;
    let mut events = 0;
    for cycle in 0..BEFORE + MEASURED {
        while end.waiting()[1] < 2 {
            end.receive(malformed.clone().into());
        }
        end.step()?;
        let told = std::mem::take(&mut end.out).events.len();
        events += if cycle < BEFORE { 0 } else { told };
    }
    Ok(events as f64 * CLOCK_MHZ / MEASURED as f64)
}

/// More events come than one a cycle: some are lost in the receiver.
fn crowd(block: &Block) -> Result<(), Difference> {
    let mut end = opened(block)?;
    // truncated, in a beat
    let malformed = data(&end, 0)[..60].to_vec();
    for psn in 0..600 {
        while end.waiting()[0] < 2 {
            let frame = data(&end, 1000 + psn);
            end.send(frame.into());
        }
        while end.waiting()[1] < 4 {
            end.receive(malformed.clone().into());
        }
        end.step()?;
    }
    end.write("event_batch", 1)?;
    (0..4000).try_for_each(|_| end.step())?;
    refused(&mut end, 1)?;
    let lost = end.golden().counter(Counter::EventsLost);
    let frames = taken(&mut end);
    assert!(lost > 0);
    assert_eq!(frames.last().map(|frame| u64::from(frame.lost)), Some(lost));
    end.check_counters()
}

/// The block as it is in all of this.
fn agrees(block: &Block) {
    let run = || {
        (3..5).try_for_each(|seed| traffic(block, seed))?;
        nobody_takes(block)?;
        reset_within(block)?;
        crowd(block)?;
        acks(block)?;
        let events = rate(block)?;
        println!("{events:.1} million events a second");
        assert!(events > EVENTS, "{events:.1} million events a second");
        Ok::<_, Difference>(())
    };
    run().unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn traffic_agrees_and_faults_at_the_joints_are_found() {
    let mut block = granting(|verilog| faulty(verilog, &FAULTS));
    block.fault = Some(0);
    agrees(&block);
    at_joints_are_found(&mut block, &FAULTS, |block| {
        (3..9).find_map(|seed| traffic(block, seed).err()).or_else(|| nobody_takes(block).err())
    });
}

#[test]
#[ignore = "a model for each fault"]
fn faults_within_are_found() {
    within_are_found(
        &WITHIN,
        |fault| granting(instead(fault)),
        |block| {
            let found = (3..9).find_map(|seed| traffic(block, seed).err());
            found.or_else(|| nobody_takes(block).err()).or_else(|| crowd(block).err())
        },
    );
}

#[test]
#[ignore = "a model for each width"]
fn traffic_agrees_at_each_width() {
    for sets in [
        &["bus_bits=64"][..],
        &["bus_bits=128", "wire=uet", "nic.rx_credit=frames"],
        &["bus_bits=256", "sack.engine=fast", "nic.rss_port=stable"],
        &["bus_bits=512", "wire=uet"],
        &["bus_bits=512", "nic.selector=flowcut", "nic.window=strack", "nic.rx_credit=frames"],
    ] {
        let block = block(sets, |verilog| verilog);
        traffic(&block, 3).unwrap_or_else(|difference| panic!("{sets:?}: {difference}"));
    }
}

#[test]
#[ignore = "models of their own"]
fn pairs_whose_hosts_read_frames_deliver_once() {
    for sets in [
        &["bus_bits=512"][..],
        &["bus_bits=64", "wire=uet", "nic.rx_credit=frames"],
        &["nic.selector=flowcut", "nic.window=strack", "bus_bits=128"],
    ] {
        let block = block(sets, |verilog| verilog);
        lossy_pair(&block, &[], []).unwrap_or_else(|stop| panic!("{sets:?}: {stop}"));
    }
}
