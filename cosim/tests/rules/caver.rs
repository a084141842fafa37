//! Rules of CAVER in a switch: 003 section 2, and what its page settles. Some are traces, and what must hold of any run is looked for in
//! what the Verilog put out in one of random ops, by an observer that knows the ops and the results alone.

use std::collections::HashMap;
use std::fmt::Debug;

use respray_cosim::cores::caver::{CaverCore, Knobs};
use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_cosim::lockstep::run::{Given, run};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entries, Event};
use respray_hdl::contract::{Shown as _, Words as _};
use respray_hdl::cores::caver::contract::{ACK, DATA, Op, SET_SHIFT, Shown};
use respray_hdl::cores::generate;

use super::{config, device, holds};

/// The smallest switch.
const SMALL: [&str; 3] = ["caver.destinations=64", "caver.ports=16", "caver.flows=1024"];

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

/// Cycles of the run that is observed. No port has its turn in it, and it is over before the time has gone round.
const CYCLES: u64 = 16_000;
const PATH_AGE: u8 = 20;
const FLOW_TIMEOUT: u8 = 12;
const IS_HOST: u64 = 0x000f;

/// Each op that a device took, and what it put out of it, if that is anything.
type History = Vec<(Op, Option<Shown>)>;

/// A device, the ops that it took, and the results that it put out.
struct Recorder {
    device: PortDevice,
    taken: Vec<Op>,
    results: Vec<Shown>,
}

impl Device for Recorder {
    fn layout(&self) -> &Layout {
        self.device.layout()
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let done = self.device.cycles(inputs, outputs);
        let layout = self.device.layout();
        let rows = inputs.chunks_exact(layout.words.0).zip(outputs.chunks_exact(layout.words.1));
        for (given, shown) in rows.take(done) {
            if given[layout.op_valid] & shown[layout.op_ready] & !given[layout.rst] & 1 != 0 {
                let mut op = Op::default();
                layout.op.iter().enumerate().for_each(|(place, column)| op.set(place, given[*column]));
                self.taken.push(op);
            }
            let result = Shown::seen(|place| shown[layout.shown[place]]);
            self.results.extend(result.res_valid.then_some(result));
        }
        done
    }
}

/// What the Verilog made of random ops, between which time and ports go one way only: what is dead stays dead.
fn history() -> History {
    let config = config(&SMALL);
    let mut knobs = Knobs::new(config.connections);
    for knob in ["ops_per_reset=0", "hot_set=3", "idle_share=0.05"] {
        knobs.set(knob, config.connections).expect("the core has this knob");
    }
    let ops = CaverCore::random(3, &knobs, &config).enumerate().map(|(index, mut entry)| {
        if let Event::Op(op) = &mut entry.event {
            *op = Op {
                now: 100_u8.wrapping_add((index / 64) as u8),
                path_age: PATH_AGE,
                flow_timeout: FLOW_TIMEOUT,
                is_host: IS_HOST,
                up: if index < 3000 { 0xefff } else { 0xedff },
                dre_period: (1 << 24) - 1,
                ..*op
            };
        }
        entry
    });
    let generated = generate("caver", &config).expect("the core is generated");
    let mut recorder =
        Recorder { device: device::<CaverCore>(&generated), taken: Vec::new(), results: Vec::new() };
    let given = Given { entries: Entries::new(ops), expectations: &[], seed: 3 };
    let run = run::<CaverCore, _>(&generated.manifest, &mut recorder, given, CYCLES, &mut |_| {});
    assert!(run.difference.is_none(), "{}", run.difference.unwrap());
    assert!(recorder.taken.len() < 64 * 256, "the time has gone round");
    let mut results = recorder.results.into_iter();
    let has_result = |op: &Op| op.kind == DATA || op.kind == ACK;
    // the last ones are still under way
    recorder
        .taken
        .into_iter()
        .map_while(|op| if has_result(&op) { Some((op, Some(results.next()?))) } else { Some((op, None)) })
        .collect()
}

fn has(mask: u64, port: u8) -> bool {
    mask >> port & 1 != 0
}

/// What a flow entry must hold: tag, destination, route and the time of the last packet.
#[derive(Clone, Copy)]
struct Flow {
    of: (u32, u16),
    route: Option<u32>,
    at: u8,
}

/// The latest report that was taken of a host: its route, the congestion behind its port, its ports and its time.
#[derive(Clone, Copy)]
struct Report {
    route: u32,
    ce: u8,
    len: u8,
    at: u8,
}

/// What an observer knows.
#[derive(Default)]
struct Observer {
    flows: HashMap<u32, Flow>,
    reports: HashMap<u16, Report>,
    sums: [u32; 16],
    /// Set for each port that had its scale changed.
    shifts: HashMap<u8, u8>,
}

/// The two are equal, or the words say what is not.
fn same<T: PartialEq + Debug>(what: &str, seen: T, wanted: T) -> Result<(), String> {
    if seen == wanted { Ok(()) } else { Err(format!("{what}: {seen:?} in place of {wanted:?}")) }
}

impl Observer {
    fn congestion(&self, port: u8) -> u8 {
        let shift = self.shifts.get(&port).copied().unwrap_or(13);
        (self.sums[usize::from(port)] >> shift).min(255) as u8
    }

    /// The report of a host, if it may be used.
    fn report(&self, op: &Op) -> Option<Report> {
        let report = *self.reports.get(&op.dst)?;
        let is_live = op.now.wrapping_sub(report.at) <= PATH_AGE && has(op.up, report.route as u8);
        is_live.then_some(report)
    }

    /// C1, C2 and C6: the flow of an entry that lives goes its way, any other by ECMP; else the entry gets the reported path, if that lives.
    fn first_hop(&mut self, op: &Op, shown: &Shown) -> Result<(), String> {
        let (place, of) = (op.hash % 1024, (op.hash >> 16, op.dst));
        let flow = self.flows.get(&place).copied().filter(|flow| {
            op.now.wrapping_sub(flow.at) <= FLOW_TIMEOUT
                && flow.route.is_none_or(|route| has(op.up, route as u8))
        });
        let (kind, route) = match flow {
            Some(flow) if flow.of == of => (1, flow.route),
            Some(_) => (2, None),
            None => match self.report(op) {
                Some(report) => (3, Some(report.route)),
                None => (4, None),
            },
        };
        same("C1, kind of a packet of a host", shown.res_kind, Some(kind))?;
        same("C1, it has a route", shown.res_enable, Some(route.is_some()))?;
        same("C1, its port", shown.res_port, Some(route.map_or(op.fib_port, |route| route as u8)))?;
        if route.is_some() {
            same("C2, its route", shown.res_path, route)?;
            same("C3, its hop", shown.res_hop, Some(0))?;
        }
        // C7: what collides stores nothing
        if kind != 2 {
            self.flows.insert(place, Flow { of, route, at: op.now });
        }
        Ok(())
    }

    /// C3 and C7: by the route of the shim, if its next port is one between switches; else by ECMP, and nothing is stored.
    fn hop(op: &Op, shown: &Shown) -> Result<(), String> {
        let next = op.path.checked_shr(8 * (u32::from(op.hop) + 1)).map(|path| path as u8);
        let next = next.filter(|port| *port < 16 && !has(IS_HOST, *port));
        let (kind, port) = match (op.enable, next) {
            (false, _) => (4, op.fib_port),
            (true, None) => (6, op.fib_port),
            (true, Some(port)) => (5, port),
        };
        same("C3, kind of a packet between switches", shown.res_kind, Some(kind))?;
        same("C3, its port", shown.res_port, Some(port))?;
        same("C3, it has a route", shown.res_enable, Some(kind == 5))?;
        if kind == 5 {
            same("C3, its hop", shown.res_hop, Some(op.hop + 1))?;
            same("C3, its route", shown.res_path, Some(op.path))?;
        }
        Ok(())
    }

    /// C2, C4, C6 and C7: the better one of two live paths goes on, at most four ports long, with all that is congested of it.
    fn ack(&mut self, op: &Op, shown: &Shown) -> Result<(), String> {
        let own = self.congestion(op.in_port);
        if has(IS_HOST, op.in_port) {
            same("C4, kind of a host's ACK", shown.res_kind, Some(if op.to_local { 8 } else { 9 }))?;
            same("C4, it begins a path", shown.res_enable, Some(!op.to_local))?;
            let begun = (shown.res_ce, shown.res_len, shown.res_path);
            return if op.to_local {
                Ok(())
            } else {
                same("C4, the path", begun, (Some(own), Some(0), Some(u32::MAX)))
            };
        }
        let total = own.max(op.ce);
        let stored = self.report(op);
        let current = stored.map(|report| self.congestion(report.route as u8).max(report.ce));
        let is_same_port = stored.is_some_and(|report| report.route as u8 == op.in_port);
        let is_full = op.len == 3 && !op.to_local;
        let takes = !is_full && (is_same_port || current.is_none_or(|current| total <= current));
        if takes {
            let route = op.path << 8 | u32::from(op.in_port);
            self.reports.insert(op.dst, Report { route, ce: op.ce, len: op.len, at: op.now });
        }
        // the report in place now is the path that goes on, with its length and the congestion of all of it
        let best = self.report(op).filter(|_| !is_full);
        let best = best.or(takes.then(|| self.reports[&op.dst]));
        let refused = is_full || !op.to_local && best.is_some_and(|best| best.len == 3);
        let kind = if refused {
            10
        } else if takes {
            11
        } else {
            12
        };
        same("C7, kind of an ACK", shown.res_kind, Some(kind))?;
        let goes_on = best.filter(|_| !refused && !op.to_local);
        same("C7, a path goes on", shown.res_enable, Some(goes_on.is_some()))?;
        if let Some(best) = goes_on {
            let ce = self.congestion(best.route as u8).max(best.ce);
            same("C2, the path", shown.res_path, Some(best.route))?;
            same("C3, its ports", shown.res_len, Some(best.len + 1))?;
            same("C4, its congestion", shown.res_ce, Some(ce))?;
        }
        Ok(())
    }

    /// An op and what came of it. The sums are what C5 says: bytes of data, by the ports that they left by.
    fn hear(&mut self, op: &Op, shown: Option<&Shown>) -> Result<(), String> {
        let Some(shown) = shown else {
            if op.kind == SET_SHIFT {
                self.shifts.insert(op.port, op.shift);
            }
            return Ok(());
        };
        same("C8, the host", shown.res_dst, Some(op.dst))?;
        if op.kind == ACK {
            return self.ack(op, shown);
        }
        if op.is_local {
            same("C1, a packet for a host at this switch", shown.res_kind, Some(0))?;
            same("C1, its port", (shown.res_port, shown.res_enable), (Some(op.fib_port), Some(false)))?;
        } else if has(IS_HOST, op.in_port) {
            self.first_hop(op, shown)?;
        } else {
            Observer::hop(op, shown)?;
        }
        let sum = &mut self.sums[usize::from(shown.res_port.expect("it is compared"))];
        *sum = (*sum + u32::from(op.bytes)).min((1 << 26) - 1);
        Ok(())
    }
}

/// Looks for what must hold in a history; how often each kind of result came.
fn observed(history: &History) -> Result<[u32; 13], String> {
    let (mut observer, mut kinds) = (Observer::default(), [0; 13]);
    for (number, (op, shown)) in history.iter().enumerate() {
        observer.hear(op, shown.as_ref()).map_err(|what| format!("op {number}, {op:?}: {what}"))?;
        if let Some(kind) = shown.and_then(|shown| shown.res_kind) {
            kinds[usize::from(kind)] += 1;
        }
    }
    Ok(kinds)
}

#[test]
fn the_properties_hold_of_random_ops_and_not_of_results_that_are_changed() {
    let history = history();
    let kinds = observed(&history).unwrap_or_else(|what| panic!("{what}"));
    let reached = |kind: usize| kind == 7 || kinds[kind] >= 20;
    assert!((0..13).all(reached), "{kinds:?}");

    /// A result, of these kinds, that is changed.
    type Change = (&'static str, &'static [u8], fn(&mut Shown));
    let changes: [Change; 16] = [
        ("C1, kind", &[1], |shown| shown.res_kind = Some(3)),
        ("C1, kind", &[2], |shown| shown.res_kind = Some(4)),
        ("C1, kind", &[3], |shown| shown.res_kind = Some(1)),
        ("C1, kind", &[4], |shown| shown.res_kind = Some(1)),
        ("C1, its port", &[0, 2], |shown| shown.res_port = shown.res_port.map(|port| port ^ 1)),
        ("C2, its route", &[1, 3], |shown| shown.res_path = shown.res_path.map(|path| path ^ 0x100)),
        ("C2, the path", &[11, 12], |shown| shown.res_path = shown.res_path.map(|path| path ^ 1 << 31)),
        ("C3, its hop", &[5], |shown| shown.res_hop = shown.res_hop.map(|hop| hop - 1)),
        ("C3, its port", &[5, 6], |shown| shown.res_port = shown.res_port.map(|port| port ^ 8)),
        ("C3, kind", &[5], |shown| shown.res_kind = Some(6)),
        ("C3, its ports", &[11, 12], |shown| shown.res_len = shown.res_len.map(|len| len ^ 1)),
        ("C4, the path", &[9], |shown| shown.res_ce = shown.res_ce.map(|ce| ce ^ 1)),
        ("C4, its congestion", &[11, 12], |shown| shown.res_ce = shown.res_ce.map(|ce| ce ^ 1)),
        ("C7, kind of an ACK", &[11], |shown| shown.res_kind = Some(12)),
        ("C7, kind of an ACK", &[12], |shown| shown.res_kind = Some(11)),
        ("C7, kind of an ACK", &[10], |shown| shown.res_kind = Some(12)),
    ];
    for (property, of, change) in changes {
        // the middle one of those that show what is changed
        let shows_all = |op: &Op, shown: &Shown| {
            let kind = shown.res_kind.expect("a result has a kind");
            let is_from_host = has(IS_HOST, op.in_port);
            of.contains(&kind)
                && (kind != 4 || is_from_host)
                && (property != "C2, its route" || shown.res_enable == Some(true))
                && (!matches!(kind, 11 | 12) || property.starts_with("C7") || !op.to_local)
        };
        let found = history
            .iter()
            .enumerate()
            .filter(|(_, (op, shown))| shown.as_ref().is_some_and(|shown| shows_all(op, shown)));
        let found: Vec<usize> = found.map(|(number, _)| number).collect();
        let number = found[found.len() / 2];
        let mut changed = history.clone();
        change(changed[number].1.as_mut().expect("it has a result"));
        let said = observed(&changed).expect_err(property);
        let begins = format!("op {number}, ");
        assert!(said.starts_with(&begins) && said.contains(property), "{property}: {said}");
    }
}
