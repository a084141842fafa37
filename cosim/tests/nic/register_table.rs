//! The table of registers that the RTL is made of equals that of the golden model.

use respray_golden::bitmap;
use respray_golden::flowlet;
use respray_golden::mixed;
use respray_golden::nic::{self, Choice, Nic, WindowEngine};
use respray_golden::ops::{Keys, Order};
use respray_golden::strack;
use respray_golden::wire::Profile;
use respray_hdl::config::Config;
use respray_hdl::cores::find;
use respray_hdl::nic::registers::{Access, Register, table};

/// What both sides say of a register, but for its meaning.
type Row = (String, u32, &'static str, u32, u32, Option<(u32, u32)>);

fn bounds(allowed: &std::ops::RangeInclusive<u32>) -> Option<(u32, u32)> {
    (!allowed.is_empty()).then(|| (*allowed.start(), *allowed.end()))
}

fn of_hdl(register: &Register) -> Row {
    let access = match register.access {
        Access::ReadOnly => "read",
        Access::ReadWrite => "read and write",
        Access::WriteOnly => "write",
    };
    let Register { name, address, width, reset, allowed, .. } = register;
    (name.clone(), *address, access, *width, *reset, bounds(allowed))
}

fn of_golden(register: &nic::Register) -> Row {
    let access = match register.access {
        nic::Access::ReadOnly => "read",
        nic::Access::ReadWrite => "read and write",
        nic::Access::WriteOnly => "write",
    };
    let nic::Register { name, address, width, reset, allowed, .. } = register;
    (name.clone(), *address, access, u32::from(*width), *reset, bounds(allowed))
}

const BITMAP: bitmap::Keys = bitmap::Keys { paths: 256, timeout: bitmap::TimeoutRule::Ignore };

#[test]
fn the_table_equals_that_of_the_golden_model_in_every_configuration() {
    let selectors = [
        ("reps", Choice::reps()),
        ("ops", Choice::Ops(Keys { order: Order::Random, paths: 256 })),
        ("ecmp", Choice::Ecmp),
        ("subflows", Choice::Subflows),
        ("mprdma", Choice::Mprdma),
        ("flowlet", Choice::Flowlet(flowlet::Keys { since: flowlet::Since::Ack })),
        ("plb", Choice::Plb),
        ("strack", Choice::Strack(strack::Keys { paths: 256 })),
        ("bitmap", Choice::Bitmap(BITMAP)),
        ("mixed", Choice::Mixed(mixed::Keys { paths: 256, depth: 32, timeout: BITMAP.timeout })),
        ("flowcut", Choice::Flowcut(respray_golden::flowcut::Variant::Paper)),
    ];
    for (name, selector) in selectors {
        let contract = find(name).and_then(|core| core.contract).expect("a selector has a contract");
        for (wire, profile, window, window_engine) in [
            ("strack", Profile::Strack, "fixed", WindowEngine::Fixed),
            ("strack", Profile::Strack, "strack", WindowEngine::Strack),
            ("uet", Profile::Uet, "fixed", WindowEngine::Fixed),
        ] {
            if selector.parks() && profile == Profile::Uet {
                continue;
            }
            for (connections, time_bits, rx_credit, stable_port, event_frames, peer_table, close) in [
                (16, 16, false, false, true, false, true),
                (256, 32, false, true, false, true, false),
                (256, 32, true, false, true, false, false),
                (1024, 16, true, true, true, true, true),
                (16384, 32, false, false, false, false, true),
            ] {
                // packets that wait carry no number, and need the host where their connection ends
                let peer_table = peer_table && !selector.parks();
                let graceful_close = close && !selector.parks();
                let sets = [
                    format!("connections={connections}"),
                    format!("selector.time_bits={time_bits}"),
                    format!("wire={wire}"),
                    format!("nic.selector={name}"),
                    format!("nic.window={window}"),
                    format!("nic.rx_credit={}", if rx_credit { "frames" } else { "off" }),
                    format!("nic.rss_port={}", if stable_port { "stable" } else { "off" }),
                    format!("nic.events={}", if event_frames { "frames" } else { "port" }),
                    format!("nic.peer_table={}", if peer_table { "on" } else { "off" }),
                    format!("nic.close={}", if graceful_close { "graceful" } else { "abrupt" }),
                    "sack.psn_bits=24".to_string(),
                    "selector.ev_base=4096".to_string(),
                    "selector.ev_bits=12".to_string(),
                    "bus_bits=128".to_string(),
                ];
                let config = Config::load(None, &sets).expect("a valid configuration");
                let golden = nic::Config {
                    connections,
                    time_bits,
                    profile,
                    selector,
                    window_engine,
                    rx_credit,
                    stable_port,
                    event_frames,
                    peer_table,
                    graceful_close,
                    ev_base: 4096,
                    ev_bits: 12,
                    bus_bits: 128,
                    ..nic::Config::default()
                };
                let rows: Vec<Row> = table(&config, contract).iter().map(of_hdl).collect();
                let expected: Vec<Row> = Nic::new(golden).registers().iter().map(of_golden).collect();
                assert_eq!(rows, expected, "{name}, {sets:?}");
            }
        }
    }
}

/// The parts that the hardware lacks have registers that take no other value than 0, or none.
#[test]
fn the_table_of_ultra_ethernet_equals_that_of_the_golden_model() {
    for (name, selector) in
        [("reps", Choice::reps()), ("strack", Choice::Strack(strack::Keys { paths: 256 }))]
    {
        let contract = find(name).and_then(|core| core.contract).expect("a selector has a contract");
        let sets = ["wire=uet", "sack.acks=uet", &format!("nic.selector={name}")].map(String::from);
        let config = Config::load(None, &sets).expect("a valid configuration");
        let golden = nic::Config {
            profile: Profile::Uet,
            uet: respray_cosim::nic::golden(&config).uet,
            selector,
            ..nic::Config::default()
        };
        let rows: Vec<Row> = table(&config, contract).iter().map(of_hdl).collect();
        let expected: Vec<Row> = Nic::new(golden).registers().iter().map(of_golden).collect();
        assert_eq!(rows, expected, "{name}");
    }
}
