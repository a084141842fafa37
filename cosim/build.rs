//! Links models of the cores of a NIC in their default configuration into the crate (feature `linked`), from the Verilog of
//! `generated/`. It does not call the generator, which would have to be compiled once more, and first, for that.

#[cfg(feature = "linked")]
#[path = "src/verilator/compile/mod.rs"]
#[allow(dead_code, unused_imports)]
mod compile;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/verilator/compile");
    println!("cargo::rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    println!("cargo::rerun-if-env-changed=RESPRAY_LINK_MODELS");
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

    use crate::compile::{CompileError, Job, Verilator, symbol, verilate, write_instance};

    /// Compiles the models and writes `linked.rs`, the table of them.
    pub fn link() -> Result<(), Box<dyn Error>> {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let links = !is_linted();
        if links {
            is_runtime_of(Verilator::find()?, &out)?;
        }
        let mut declarations = String::new();
        let mut rows = String::new();
        for core in LINKED {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated").join(format!("{core}.v"));
            let verilog = fs::read_to_string(&path).map_err(CompileError::io(&path))?;
            println!("cargo::rerun-if-changed={}", path.display());
            let dir = out.join(core);
            let _ = fs::remove_dir_all(&dir);
            fs::create_dir_all(&dir).map_err(CompileError::io(&dir))?;
            let name = format!("{core}.v");
            let symbol = symbol(core);
            if links {
                let job = Job { name: &name, verilog: &verilog, top: core, flags: &[] };
                verilate(&job, &dir)?;
                cpp()?.file(dir.join("unity.cpp")).compile(&symbol);
            } else {
                write(&dir.join(&name), &verilog)?;
            }
            declarations += &format!("    static {symbol}: RawShim;\n");
            rows += &format!("({core:?}, &raw const {symbol}, include_str!(\"{core}/{core}.v\")), ");
        }
        if links {
            // The runtime is that of the crate `verilated`, which leaves this part of it out.
            cpp()?
                .file(Verilator::find()?.include().join("verilated_threads.cpp"))
                .compile("verilated_threads");
            // What the faces of all models share; the libraries before it look for it here.
            let dir = out.join("instance");
            fs::create_dir_all(&dir).map_err(CompileError::io(&dir))?;
            write_instance(&dir)?;
            cpp()?.file(dir.join("instance.cpp")).compile("respray_instance");
        }
        let table = format!(
            "unsafe extern \"C\" {{\n{declarations}}}\n\
             pub fn linked() -> Vec<(&'static str, *const RawShim, &'static str)> {{\n    vec![{rows}]\n}}\n"
        );
        write(&out.join("linked.rs"), &table)?;
        Ok(())
    }

    /// Whether the crate `verilated` was built with this Verilator. Cargo does not build the crate anew where Verilator is another one, and
    /// models and runtime of two Verilators do not go together.
    fn is_runtime_of(verilator: &Verilator, out: &Path) -> Result<(), String> {
        // the folders of this profile's build scripts, each with what the script told cargo
        let Some(folders) = out.parent().and_then(Path::parent) else { return Ok(()) };
        let (major, minor) = verilator.numbers;
        for folder in fs::read_dir(folders).into_iter().flatten().flatten() {
            if !folder.file_name().to_string_lossy().starts_with("verilated-") {
                continue;
            }
            let told = fs::read_to_string(folder.path().join("output")).unwrap_or_default();
            let built =
                told.lines().find_map(|line| line.split_once("verilator_version=\"")?.1.split('"').next());
            if built.is_some_and(|built| built != format!("{major}.{minor}")) {
                let profile =
                    folders.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
                return Err(format!(
                    "the crate `verilated` was built with another Verilator than {}, which is found now; `cargo clean --profile \
                     {profile} -p verilated -p respray-cosim` lets both be built anew",
                    verilator.version
                ));
            }
        }
        Ok(())
    }

    /// Whether clippy has this crate checked alone, which links nothing: the models are built once, for those who run them. Where clippy
    /// compiles what runs, as in `make test`, the environment says so.
    fn is_linted() -> bool {
        if env::var_os("RESPRAY_LINK_MODELS").is_some() {
            return false;
        }
        let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from);
        wrapper.is_some_and(|wrapper| wrapper.file_stem() == Some(OsStr::new("clippy-driver")))
    }

    /// The cores that the generator's registry counts among those of a NIC, as a test demands: they are run most. The build would
    /// take longer with each core that there is, so a model of another one is built when it is first run.
    const LINKED: [&str; 5] = ["reps", "rewrite_rx", "rewrite_tx", "sack_rx", "sack_tx"];

    /// Models are as quick as this crate: the profile of the tests, which run them for seconds at most, takes less time to compile.
    fn cpp() -> Result<cc::Build, CompileError> {
        let include = Verilator::find()?.include();
        let level = if env::var_os("OPT_LEVEL").as_deref() == Some(OsStr::new("3")) { 3 } else { 1 };
        let mut build = cc::Build::new();
        build.cpp(true).std("gnu++17").opt_level(level).warnings(false).flag("-fvisibility=hidden");
        build.include(&include).include(include.join("vltstd"));
        Ok(build)
    }

    fn write(path: &Path, text: &str) -> Result<(), CompileError> {
        fs::write(path, text).map_err(CompileError::io(path))
    }
}
