//! Links a model of every core in its default configuration into the crate (feature `linked`), from the Verilog of
//! `generated/`. It does not call the generator, which would have to be compiled once more, and first, for that.

#[cfg(feature = "linked")]
#[path = "src/verilator/compile/mod.rs"]
#[allow(dead_code)]
mod compile;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/verilator/compile");
    println!("cargo::rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    #[cfg(feature = "linked")]
    if let Err(error) = linked::link() {
        println!("cargo::error={error}");
    }
}

#[cfg(feature = "linked")]
mod linked {
    use std::error::Error;
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use crate::compile::{CompileError, Job, Verilator, symbol, verilate};

    /// Compiles the models and writes `linked.rs`, the table of them.
    pub fn link() -> Result<(), Box<dyn Error>> {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let links = !is_linted();
        let mut declarations = String::new();
        let mut rows = String::new();
        for path in generated()? {
            let core = path.file_stem().and_then(OsStr::to_str).expect("a core's name is a word");
            let verilog = fs::read_to_string(&path).map_err(CompileError::io(&path))?;
            println!("cargo::rerun-if-changed={}", path.display());
            let dir = out.join(core);
            let _ = fs::remove_dir_all(&dir);
            fs::create_dir_all(&dir).map_err(CompileError::io(&dir))?;
            let name = format!("{core}.v");
            let symbol = symbol(core);
            if links {
                // The runtime is that of the crate `verilated`, which brings its own hooks.
                let job = Job { name: &name, verilog: &verilog, top: core, flags: &[], own_hooks: false };
                verilate(&job, &dir)?;
                cpp()?.file(dir.join("unity.cpp")).compile(&symbol);
            } else {
                write(&dir.join(&name), &verilog)?;
            }
            declarations += &format!("    static {symbol}: RawShim;\n");
            rows += &format!("({core:?}, &raw const {symbol}, include_str!(\"{core}/{core}.v\")), ");
        }
        if links {
            // The crate leaves this part of the runtime out.
            cpp()?
                .file(Verilator::find()?.include().join("verilated_threads.cpp"))
                .compile("verilated_threads");
        }
        let table = format!(
            "unsafe extern \"C\" {{\n{declarations}}}\n\
             pub fn linked() -> Vec<(&'static str, *const RawShim, &'static str)> {{\n    vec![{rows}]\n}}\n"
        );
        write(&out.join("linked.rs"), &table)?;
        Ok(())
    }

    /// Whether clippy has this crate compiled, which links nothing: the models are built once, for those who run them.
    fn is_linted() -> bool {
        let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from);
        wrapper.is_some_and(|wrapper| wrapper.file_stem() == Some(OsStr::new("clippy-driver")))
    }

    /// The block that joins the cores, whose model a C++ compiler works on for minutes: it is built for those who run it.
    const JOINED: &str = "nic";

    /// The Verilog of each core, which stands beside its manifest, in the order of their names.
    fn generated() -> Result<Vec<PathBuf>, CompileError> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
        println!("cargo::rerun-if-changed={}", folder.display());
        let entries = fs::read_dir(&folder).map_err(CompileError::io(&folder))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        let is_joined = |path: &PathBuf| {
            path.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(JOINED))
        };
        paths.retain(|path| path.extension() == Some(OsStr::new("json")) && !is_joined(path));
        paths.iter_mut().for_each(|path| _ = path.set_extension("v"));
        paths.sort();
        Ok(paths)
    }

    fn cpp() -> Result<cc::Build, CompileError> {
        let include = Verilator::find()?.include();
        let mut build = cc::Build::new();
        build.cpp(true).std("gnu++17").opt_level(3).warnings(false).flag("-fvisibility=hidden");
        build.include(&include).include(include.join("vltstd"));
        Ok(build)
    }

    fn write(path: &Path, text: &str) -> Result<(), CompileError> {
        fs::write(path, text).map_err(CompileError::io(path))
    }
}
