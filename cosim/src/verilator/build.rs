//! Models of any Verilog: verilated, compiled and loaded while the program runs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use sha2::{Digest, Sha256};

use super::abi::RawShim;
use super::compile::{CompileError, Job, SHIM, Verilator, symbol, verilate};
use super::design::Design;
use super::error::ModelError;

/// Verilog to build a model of: one file with the whole design.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name in messages, e.g. the file's path.
    pub name: String,
    /// The Verilog.
    pub verilog: String,
    /// The top module.
    pub top: String,
    /// Parameters of the top module: name and value as Verilog spells it.
    pub parameters: Vec<(String, String)>,
}

impl Source {
    /// Verilog held in memory.
    pub fn new(top: &str, verilog: impl Into<String>) -> Source {
        Source { name: format!("{top}.v"), verilog: verilog.into(), top: top.into(), parameters: Vec::new() }
    }

    /// A file.
    ///
    /// # Errors
    /// If it cannot be read as UTF-8.
    pub fn read(top: &str, path: &Path) -> Result<Source, ModelError> {
        let verilog = fs::read_to_string(path).map_err(ModelError::io(path))?;
        Ok(Source { name: path.display().to_string(), ..Source::new(top, verilog) })
    }
}

/// How a model is built. The default is the fast flavour.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Able to write FST traces; 5% slower while none is open.
    pub trace: bool,
    /// Counts executed lines; about 0.4 of the speed.
    pub coverage: bool,
    /// Where compiled models are kept; `None` for [`cache_dir`].
    pub cache_dir: Option<PathBuf>,
    /// Seed of the model that [`super::Model::build`] makes.
    pub seed: u32,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { trace: false, coverage: false, cache_dir: None, seed: 1 }
    }
}

/// Where compiled models are kept: `RESPRAY_CACHE`, or `respray` in the platform's cache directory.
pub fn cache_dir() -> PathBuf {
    match std::env::var_os("RESPRAY_CACHE") {
        Some(dir) if !dir.is_empty() => PathBuf::from(dir),
        _ => dirs::cache_dir().unwrap_or_else(std::env::temp_dir).join("respray"),
    }
}

/// One slot per library, so that threads which want the same one build it once, and others do not wait.
type Slots = Mutex<HashMap<PathBuf, Arc<Mutex<Option<&'static Design>>>>>;

/// Builds or finds the design of `source`. Any number of threads and processes may do so at once.
///
/// # Errors
/// [`ModelError::Compile`], [`ModelError::Load`].
pub fn build(source: &Source, options: &BuildOptions) -> Result<&'static Design, ModelError> {
    static LOADED: OnceLock<Slots> = OnceLock::new();
    let flavour = Flavour::new(options)?;
    let cache = options.cache_dir.clone().unwrap_or_else(cache_dir);
    let library = cache.join(flavour.key(source)).join("model.so");
    let slot = {
        let mut slots = LOADED.get_or_init(Slots::default).lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(library.clone()).or_default().clone()
    };
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(design) = *slot {
        return Ok(design);
    }
    if !library.is_file() {
        compile(source, &flavour, &cache, &library)?;
    }
    let design = load(&source.top, &library)?;
    *slot = Some(design);
    Ok(design)
}

/// What beside the Verilog makes one compiled model differ from another.
struct Flavour {
    verilator: &'static Verilator,
    compiler: Compiler,
    /// Flags of Verilator.
    verilator_flags: Vec<String>,
    /// Flags of the compiler beside `CXX_FLAGS`, the same for model and runtime.
    cxx_flags: Vec<&'static str>,
    /// Sources of Verilator's runtime.
    runtime: Vec<&'static str>,
    libraries: Vec<&'static str>,
}

/// Position-independent, and names stay within the library: each has its own copy of the runtime.
const CXX_FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-DVL_USER_FINISH",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
    "-w",
];
const MODEL_FLAGS: &[&str] = &["-O3"];
const RUNTIME_FLAGS: &[&str] = &["-O1"];

impl Flavour {
    fn new(options: &BuildOptions) -> Result<Flavour, ModelError> {
        let mut flavour = Flavour {
            verilator: Verilator::find()?,
            compiler: Compiler::find()?,
            verilator_flags: Vec::new(),
            cxx_flags: Vec::new(),
            runtime: vec!["verilated.cpp", "verilated_threads.cpp"],
            libraries: vec!["-pthread"],
        };
        if !flavour.compiler.version.contains("clang") {
            flavour.cxx_flags.push("-fno-gnu-unique"); // clang knows no such names
        }
        if options.trace {
            flavour.verilator_flags.push("--trace-fst".into());
            flavour.cxx_flags.extend(["-DVM_TRACE=1", "-DVM_TRACE_FST=1"]);
            flavour.runtime.push("verilated_fst_c.cpp");
            flavour.libraries.push("-lz");
        }
        if options.coverage {
            flavour.verilator_flags.push("--coverage-line".into());
            flavour.cxx_flags.push("-DVM_COVERAGE=1");
            flavour.runtime.push("verilated_cov.cpp");
        }
        Ok(flavour)
    }

    /// Hash of all that the compiled runtime depends on.
    fn runtime_key(&self) -> String {
        let mut hash = Sha256::new();
        for text in [&self.verilator.version, &self.compiler.version] {
            field(&mut hash, text);
        }
        for list in [&self.cxx_flags, &self.runtime, &CXX_FLAGS.to_vec(), &RUNTIME_FLAGS.to_vec()] {
            field(&mut hash, &list.join(" "));
        }
        format!("runtime-{}", hex(hash))
    }

    /// Hash of all that the compiled model depends on.
    fn key(&self, source: &Source) -> String {
        let mut hash = Sha256::new();
        field(&mut hash, &self.runtime_key());
        for text in [SHIM, &source.top, &source.verilog, &MODEL_FLAGS.join(" ")] {
            field(&mut hash, text);
        }
        for flag in self.flags(source) {
            field(&mut hash, &flag);
        }
        format!("{}-{}", source.top, hex(hash))
    }

    fn flags(&self, source: &Source) -> Vec<String> {
        let parameters = source.parameters.iter().map(|(name, value)| format!("-G{name}={value}"));
        self.verilator_flags.iter().cloned().chain(parameters).collect()
    }
}

/// Adds a text with its length, so that no two lists of texts give the same bytes.
fn field(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
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

    /// Runs it within `dir`.
    fn run(&self, dir: &Path, arguments: &[&str]) -> Result<(), CompileError> {
        let output = Command::new(&self.program)
            .current_dir(dir)
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
        let line = text.lines().find(|line| line.contains("error")).or(text.lines().next());
        Err(CompileError::Compiler(line.unwrap_or("it gives no reason").to_string()))
    }
}

/// Fills the cache with `library`. Runtime and model are compiled side by side.
fn compile(source: &Source, flavour: &Flavour, cache: &Path, library: &Path) -> Result<(), CompileError> {
    fs::create_dir_all(cache).map_err(CompileError::io(cache))?;
    let runtime = cache.join(flavour.runtime_key());
    let work = tempfile::Builder::new().prefix(".tmp-").tempdir_in(cache).map_err(CompileError::io(cache))?;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| compile_runtime(flavour, cache, &runtime));
        let flags = flavour.flags(source);
        let job = Job {
            name: &source.name,
            verilog: &source.verilog,
            top: &source.top,
            flags: &flags,
            own_hooks: true,
        };
        let model = verilate(&job, work.path())
            .and_then(|()| compile_one(flavour, work.path(), MODEL_FLAGS, "unity.cpp", "unity.o"));
        let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        model.and(other)
    })?;
    let mut arguments = vec!["-shared", "-Wl,-Bsymbolic", "-o", "model.so", "unity.o"];
    let objects: Vec<String> =
        flavour.runtime.iter().map(|name| runtime.join(object(name)).display().to_string()).collect();
    arguments.extend(objects.iter().map(String::as_str));
    arguments.extend(&flavour.libraries);
    flavour.compiler.run(work.path(), &arguments)?;
    let done = tempfile::Builder::new().prefix(".tmp-").tempdir_in(cache).map_err(CompileError::io(cache))?;
    for name in ["model.so", &format!("{}.v", source.top)] {
        let (from, to) = (work.path().join(name), done.path().join(name));
        fs::rename(&from, &to).map_err(CompileError::io(&to))?;
    }
    publish(done, library.parent().unwrap_or(cache))
}

fn compile_one(
    flavour: &Flavour,
    dir: &Path,
    flags: &[&str],
    source: &str,
    object: &str,
) -> Result<(), CompileError> {
    let include = flavour.verilator.include();
    let (include, standard) = (include.display().to_string(), include.join("vltstd").display().to_string());
    let mut arguments = vec!["-c", "-I", &include, "-I", &standard];
    arguments.extend(CXX_FLAGS.iter().chain(flags).chain(&flavour.cxx_flags));
    arguments.extend([source, "-o", object]);
    flavour.compiler.run(dir, &arguments)
}

fn object(source: &str) -> String {
    source.replace(".cpp", ".o")
}

/// Compiles Verilator's runtime, one compiler after the other, unless the cache has it.
fn compile_runtime(flavour: &Flavour, cache: &Path, runtime: &Path) -> Result<(), CompileError> {
    if runtime.is_dir() {
        return Ok(());
    }
    let work = tempfile::Builder::new().prefix(".tmp-").tempdir_in(cache).map_err(CompileError::io(cache))?;
    for name in &flavour.runtime {
        let source = flavour.verilator.include().join(name).display().to_string();
        compile_one(flavour, work.path(), RUNTIME_FLAGS, &source, &object(name))?;
    }
    publish(work, runtime)
}

/// Gives a finished directory its name. If another process was faster, its equal result stays.
fn publish(work: tempfile::TempDir, place: &Path) -> Result<(), CompileError> {
    match fs::rename(work.path(), place) {
        Ok(()) => {
            let _ = work.keep();
            Ok(())
        }
        Err(_) if place.is_dir() => Ok(()),
        Err(error) => Err(CompileError::io(place)(error)),
    }
}

fn load(top: &str, path: &Path) -> Result<&'static Design, ModelError> {
    let failed = |reason: String| ModelError::Load { path: path.to_path_buf(), reason };
    // SAFETY: the library is one that `compile` made; its initializers are those of Verilator's runtime.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| failed(error.to_string()))?;
    // SAFETY: the symbol is a `RawShim`, which `from_shim` checks the version of.
    let shim = unsafe { library.get::<*const RawShim>(symbol(top).as_bytes()) };
    let shim = shim.map_err(|error| failed(error.to_string()))?.into_raw().cast_const();
    // Its thread-locals have destructors, and designs are handed out for ever: it is never unloaded.
    std::mem::forget(library);
    // SAFETY: as above, and the library stays loaded.
    unsafe { Design::from_shim(top, shim.cast()) }
        .map_err(|abi| failed(format!("its interface is version {abi}")))
}
