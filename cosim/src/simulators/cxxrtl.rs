//! CXXRTL: the C++ that Yosys writes of what its front end reads.

use std::fmt::{self, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use super::error::reason;
use super::{Pins, Program, SimulatorError, made, write};

const NAME: &str = "CXXRTL";

/// What Yosys made of some Verilog.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The C++.
    pub source: String,
    /// The folder of the headers that it includes.
    pub include: PathBuf,
    /// Name and version of the Yosys.
    pub made_by: String,
}

/// Translates the Verilog of a top module; its error is a sentence.
type Translate = dyn Fn(&str, &str) -> Result<Translation, String> + Send + Sync;

/// Yosys with the system's C++ compiler behind it. This crate runs no Yosys: who asks for it says how.
#[derive(Clone)]
pub struct Cxxrtl(Arc<Translate>);

impl Cxxrtl {
    /// By a translation of the top module of some Verilog.
    pub fn new(
        translate: impl Fn(&str, &str) -> Result<Translation, String> + Send + Sync + 'static,
    ) -> Cxxrtl {
        Cxxrtl(Arc::new(translate))
    }

    /// The program of some Verilog.
    pub(super) fn program(&self, top: &str, verilog: &str, pins: &Pins) -> Result<Program, SimulatorError> {
        let translation = (self.0)(top, verilog).map_err(SimulatorError::Translation)?;
        let bench = bench(top, pins);
        let compiler = std::env::var("CXX").ok().filter(|cxx| !cxx.is_empty()).unwrap_or("g++".into());
        let inputs = [translation.made_by.as_str(), &compiler, &translation.source, &bench];
        let folder = made(&format!("cxxrtl-{top}"), &inputs, |folder| {
            write(&folder.join("core.cpp"), &translation.source)?;
            write(&folder.join("bench.cpp"), &bench)?;
            let mut command = Command::new(&compiler);
            command.args(["-std=c++17", "-O1", "-w", "-I"]).arg(&translation.include);
            command.args(["bench.cpp", "-o", "core"]).current_dir(folder);
            let output = command.output().map_err(|_| SimulatorError::MissingCompiler(compiler.clone()))?;
            if output.status.success() {
                return Ok(());
            }
            let said = String::from_utf8_lossy(&output.stderr);
            Err(SimulatorError::Refused { simulator: NAME, reason: reason(&said) })
        })?;
        let version = format!("{NAME} of {}", translation.made_by);
        Ok(Program {
            simulator: NAME,
            version,
            words: pins.words(),
            command: folder.join("core"),
            arguments: Vec::new(),
            unknown_bits: &[false],
        })
    }
}

impl fmt::Debug for Cxxrtl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cxxrtl").finish()
    }
}

/// CXXRTL's name of a module or a port.
fn mangled(name: &str) -> String {
    format!("p_{}", name.replace('_', "__"))
}

/// The same bench as that of Icarus Verilog, as C++.
fn bench(top: &str, pins: &Pins) -> String {
    let mut text = String::from(
        "#include <cstdio>
#include <string>
#include \"core.cpp\"

// Words are of 64 bits, lowest first; a value is kept in chunks of half that.
template<size_t Bits> static const unsigned long long* set(cxxrtl::value<Bits>& value, const unsigned long long* word) {
    for (size_t chunk = 0; chunk < value.chunks; chunk++) value.data[chunk] = word[chunk / 2] >> chunk % 2 * 32;
    return word + (Bits + 63) / 64;
}

// An output is a register of the design or not, which decides its type.
template<size_t Bits> static void show(const cxxrtl::value<Bits>& value) {
    for (size_t low = 0; low < Bits; low += 64) {
        size_t count = Bits - low < 64 ? Bits - low : 64;
        std::string digits(count, '0');
        for (size_t bit = 0; bit < count; bit++) digits[count - 1 - bit] += value.bit(low + bit);
        std::fputs(digits.c_str(), stdout);
        std::putchar(' ');
    }
}
template<size_t Bits> static void show(const cxxrtl::wire<Bits>& wire) { show(wire.curr); }

int main() {
",
    );
    let _ = writeln!(text, "    cxxrtl_design::{} core;", mangled(top));
    let _ = write!(
        text,
        "    unsigned is_last;
    unsigned long long word[{count}];
    for (;;) {{
        if (std::scanf(\"%x\", &is_last) != 1) return 0;
        for (auto& one : word) if (std::scanf(\"%llx\", &one) != 1) return 0;
        core.p_clk.set<bool>(false);
        const unsigned long long* next = word;
",
        count = pins.words().0,
    );
    for pin in &pins.inputs {
        let _ = writeln!(text, "        next = set(core.{}, next);", mangled(&pin.name));
    }
    text += "        core.step();\n";
    for pin in &pins.outputs {
        let _ = writeln!(text, "        show(core.{});", mangled(&pin.name));
    }
    text += "        std::putchar('\\n');
        if (is_last) std::fflush(stdout);
        core.p_clk.set<bool>(true);
        core.step();
    }
}
";
    text
}
