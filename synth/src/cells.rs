//! What synthesis made of a core, for a simulator: the cells of a device as Verilog, with a model behind each of them.
//!
//! The cells are those of the run that gives the figures, [`xilinx`] or [`routed`], the latter without its wrapper. Nothing else is
//! taken from the core. LUTs, registers, carries, multiplexers, distributed RAM and shift registers are modelled by the library that
//! comes with Yosys, which puts its models in the places of the cells. It has none of block RAMs and multipliers: their models stand
//! in `cells/`, and the cells are instances of them. A cell or a mode of which there is no model is an error when the Verilog is
//! elaborated.

use std::fs;
use std::path::PathBuf;

use respray_hdl::manifest::Generated;

use crate::device::ECP5;
use crate::{Bench, SynthError, routed, write, xilinx};

/// Families of devices whose cells can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// UltraScale+, of every Alveo card.
    Xcup,
    Ecp5,
}

/// The cells of a device.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The cells and their models. The top module has the name and the ports of the core.
    pub verilog: String,
    /// The program that made them, as [`crate::tool::Tool::describe`] tells of it.
    pub made_by: String,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 2] = [Family::Xcup, Family::Ecp5];

    /// As `--netlist` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Xcup => "xcup",
            Family::Ecp5 => ECP5.name,
        }
    }

    /// The run of synthesis: a folder with `netlist.json`.
    fn synthesise(self, bench: &Bench, generated: &Generated) -> Result<PathBuf, SynthError> {
        match self {
            Family::Xcup => xilinx::run(bench, generated),
            Family::Ecp5 => routed::synthesise(bench, generated, &ECP5, None),
        }
    }

    /// How Yosys reads its models.
    fn library(self) -> &'static str {
        match self {
            Family::Xcup => "read_verilog -lib +/xilinx/cells_xtra.v\nread_verilog +/xilinx/cells_sim.v",
            // what it includes is of cells that no netlist has any more, and comes twice
            Family::Ecp5 => "read_verilog -DNO_INCLUDES +/ecp5/cells_sim.v",
        }
    }

    /// The models that the library lacks.
    fn own_models(self) -> &'static [&'static str] {
        const ARRAY: &str = include_str!("cells/block_ram.v");
        match self {
            Family::Xcup => &[
                ARRAY,
                include_str!("cells/ramb.v"),
                include_str!("cells/ultra_ram.v"),
                include_str!("cells/dsp48e2.v"),
            ],
            Family::Ecp5 => &[ARRAY, include_str!("cells/dp16kd.v"), include_str!("cells/mult18x18d.v")],
        }
    }
}

/// What Yosys is told: the models of its library in the places of cells, and nothing improved. Wires of several bits become wires of
/// one, those of the core and those of its carries, as a simulator may see a loop in a carry that goes from bit to bit of one wire.
fn script(family: Family, core: &str) -> String {
    format!(
        "read_json netlist.json\n\
         delete =* {core} %d\n\
         {library}\n\
         hierarchy -top {core}\n\
         splitnets {core}/w:*\n\
         proc\n\
         flatten -wb\n\
         delete t:$scopeinfo\n\
         splitnets {core}/w:*.CO {core}/w:*.O\n\
         opt_clean\n\
         write_verilog -noattr -nodec cells.v\n",
        library = family.library()
    )
}

/// The cells of `generated` on `family`; finished runs are taken from the cache.
///
/// # Errors
/// A missing tool, Verilog that Yosys refuses, a full disk.
pub fn cells(bench: &Bench, family: Family, generated: &Generated) -> Result<Cells, SynthError> {
    let yosys = bench.tools.yosys()?;
    let script = script(family, &generated.manifest.module);
    let synthesised = family.synthesise(bench, generated)?;
    let run = synthesised.file_name().unwrap_or_default().to_string_lossy();
    let made = bench.cache.run::<SynthError>(&[&yosys.describe(), &script, &run], |folder| {
        let (from, netlist) = (synthesised.join("netlist.json"), folder.join("netlist.json"));
        let copied = fs::hard_link(&from, &netlist).or_else(|_| fs::copy(&from, &netlist).map(|_| ()));
        copied.map_err(|source| SynthError::Write { path: netlist.clone(), source })?;
        write(&folder.join("cells.ys"), &script)?;
        write(&folder.join("log.txt"), &yosys.run(folder, &["cells.ys"])?)?;
        fs::remove_file(&netlist).map_err(|source| SynthError::Write { path: netlist, source })
    })?;
    let path = made.join("cells.v");
    let cells = fs::read_to_string(&path).map_err(|source| SynthError::Read { path, source })?;
    let verilog = [&[cells.as_str()], family.own_models()].concat().concat();
    Ok(Cells { verilog, made_by: yosys.describe() })
}
