//! Packets a second and Gb/s: a clock, divided by the cycles that the contract allows a packet.

use respray_hdl::cycles::Cycles;
use serde::Serialize;

use super::{CoreFigures, Fit, Report, Table};
use crate::device::{ECP5, ICE40, ICE40_CONNECTIONS};

/// Length of a short packet in bytes: the shortest frame of Ethernet.
const SHORT_BYTES: u32 = 64;
/// Length of a long packet in bytes: what data centres send in bulk.
pub const LONG_BYTES: u32 = 4096;

/// The class of a stream's beats in a manifest.
const BEAT: &str = "beat";

/// What a packet costs the engines that are not asked once for each: the classes of op, one after the other, and how a
/// reader is told of them. Any other core is asked once, and each of its classes is a row.
const OPS_OF_A_PACKET: &[(&str, &str, &[&str])] = &[
    ("reps", "a send and its ACK", &["op", "op"]),
    ("flowcut", "a send and its ACK", &["op", "op"]),
    ("flowcut_switch", "a packet and its ACK", &["op", "op"]),
    ("caver", "a packet and its ACK", &["data", "ack"]),
    ("sack_tx", "a send and its SACK", &["sent", "sack"]),
];

/// Classes of op that are not asked for packets.
const NOT_FOR_PACKETS: [&str; 2] = ["init", "close"];

/// How many packets a core takes at one clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Throughput {
    /// The core, and where it comes in two structures which of them.
    pub label: String,
    /// Where the clock is from: `UltraScale+`, or a target that is placed and routed.
    pub device: String,
    /// In MHz.
    pub clock_mhz: f64,
    /// Whether the clock is the median Fmax there; otherwise it is the `clock_mhz` of the configuration.
    pub measured: bool,
    /// What is done for a packet, e.g. `a send and its ACK`.
    pub packet: String,
    /// Length of the packet in bytes, for the rate in Gb/s.
    pub packet_bytes: u32,
    /// Cycles between two packets at the least, a number or a formula.
    pub cycles: Cycles,
    pub packets_per_second: f64,
    pub gbits_per_second: f64,
}

/// A clock at which a core runs.
struct Clock {
    device: &'static str,
    mhz: f64,
    measured: bool,
    /// Width of the packet bus there in bits.
    bus_bits: u32,
}

/// Every core at the clock of the configuration, and at its median Fmax on the devices that are placed and routed.
pub fn throughput(report: &Report) -> Vec<Throughput> {
    report.cores.iter().flat_map(of_core).collect()
}

fn of_core(core: &CoreFigures) -> Vec<Throughput> {
    let costs = |clock: &Clock| if core.has_bus() { frames(core, clock) } else { packets(core) };
    let at = |clock: Clock| {
        let rows = costs(&clock).into_iter();
        rows.map(|cost| Throughput::new(core, &clock, cost)).collect::<Vec<_>>()
    };
    clocks(core).into_iter().flat_map(at).collect()
}

fn clocks(core: &CoreFigures) -> Vec<Clock> {
    let stated = core.ultrascale.as_ref().map(|_| Clock {
        device: "UltraScale+",
        mhz: core.config.clock_mhz,
        measured: false,
        bus_bits: core.config.bus_bits,
    });
    let routed =
        [(ECP5.name, &core.ecp5), (ICE40.name, &core.ice40)].into_iter().filter_map(|(device, fit)| {
            let mhz = fit.as_ref().and_then(Fit::figures)?.fmax_mhz.median;
            let bus_bits = core.routed_bus_bits.unwrap_or(core.config.bus_bits);
            Some(Clock { device, mhz, measured: true, bus_bits })
        });
    stated.into_iter().chain(routed).collect()
}

/// What a packet is, its length in bytes, and its cycles.
type Cost = (String, u32, Cycles);

/// Packets on a bus: their beats.
fn frames(core: &CoreFigures, clock: &Clock) -> Vec<Cost> {
    let Some(beat) = core.interval_cycles.get(BEAT) else { return Vec::new() };
    let of = |bytes: u32| {
        let beats = (8 * bytes).div_ceil(clock.bus_bits);
        let cost = sum(&vec![beat; beats as usize]);
        (format!("{bytes} bytes on {} bits", clock.bus_bits), bytes, cost)
    };
    [SHORT_BYTES, LONG_BYTES].map(of).to_vec()
}

/// Packets of which an engine hears by ops.
fn packets(core: &CoreFigures) -> Vec<Cost> {
    let cost = |what: &str, classes: &[&str]| {
        let cycles: Option<Vec<&Cycles>> =
            classes.iter().map(|class| core.interval_cycles.get(*class)).collect();
        Some((what.to_string(), LONG_BYTES, sum(&cycles?)))
    };
    match OPS_OF_A_PACKET.iter().find(|(name, _, _)| *name == core.core) {
        Some((_, what, classes)) => cost(what, classes).into_iter().collect(),
        None => {
            let classes =
                core.interval_cycles.keys().filter(|class| !NOT_FOR_PACKETS.contains(&class.as_str()));
            classes.filter_map(|class| cost(&format!("`{class}`"), &[class])).collect()
        }
    }
}

/// All of them, one after the other.
fn sum(cycles: &[&Cycles]) -> Cycles {
    let base = cycles.iter().map(|cycles| cycles.base).sum();
    Cycles { base, growth: cycles.iter().flat_map(|cycles| cycles.growth.clone()).collect() }
}

impl Throughput {
    fn new(core: &CoreFigures, clock: &Clock, (packet, packet_bytes, cycles): Cost) -> Throughput {
        let packets_per_second = 1e6 * clock.mhz / f64::from(cycles.base.max(1));
        Throughput {
            label: core.label.clone(),
            device: clock.device.into(),
            clock_mhz: clock.mhz,
            measured: clock.measured,
            packet,
            packet_bytes,
            cycles,
            packets_per_second,
            gbits_per_second: packets_per_second * f64::from(8 * packet_bytes) / 1e9,
        }
    }
}

/// All of it as a table.
pub fn table(rows: &[Throughput]) -> Table {
    let note = format!(
        "At most: the clock divided by the cycles between two packets that the contract allows, where every count of a formula is 0; \
         stalls come on top. The clock is the median Fmax where nextpnr places and routes ({} at {ICE40_CONNECTIONS} connections), and \
         `clock_mhz` of the configuration on UltraScale+, where nothing measures it. An engine sees no packets but ops: its \
         Gb/s are those of {LONG_BYTES}-byte packets.",
        ICE40.name
    );
    let columns =
        ["core", "device", "clock in MHz", "clock is", "a packet", "cycles", "packets a second", "Gb/s"];
    let mut table = Table::new("Packets a second and Gb/s", note, &columns);
    for row in rows {
        table.row([
            row.label.clone(),
            row.device.clone(),
            format!("{:.1}", row.clock_mhz),
            if row.measured { "measured" } else { "stated" }.into(),
            row.packet.clone(),
            row.cycles.to_string(),
            format!("{:.1} M", row.packets_per_second / 1e6),
            format!("{:.1}", row.gbits_per_second),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use respray_hdl::config::Config;
    use respray_hdl::cores::CORES;
    use respray_hdl::manifest::Manifest;

    use super::*;

    /// A core with the cycles of the manifest that is given out, on UltraScale+ alone.
    fn core(name: &str) -> CoreFigures {
        let path = format!("{}/../generated/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let manifest: Manifest = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        CoreFigures {
            label: name.into(),
            core: name.into(),
            routed_bus_bits: manifest.latency_cycles.contains_key(BEAT).then_some(64),
            interval_cycles: manifest.initiation_interval_cycles,
            memories: manifest.memories,
            config: Config::default(),
            ultrascale: Some(Fit::DoesNotFit(String::new())),
            ecp5: None,
            ice40: None,
        }
    }

    #[test]
    fn every_core_takes_packets_at_the_cycles_of_its_contract() {
        for name in CORES {
            assert!(!of_core(&core(name)).is_empty(), "{name}");
        }
        let rows = |name: &str| -> Vec<(String, f64, f64)> {
            let rounded = |value: f64| (10.0 * value).round() / 10.0;
            let row = |row: Throughput| {
                (row.cycles.to_string(), rounded(row.packets_per_second / 1e6), rounded(row.gbits_per_second))
            };
            of_core(&core(name)).into_iter().map(row).collect()
        };
        assert_eq!(rows("reps"), [("2".into(), 161.1, 5280.0)], "two ops of one cycle");
        assert_eq!(rows("sack_tx"), [("24 + 4*cum_segments".into(), 13.4, 440.0)]);
        assert_eq!(
            rows("rewrite_tx"),
            [("1".into(), 322.3, 165.0), ("64".into(), 5.0, 165.0)],
            "the bus is 512 bits wide"
        );
    }

    #[test]
    fn a_core_that_is_routed_is_at_its_measured_clock_and_at_the_bus_that_it_has_there() {
        let mut core = core("rewrite_rx");
        let clock = Clock { device: ECP5.name, mhz: 200.0, measured: true, bus_bits: 64 };
        let long = Throughput::new(&core, &clock, frames(&core, &clock).swap_remove(1));
        assert_eq!((long.cycles.base, long.gbits_per_second.round()), (512, 13.0));
        core.interval_cycles.clear();
        assert!(of_core(&core).is_empty(), "without a contract nothing is said");
    }
}
