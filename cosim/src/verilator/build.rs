//! Models of any Verilog: verilated, compiled and loaded while the program runs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi::RawShim;
use super::cache::{absolute, cache_dir};
use super::compile::{CompileError, Job, symbol, verilate};
use super::design::Design;
use super::error::ModelError;
use super::source::{BuildOptions, Source};
use super::toolchain::{Flavour, INSTANCE_OBJECT, RUNTIME_FLAGS};
use respray_files::cache::sweep;
use respray_files::entry::{Work, kept, taken};

/// One slot per library, so that threads which want the same one build it once, and others do not wait.
type Slots = Mutex<HashMap<PathBuf, Arc<Mutex<Option<&'static Design>>>>>;

/// Builds or finds the design of `source`. Any number of threads and processes may do so at once.
///
/// # Errors
/// [`ModelError::Compile`], [`ModelError::Load`].
pub fn build(source: &Source, options: &BuildOptions) -> Result<&'static Design, ModelError> {
    static LOADED: OnceLock<Slots> = OnceLock::new();
    let flavour = Flavour::new(options)?;
    let cache = options.cache_dir.as_deref().map_or_else(cache_dir, absolute)?;
    let entry = cache.join(flavour.key(source));
    let slot = {
        let mut slots = LOADED.get_or_init(Slots::default).lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(entry.clone()).or_default().clone()
    };
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(design) = *slot {
        return Ok(design);
    }
    if !taken(&entry) {
        fill(source, &flavour, &cache, &entry)?;
    }
    let design = load(&source.top, &entry.join("model.so")).inspect_err(|_| {
        // It would be refused for ever.
        let _ = fs::remove_dir_all(&entry);
    })?;
    *slot = Some(design);
    Ok(design)
}

/// Makes `entry` in the cache. Runtime and model are compiled side by side.
fn fill(source: &Source, flavour: &Flavour, cache: &Path, entry: &Path) -> Result<(), CompileError> {
    fs::create_dir_all(cache).map_err(CompileError::io(cache))?;
    sweep(cache);
    let work = Work::new_in(cache).map_err(CompileError::io(cache))?;
    let flags = flavour.flags(source);
    let job = Job { name: &source.name, verilog: &source.verilog, top: &source.top, flags: &flags };
    verilate(&job, work.path())?;
    let runtime = std::thread::scope(|scope| {
        let runtime = scope.spawn(|| runtime(flavour, cache));
        flavour.compile_model(work.path(), headers(flavour, cache)?.as_deref())?;
        runtime.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let instance = runtime.join(INSTANCE_OBJECT).display().to_string();
    flavour.link(
        work.path(),
        &["-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections", "-Wl,-z,defs"],
        &["unity.o", &instance],
        &runtime,
        "model.so",
    )?;
    let done = Work::new_in(cache).map_err(CompileError::io(cache))?;
    for name in ["model.so", &format!("{}.v", source.top)] {
        let (from, to) = (work.path().join(name), done.path().join(name));
        fs::rename(&from, &to).map_err(CompileError::io(&to))?;
    }
    done.publish(entry).map_err(CompileError::io(entry))
}

/// Compiles Verilator's runtime and what the faces of all models share, one source after the other, unless the cache has it; gives the
/// directory.
pub(super) fn runtime(flavour: &Flavour, cache: &Path) -> Result<PathBuf, CompileError> {
    kept(cache, &flavour.runtime_key(), |dir| {
        flavour.compile_instance(dir)?;
        for source in flavour.runtime_sources() {
            flavour.compile(dir, RUNTIME_FLAGS, &source.path, &source.object)?;
        }
        // A compiler that wrote half an object and did not say so would spoil every model from here on.
        flavour.link(dir, &["-shared"], &[INSTANCE_OBJECT], dir, TRIAL)?;
        let trial = dir.join(TRIAL);
        fs::remove_file(&trial).map_err(CompileError::io(&trial))
    })
}

/// Compiles the headers of models, unless the cache has them or the flavour does without; gives the directory.
fn headers(flavour: &Flavour, cache: &Path) -> Result<Option<PathBuf>, CompileError> {
    let make = |key: String| kept(cache, &key, |dir| flavour.compile_headers(dir));
    flavour.headers_key().map(make).transpose()
}

/// What the runtime is linked to before it is published.
const TRIAL: &str = "trial.so";

fn load(top: &str, path: &Path) -> Result<&'static Design, ModelError> {
    let failed = |reason: String| {
        let lines: Vec<&str> = reason.lines().map(str::trim).collect();
        ModelError::Load { path: path.to_path_buf(), reason: lines.join(" ") }
    };
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
