//! `--netlist` of `respray cosim`: the cells that Yosys makes of the core, in the place of its Verilog.

use respray_cosim::netlist::{Netlist, Origin, Synthesis};
use respray_synth::cells::{Cells, Family, cells};

use crate::args::{Refusal, RunArgs};
use crate::checkout::Checkout;

/// How the core of `run` is synthesised, if that is asked for. That Yosys is missing is said at once.
pub fn synthesis(run: &RunArgs) -> Result<Option<Synthesis>, Refusal> {
    let Some(family) = run.netlist else { return Ok(None) };
    let bench = Checkout::find().bench()?;
    match family {
        Family::Xcup => bench.tools.yosys_for_xilinx()?,
        Family::Ecp5 => bench.tools.yosys()?,
    };
    Ok(Some(Synthesis::new(family.name(), move |generated| {
        let Cells { verilog, made_by } =
            cells(&bench, family, generated).map_err(|error| error.to_string())?;
        let origin = Origin { device: family.name().to_string(), synthesised_by: made_by };
        Ok(Netlist { verilog, origin })
    })))
}
