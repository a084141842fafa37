//! A bare C++ loop over the same Verilog and the same stimulus: what a binding or a lockstep is held against.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

use super::compile::Direction;

use super::build::runtime;
use super::cache::cache_dir;
use super::compile::{HeaderPort, Job, class, verilate};
use super::error::ModelError;
use super::model::verilator_seed;
use super::source::{BuildOptions, Source};
use super::stimulus::Stimulus;
use super::toolchain::{Flavour, MODEL_FLAGS};
use respray_files::entry::Work;

/// The compiled loop.
pub struct Baseline {
    dir: Work,
    once: usize,
}

/// What a run of it gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaselineRun {
    /// Time of the loop alone, without start and reading of the stimulus.
    pub time: Duration,
    /// Checksum over all outputs: that of [`Stimulus::run`] with a model of the same seed and cycles.
    pub checksum: u64,
}

impl Baseline {
    /// Verilates `source` and compiles a loop that drives it with `stimulus`. It has the flags that
    /// [`super::Model::build`] uses, and no position-independent code.
    ///
    /// # Errors
    /// [`ModelError::Compile`].
    pub fn build(source: &Source, stimulus: &Stimulus) -> Result<Baseline, ModelError> {
        let options = BuildOptions::default();
        let flavour = Flavour::new(&options)?;
        let cache = cache_dir()?;
        fs::create_dir_all(&cache).map_err(ModelError::io(&cache))?;
        let runtime = runtime(&flavour, &cache)?;
        let dir = Work::new_in(&cache).map_err(ModelError::io(&cache))?;
        let flags = flavour.flags(source);
        let job = Job { name: &source.name, verilog: &source.verilog, top: &source.top, flags: &flags };
        let ports = verilate(&job, dir.path())?;
        let write = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, bytes).map_err(ModelError::io(&path))
        };
        write("baseline.cpp", include_bytes!("baseline.cpp"))?;
        write("loop.cpp", loop_cpp(&source.top, &ports, stimulus).as_bytes())?;
        let words: Vec<u8> = stimulus.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        write("stimulus", &words)?;
        let mut flags = MODEL_FLAGS.to_vec();
        flags.extend(["-fno-pic", "-fno-pie"]);
        flavour.compile(dir.path(), &flags, "loop.cpp", "loop.o")?;
        flavour.link(dir.path(), &["-no-pie"], &["loop.o"], &runtime, "loop")?;
        Ok(Baseline { dir, once: stimulus.once })
    }

    /// Runs the loop for `cycles` from a new model.
    ///
    /// # Errors
    /// [`ModelError::Baseline`] if the program fails.
    pub fn run(&self, cycles: u64, seed: u32) -> Result<BaselineRun, ModelError> {
        let output = Command::new(self.dir.path().join("loop"))
            .arg(self.dir.path().join("stimulus"))
            .args([self.once.to_string(), cycles.to_string(), verilator_seed(seed).to_string()])
            .output()
            .map_err(ModelError::io(self.dir.path()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let (seconds, checksum) = text.trim().split_once(' ').unwrap_or_default();
        match (output.status.success(), seconds.parse::<f64>(), checksum.parse()) {
            (true, Ok(seconds), Ok(checksum)) => {
                Ok(BaselineRun { time: Duration::from_secs_f64(seconds), checksum })
            }
            _ => Err(ModelError::Baseline(output.status.to_string())),
        }
    }
}

/// Every input and output spelled out, as one would write the loop by hand.
fn loop_cpp(top: &str, ports: &[HeaderPort], stimulus: &Stimulus) -> String {
    let mut text = format!("#include \"model.cpp\"\n#define RESPRAY_CLASS {}\n", class(top));
    let _ = writeln!(text, "#define RESPRAY_WORDS {}", stimulus.row_words());
    let _ = write!(text, "#define RESPRAY_DRIVE do {{");
    for port in ports {
        let Some(column) = stimulus.column(&port.name) else { continue };
        let HeaderPort { member, width, .. } = port;
        let _ = match width {
            ..=64 => write!(text, " \\\n    top->{member} = row[{column}];"),
            _ => write!(text, " \\\n    std::memcpy(&top->{member}, row + {column}, sizeof top->{member});"),
        };
    }
    let _ = write!(text, " }} while (0)\n#define RESPRAY_SAMPLE do {{");
    for HeaderPort { member, width, .. } in ports.iter().filter(|port| port.direction == Direction::Output) {
        let words = width.div_ceil(32) as usize;
        for word in (0..words).step_by(2) {
            let _ = match (words, word + 1 < words) {
                (..=2, _) => write!(text, " \\\n    sample(top->{member});"),
                (_, true) => write!(
                    text,
                    " \\\n    sample(top->{member}[{word}] | uint64_t{{top->{member}[{}]}} << 32);",
                    word + 1
                ),
                (_, false) => write!(text, " \\\n    sample(top->{member}[{word}]);"),
            };
        }
    }
    text + " } while (0)\n#include \"baseline.cpp\"\n"
}
