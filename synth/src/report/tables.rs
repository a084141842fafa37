//! A report as tables: what each core takes of each target, the claim, the sweeps.

use super::{CLAIM_MEMORY_BYTES, Claim, CoreFigures, Earlier, Fit, Report, Sweep, SweepPoint, Table, why};
use crate::device::{CARDS, Card, Device, ECP5, ICE40, ICE40_CONNECTIONS, SEEDS, SMALL_BUS_BITS};
use crate::figures::FIGURES;
use crate::report::claim::TABLE_1_BITS;
use crate::report::{throughput, timing};
use crate::routed::{CriticalPath, Routed};
use crate::xilinx::Xilinx;

/// All tables of `report`, in reading order.
pub fn tables(report: &Report) -> Vec<Table> {
    let mut tables = Vec::new();
    let cards: Vec<&Card> =
        CARDS.iter().filter(|card| report.targets.iter().any(|name| name == card.name)).collect();
    if !cards.is_empty() {
        tables.push(ultrascale(&report.cores));
        tables.push(shares(&report.cores, &cards));
        tables.push(timing::estimates(&report.cores));
    }
    for (device, outcome) in [
        (&ECP5, (|core| core.ecp5.as_ref()) as fn(&CoreFigures) -> Option<&Fit<Routed>>),
        (&ICE40, |core| core.ice40.as_ref()),
    ] {
        if report.targets.iter().any(|name| name == device.name) {
            tables.push(routed(&report.cores, device, outcome));
        }
    }
    tables.extend(throughput_table(report));
    if !report.timing.is_empty() {
        tables.push(timing::table(&report.timing));
    }
    if !report.accepted.is_empty() {
        tables.push(earlier(&report.accepted));
    }
    if let Some(claim) = &report.claim {
        tables.extend(claim_tables(claim));
    }
    tables.extend(report.sweeps.iter().flat_map(sweep_tables));
    tables
}

/// Packets a second, where the contract of a core gives any.
pub fn throughput_table(report: &Report) -> Option<Table> {
    (!report.throughput.is_empty()).then(|| throughput::table(&report.throughput))
}

/// Cores, and devices, on which nothing was measured.
fn earlier(accepted: &[Earlier]) -> Table {
    let names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
    let mut columns = vec!["core", "device", "measured on"];
    columns.extend(&names);
    let mut table = Table::new(
        "Accepted figures of what was not measured",
        "As `respray report --accept` wrote them on that day, with the same tools.",
        &columns,
    );
    for Earlier { label, device, accepted } in accepted {
        let figure = |name: &&str| accepted.figures.get(*name).map_or("-".into(), f64::to_string);
        let heads = [label.clone(), device.clone(), accepted.measured_on.clone()];
        table.row(heads.into_iter().chain(names.iter().map(figure)));
    }
    table
}

fn ultrascale(cores: &[CoreFigures]) -> Table {
    let mut table = Table::new(
        "UltraScale+ (every Alveo card), Yosys synth_xilinx -family xcup",
        "LUT = LC (Yosys's estimate, small LUTs paired) + SRL + LUTRAM + INV. Levels: cells on the longest path.",
        &[
            "core",
            "LUT",
            "LC",
            "SRL",
            "LUTRAM",
            "INV",
            "LUT1",
            "LUT2",
            "LUT3",
            "LUT4",
            "LUT5",
            "LUT6",
            "CARRY4",
            "MUXF",
            "FF",
            "BRAM36",
            "BRAM18",
            "URAM",
            "levels",
            "longest path",
        ],
    );
    for core in cores {
        match &core.ultrascale {
            Some(Fit::Figures(x)) => {
                let counts = [x.luts, x.lc_estimate, x.srl, x.lutram, x.inv]
                    .into_iter()
                    .chain(x.lut_by_inputs)
                    .chain([x.carry4, x.muxf, x.ff, x.bram36, x.bram18, x.uram, x.levels]);
                let cells = counts.map(|count| count.to_string()).chain([ends(&x.path)]);
                table.row([core.label.clone()].into_iter().chain(cells));
            }
            Some(Fit::DoesNotFit(sentence)) => table.row([core.label.clone(), sentence.clone()]),
            None => {}
        }
    }
    table
}

/// The first and the last name of a path.
fn ends(path: &[String]) -> String {
    match path {
        [] => "-".into(),
        [only] => only.clone(),
        [first, .., last] => format!("{first} → {last}"),
    }
}

fn shares(cores: &[CoreFigures], cards: &[&Card]) -> Table {
    let header: Vec<&str> = std::iter::once("core").chain(cards.iter().map(|card| card.name)).collect();
    let mut table = Table::new(
        "Share of the card: LUT, FF, BRAM, URAM in %",
        "Of the whole device, shell included.",
        &header,
    );
    for core in cores {
        let Some(x) = core.ultrascale.as_ref().and_then(Fit::figures) else { continue };
        table.row(std::iter::once(core.label.clone()).chain(cards.iter().map(|card| share(x, card))));
    }
    table
}

fn share(x: &Xilinx, card: &Card) -> String {
    let percent = |part: f64, whole: u32| format!("{:.3}", 100.0 * part / f64::from(whole));
    let bram = f64::from(x.bram_halves()) / 2.0;
    [
        percent(f64::from(x.luts), card.lut),
        percent(f64::from(x.ff), card.ff),
        percent(bram, card.bram36),
        percent(f64::from(x.uram), card.uram),
    ]
    .join(" ")
}

fn routed(
    cores: &[CoreFigures],
    device: &Device,
    outcome: fn(&CoreFigures) -> Option<&Fit<Routed>>,
) -> Table {
    let ecp5 = device.name == ECP5.name;
    let (logic, memory) = if ecp5 { ("COMB", "EBR") } else { ("LC", "RAM 4k") };
    let size = if ecp5 { String::new() } else { format!(", {ICE40_CONNECTIONS} connections") };
    let mut table = Table::new(
        format!("{}, placed and routed by nextpnr{size}", device.title),
        format!(
            "Fmax in MHz of seeds {SEEDS:?}, asked for {} MHz. Ports are registered in an out-of-context wrapper, whose \
             registers (of which) are in the figures. A core with a packet bus is measured at the width that stands beside \
             it, {SMALL_BUS_BITS} bits in place of the default: 512 bits are for 100G cards.",
            device.asked_mhz
        ),
        &[
            "core",
            logic,
            "FF",
            "of which wrapper",
            memory,
            "Fmax min",
            "median",
            "max",
            "critical path of the median",
        ],
    );
    for core in cores {
        match outcome(core) {
            Some(Fit::Figures(r)) => {
                let counts = [r.logic, r.ff, r.wrapper_ff, r.memory].map(|count| count.to_string());
                let fmax = [r.fmax_mhz.min, r.fmax_mhz.median, r.fmax_mhz.max].map(|mhz| format!("{mhz:.0}"));
                let path = critical_path_sentence(&r.critical);
                table.row([core.routed_label()].into_iter().chain(counts).chain(fmax).chain([path]));
            }
            Some(Fit::DoesNotFit(sentence)) => {
                let blank = std::iter::repeat_n("-".to_string(), 7);
                table.row([core.routed_label()].into_iter().chain(blank).chain([sentence.clone()]));
            }
            None => {}
        }
    }
    table
}

/// `a → b → c, 4.20 ns (2.10 wires), 5 cells`.
pub fn critical_path_sentence(path: &CriticalPath) -> String {
    let mut names = vec![path.from.as_str()];
    names.extend(path.through.iter().map(String::as_str));
    names.push(&path.to);
    names.dedup();
    if names.len() > 5 {
        names.splice(2..names.len() - 2, ["…"]);
    }
    format!(
        "{}, {:.2} ns ({:.2} wires), {} cells",
        names.join(" → "),
        path.delay_ns,
        path.routing_ns,
        path.levels
    )
}

fn claim_tables(claim: &Claim) -> [Table; 2] {
    let mut logic = Table::new(
        "The paper's claim: logic under 0.04% of the device (001 section 4.2; the device is not named)",
        "reps with 8 entries for 256 connections; LUTs all told.",
        &["card", "LUT", "share in %", "claim in %", "LUTs allowed", "holds"],
    );
    for card in &claim.cards {
        logic.row([
            card.card.clone(),
            claim.luts.to_string(),
            format!("{:.4}", 100.0 * card.share),
            "<0.04".into(),
            card.allowed_luts.to_string(),
            if card.holds { "yes" } else { "no" }.into(),
        ]);
    }
    let mut memory = Table::new(
        "The paper's claim: 8-entry buffers of 256 connections in 4 KB (001 section 4.2, Table 1)",
        format!(
            "Block RAMs taken: {} RAMB36, {} RAMB18. Table 1 counts {TABLE_1_BITS} bits a connection, valid bits included, \
             but the 4 KB are the EVs alone; our control words are listed beside them.",
            claim.bram36, claim.bram18
        ),
        &["memory", "kind", "words", "bits a word", "bytes", "bits a connection", "claim"],
    );
    let row = |bits: u32| {
        let connections = super::CLAIM_CONNECTIONS;
        [(bits / 8).to_string(), format!("{:.0}", f64::from(bits) / f64::from(connections))]
    };
    for part in &claim.memories {
        let bits = part.words * part.bits;
        let evs = part.words == super::CLAIM_CONNECTIONS * super::CLAIM_DEPTH;
        let said = if evs { format!("{CLAIM_MEMORY_BYTES} bytes") } else { "not counted".into() };
        let kind = format!("{:?}", part.kind).to_lowercase();
        let sizes = [part.words.to_string(), part.bits.to_string()];
        memory.row([part.name.clone(), kind].into_iter().chain(sizes).chain(row(bits)).chain([said]));
    }
    let bits = claim.memory_bits;
    let all = ["all".to_string(), String::new(), String::new(), String::new()];
    memory
        .row(all.into_iter().chain(row(bits)).chain([format!("{TABLE_1_BITS} bits a connection (Table 1)")]));
    [logic, memory]
}

fn sweep_tables(sweep: &Sweep) -> Vec<Table> {
    sweep
        .labels()
        .into_iter()
        .map(|label| {
            let mut table = Table::new(
                format!("{label} by {}", sweep.key),
                format!("Growth per step in brackets. {}", why(label, &sweep.key)),
                &[
                    sweep.key.as_str(),
                    "address bits",
                    "memory bits",
                    "LUT",
                    "FF",
                    "BRAM36",
                    "URAM",
                    "levels",
                    "ECP5 COMB",
                    "EBR",
                    "Fmax",
                ],
            );
            let mut before: Option<&SweepPoint> = None;
            for point in sweep.points.iter().filter(|point| point.label == label) {
                table.row(sweep_row(point, before));
                before = Some(point);
            }
            table
        })
        .collect()
}

fn sweep_row(point: &SweepPoint, before: Option<&SweepPoint>) -> Vec<String> {
    let xilinx = |point: &SweepPoint| point.ultrascale.as_ref().and_then(Fit::figures).cloned();
    let ecp5 = |point: &SweepPoint| point.ecp5.as_ref().and_then(Fit::figures).cloned();
    let grown = |now: u32, then: Option<u32>| match then {
        Some(then) => format!("{now} ({:+})", i64::from(now) - i64::from(then)),
        None => now.to_string(),
    };
    let mut cells = vec![point.value.clone(), point.address_bits.to_string(), point.memory_bits.to_string()];
    match (&point.ultrascale, xilinx(point)) {
        (_, Some(x)) => {
            let then = before.and_then(xilinx);
            cells.push(grown(x.luts, then.as_ref().map(|then| then.luts)));
            cells.push(grown(x.ff, then.as_ref().map(|then| then.ff)));
            cells.push(format!("{:.1}", f64::from(x.bram_halves()) / 2.0));
            cells.extend([x.uram.to_string(), x.levels.to_string()]);
        }
        (Some(Fit::DoesNotFit(_)), None) => {
            cells.extend(["does not fit", "-", "-", "-", "-"].map(String::from))
        }
        _ => cells.extend(["-"; 5].map(String::from)),
    }
    match (&point.ecp5, ecp5(point)) {
        (_, Some(r)) => {
            cells.push(grown(r.logic, before.and_then(ecp5).map(|then| then.logic)));
            cells.extend([r.memory.to_string(), format!("{:.0}", r.fmax_mhz.median)]);
        }
        (Some(Fit::DoesNotFit(sentence)), None) => {
            cells.extend([sentence.clone(), "-".into(), "-".into()]);
        }
        _ => cells.extend(["-"; 3].map(String::from)),
    }
    cells
}
