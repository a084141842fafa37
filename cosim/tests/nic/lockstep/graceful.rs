//! A block whose host hears of closes: random traffic with connections that end, drained or not; faults at the joints and within; and lives
//! that follow each other on one number, under loss and behind packets that come later than a life lasts.

use respray_cosim::nic::{Difference, End, Given};
use respray_golden::hosts::lives::{self, Lived, NextPsn, live};
use respray_golden::nic::{self, Counter, Delivery, Event, MOST_AHEAD};

use super::found::{self, Within, at_joints_are_found, instead, within_are_found};
use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const FAULTS: [Fault; 12] = [
    // a close never drains
    ("commands.drains", "registers_close_drains", "1'b0"),
    // one that has not drained is closed, or one that has is not
    ("closing.res_snd_una", "sack_tx_res_psn", "sack_tx_res_snd_nxt"),
    ("closing.close_ready", "scoreboard_close_ready", "1'b0"),
    // one packet more is taken, or one fewer, or all
    ("closing.res_snd_nxt", "sack_tx_res_snd_nxt", "sack_tx_res_snd_nxt + 24'd1"),
    ("closing.req_psn", "sender_req_psn[23:0]", "sender_req_psn[23:0] + 24'd1"),
    ("scoreboard.req_is_held", "closing_req_is_held", "1'b0"),
    // packets are compared with what is known of another connection, or before that is read
    ("closing.req_conn", "sender_req_conn[3:0]", "sender_req_conn[3:0] ^ 4'd1"),
    ("scoreboard.req_valid", "closing_req_known", "sender_req_valid"),
    // a connection that is opened anew still drains
    ("closing.renewed", "scoreboard_renewed", "1'b0"),
    // the block closes the connection of the command that was given last, or forgets what that one sent
    ("scoreboard.command_conn", "closing_command_conn", "{20'd0, registers_command_conn[3:0]}"),
    ("peers.renewed_conn", "closing_command_conn[3:0]", "registers_command_conn[3:0]"),
    // the host is told that another connection is closed for receiving, and nobody that this one is
    (
        "events.event1_conn",
        "receiver_event_conn",
        "receiver_event_conn ^ {23'd0, receiver_event_kind == 4'd15}",
    ),
];

/// Within: what stands in the Verilog once, and what stands there with a fault.
const WITHIN: [Within; 6] = [
    // a packet is compared with what was read for the one before it
    ("wire stays = req_valid & !req_ready & !writes;", "wire stays = req_valid & !writes;"),
    // a connection is closed before all is acknowledged
    (
        "wire has_drained = (res_status == 3'd0) & (res_snd_una == res_snd_nxt);",
        "wire has_drained = res_status == 3'd0;",
    ),
    // what was sent before is refused, too
    ("req_is_held <= ends_read_data_is_there & !distance[23];", "req_is_held <= ends_read_data_is_there;"),
    // a connection that is opened anew still drains
    ("wire writes = begins | renewed | !is_ready;", "wire writes = begins | !is_ready;"),
    // the host is told before what was taken in has gone to it, or again and again
    ("if (!(|ahead)) begin waits <= 1'b0; tells <= 1'b1; end", "begin waits <= 1'b0; tells <= 1'b1; end"),
    (
        "wire closed_write_enable = closes | begins | !is_ready;",
        "wire closed_write_enable = closes | !is_ready;",
    ),
];

fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&[&["nic.close=graceful"], sets].concat()), change, false)
}

const COUNTERS: [Counter; 4] = [Counter::RxNew, Counter::RxNotOpen, Counter::TxRefused, Counter::RxAcks];

fn traffic(block: &Block, seed: u64) -> Result<[u64; 4], Difference> {
    found::traffic(block, seed, &["close_drains"], COUNTERS)
}

fn agrees(block: &Block, seed: u64, about: &[&str]) {
    let counts = traffic(block, seed).unwrap_or_else(|difference| panic!("{about:?}: {difference}"));
    assert!(counts.iter().all(|count| *count > 0), "{about:?}: {counts:?}");
}

/// Cycles of a step of the hosts; cycles in which a host takes no frame, and those from one such time to the next.
const STEP_CYCLES: u64 = 8;
const HELD_CYCLES: u64 = 600;
const ROUND_CYCLES: u64 = 4096;
/// Frames between two grants, where the host grants frames.
const TAKEN_PER_GRANT: u16 = 64;

/// A block in lockstep, as the hosts of connections that end see it.
struct Played {
    end: End,
    taken: u16,
}

impl Played {
    fn new(block: &Block) -> Result<Played, String> {
        let mut played = Played { end: block.end(), taken: 0 };
        played.grant()?;
        Ok(played)
    }

    fn grant(&mut self) -> Result<(), String> {
        if !self.end.golden().config().rx_credit {
            return Ok(());
        }
        let limit = self.taken.wrapping_add(MOST_AHEAD as u16);
        self.end.write("rx_credit", limit.into()).map_err(|difference| difference.to_string())
    }
}

impl lives::Block for Played {
    fn config(&self) -> &nic::Config {
        self.end.golden().config()
    }

    fn step(&mut self) -> Result<(), String> {
        self.end.around.rx_out_ready = self.end.cycle() % ROUND_CYCLES > HELD_CYCLES;
        for _ in 0..STEP_CYCLES {
            self.end.step().map_err(|difference| difference.to_string())?;
        }
        let before = self.taken;
        self.taken = self.taken.wrapping_add(self.end.out.delivered.len() as u16);
        if before / TAKEN_PER_GRANT != self.taken / TAKEN_PER_GRANT {
            self.grant()?;
        }
        Ok(())
    }

    fn takes(&self) -> [bool; 2] {
        let [of_host, of_mac] = self.end.waiting();
        [of_host == 0, of_mac < 4]
    }

    fn send(&mut self, bytes: Vec<u8>) {
        self.end.send(Given { bytes, user: false });
    }

    fn receive(&mut self, bytes: Vec<u8>) {
        self.end.receive(Given { bytes, user: false });
    }

    fn write(&mut self, name: &str, value: u32) -> Result<(), String> {
        self.end.write(name, value).map_err(|difference| difference.to_string())
    }

    fn transmitted(&mut self) -> Option<Vec<u8>> {
        self.end.out.transmitted.pop_front().map(|sent| sent.frame)
    }

    fn delivered(&mut self) -> Option<Delivery> {
        std::iter::from_fn(|| self.end.out.delivered.pop_front()).find(|delivery| !delivery.is_events)
    }

    fn event(&mut self) -> Option<Event> {
        self.end.out.events.pop_front()
    }
}

/// So many lives of each connection, of two blocks.
fn lived(block: &Block, number: u32, next: NextPsn, seed: u64) -> Result<Lived, String> {
    let blocks = [Played::new(block)?, Played::new(block)?];
    let ([mut a, mut b], lived) = live(blocks, number, next, seed)?;
    for end in [&mut a.end, &mut b.end] {
        end.around.rx_out_ready = true;
        end.check_counters().map_err(|difference| difference.to_string())?;
    }
    let Lived { drained, cut, late, after, held_back, refused, late_acks } = lived;
    assert_eq!(drained + cut, 6 * number + 2);
    assert!([drained, cut, late, after, held_back, refused, late_acks].iter().all(|n| *n > 0), "{lived:?}");
    Ok(lived)
}

#[test]
fn traffic_with_connections_that_end_agrees_and_faults_at_the_joints_are_found() {
    let mut block = block(&["bus_bits=128"], |verilog| faulty(verilog, &FAULTS));
    block.fault = Some(0);
    agrees(&block, 3, &[]);
    let all = lived(&block, 5, NextPsn::Beyond, 3).unwrap_or_else(|what| panic!("{what}"));
    println!("{all:?}");
    let wrong = lived(&block, 5, NextPsn::Same, 3).expect_err("packets of former lives come");
    println!("with the PSNs of the former life: {wrong}");
    at_joints_are_found(&mut block, &FAULTS, |block| (3..9).find_map(|seed| traffic(block, seed).err()));
}

#[test]
#[ignore = "a model for each fault"]
fn faults_within_are_found() {
    let block = |fault| block(&["bus_bits=128"], instead(fault));
    within_are_found(&WITHIN, block, |block| (3..40).find_map(|seed| traffic(block, seed).err()));
}

#[test]
#[ignore = "a model for each width"]
fn traffic_and_lives_agree_at_each_width_with_either_profile() {
    for sets in [
        &["bus_bits=64"][..],
        &["bus_bits=64", "wire=uet", "nic.selector=ops"],
        &["bus_bits=128", "wire=uet", "nic.rx_credit=frames", "nic.rss_port=stable", "nic.peer_table=on"],
        &["bus_bits=256", "sack.engine=fast", "nic.window=strack"],
        &["bus_bits=512", "nic.rx_credit=frames", "nic.events=frames", "nic.peer_table=on"],
        &["bus_bits=512", "wire=uet", "sack.engine=fast", "nic.selector=ops"],
    ] {
        let block = block(sets, |verilog| verilog);
        for seed in 3..8 {
            agrees(&block, seed, sets);
        }
        let all = lived(&block, 12, NextPsn::Beyond, 5).unwrap_or_else(|what| panic!("{sets:?}: {what}"));
        println!("{sets:?}: {all:?}");
    }
}
