//! Rules of CAVER in a switch: 003 section 2, and what its page settles.

use respray_cosim::cores::caver::CaverCore;

use super::holds;

/// The smallest switch.
pub(super) const SMALL: [&str; 3] = ["caver.destinations=64", "caver.ports=16", "caver.flows=1024"];

const COLUMNS: &str = "now,op,conn,in_port,hash,bytes,is_local,fib_port,enable,hop,path,ce,len,to_local,port,shift,up,idle,\
                       expect,expect_port,expect_enable,expect_hop,expect_path,expect_ce,expect_len,expect_dst";

/// The value of a path in a column of a trace, of which the text has the ports with dots between them, and no port is 255.
fn path(column: &str, ports: &str) -> String {
    let ports: Vec<u32> = ports.split('.').map(|port| port.parse().expect("a port")).collect();
    let path = (0..4).map(|hop| ports.get(hop).copied().unwrap_or(0xff) << (8 * hop)).sum::<u32>();
    let is_of_ack = column == "path" && ports.len() < 4;
    (if is_of_ack { path & 0xff_ffff } else { path }).to_string()
}

/// The rule holds with hosts at ports 0 to 3 and with these settings. A line names the columns that it fills; the host is number 5, data
/// comes from port 0 and goes by port 12 where it does not say otherwise.
fn rule(settings: &str, lines: &str) {
    rule_of(&SMALL, settings, lines);
}

/// The same of a switch with these keys.
fn rule_of(keys: &[&str], settings: &str, lines: &str) {
    holds::<CaverCore>(&text(settings, lines), keys);
}

/// The op trace of a rule.
pub(super) fn text(settings: &str, lines: &str) -> String {
    let row = |line: &str| {
        let named: Vec<(&str, &str)> =
            line.split_whitespace().map(|word| word.split_once('=').expect("column=value")).collect();
        assert!(named.iter().all(|(name, _)| COLUMNS.split(',').any(|column| column == *name)), "{line}");
        let value = |column: &str| named.iter().find(|(name, _)| *name == column).map(|(_, value)| *value);
        let is_data = value("op") == Some("data");
        let cells = COLUMNS.split(',').map(|column| match (column, value(column)) {
            ("path" | "expect_path", Some(ports)) => path(column, ports),
            (_, Some(value)) => value.to_string(),
            ("now" | "in_port", None) => "0".to_string(),
            ("conn", None) => "5".to_string(),
            ("fib_port", None) if is_data => "12".to_string(),
            (_, None) => String::new(),
        });
        cells.collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = lines.trim().lines().map(row).collect();
    format!("# respray: is_host=15 up=65535 {settings}\n{COLUMNS}\n{}\n", rows.join("\n"))
}

#[test]
fn the_first_packet_of_a_flow_takes_the_best_path_and_the_rest_follow() {
    rule(
        "path_age=50 flow_timeout=80",
        "
now=0 op=ack in_port=8 path=2 len=1 ce=7 to_local=1 expect=took expect_enable=0
now=1 op=data hash=7 expect=new expect_port=8 expect_enable=1 expect_hop=0 expect_path=8.2
now=2 op=ack in_port=9 path=3.1 len=2 ce=3 to_local=1 expect=took expect_enable=0
now=3 op=data hash=7 expect=same expect_port=8 expect_enable=1 expect_hop=0 expect_path=8.2
now=3 op=data hash=8 expect=new expect_port=9 expect_enable=1 expect_hop=0 expect_path=9.3.1
now=3 op=data hash=9 conn=6 expect=ecmp expect_port=12 expect_enable=0
now=4 op=ack in_port=9 conn=6 path=3 len=1 ce=0 to_local=1 expect=took
now=4 op=data hash=9 conn=6 fib_port=13 expect=same expect_port=13 expect_enable=0
now=4 op=data hash=10 conn=6 is_local=1 fib_port=2 expect=deliver expect_port=2 expect_enable=0
now=4 op=data hash=10 conn=6 expect=new expect_port=9 expect_enable=1 expect_hop=0 expect_path=9.3
",
    );
}

/// Packets that fill the sum of port 1 by more than it takes, and an ACK of its host that shows its upper bits as congestion.
pub fn a_full_sum() -> String {
    let packets = "op=data in_port=8 is_local=1 fib_port=1 bytes=16383 expect=deliver\n".repeat(4200);
    let ack = "op=ack in_port=1 path=7 len=1 expect=advertised expect_ce=255 idle=20";
    text(
        "path_age=50 flow_timeout=80 dre_period=16777215",
        &format!("op=set_shift port=1 shift=18\n{packets}{ack}\n"),
    )
}

#[test]
fn a_sum_stops_at_the_largest_one() {
    holds::<CaverCore>(&a_full_sum(), &SMALL);
}

/// Bits 15:10 of the hash are in neither the place nor the tag.
#[test]
fn a_flow_whose_entry_another_one_has_goes_by_ecmp_until_that_one_dies() {
    rule(
        "path_age=255 flow_timeout=80",
        "
now=0 op=ack in_port=8 path=2 len=1 ce=7 to_local=1 expect=took
now=0 op=data hash=65543 expect=new expect_port=8
now=1 op=data hash=131079 expect=collided expect_port=12 expect_enable=0
now=1 op=data hash=65543 conn=6 expect=collided expect_port=12 expect_enable=0
now=2 op=data hash=66567 expect=same expect_port=8
now=82 op=data hash=131079 expect=collided expect_port=12
now=83 op=data hash=131079 expect=new expect_port=8
now=83 op=data hash=65543 expect=collided expect_port=12
",
    );
}

#[test]
fn a_route_leads_from_switch_to_switch_and_a_bad_one_is_left() {
    rule(
        "path_age=50 flow_timeout=80",
        "
op=data in_port=8 enable=1 hop=0 path=8.9.10.15 expect=routed expect_port=9 expect_enable=1 expect_hop=1 expect_path=8.9.10.15
op=data in_port=8 enable=1 hop=1 path=8.9.10.15 expect=routed expect_port=10 expect_enable=1 expect_hop=2 expect_path=8.9.10.15
op=data in_port=8 enable=1 hop=2 path=8.9.10.15 expect=routed expect_port=15 expect_enable=1 expect_hop=3 expect_path=8.9.10.15
op=data in_port=8 enable=1 hop=3 path=8.9.10.15 expect=bad_route expect_port=12 expect_enable=0
op=data in_port=8 enable=1 hop=0 path=8.16.10.15 expect=bad_route expect_port=12 expect_enable=0
op=data in_port=8 enable=1 hop=0 path=8 expect=bad_route expect_port=12 expect_enable=0
op=data in_port=8 enable=1 hop=1 path=8.9.3.15 expect=bad_route expect_port=12 expect_enable=0
op=data in_port=8 enable=0 hop=1 path=8.9.10.15 expect=ecmp expect_port=12 expect_enable=0
op=data in_port=0 enable=1 hop=1 path=8.9.10.15 expect=ecmp expect_port=12 expect_enable=0
op=data in_port=8 enable=1 hop=1 path=8.9.10.15 is_local=1 fib_port=3 expect=deliver expect_port=3 expect_enable=0
",
    );
}

/// Congestion is the most of all links: 8 KiB show as 1. What is behind a port is stored, and the port's own is that of each use.
#[test]
fn an_ack_goes_on_with_the_better_path_and_a_worse_one_of_the_same_port_is_believed() {
    rule(
        "path_age=50 flow_timeout=80",
        "
op=ack in_port=1 to_local=1 expect=pass expect_enable=0
op=data in_port=8 is_local=1 fib_port=1 bytes=16383 expect=deliver
op=data in_port=8 is_local=1 fib_port=1 bytes=1 expect=deliver
op=ack in_port=1 path=7 ce=99 len=1 expect=advertised expect_enable=1 expect_ce=2 expect_len=0 expect_path=255
op=ack in_port=8 path=2 ce=6 len=1 expect=took expect_enable=1 expect_ce=6 expect_len=2 expect_path=8.2
op=ack in_port=9 path=3.1 ce=7 len=2 expect=kept expect_enable=1 expect_ce=6 expect_len=2 expect_path=8.2
op=ack in_port=9 path=3.1 ce=6 len=2 expect=took expect_enable=1 expect_ce=6 expect_len=3 expect_path=9.3.1
op=data hash=1 bytes=8192 expect=new expect_port=9
op=data hash=1 bytes=16383 expect=same expect_port=9
op=data hash=1 bytes=16383 expect=same expect_port=9
op=data hash=1 bytes=16383 expect=same expect_port=9
op=ack in_port=8 path=2 ce=7 len=1 expect=kept expect_enable=1 expect_ce=6 expect_len=3 expect_path=9.3.1
op=data hash=1 bytes=3 expect=same expect_port=9
op=ack in_port=8 path=2 ce=7 len=1 expect=took expect_enable=1 expect_ce=7 expect_len=2 expect_path=8.2
op=ack in_port=8 path=4 ce=90 len=1 expect=took expect_enable=1 expect_ce=90 expect_len=2 expect_path=8.4
op=ack in_port=9 path=3.1 ce=1 len=2 to_local=1 expect=took expect_enable=0
op=data hash=2 bytes=0 expect=new expect_port=9 expect_path=9.3.1
",
    );
}

/// The list is empty at first, and the congestion is that of the port of the host that is spoken of.
#[test]
fn with_a_list_an_ack_speaks_of_its_hosts_in_turn() {
    let keys = [&SMALL[..], &["caver.advertise=round_robin"]].concat();
    let lines = "
op=data in_port=8 is_local=1 fib_port=1 bytes=16383 expect=deliver
op=ack in_port=2 conn=9 expect=advertised expect_ce=0 expect_dst=9
op=host conn=6 port=1
op=ack in_port=2 conn=9 expect=advertised expect_ce=1 expect_dst=6
op=host conn=7 port=2
op=ack in_port=2 conn=9 expect=advertised expect_ce=1 expect_dst=6
op=ack in_port=1 conn=6 to_local=1 expect=pass
op=ack in_port=1 conn=6 expect=advertised expect_ce=0 expect_dst=7
op=ack in_port=2 conn=9 expect=advertised expect_ce=1 expect_dst=6
op=ack in_port=8 conn=5 path=2 ce=6 len=1 expect=took expect_dst=5
op=ack in_port=2 conn=9 expect=advertised expect_dst=7
";
    rule_of(&keys, "path_age=50 flow_timeout=80", lines);
    let is_full: String = (0..16).map(|dst| format!("op=host conn={dst} port=1\n")).collect();
    let all: String = (0..17)
        .map(|turn| format!("op=ack in_port=2 conn=9 expect=advertised expect_dst={}\n", turn % 16))
        .collect();
    rule_of(&keys, "path_age=50 flow_timeout=80", &format!("{is_full}op=host conn=20 port=1\n{all}"));
}

/// Without one the op changes nothing.
#[test]
fn without_a_list_an_ack_speaks_of_the_host_that_it_comes_from() {
    rule(
        "path_age=50 flow_timeout=80",
        "op=host conn=6 port=1\nop=ack in_port=2 conn=9 expect=advertised expect_dst=9",
    );
}

/// A path that is full when it comes in may be stored where the ACK ends, since that is the whole route.
#[test]
fn a_path_has_four_ports_at_most() {
    rule(
        "path_age=50 flow_timeout=80",
        "
op=ack in_port=8 path=2.3.4 ce=1 len=3 expect=refused expect_enable=0
op=data hash=1 expect=ecmp
op=ack in_port=8 path=2.3.4 ce=1 len=3 to_local=1 expect=took expect_enable=0
op=ack in_port=9 path=2 ce=2 len=1 expect=refused expect_enable=0
op=ack in_port=9 path=2 ce=2 len=1 to_local=1 expect=kept expect_enable=0
op=data hash=2 expect=new expect_port=8 expect_path=8.2.3.4
op=ack in_port=9 path=2.3 ce=1 len=2 expect=took expect_enable=1 expect_len=3 expect_path=9.2.3
",
    );
}

#[test]
fn entries_die_of_age_and_with_their_port() {
    rule(
        "path_age=50 flow_timeout=80",
        "
now=230 op=ack in_port=8 path=2 ce=1 len=1 to_local=1 expect=took
now=24 op=ack in_port=9 path=2 ce=90 len=1 to_local=1 expect=kept
now=24 op=data hash=1 expect=new expect_port=8
now=25 op=data hash=2 expect=ecmp
now=25 op=ack in_port=9 path=2 ce=90 len=1 to_local=1 expect=took
now=104 op=data hash=1 expect=same expect_port=8
now=106 op=data hash=2 expect=ecmp
now=184 op=data hash=1 up=0xfeff expect=ecmp expect_port=12
now=184 op=ack in_port=8 path=2 ce=0 len=1 up=0xfeff to_local=1 expect=took
now=184 op=data hash=3 up=0xfeff expect=ecmp expect_port=12
now=184 op=data hash=4 expect=new expect_port=8
now=184 op=data hash=3 up=0xfeff expect=same expect_port=12
",
    );
}

/// Each port has its turn once in 512 edges, and loses a quarter. A host's ACK tells of its port.
#[test]
fn a_port_forgets_its_bytes_period_by_period_and_has_a_scale_of_its_own() {
    rule(
        "dre_period=512 dre_alpha=2",
        "
op=set_shift port=1 shift=0
op=data in_port=8 is_local=1 fib_port=1 bytes=64 expect=deliver
op=data in_port=8 is_local=1 fib_port=2 bytes=16383 expect=deliver
op=ack in_port=1 expect=advertised expect_ce=64
op=ack in_port=1 idle=512 expect=advertised expect_ce=48
op=ack in_port=2 expect=advertised expect_ce=1
op=ack in_port=1 idle=512 expect=advertised expect_ce=36
op=set_shift port=2 shift=4
op=ack in_port=2 expect=advertised expect_ce=255
op=set_shift port=2 shift=6
op=ack in_port=2 expect=advertised expect_ce=144
op=ack in_port=1 idle=5300 expect=advertised expect_ce=3
op=ack in_port=1 idle=512 expect=advertised expect_ce=3
",
    );
}

/// 256 ticks after its report a path looks like a new one; here the walker came by before, and after it a port that was down is up.
#[test]
fn the_walker_clears_what_is_dead_before_its_time_comes_round() {
    let lines = |waits: u32, expect: &str| {
        format!(
            "
now=10 op=ack in_port=8 path=2 ce=1 len=1 to_local=1 expect=took
now=10 op=data hash=1 expect=new expect_port=8
now=90 op=data hash=70000 conn=9 idle={waits}
now=10 op=data hash=2 expect={expect}"
        )
    };
    rule("path_age=50 flow_timeout=80", &lines(0, "new"));
    rule("path_age=50 flow_timeout=80", &lines(1100, "ecmp"));
}
