//! Icarus Verilog: an event-driven simulator with four values.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use super::error::reason;
use super::{Pin, Pins, Program, SimulatorError, made, write};

/// The Icarus Verilog that was found.
#[derive(Clone, Debug)]
pub struct Icarus {
    version: String,
    spread: Option<Spread>,
}

/// Writes the Verilog of a top module, by its name, so that no unknown bit is lost in it. What it is told to tell of unknown bits goes to
/// standard output, which ends the run. This crate does not write Verilog anew: who asks for it says how.
#[derive(Clone, Copy, Debug)]
pub struct Spread(pub fn(&str, &str) -> String);

const NAME: &str = "Icarus Verilog";

impl Icarus {
    /// Looks for it on the PATH; with `spread` for Verilog that is written anew.
    ///
    /// # Errors
    /// [`SimulatorError::MissingIcarus`].
    pub fn find(spread: Option<Spread>) -> Result<Icarus, SimulatorError> {
        let said = Command::new("iverilog").arg("-V").output().map_err(|_| SimulatorError::MissingIcarus)?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let words = said.lines().next().unwrap_or_default();
        let version = words.trim_start_matches("Icarus Verilog version ").split_whitespace().next();
        let version = version.unwrap_or("of unknown version");
        let how = if spread.is_some() { ", in which unknown bits spread" } else { "" };
        Ok(Icarus { version: format!("{NAME} {version}{how}"), spread })
    }

    /// The program of some Verilog.
    pub(super) fn program(&self, top: &str, verilog: &str, pins: &Pins) -> Result<Program, SimulatorError> {
        let bench = bench(top, pins);
        let verilog = self.spread.map_or_else(|| verilog.to_string(), |Spread(anew)| anew(top, verilog));
        let folder = made(&format!("icarus-{top}"), &[&self.version, &verilog, &bench], |folder| {
            write(&folder.join("core.v"), &verilog)?;
            write(&folder.join("bench.v"), &bench)?;
            let mut command = Command::new("iverilog");
            command.args(["-g2005", "-s", "respray_bench", "-o", "core.vvp", "core.v", "bench.v"]);
            let output = command.current_dir(folder).output().map_err(|_| SimulatorError::MissingIcarus)?;
            if output.status.success() {
                return Ok(());
            }
            let said = String::from_utf8_lossy(&output.stderr);
            Err(SimulatorError::Refused { simulator: NAME, reason: reason(&said) })
        })?;
        let arguments = vec!["-n".to_string(), folder.join("core.vvp").display().to_string()];
        Ok(Program {
            simulator: NAME,
            version: self.version.clone(),
            words: pins.words(),
            command: PathBuf::from("vvp"),
            arguments,
            unknown_bits: &[false, true],
        })
    }
}

/// A bench that drives a row of inputs, lets the logic settle, prints the outputs and gives a clock edge, until its input ends.
fn bench(top: &str, pins: &Pins) -> String {
    let range = |pin: &Pin| format!("[{}:0]", pin.width - 1);
    let mut text =
        String::from("module respray_bench;\n    reg clk = 1'b0;\n    reg is_last;\n    integer taken;\n");
    for pin in &pins.inputs {
        let _ = writeln!(text, "    reg {} {};", range(pin), pin.name);
    }
    for pin in &pins.outputs {
        let _ = writeln!(text, "    wire {} {};", range(pin), pin.name);
    }
    let names = |pins: &[Pin]| pins.iter().map(|pin| pin.name.clone()).collect::<Vec<_>>();
    let words = |pins: &[Pin]| pins.iter().flat_map(words_of).collect::<Vec<_>>();
    let (input_words, output_words) = (words(&pins.inputs), words(&pins.outputs));
    let all = [vec!["clk".to_string()], names(&pins.inputs), names(&pins.outputs)].concat();
    let connected: Vec<String> = all.iter().map(|name| format!(".{name}({name})")).collect();
    let _ = writeln!(text, "    {top} core ({});", connected.join(", "));
    let _ = write!(
        text,
        "    initial begin
        taken = {count};
        while (taken == {count}) begin
            taken = $fscanf(32'h8000_0000, \"%h{hex}\", is_last, {inputs});
            if (taken == {count}) begin
                #1 $display(\"{binary}\", {outputs});
                if (is_last) $fflush;
                clk = 1'b1;
                #1 clk = 1'b0;
            end
        end
        $finish;
    end
endmodule
",
        count = input_words.len() + 1,
        hex = " %h".repeat(input_words.len()),
        inputs = input_words.join(", "),
        binary = vec!["%b"; output_words.len()].join(" "),
        outputs = output_words.join(", "),
    );
    text
}

/// The words of a pin, lowest first.
fn words_of(pin: &Pin) -> Vec<String> {
    if pin.words() == 1 {
        return vec![pin.name.clone()];
    }
    let word = |low: u32| format!("{}[{}:{low}]", pin.name, pin.width.min(low + 64) - 1);
    (0..pin.width).step_by(64).map(word).collect()
}
