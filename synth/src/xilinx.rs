//! Figures of a core on UltraScale+ (every Alveo card): Yosys `synth_xilinx -family xcup`.
//!
//! There is no open place and route for UltraScale+, so there is no Fmax here: [`crate::fmax`] estimates it, and logic levels say how
//! deep the longest path is. Yosys's estimate of logic cells leaves out shift registers, distributed RAM and inverters, which take LUTs
//! too: [`Xilinx::luts`] adds them.

use std::path::PathBuf;

use respray_hdl::manifest::{Generated, MemoryKind};
use serde::{Deserialize, Serialize};

use crate::cache;
use crate::device::Card;
use crate::fmax::place::{Distances, Placed};
use crate::fmax::{FmaxEstimate, UltraScale};
use crate::netlist::Netlist;
use crate::within::followed;
use crate::{Bench, SynthError, write};

/// What a core takes of an UltraScale+ device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Xilinx {
    /// [`made_from`] of the design.
    pub made_from: String,
    /// LUTs all told: `lc_estimate + srl + lutram + inv`.
    pub luts: u32,
    /// Yosys's estimate of logic cells: LUT1 to LUT6, small ones paired.
    pub lc_estimate: u32,
    /// LUT cells by number of inputs, 1 to 6, before pairing.
    pub lut_by_inputs: [u32; 6],
    /// LUTs used as shift registers (SRL16E, SRLC32E).
    pub srl: u32,
    /// LUTs used as distributed RAM.
    pub lutram: u32,
    /// Inverters left over.
    pub inv: u32,
    /// Carry cells of 4 bits; the device's CARRY8 holds two.
    pub carry4: u32,
    /// Wide multiplexers (MUXF7, MUXF8, MUXF9).
    pub muxf: u32,
    pub ff: u32,
    pub bram36: u32,
    pub bram18: u32,
    pub uram: u32,
    pub dsp: u32,
    /// Cells on the longest path between registers, memories and ports.
    pub levels: u32,
    /// Named nets along that path.
    pub path: Vec<String>,
    /// The least period of its clock, for the clock of its configuration.
    pub fmax_estimate: FmaxEstimate,
}

/// LUTs that one cell of distributed RAM takes (UG974).
const LUTRAM: &[(&str, u32)] = &[
    ("RAM32X1S", 1),
    ("RAM64X1S", 1),
    ("RAM128X1S", 2),
    ("RAM256X1S", 4),
    ("RAM512X1S", 8),
    ("RAM32X1D", 2),
    ("RAM64X1D", 2),
    ("RAM128X1D", 4),
    ("RAM256X1D", 8),
    ("RAM32M", 4),
    ("RAM64M", 4),
    ("RAM32M16", 8),
    ("RAM64M8", 8),
    ("RAM32X16DR8", 8),
    ("RAM64X8SW", 8),
];

/// The folder of the run on `generated`: `netlist.json`, `stat.json` (Yosys's own count), `design.v`, `synth.ys`, `log.txt`.
pub fn run(bench: &Bench, generated: &Generated) -> Result<PathBuf, SynthError> {
    let (yosys, script) = (bench.tools.yosys_for_xilinx()?, script(generated));
    bench.cache.run(&[&yosys.describe(), &script, &generated.verilog], |folder| {
        write(&folder.join("design.v"), &generated.verilog)?;
        write(&folder.join("synth.ys"), &script)?;
        write(&folder.join("log.txt"), &yosys.run(folder, &["synth.ys"])?)
    })
}

/// What Yosys is told.
fn script(generated: &Generated) -> String {
    let core = &generated.manifest.module;
    let ultra = generated.manifest.memories.iter().any(|memory| memory.kind == MemoryKind::Ultra);
    format!(
        "read_verilog design.v\n{}synth_xilinx -family xcup -flatten -noiopad -noclkbuf{} -top {core}\n\
         tee -q -o stat.json stat -json -tech xilinx\nwrite_json netlist.json\n",
        followed(&generated.verilog),
        if ultra { " -uram" } else { "" }
    )
}

/// Hash of all that the figures of `generated` follow from, but for the version of Yosys.
pub fn made_from(generated: &Generated) -> String {
    cache::key(&[&script(generated), &generated.verilog])
}

/// Measures `generated`; a finished run is taken from the cache.
pub fn measure(bench: &Bench, generated: &Generated) -> Result<Xilinx, SynthError> {
    let core = &generated.manifest.module;
    let path = run(bench, generated)?.join("netlist.json");
    let netlist = Netlist::read(&path, core)?;
    let cells = netlist.cells();
    let exactly = |kind: &str| cells.get(kind).copied().unwrap_or(0);
    let longest = netlist
        .longest_path()
        .ok_or_else(|| SynthError::Loop { core: core.clone(), netlist: path.clone() })?;
    let clock_mhz = generated.manifest.config.clock_mhz;
    let fmax_estimate = match UltraScale::delays().estimate(&netlist, clock_mhz) {
        Ok(estimate) => FmaxEstimate::Estimate(estimate),
        Err(why) => FmaxEstimate::None { no_estimate: format!("{core}: {why}") },
    };
    let lut_by_inputs = [1, 2, 3, 4, 5, 6].map(|inputs| exactly(&format!("LUT{inputs}")));
    let lc_estimate = lc_estimate(lut_by_inputs);
    let (srl, inv) = (netlist.count("SRL"), exactly("INV"));
    let lutram = LUTRAM.iter().map(|(kind, luts)| luts * exactly(kind)).sum();
    Ok(Xilinx {
        made_from: made_from(generated),
        luts: lc_estimate + srl + lutram + inv,
        lc_estimate,
        lut_by_inputs,
        srl,
        lutram,
        inv,
        carry4: exactly("CARRY4") + 2 * exactly("CARRY8"),
        muxf: netlist.count("MUXF"),
        ff: netlist.count("FD"),
        bram36: netlist.count("RAMB36"),
        bram18: netlist.count("RAMB18"),
        uram: netlist.count("URAM"),
        dsp: netlist.count("DSP"),
        levels: longest.levels,
        path: longest.nets,
        fmax_estimate,
    })
}

/// Places `generated`, and puts into `figures`, which are of it, the estimate with wires by distance; the verdict is by that, then. Does
/// nothing where there is no estimate. A finished run is taken from the cache.
pub fn place(bench: &Bench, generated: &Generated, figures: &mut Xilinx) -> Result<(), SynthError> {
    let FmaxEstimate::Estimate(estimate) = &figures.fmax_estimate else { return Ok(()) };
    let core = &generated.manifest.module;
    let netlist = Netlist::read(&run(bench, generated)?.join("netlist.json"), core)?;
    let delays = UltraScale::delays();
    let no_estimate = |why| SynthError::NotPlaced { core: core.clone(), why };
    let design = delays.design(&netlist).map_err(no_estimate)?;
    let (places, tool) = design.place(bench)?;
    let placed = delays.placed(&design, &places, Distances::delays()).map_err(no_estimate)?;
    let placed = estimate.clone().with_placed(Placed { tool, ..placed }, generated.manifest.config.clock_mhz);
    figures.fmax_estimate = FmaxEstimate::Estimate(placed);
    Ok(())
}

/// Yosys's estimate of logic cells (its `stat -tech xilinx`) from the number of LUTs by inputs, 1 to 6.
///
/// A cell of the device is one LUT6 or two smaller ones that share inputs: a LUT5 takes a LUT1 along, a LUT4 or LUT3 a
/// LUT1 or LUT2, and what is left of LUT1 and LUT2 goes in pairs. Counted here, as versions of Yosys differ in what they
/// write to JSON.
pub fn lc_estimate([lut1, lut2, lut3, lut4, lut5, lut6]: [u32; 6]) -> u32 {
    let mut ones = lut1;
    let mut twos = lut2;
    let mut room = |cells: u32, takes_two: bool| {
        let with_one = cells.min(ones);
        ones -= with_one;
        if takes_two {
            twos -= (cells - with_one).min(twos);
        }
        cells
    };
    let larger = lut6 + room(lut5, false) + room(lut4, true) + room(lut3, true);
    larger + (ones + twos).div_ceil(2)
}

impl Xilinx {
    /// Block RAM in halves (RAMB18), the unit in which both kinds add up.
    pub fn bram_halves(&self) -> u32 {
        2 * self.bram36 + self.bram18
    }

    /// Refuses where `card` holds less of anything, and says by how much.
    pub fn check_fit(&self, core: &str, card: &Card) -> Result<(), SynthError> {
        let needs = [
            ("LUTs", self.luts, card.lut),
            ("flip-flops", self.ff, card.ff),
            ("block RAMs", self.bram_halves().div_ceil(2), card.bram36),
            ("URAMs", self.uram, card.uram),
        ];
        match needs.into_iter().find(|(_, needed, available)| needed > available) {
            None => Ok(()),
            Some((resource, needed, available)) => Err(SynthError::DoesNotFit {
                core: core.into(),
                device: card.name,
                resource,
                needed,
                available,
            }),
        }
    }
}
