//! Constraint files: equal to the committed ones, and read by the tools that are here.

use std::path::Path;
use std::process::Command;

use crate::common::{bench, engine, root};
use respray_hdl::config::Config;
use respray_hdl::cores::{self, CORES};
use respray_synth::boards::BOARDS;
use respray_synth::device::CARDS;
use respray_synth::{constraints, package, routed};

/// Writes the committed files anew where UPDATE_GENERATED is set, else compares them.
#[test]
fn committed_constraints_are_what_the_tables_give() {
    let folder = root().join("constraints");
    let files = constraints::files(Config::default().clock_mhz);
    for (name, text) in &files {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(&committed, text, "{}: UPDATE_GENERATED=1 cargo test writes it anew", path.display());
    }
    let there = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(there, files.len(), "a file in constraints/ that no table gives");
}

#[test]
fn nextpnr_places_every_pin_and_takes_the_clock_of_each_board() {
    for board in BOARDS {
        let fmax_mhz = routed::on_board(&bench(), &engine(str::to_string), board).unwrap();
        assert!(fmax_mhz > f64::from(board.clock.1), "{}: {fmax_mhz} MHz", board.name);
    }
}

#[test]
fn a_pin_that_the_package_lacks_is_refused() {
    let mut board = BOARDS[0];
    board.serial.0 = "ZZ99";
    let error = routed::on_board(&bench(), &engine(str::to_string), &board).unwrap_err().to_string();
    assert!(error.contains("ZZ99") && error.contains("nextpnr-ecp5"), "{error}");
}

/// Tcl that stands in for Vivado's commands: each prints its arguments.
const VIVADO: &str = "
proc unknown {name args} { puts \"$name $args\"; return $args }
set argv {ARGV}
if {[catch {source FILE} message]} { puts stderr $message; exit 1 }
";

fn tclsh(file: &Path, argv: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("stand_in.tcl");
    std::fs::write(&script, VIVADO.replace("FILE", &file.display().to_string()).replace("ARGV", argv))
        .unwrap();
    let output = Command::new("tclsh").arg(&script).output().expect("tclsh runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn every_xdc_is_tcl_that_makes_one_clock() {
    if Command::new("tclsh").arg("/dev/null").output().is_err() {
        eprintln!("skipped: no tclsh here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in constraints::files(300.0) {
        if name.extension().is_none_or(|extension| extension != "xdc") {
            continue;
        }
        let path = folder.path().join(&name);
        std::fs::write(&path, text).unwrap();
        let (good, said) = tclsh(&path, "");
        assert!(good, "{said}");
        let clocks: Vec<&str> = said.lines().filter(|line| line.starts_with("create_clock")).collect();
        assert_eq!(clocks.len(), 1, "{}: {said}", name.display());
        assert!(clocks[0].ends_with("-name clk clk"), "{said}");
    }
}

#[test]
fn the_vivado_script_makes_a_project_for_each_card_with_its_constraints() {
    if Command::new("tclsh").arg("/dev/null").output().is_err() {
        eprintln!("skipped: no tclsh here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(str::to_string);
    let output = folder.path().join("out");
    std::fs::create_dir_all(output.join("constraints")).unwrap();
    for (name, text) in package::files(&engine).into_iter().chain(package::constraint_files(&output, 300.0)) {
        std::fs::write(output.join(name), text).unwrap();
    }
    let script = output.join("engine.tcl");
    let (good, said) = tclsh(&script, "");
    assert!(good, "{said}");
    for card in CARDS {
        let project = format!("create_project -force -part {} engine_{}", card.part, card.name);
        assert!(said.contains(&project), "{project}: {said}");
        assert!(said.contains(&format!("/out/constraints/{}_322.xdc", card.name)), "{said}");
    }
    assert!(!said.contains("launch_runs"));
    std::fs::rename(output.join("constraints"), folder.path().join("constraints")).unwrap();
    assert!(tclsh(&script, "").1.replace("/out/..", "").contains("/constraints/u50_322.xdc"));
    assert!(package::constraint_files(&output, 300.0).is_empty(), "they stand beside it already");
    let (good, said) = tclsh(&script, "u280 run");
    assert!(good && said.matches("create_project").count() == 1 && said.contains("launch_runs"), "{said}");
    let (good, said) = tclsh(&script, "u51");
    assert!(!good && said.contains("no card u51"), "{said}");
}

/// Writes the committed files anew where UPDATE_GENERATED is set, else compares them; then FuseSoC and the file list lint each.
#[test]
fn committed_cores_are_packaged_and_fusesoc_lints_each() {
    let (bench, folder) = (bench(), root().join("generated"));
    for core in CORES {
        let generated = cores::generate(core, &Config::default()).unwrap();
        for (name, text) in package::files(&generated) {
            let path = folder.join(name);
            if std::env::var_os("UPDATE_GENERATED").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(committed, text, "{}: UPDATE_GENERATED=1 cargo test writes it anew", path.display());
        }
        let work = tempfile::tempdir().unwrap();
        let arguments =
            ["--cores-root".to_string(), folder.display().to_string(), "run".into(), "--target=lint".into()];
        let arguments = [&arguments[..], &[package::vlnv(&generated)]].concat();
        bench.tools.fusesoc().unwrap().run(work.path(), &arguments).unwrap();
    }
}

#[test]
fn fusesoc_lints_a_core_and_the_file_list_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench();
    let fusesoc = bench.tools.fusesoc().unwrap();
    let lint = |generated: &respray_hdl::manifest::Generated| {
        std::fs::write(folder.path().join("engine.v"), &generated.verilog).unwrap();
        for (name, text) in package::files(generated) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let run = ["--cores-root=.", "run", "--target=lint", &package::vlnv(generated)].map(str::to_string);
        fusesoc.run(folder.path(), &run)
    };
    lint(&engine(str::to_string)).unwrap();
    let mut verilator = Command::new("verilator");
    verilator.args(["--lint-only", "-Wall", "-F", "engine.f", "--top", "engine"]);
    assert!(verilator.current_dir(folder.path()).output().unwrap().status.success());
    let broken = engine(|verilog| verilog.replace("reg [7:0] conn;", "reg [6:0] conn;"));
    let error = lint(&broken).unwrap_err().to_string();
    assert!(error.contains("fusesoc"), "{error}");
}
