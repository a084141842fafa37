//! Figures of a core on a device with open place and route: Yosys, then nextpnr with three seeds.
//!
//! The core stands in a wrapper that registers its ports ([`crate::wrapper`]); those registers are in the figures, and
//! [`Routed::wrapper_ff`] says how many there are.

use std::path::{Path, PathBuf};

use respray_hdl::manifest::Generated;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::boards::{Board, Language};
use crate::cache;
use crate::constraints;
use crate::device::{Device, ECP5, ICE40, SEEDS};
use crate::fmax::Ecp5;
use crate::netlist::Netlist;
use crate::tool::{Tool, ToolError};
use crate::within::followed;
use crate::wrapper::{self, Wrapper};
use crate::{Bench, SynthError, read_json, write};
use respray_files::parallel;

/// What a core takes of a device, and how fast it runs there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routed {
    /// [`made_from`] of the design.
    pub made_from: String,
    /// Logic cells: ECP5 TRELLIS_COMB, iCE40 ICESTORM_LC (a LUT with its register).
    pub logic: u32,
    /// Registers, the wrapper's among them.
    pub ff: u32,
    /// Block memories: ECP5 DP16KD of 18 kbit, iCE40 SB_RAM40_4K of 4 kbit.
    pub memory: u32,
    /// Registers of the wrapper.
    pub wrapper_ff: u32,
    /// Slowest, median and fastest of the seeds.
    pub fmax_mhz: Spread,
    /// The critical path of the median seed.
    pub critical: CriticalPath,
    /// What the method of the estimate for UltraScale+ gives here, in MHz, which shows what the method is worth: on ECP5, where its
    /// table of delays knows all cells.
    pub estimated_mhz: Option<f64>,
}

/// Three seeds' results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

/// The slowest path from one register or memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Where it starts and ends, by the names of the Verilog.
    pub from: String,
    pub to: String,
    /// Names of the Verilog that it passes between the two.
    pub through: Vec<String>,
    /// All of it, in ns.
    pub delay_ns: f64,
    /// What of it is wires, in ns.
    pub routing_ns: f64,
    /// Logic cells on it.
    pub levels: u32,
}

/// One seed's result.
struct Seed {
    fmax_mhz: f64,
    utilization: Value,
    critical: CriticalPath,
}

/// The wrapper in which `generated` is measured.
fn shell(generated: &Generated, device: &Device) -> Wrapper {
    let (core, ports) = (&generated.manifest.module, &generated.manifest.ports);
    match device.folded {
        true => wrapper::folded(core, ports),
        false => wrapper::registered(core, ports),
    }
}

/// What Yosys is told of a design in a wrapper, or of one without.
fn script(device: &Device, shell: Option<&Wrapper>, generated: &Generated) -> String {
    // Yosys refuses a memory whose style the device does not have; without the style it takes what there is.
    let styles = if device.lut_ram { "" } else { "setattr -unset ram_style m:*\n" };
    let core = &generated.manifest.module;
    let (wrapper, top) = shell.map_or(("", core), |shell| (" wrapper.v", &shell.module));
    let followed = followed(&generated.verilog);
    format!(
        "read_verilog design.v{wrapper}\n{followed}{styles}{} -top {top} -json netlist.json\n",
        device.synth
    )
}

/// What nextpnr is told for one seed.
fn flags(device: &Device, seed: u32) -> Vec<String> {
    let given = device.flags.iter().map(|flag| flag.to_string());
    let chosen = [("--freq", device.asked_mhz.to_string()), ("--seed", seed.to_string())];
    given.chain(chosen.into_iter().flat_map(|(flag, value)| [flag.to_string(), value])).collect()
}

/// Hash of all that the figures of `generated` follow from, but for the versions of the tools.
pub fn made_from(generated: &Generated, device: &Device) -> String {
    let flags = SEEDS.map(|seed| flags(device, seed).join(" ")).join("\n");
    let shell = shell(generated, device);
    let script = script(device, Some(&shell), generated);
    cache::key(&[&script, &shell.verilog, &generated.verilog, &flags])
}

/// The folder of the Yosys run on `generated`, in the wrapper `shell` if there is one: `netlist.json`, sources, script, log.
pub(crate) fn synthesise(
    bench: &Bench,
    generated: &Generated,
    device: &Device,
    shell: Option<&Wrapper>,
) -> Result<PathBuf, SynthError> {
    let (yosys, core) = (bench.tools.yosys()?, &generated.manifest.module);
    let script = script(device, shell, generated);
    let wrapper = shell.map_or("", |shell| &shell.verilog);
    let made = bench.cache.run(&[&yosys.describe(), &script, wrapper, &generated.verilog], |folder| {
        write(&folder.join("design.v"), &generated.verilog)?;
        if shell.is_some() {
            write(&folder.join("wrapper.v"), wrapper)?;
        }
        write(&folder.join("synth.ys"), &script)?;
        write(&folder.join("log.txt"), &yosys.run(folder, &["synth.ys"])?)
    });
    made.map_err(|error| match missing_memory(&error) {
        Some(memory) => SynthError::NoMemory { core: core.clone(), device: device.title, memory },
        None => error,
    })
}

/// The memory, by its place in the core, for which Yosys found none on the device.
fn missing_memory(error: &SynthError) -> Option<String> {
    let SynthError::Tool(ToolError::Failed(failure)) = error else { return None };
    let said = failure.lines.iter().find_map(|line| line.split_once("no valid mapping found for memory "))?;
    Some(said.1.split_once(".core.").map_or(said.1, |(_, inside)| inside).to_string())
}

/// Measures `generated` on `device`; finished runs are taken from the cache.
pub fn measure(bench: &Bench, generated: &Generated, device: &Device) -> Result<Routed, SynthError> {
    let core = &generated.manifest.module;
    let shell = shell(generated, device);
    let netlist = synthesise(bench, generated, device, Some(&shell))?.join("netlist.json");
    let cells = Netlist::read(&netlist, &shell.module)?;
    check_fit(core, device, &cells)?;
    let nextpnr = device.nextpnr(&bench.tools)?;
    let mut seeds = parallel::map(&SEEDS, |&seed| {
        let flags = flags(device, seed);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Seed::read(&place_and_route(bench, nextpnr, &flags, &netlist, None)?.join("report.json"))
    })
    .into_iter()
    .collect::<Result<Vec<Seed>, SynthError>>()?;
    seeds.sort_by(|a, b| a.fmax_mhz.total_cmp(&b.fmax_mhz));
    let period_ns = (*device == ECP5).then(|| Ecp5::delays().period_ns(&cells).ok()).flatten();
    let figures = summary(made_from(generated, device), device, &cells, shell.registers, seeds);
    Ok(Routed { estimated_mhz: period_ns.map(|period_ns| 1000.0 / period_ns), ..figures })
}

/// The figures of `seeds`, which stand in the order of their Fmax.
fn summary(
    made_from: String,
    device: &Device,
    cells: &Netlist,
    wrapper_ff: u32,
    mut seeds: Vec<Seed>,
) -> Routed {
    let fmax_mhz =
        Spread { min: seeds[0].fmax_mhz, median: seeds[1].fmax_mhz, max: seeds[SEEDS.len() - 1].fmax_mhz };
    let median = seeds.swap_remove(1);
    let used = |name: &str| median.utilization[name]["used"].as_u64().unwrap_or(0) as u32;
    Routed {
        made_from,
        logic: used(device.logic.0),
        ff: cells.count(device.flip_flop),
        memory: used(device.memory.0),
        wrapper_ff,
        fmax_mhz,
        critical: median.critical,
        estimated_mhz: None,
    }
}

/// Name of the file in which nextpnr leaves a placed design for `ecppack`.
pub const PLACED: &str = "design.config";

/// Places and routes a design that has the pins of `board`, an ECP5, as its ports; `pins` is the text of its constraint file. With its
/// figures come the runs of nextpnr, the slowest seed first.
pub fn design(
    bench: &Bench,
    generated: &Generated,
    board: &Board,
    pins: &str,
) -> Result<(Routed, Vec<PathBuf>), SynthError> {
    let module = generated.manifest.module.clone();
    let verilog = "// The design is its own top.\n".to_string();
    let own_top = Wrapper { module, verilog, registers: 0 };
    let nextpnr = bench.tools.nextpnr_ecp5()?;
    let netlist = synthesise(bench, generated, &ECP5, Some(&own_top))?.join("netlist.json");
    let cells = Netlist::read(&netlist, &own_top.module)?;
    check_fit(&own_top.module, &ECP5, &cells)?;
    let flags = |seed: u32| {
        let given = board.flags.iter().map(|flag| flag.to_string());
        let own = ["--lpf", "pins", "--textcfg", PLACED, "--seed"].map(str::to_string);
        given.chain(own).chain([seed.to_string()]).collect::<Vec<String>>()
    };
    let mut seeds = parallel::map(&SEEDS, |&seed| {
        let flags = flags(seed);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let folder = place_and_route(bench, nextpnr, &flags, &netlist, Some(pins))?;
        Ok::<_, SynthError>((Seed::read(&folder.join("report.json"))?, folder))
    })
    .into_iter()
    .collect::<Result<Vec<(Seed, PathBuf)>, SynthError>>()?;
    seeds.sort_by(|(a, _), (b, _)| a.fmax_mhz.total_cmp(&b.fmax_mhz));
    let (seeds, folders): (Vec<Seed>, Vec<PathBuf>) = seeds.into_iter().unzip();
    let told = SEEDS.map(|seed| flags(seed).join(" ")).join("\n");
    let made_from = cache::key(&[&script(&ECP5, Some(&own_top), generated), &generated.verilog, &told, pins]);
    Ok((summary(made_from, &ECP5, &cells, 0, seeds), folders))
}

/// The folder of one nextpnr run: `report.json`, `log.txt`, and the netlist that went in. `pins` is the text of a
/// constraint file, where `flags` name it as `pins`.
fn place_and_route(
    bench: &Bench,
    nextpnr: &Tool,
    flags: &[&str],
    netlist: &Path,
    pins: Option<&str>,
) -> Result<PathBuf, SynthError> {
    let mut flags = flags.to_vec();
    flags.extend(["--timing-allow-fail", "--json", "netlist.json", "--report", "report.json"]);
    let text = std::fs::read_to_string(netlist)
        .map_err(|source| SynthError::Read { path: netlist.to_path_buf(), source })?;
    bench.cache.run(&[&nextpnr.describe(), &flags.join(" "), &text, pins.unwrap_or("")], |folder| {
        let input = folder.join("netlist.json");
        std::fs::hard_link(netlist, &input).or_else(|_| write(&input, &text))?;
        if let Some(pins) = pins {
            write(&folder.join("pins"), pins)?;
        }
        write(&folder.join("log.txt"), &nextpnr.run(folder, &flags)?)
    })
}

/// A core in its wrapper, placed on a board.
#[derive(Clone, Debug)]
pub struct Placed {
    pub fmax_mhz: f64,
    /// The wrapper's Verilog.
    pub wrapper: String,
    /// The run of nextpnr; `pins` is the constraint file that it read.
    pub folder: PathBuf,
}

/// Places and routes `generated` on `board`, its pins and clock as the board's constraint file has them; every port of the
/// wrapper must be placed by it.
pub fn on_board(bench: &Bench, generated: &Generated, board: &Board) -> Result<Placed, SynthError> {
    let (device, option) = match board.language {
        Language::Lpf => (&ECP5, "--lpf"),
        Language::Pcf => (&ICE40, "--pcf"),
    };
    let shell = wrapper::folded(&generated.manifest.module, &generated.manifest.ports);
    let netlist = synthesise(bench, generated, device, Some(&shell))?.join("netlist.json");
    let mut flags = board.flags.to_vec();
    flags.extend(["--seed", "1", option, "pins"]);
    let pins = constraints::of_board(board);
    let folder = place_and_route(bench, device.nextpnr(&bench.tools)?, &flags, &netlist, Some(&pins))?;
    let report = folder.join("report.json");
    let seed = Seed::read(&report)?;
    let asked = read_json(&report)?["fmax"]
        .as_object()
        .and_then(|clocks| clocks.values().find_map(|clock| clock["constraint"].as_f64()));
    match asked {
        Some(mhz) if (mhz - f64::from(board.clock.1)).abs() < 0.01 => {
            Ok(Placed { fmax_mhz: seed.fmax_mhz, wrapper: shell.verilog, folder })
        }
        _ => Err(SynthError::Format {
            path: report,
            message: format!(
                "the clock is constrained to {asked:?} MHz, not to the board's {}",
                board.clock.1
            ),
        }),
    }
}

/// Refuses what cannot fit before nextpnr tries: it would only say that it found no place for some cell.
fn check_fit(core: &str, device: &Device, cells: &Netlist) -> Result<(), SynthError> {
    let needs = [
        ("logic cells", cells.count(device.lut), device.logic.1),
        ("flip-flops", cells.count(device.flip_flop), device.flip_flops),
        ("block RAMs", cells.count(device.memory_cell), device.memory.1),
    ];
    match needs.into_iter().find(|(_, needed, available)| needed > available) {
        None => Ok(()),
        Some((resource, needed, available)) => Err(SynthError::DoesNotFit {
            core: core.into(),
            device: device.title,
            resource,
            needed,
            available,
        }),
    }
}

impl Seed {
    fn read(report: &Path) -> Result<Seed, SynthError> {
        let mut json = read_json(report)?;
        let bad = |message: &str| SynthError::Format { path: report.to_path_buf(), message: message.into() };
        let fmax_mhz = json["fmax"]
            .as_object()
            .and_then(|clocks| {
                clocks.values().filter_map(|clock| clock["achieved"].as_f64()).min_by(f64::total_cmp)
            })
            .ok_or_else(|| bad("no fmax"))?;
        let paths = json["critical_paths"].as_array().ok_or_else(|| bad("no critical_paths"))?;
        let clocked = |end: &Value| end.as_str().is_some_and(|end| end.starts_with("posedge"));
        let path = paths
            .iter()
            .find(|path| clocked(&path["from"]) && clocked(&path["to"]))
            .and_then(|path| CriticalPath::read(&path["path"]))
            .ok_or_else(|| bad("no critical path from clock to clock"))?;
        Ok(Seed { fmax_mhz, utilization: json["utilization"].take(), critical: path })
    }
}

impl CriticalPath {
    fn read(steps: &Value) -> Option<CriticalPath> {
        let steps = steps.as_array()?;
        let delay = |kind: &str| -> f64 {
            let of_kind = steps.iter().filter(|step| kind.is_empty() || step["type"] == kind);
            of_kind.filter_map(|step| step["delay"].as_f64()).sum()
        };
        let cell = |step: &Value, end: &str| step[end]["cell"].as_str().map(written_name);
        let (from, to) = (cell(steps.first()?, "from")?, cell(steps.last()?, "to")?);
        let mut through: Vec<String> = steps.iter().filter_map(|step| cell(step, "to")).collect();
        through.dedup();
        through.retain(|name| *name != from && *name != to && !name.starts_with('$'));
        Some(CriticalPath {
            through,
            delay_ns: delay(""),
            routing_ns: delay("routing"),
            levels: steps.iter().filter(|step| step["type"] == "logic").count() as u32,
            from,
            to,
        })
    }
}

/// The name in the Verilog that a cell's name begins with: Yosys appends what it made of it (`count_TRELLIS_FF_Q_3`).
fn written_name(cell: &str) -> String {
    let marks = ["_TRELLIS_", "_LUT4_", "_PFUMX_", "_L6MUX21_", "_CCU2C_", "_SB_", "_DP16KD_"];
    let end = marks.iter().filter_map(|mark| cell.find(mark)).min().unwrap_or(cell.len());
    cell[..end].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_in_the_names_of_the_verilog() {
        let step = |kind: &str, delay: f64, from: &str, to: &str| serde_json::json!({"type": kind, "delay": delay, "from": {"cell": from}, "to": {"cell": to}});
        let path = CriticalPath::read(&Value::Array(vec![
            step("clk-to-q", 0.5, "core.ram.mem.0.0", "core.ram.mem.0.0"),
            step("routing", 1.0, "core.ram.mem.0.0", "core.sum_LUT4_Z_3_PFUMX_Z"),
            step("logic", 0.25, "core.sum_LUT4_Z_3_PFUMX_Z", "core.sum_LUT4_Z_3_PFUMX_Z"),
            step("routing", 0.25, "core.sum_LUT4_Z_3_PFUMX_Z", "core.count_TRELLIS_FF_Q_7"),
            step("setup", 0.0, "core.count_TRELLIS_FF_Q_7", "core.count_TRELLIS_FF_Q_7"),
        ]));
        let path = path.unwrap();
        assert_eq!((path.from.as_str(), path.to.as_str()), ("core.ram.mem.0.0", "core.count"));
        assert_eq!(path.through, ["core.sum"]);
        assert_eq!((path.delay_ns, path.routing_ns, path.levels), (2.0, 1.25, 1));
    }
}
