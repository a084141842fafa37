//! Rules of CAVER in a switch with an entry for each uplink, as its page settles them.

use respray_cosim::cores::caver::CaverCore;

use super::caver::text;
use super::holds;

/// A rule: the settings, and the lines as those of the other rules of the core.
struct Rule {
    settings: &'static str,
    lines: &'static str,
}

/// The smallest switch, whose ports are all uplinks but for those of hosts.
const SIXTEEN: [&str; 4] =
    ["caver.destinations=64", "caver.ports=16", "caver.flows=1024", "caver.table=per_port"];

/// The rules of such a switch.
const RULES: [Rule; 4] = [SECOND_BEST, TURNS, WALKS, WAITS_FOR_THE_WALKER];

/// A report replaces that of its uplink alone, and the best one of those that live goes on.
const SECOND_BEST: Rule = Rule {
    settings: "path_age=50 flow_timeout=80",
    lines: "
now=0 op=ack in_port=8 path=2 ce=20 len=1 expect=took expect_enable=1 expect_ce=20 expect_len=2 expect_path=8.2
now=0 op=ack in_port=9 path=3.1 ce=30 len=2 expect=kept expect_enable=1 expect_ce=20 expect_len=2 expect_path=8.2
now=9 op=ack in_port=8 path=4 ce=40 len=1 expect=kept expect_enable=1 expect_ce=30 expect_len=3 expect_path=9.3.1
now=9 op=data hash=1 expect=new expect_port=9 expect_path=9.3.1
now=9 op=data hash=2 up=0xfdff expect=new expect_port=8 expect_path=8.4
now=9 op=data hash=3 up=0x0 expect=ecmp expect_port=12 expect_enable=0
now=10 op=ack in_port=9 path=5 ce=50 len=1 to_local=1 expect=kept expect_enable=0
now=10 op=data hash=1 expect=same expect_port=9 expect_path=9.3.1
now=10 op=data hash=4 expect=new expect_port=8 expect_path=8.4
now=60 op=data hash=5 expect=new expect_port=9 expect_path=9.5
now=61 op=data hash=6 expect=ecmp
now=61 op=ack in_port=10 path=6.7.8 ce=1 len=3 expect=refused expect_enable=0
now=61 op=data hash=7 expect=ecmp
now=61 op=ack in_port=10 path=6.7.8 ce=1 len=3 to_local=1 expect=took expect_enable=0
now=61 op=ack in_port=8 path=2 ce=9 len=1 expect=refused expect_enable=0
now=61 op=ack in_port=8 path=2 ce=0 len=1 expect=took expect_path=8.2
now=61 op=ack in_port=11 path=2 ce=0 len=1 up=0xf000 expect=refused expect_enable=0
now=61 op=ack in_port=11 path=2 ce=0 len=1 up=0xf000 to_local=1 expect=took expect_enable=0
",
};

/// 16,000 bytes show as 31 with a shift of 9: in the ACK at once, and to choices when the slots of the core's own have come round to the
/// uplink.
const TURNS: Rule = Rule {
    settings: "path_age=255 flow_timeout=80",
    lines: "
op=ack in_port=8 path=2 ce=20 len=1 expect=took expect_ce=20 expect_path=8.2
op=ack in_port=9 path=3 ce=30 len=1 expect=kept expect_ce=20 expect_path=8.2
op=set_shift port=8 shift=9
op=data in_port=9 is_local=1 fib_port=8 bytes=16000 expect=deliver
op=ack in_port=10 path=4 ce=200 len=1 expect=kept expect_ce=31 expect_path=8.2
op=ack in_port=10 path=4 ce=200 len=1 idle=320 expect=kept expect_ce=30 expect_path=9.3
op=data hash=1 expect=new expect_port=9
",
};

/// 256 ticks after its report a path looks like a new one, unless the walker came by before.
const WALKS: Rule = Rule {
    settings: "path_age=50 flow_timeout=80",
    lines: "
now=10 op=ack in_port=8 path=2 ce=1 len=1 to_local=1 expect=took
now=10 op=ack in_port=15 path=2 ce=1 len=1 to_local=1
now=90 op=data hash=70000 conn=9
now=10 op=data hash=2 expect=new
now=10 op=data hash=3 up=0x00ff expect=ecmp
now=10 op=data hash=4 up=0x8000 expect=new expect_port=15
",
};

/// The same, and here it came by.
const WAITS_FOR_THE_WALKER: Rule = Rule {
    settings: "path_age=50 flow_timeout=80",
    lines: "
now=10 op=ack in_port=8 path=2 ce=1 len=1 to_local=1 expect=took
now=10 op=ack in_port=15 path=2 ce=1 len=1 to_local=1
now=90 op=data hash=70000 conn=9 idle=1100
now=10 op=data hash=2 expect=ecmp
now=10 op=data hash=4 up=0x8000 expect=ecmp
",
};

#[test]
fn the_rules_of_an_entry_for_each_uplink_hold() {
    for rule in RULES {
        holds::<CaverCore>(&text(rule.settings, rule.lines), &SIXTEEN);
    }
}

/// Of more ports than sixteen the last are uplinks, and what comes by another one cannot be stored.
#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_port_that_is_no_uplink_reports_nothing() {
    let keys = ["caver.destinations=64", "caver.ports=32", "caver.flows=1024", "caver.table=per_port"];
    let lines = "
op=ack in_port=15 path=2 ce=1 len=1 to_local=1 up=0xffffffff expect=refused expect_enable=0
op=data hash=1 up=0xffffffff expect=ecmp
op=ack in_port=16 path=2 ce=1 len=1 up=0xffffffff expect=took expect_path=16.2
op=data hash=2 up=0xffffffff expect=new expect_port=16 expect_path=16.2
";
    holds::<CaverCore>(&text("path_age=50 flow_timeout=80", lines), &keys);
}
