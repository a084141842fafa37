//! Verilator and the C++ compiler as models need them, and what of them goes into the cache's keys.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use respray_files::entry::key;

use super::compile::{CompileError, INSTANCE, RECIPE, Verilator, write_instance};
use super::error::ModelError;
use super::source::{BuildOptions, Source};

/// What beside the Verilog makes one compiled model differ from another.
pub struct Flavour {
    verilator: &'static Verilator,
    compiler: Compiler,
    /// Flags of Verilator.
    verilator_flags: Vec<String>,
    /// Flags of the compiler beside `CXX_FLAGS`, the same for model and runtime.
    cxx_flags: Vec<&'static str>,
    is_quick: bool,
    /// Sources of Verilator's runtime, and its headers that a model includes.
    runtime: Vec<&'static str>,
    headers: Vec<&'static str>,
    libraries: Vec<&'static str>,
}

/// Position-independent, and names stay within the library: each has its own copy of the runtime.
const CXX_FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-DVL_USER_FINISH",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
    "-DVL_USER_WARN",
    "-w",
];
/// How models are compiled, and how those for short runs are: at `-Og` a model takes two thirds of the time to compile that it takes at
/// `-O1`, and a run as long.
pub const MODEL_FLAGS: &[&str] = &["-O3"];
const QUICK_FLAGS: &[&str] = &["-Og"];
/// Includes what of the runtime every model includes, and what the faces of all models share.
const HEADERS: &str = "headers.h";
/// An empty source that includes them.
const TRIAL: &str = "trial.cpp";
/// How the runtime is compiled: nothing of it is in the loop, so that a short time to the first model counts more.
pub const RUNTIME_FLAGS: &[&str] = &["-O1"];
/// What the faces of all models share, compiled. It is kept beside the runtime.
pub const INSTANCE_OBJECT: &str = "instance.o";

impl Flavour {
    /// Finds the tools.
    pub fn new(options: &BuildOptions) -> Result<Flavour, ModelError> {
        let mut flavour = Flavour {
            verilator: Verilator::find()?,
            compiler: Compiler::find()?,
            verilator_flags: Vec::new(),
            cxx_flags: Vec::new(),
            is_quick: options.quick,
            runtime: vec!["verilated.cpp", "verilated_threads.cpp"],
            headers: vec!["verilated.h"],
            libraries: vec!["-pthread"],
        };
        if flavour.compiler.is_clang() {
            flavour.libraries.push("-latomic"); // clang calls what g++ writes out
        } else {
            flavour.cxx_flags.push("-fno-gnu-unique"); // clang knows no such names
            if cfg!(target_arch = "x86_64") {
                flavour.cxx_flags.push("-mtls-dialect=gnu2"); // an eval reads thread-locals of the runtime
            }
        }
        if options.trace {
            flavour.verilator_flags.push("--trace".into());
            flavour.cxx_flags.extend(["-DVM_TRACE=1", "-DVM_TRACE_VCD=1"]);
            flavour.runtime.push("verilated_vcd_c.cpp");
            flavour.headers.push("verilated_vcd_c.h");
        }
        if options.coverage {
            flavour.verilator_flags.extend(["--coverage-line".into(), "--coverage-user".into()]);
            flavour.verilator_flags.extend(options.toggles.then(|| "--coverage-toggle".into()));
            flavour.cxx_flags.push("-DVM_COVERAGE=1");
            flavour.runtime.push("verilated_cov.cpp");
            flavour.headers.push("verilated_cov.h");
        }
        Ok(flavour)
    }

    /// Hash of all that the compiled runtime depends on.
    pub fn runtime_key(&self) -> String {
        self.key_of("runtime", &[&self.runtime, RUNTIME_FLAGS])
    }

    /// Hash of all that the compiled headers depend on. `None` where models do without: compiled headers serve one level of
    /// optimisation alone, and Clang refuses them once their folder has another name.
    pub fn headers_key(&self) -> Option<String> {
        let has = self.is_quick && !self.compiler.is_clang();
        has.then(|| self.key_of("headers", &[&self.headers, QUICK_FLAGS]))
    }

    fn key_of(&self, what: &str, own: &[&[&str]]) -> String {
        let flags = [CXX_FLAGS, &self.cxx_flags].into_iter().chain(own.iter().copied());
        let mut inputs = vec![self.verilator.version.clone(), self.compiler.version.clone()];
        inputs.extend(flags.map(|list| list.join(" ")));
        inputs.extend(INSTANCE.map(|(_, text)| text.to_string()));
        format!("{what}-{}", key(&inputs.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    fn model_flags(&self) -> &'static [&'static str] {
        if self.is_quick { QUICK_FLAGS } else { MODEL_FLAGS }
    }

    /// Hash of all that the compiled model depends on.
    pub fn key(&self, source: &Source) -> String {
        let (runtime, flags) = (self.runtime_key(), self.model_flags().join(" "));
        let mut inputs = vec![runtime.as_str(), &source.top, &source.verilog, &flags];
        let of_verilator = self.flags(source);
        inputs.extend(RECIPE.iter().copied().chain(of_verilator.iter().map(String::as_str)));
        format!("{}-{}", source.top, key(&inputs))
    }

    /// Sources of the runtime and the objects that they become.
    pub fn runtime_sources(&self) -> impl Iterator<Item = RuntimeSource> {
        let include = self.verilator.include();
        self.runtime.iter().map(move |name| RuntimeSource {
            path: include.join(name).display().to_string(),
            object: name.replace(".cpp", ".o"),
        })
    }

    /// Compiles into `dir` what the faces of all models share, to [`INSTANCE_OBJECT`].
    pub fn compile_instance(&self, dir: &Path) -> Result<(), CompileError> {
        write_instance(dir)?;
        self.compile(dir, RUNTIME_FLAGS, "instance.cpp", INSTANCE_OBJECT)
    }

    /// Puts the headers that every model includes into `dir`, compiled: to read them takes half of a small model's time.
    pub fn compile_headers(&self, dir: &Path) -> Result<(), CompileError> {
        let path = dir.join(HEADERS);
        write_instance(dir)?;
        let own = INSTANCE.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".h"));
        let text: String =
            self.headers.iter().copied().chain(own).map(|name| format!("#include \"{name}\"\n")).collect();
        std::fs::write(&path, text).map_err(CompileError::io(&path))?;
        let flags = [QUICK_FLAGS, &["-x", "c++-header"]].concat();
        self.compile(dir, &flags, HEADERS, &format!("{HEADERS}.gch"))?;
        // Of headers that a compiler wrote by half, only what includes them shows it.
        let trial = dir.join(TRIAL);
        std::fs::write(&trial, "").map_err(CompileError::io(&trial))?;
        let object = dir.join("trial.o");
        self.compile(dir, &[QUICK_FLAGS, &["-include", HEADERS]].concat(), TRIAL, "trial.o")?;
        [trial, object].iter().try_for_each(|path| std::fs::remove_file(path).map_err(CompileError::io(path)))
    }

    /// Compiles the model `unity.cpp` in `dir` to `unity.o`, with compiled headers if there is a folder with them.
    pub fn compile_model(&self, dir: &Path, headers: Option<&Path>) -> Result<(), CompileError> {
        let headers = headers.map(|folder| folder.join(HEADERS).display().to_string());
        let mut flags = self.model_flags().to_vec();
        flags.extend(headers.iter().flat_map(|headers| ["-include", headers]));
        self.compile(dir, &flags, "unity.cpp", "unity.o")
    }

    /// Compiles `source` to `object`, names relative to `dir`.
    pub fn compile(
        &self,
        dir: &Path,
        flags: &[&str],
        source: &str,
        object: &str,
    ) -> Result<(), CompileError> {
        let include = self.verilator.include();
        let standard = include.join("vltstd").display().to_string();
        let include = include.display().to_string();
        let mut arguments = vec!["-c", "-I", &include, "-I", &standard];
        arguments.extend(CXX_FLAGS.iter().chain(flags).chain(&self.cxx_flags));
        arguments.extend([source, "-o", object]);
        self.compiler.run(dir, &arguments)
    }

    /// Links `objects` with the runtime of this flavour.
    pub fn link(
        &self,
        dir: &Path,
        flags: &[&str],
        objects: &[&str],
        runtime: &Path,
        result: &str,
    ) -> Result<(), CompileError> {
        let of_runtime: Vec<String> =
            self.runtime_sources().map(|source| runtime.join(source.object).display().to_string()).collect();
        let mut arguments = flags.to_vec();
        arguments.extend(["-o", result]);
        arguments.extend(objects);
        arguments.extend(of_runtime.iter().map(String::as_str));
        arguments.extend(&self.libraries);
        self.compiler.run(dir, &arguments)
    }

    /// Verilator's flags for `source`.
    pub fn flags(&self, source: &Source) -> Vec<String> {
        let parameters = source.parameters.iter().map(|(name, value)| format!("-G{name}={value}"));
        self.verilator_flags.iter().cloned().chain(parameters).collect()
    }
}

/// A source of Verilator's runtime.
pub struct RuntimeSource {
    pub path: String,
    pub object: String,
}

/// The C++ compiler: `CXX`, else `g++`, else `c++`.
#[derive(Clone)]
struct Compiler {
    program: String,
    version: String,
}

impl Compiler {
    fn find() -> Result<Compiler, CompileError> {
        static FOUND: OnceLock<Compiler> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.clone());
        }
        let given = std::env::var("CXX").ok().filter(|cxx| !cxx.is_empty());
        let candidates = given.map_or_else(|| vec!["g++".into(), "c++".into()], |cxx| vec![cxx]);
        for program in &candidates {
            let said = Command::new(program).arg("--version").output();
            if let Some(said) = said.ok().filter(|said| said.status.success()) {
                let version = String::from_utf8_lossy(&said.stdout).lines().next().unwrap_or("").to_string();
                return Ok(FOUND.get_or_init(|| Compiler { program: program.clone(), version }).clone());
            }
        }
        Err(CompileError::MissingCompiler(candidates[0].clone()))
    }

    fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Runs it within `dir`.
    fn run(&self, dir: &Path, arguments: &[&str]) -> Result<(), CompileError> {
        let output = Command::new(&self.program)
            .current_dir(dir)
            .env("LC_ALL", "C")
            .args(arguments)
            .output()
            .map_err(|_| CompileError::MissingCompiler(self.program.clone()))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("No space left on device") {
            return Err(CompileError::NoSpace(dir.to_path_buf()));
        }
        // The program that is called may be one that calls others.
        if output.status.signal().is_some() || text.contains(" signal terminated program ") {
            return Err(CompileError::Killed(self.program.clone()));
        }
        if let Some(function) = undefined(&text) {
            return Err(CompileError::Undefined(function.to_string()));
        }
        let line = text.lines().find(|line| line.contains("error")).or(text.lines().next());
        Err(CompileError::Compiler(line.unwrap_or("it gives no reason").to_string()))
    }
}

/// The function that a linker does not find.
pub fn undefined(text: &str) -> Option<&str> {
    let name = ["undefined reference to `", "undefined symbol: "]
        .into_iter()
        .find_map(|said| text.split_once(said).map(|(_, name)| name))?;
    name.split(['\'', '\n']).next()
}
