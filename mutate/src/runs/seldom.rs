//! Ops that random ones come to too seldom, as the lines of a trace.

use std::fmt::Write;

use respray_hdl::config::Config;

/// Ops of a core that are the same in every campaign.
pub(super) struct Seldom {
    /// What they come to, in words.
    pub says: &'static str,
    /// The lines of an op trace.
    pub trace: String,
    /// Mutants that are still alive are looked at only behind all rounds of this stage.
    pub stage: usize,
}

/// The traces of a core.
pub(super) fn seldom(core: &str, config: &Config) -> Vec<Seldom> {
    let of = |says, trace, stage| Seldom { says, trace, stage };
    match core {
        "sack_tx" => vec![
            of("a whole window is sent", whole_window(config.sack.window), 0),
            of("an EPSN that an earlier SACK showed as received", LACKS_WHAT_IT_HAD.to_string(), 0),
        ],
        "flowlet" => vec![of("gaps that begin before the time wraps", gaps_over_the_wrap(), 0)],
        "bitmap" | "mixed" => vec![
            of("a search that comes round to where it began", whole_searches(config), 0),
            of("resets while a search finds no path", vain_searches(config), 2),
        ],
        "strack" => vec![of("resets while a search finds marks alone", marked_searches(config), 2)],
        "sack_rx" => vec![of("resets while a window is filled", filled_windows(), 2)],
        "flowcut" => vec![
            of("the largest limit", LARGEST_LIMIT.to_string(), 0),
            of("averages whose share is cut off by one bit", averages(Host::Nic), 0),
        ],
        "flowcut_switch" => vec![
            of("averages whose share is cut off by one bit", averages(Host::Switch), 0),
            of("resets beside the walker's emptying of a silent bucket", emptied_buckets(), 2),
        ],
        "strack_cc" => vec![
            of("resets in each state of the longest ops", longest_window_ops(), 2),
            of(
                "resets in each state of an ACK by which the window becomes what was achieved",
                achieved_windows(),
                2,
            ),
        ],
        "caver" => vec![of("resets while a decay is due", due_decays(config), 2)],
        _ => Vec::new(),
    }
}

/// A whole window on its way of which the receiver has told nothing yet, and a packet more.
fn whole_window(window: u32) -> String {
    let mut trace = "now,op,conn,psn,bytes\n0,init,1,0,\n".to_string();
    for psn in 0..=window {
        let _ = writeln!(trace, "0,sent,1,{psn},64");
    }
    trace + "0,read,1,,\n"
}

/// PSN 1 is shown as received, and the next SACK has it as EPSN, with many packets out of order; then the same with PSN 2 above it.
const LACKS_WHAT_IT_HAD: &str = "now,op,conn,psn,bytes,epsn,base,bitmap,ooo
0,init,1,0,,,,,
0,sent,1,0,64,,,,
0,sent,1,1,64,,,,
0,sack,1,,,0,0,0x2,1
0,sack,1,,,1,0,0x0,99
0,next_rtx,1,,,,,,
0,init,1,0,,,,,
0,sent,1,0,64,,,,
0,sent,1,1,64,,,,
0,sent,1,2,64,,,,
0,sack,1,,,0,0,0x6,1
0,sack,1,,,1,0,0x0,99
0,next_rtx,1,,,,,,
";

/// Sends shortly before and shortly behind a multiple of `2^32`, at the gap and beside it.
fn gaps_over_the_wrap() -> String {
    let mut trace = "time_ns,op,conn,gap\n".to_string();
    for (number, gap) in (8..=11u64).enumerate() {
        let wrap = (number as u64 + 1) << 32;
        let _ = writeln!(trace, "{},send,{number},{gap}\n{},send,{number},{gap}", wrap - 6, wrap + 10);
    }
    trace
}

/// Most of a round is sent, every path is penalised, and a send forgives its own path: its search finds no other, and in the next round comes to
/// that one.
fn whole_searches(config: &Config) -> String {
    const CONNECTIONS: u32 = 4;
    let (paths, first) = (config.bitmap.paths, config.selector.ev_base);
    let mut trace = "time_ns,op,conn,ev,ecn\n".to_string();
    for connection in 0..CONNECTIONS {
        let send = format!("0,send,{connection},,\n");
        let _ = write!(trace, "0,init,{connection},,\n{}", send.repeat(paths as usize * 3 / 4));
        for path in 0..paths {
            let _ = writeln!(trace, "0,ack,{connection},{},1", first + path);
        }
        trace += &send.repeat(6);
    }
    trace
}

/// Every path is penalised, and while a send finds none without a penalty there is a reset, in each cycle of the search.
fn vain_searches(config: &Config) -> String {
    const CYCLES: std::ops::Range<u32> = 1..48;
    let (paths, first) = (config.bitmap.paths, config.selector.ev_base);
    let penalised: String = (0..paths).fold(String::new(), |mut lines, path| {
        let _ = writeln!(lines, "0,ack,1,{},1,0", first + path);
        lines
    });
    let mut trace = "time_ns,op,conn,ev,ecn,idle\n".to_string();
    for cycles in CYCLES {
        let _ = writeln!(trace, "0,init,1,,,0\n{penalised}0,send,1,,,0\n0,reset,,,,{cycles}");
    }
    trace
}

/// Every path that a send explores has a mark, and there is a reset in each cycle of its search.
fn marked_searches(config: &Config) -> String {
    const CYCLES: std::ops::Range<u32> = 1..24;
    /// Paths that are explored at the least.
    const EXPLORED: u32 = 8;
    let mut trace = "time_ns,op,conn,ev,ecn,cwnd,idle\n".to_string();
    for cycles in CYCLES {
        trace += "0,init,1,,,,0\n";
        for path in 0..EXPLORED {
            let _ = writeln!(trace, "0,ack,1,{},1,,0", config.selector.ev_base + path);
        }
        let _ = writeln!(trace, "0,send,1,,,1,0\n0,reset,,,,,{cycles}");
    }
    trace
}

/// A reset in some cycles of an `init`, and then a packet of the first connection, whose word the clearing writes in the cycle before it ends.
fn filled_windows() -> String {
    let mut trace = "op,conn,psn,bytes,ack_request,idle\n".to_string();
    for cycles in [1, 2, 3, 40, 100] {
        let _ = writeln!(trace, "init,1,0,,,0\nreset,,,,,{cycles}\npacket,0,0,64,1,600");
    }
    trace
}

/// An average of some ticks, then an ACK of a class without a minimum whose packet takes as long as can be: the limit is as large as can be.
const LARGEST_LIMIT: &str = "now,op,conn,bytes,recvd,timestamp,class,serial,ratio
0,send,1,100,,,,,63
9,ack,1,,40,0,1,0,63
9,ack,1,,60,9,0,65535,63
9,send,1,100,,,,,63
";

/// Where Flowcut is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Host {
    Nic,
    Switch,
}

/// Of each weight but one half an average of which, in 32nds of a tick, bit 1 alone is cut off when the share of a sample is taken; then a
/// sample of weight one half, by which the average is at its limit: one 32nd more, and it is hot.
fn averages(host: Host) -> String {
    const RTT: u32 = 20;
    /// Halves of the smallest RTT that an average must not exceed: as good as none, and the average of two RTTs.
    const RATIOS: [u32; 2] = [63, 2];
    let mut trace = match host {
        Host::Nic => "now,op,conn,bytes,recvd,timestamp,ratio,alpha\n",
        Host::Switch => "now,op,conn,bytes,up,epoch,timestamp,ratio,alpha\n",
    }
    .to_string();
    for alpha in 2..=5 {
        let send = match host {
            Host::Nic => format!("0,send,{alpha},1000,,,,\n"),
            Host::Switch => format!("0,data,{alpha},1000,0x1,,,,\n"),
        };
        trace += &send;
        let samples =
            [(RTT, 1, RATIOS[0]), (RTT + 2, 5, RATIOS[0]), (RTT, alpha, RATIOS[0]), (RTT, 1, RATIOS[1])];
        for (number, (now, alpha_of, ratio)) in (1..).zip(samples) {
            let _ = match host {
                Host::Nic => writeln!(trace, "{now},ack,{alpha},,{},0,{ratio},{alpha_of}", 10 * number),
                Host::Switch => writeln!(trace, "{now},ack,{alpha},10,,1,0,{ratio},{alpha_of}"),
            };
        }
        trace += &send;
    }
    trace
}

/// A bucket falls silent, and so many cycles later there is a reset: before the walker comes to the bucket, in each of the stages in which it
/// empties it, and behind that.
fn emptied_buckets() -> String {
    const CYCLES: std::ops::Range<u32> = 70..140;
    let mut trace = "now,op,conn,bytes,up,clock,idle\n".to_string();
    for cycles in CYCLES {
        let _ = writeln!(trace, "0,data,5,1000,0x1,0,0\n0,data,6,1000,0x1,100,0\n,reset,,,,,{cycles}");
    }
    trace
}

/// An increase of the window and a decrease by a share of it, the longest ops, and of each a reset in every cycle up to its end.
fn longest_window_ops() -> String {
    const CYCLES: std::ops::Range<u32> = 1..45;
    let mut trace =
        "# respray: net_base_rtt=100 target_qdelay=100 target_qhigh=9000 alpha=4096 gamma=16384\n"
            .to_string();
    trace += "now,op,conn,ecn,timestamp,max_cwnd,idle\n";
    for cycles in CYCLES {
        for ack in ["1050,ack,0,0,910,10,0", "1050,ack,0,1,600,10,0"] {
            let _ = writeln!(trace, "1000,init,0,,,4,0\n{ack}\n,reset,,,,,{cycles}");
        }
    }
    trace + "1000,init,0,,,4,0\n1050,ack,0,0,910,10,0\n1050,read,0,,,10,0\n"
}

/// An ACK by which the window becomes what was achieved, since in a whole period a packet came through, and a reset in every cycle up to its end.
fn achieved_windows() -> String {
    const CYCLES: std::ops::Range<u32> = 1..24;
    let mut trace =
        "# respray: net_base_rtt=100 target_qdelay=100 target_qhigh=150 alpha=4096 gamma=16384\n".to_string();
    trace += "now,op,conn,ecn,timestamp,max_cwnd,bytes,idle\n";
    for cycles in CYCLES {
        trace += "1000,init,0,,,400,,0\n";
        for now in [1300, 1700, 2100] {
            let _ = writeln!(trace, "{now},ack,0,1,{},400,1000,0", now - 900);
        }
        let _ = writeln!(trace, ",reset,,,,,,{cycles}");
    }
    trace
}

/// Resets in each of the cycles in which the second decay after one can be due; then a packet goes out by port 0, and an ACK tells how much of
/// its bytes is left behind the first decay, which is that of this port.
fn due_decays(config: &Config) -> String {
    const PACKET_WAITS: u64 = 40;
    const ACK_WAITS: u64 = 660;
    const MARGIN: u64 = 20;
    let (ports, clearing) = (u64::from(config.caver.ports), u64::from(config.caver.flows));
    // from one decay to the next, longer than the tables are cleared
    let share = clearing + 512;
    let mut trace = format!("# respray: dre_period={} is_host=0\n", share * ports);
    trace += "now,op,conn,in_port,bytes,fib_port,port,shift,path,ce,len,idle\n";
    let reset_waits = 2 * share - clearing - PACKET_WAITS - ACK_WAITS - MARGIN;
    let round = format!(
        "0,set_shift,0,,,,0,0,,,,0\n0,data,1,3,200,0,,,,,,{PACKET_WAITS}\n0,ack,1,0,,,,,0,0,1,{ACK_WAITS}\n"
    );
    for cycle in 0..3 * MARGIN {
        let _ = writeln!(trace, "{round},reset,,,,,,,,,,{}", reset_waits + cycle);
    }
    trace + &round
}
