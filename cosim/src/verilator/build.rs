//! Models of any Verilog: verilated, compiled and loaded while the program runs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::abi::RawShim;
use super::compile::{CompileError, Job, symbol, verilate};
use super::design::Design;
use super::error::ModelError;
use super::source::{BuildOptions, Source};
use super::toolchain::{Flavour, MODEL_FLAGS, RUNTIME_FLAGS};

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
        fill(source, &flavour, &cache, &library)?;
    }
    let design = load(&source.top, &library)?;
    *slot = Some(design);
    Ok(design)
}

/// Fills the cache with `library`. Runtime and model are compiled side by side.
fn fill(source: &Source, flavour: &Flavour, cache: &Path, library: &Path) -> Result<(), CompileError> {
    fs::create_dir_all(cache).map_err(CompileError::io(cache))?;
    sweep(cache);
    let work = work_dir(cache)?;
    let flags = flavour.flags(source);
    let job = Job {
        name: &source.name,
        verilog: &source.verilog,
        top: &source.top,
        flags: &flags,
        own_hooks: true,
    };
    verilate(&job, work.path())?;
    let runtime = std::thread::scope(|scope| {
        let runtime = scope.spawn(|| runtime(flavour, cache));
        flavour.compile(work.path(), MODEL_FLAGS, "unity.cpp", "unity.o")?;
        runtime.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    flavour.link(
        work.path(),
        &["-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections"],
        "unity.o",
        &runtime,
        "model.so",
    )?;
    let done = work_dir(cache)?;
    for name in ["model.so", &format!("{}.v", source.top)] {
        let (from, to) = (work.path().join(name), done.path().join(name));
        fs::rename(&from, &to).map_err(CompileError::io(&to))?;
    }
    publish(done, library.parent().unwrap_or(cache))
}

/// Compiles Verilator's runtime, one source after the other, unless the cache has it; gives the directory.
pub(super) fn runtime(flavour: &Flavour, cache: &Path) -> Result<PathBuf, CompileError> {
    // Threads that need the same one wait for the first of them.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = cache.join(flavour.runtime_key());
    if !runtime.is_dir() {
        let work = work_dir(cache)?;
        for source in flavour.runtime_sources() {
            flavour.compile(work.path(), RUNTIME_FLAGS, &source.path, &source.object)?;
        }
        publish(work, &runtime)?;
    }
    Ok(runtime)
}

const TEMPORARY: &str = ".tmp-";

/// A directory in the cache that goes away unless it is published.
pub(super) fn work_dir(cache: &Path) -> Result<tempfile::TempDir, CompileError> {
    tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(cache).map_err(CompileError::io(cache))
}

/// Removes what processes that were killed a day ago or longer left.
fn sweep(cache: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        let temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if temporary && matches!(age, Ok(Ok(age)) if age > DAY) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
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
