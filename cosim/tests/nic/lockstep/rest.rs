//! Counters are compared when the block is at rest, however much a timer began before it was stopped.

use respray_cosim::nic::{Difference, End};
use respray_golden::hosts::frames::{self, Data};
use respray_golden::nic::{Command, Counter};
use respray_golden::paths;

use super::Block;

const CONNECTIONS: u32 = 16;
/// Packets of each connection, nearly a window: those of all take some 13,000 cycles to be handed out.
const PACKETS: u32 = 60;
/// Times that the counters are compared amid packets that are handed out.
const TIMES: u64 = 6;
const MOST_CYCLES: usize = 200_000;

/// All connections are opened, and have sent packets that nobody acknowledges.
fn sent(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    for (name, value) in [("cwnd_packets", 4095), ("command_psn", 0)] {
        end.write(name, value)?;
    }
    for conn in 0..CONNECTIONS {
        end.write("command_conn", conn)?;
        end.write("command", Command::OpenTx as u32)?;
    }
    let profile = end.golden().config().profile;
    for (psn, conn) in (0..PACKETS).flat_map(|psn| (0..CONNECTIONS).map(move |conn| (psn, conn))) {
        let data = Data { from: paths::End::A, conn: conn as u16, psn, bytes: 40, ..Data::default() };
        end.send(frames::data(profile, &data).into());
    }
    while end.waiting() != [0, 0] {
        end.step()?;
    }
    Ok(end)
}

#[test]
fn what_a_timer_began_comes_to_its_end_before_counters_are_compared() {
    let mut end = sent(&Block::small()).unwrap_or_else(|difference| panic!("{difference:?}"));
    let mut amid = |time: u64| -> Result<u64, Difference> {
        end.write("rto", 20)?;
        let count = |end: &End, counter| end.golden().counter(counter);
        let before = count(&end, Counter::HandedOut);
        for _ in 0..MOST_CYCLES {
            end.step()?;
            if count(&end, Counter::HandedOut) > before + time {
                break;
            }
        }
        let began = count(&end, Counter::HandedOut);
        end.check_counters()?;
        Ok(count(&end, Counter::HandedOut) - began)
    };
    for time in 0..TIMES {
        let went_on = amid(time).unwrap_or_else(|difference| panic!("time {time}: {difference:?}"));
        assert!(went_on > u64::from(PACKETS), "time {time}: {went_on} were handed out behind it");
    }
}
