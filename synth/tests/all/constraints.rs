//! Constraint files: equal to the committed ones, and read by the tools that are here.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{bench, engine, root};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::{self, CORES};
use respray_hdl::manifest::Generated;
use respray_synth::boards::BOARDS;
use respray_synth::device::CARDS;
use respray_synth::package::{self, Constraints};
use respray_synth::{constraints, routed};

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

/// Writes what stands with the Verilog into `folder`, and the constraints of 300 MHz where it looks for them.
fn write_with_constraints(
    files: impl IntoIterator<Item = (PathBuf, String)>,
    folder: &Path,
    constraints: Constraints,
) {
    let beside = constraints.folder(folder);
    std::fs::create_dir_all(&beside).unwrap();
    let constraints = constraints::files(300.0).into_iter().map(|(name, text)| (beside.join(name), text));
    let files = files.into_iter().map(|(name, text)| (folder.join(name), text));
    files.chain(constraints).for_each(|(path, text)| std::fs::write(path, text).unwrap());
}

/// The cheapest core, at a size that fits the iCE40.
fn cheapest() -> Generated {
    cores::generate("ecmp", &Config::default().with("connections=16").unwrap()).unwrap()
}

#[test]
fn nextpnr_places_the_wrapper_that_is_given_out_with_the_constraints_of_each_board() {
    let core = cheapest();
    let given: Vec<String> =
        package::files(&core, Constraints::Inside).into_iter().map(|(_, text)| text).collect();
    for board in BOARDS {
        let placed = routed::on_board(&bench(), &core, board).unwrap();
        assert!(placed.fmax_mhz > f64::from(board.clock.1), "{}: {} MHz", board.name, placed.fmax_mhz);
        let read = |name: &str| std::fs::read_to_string(placed.folder.join(name)).unwrap();
        let constraints = constraints::files(300.0).into_iter().map(|(_, text)| text);
        assert!(
            constraints.into_iter().any(|text| text == read("pins")),
            "{}: not the file given out",
            board.name
        );
        assert!(given.contains(&placed.wrapper), "{}: not the wrapper given out", board.name);
    }
}

#[test]
fn a_pin_that_the_package_lacks_is_refused() {
    let mut board = BOARDS[0];
    board.serial.0 = "ZZ99";
    let error = routed::on_board(&bench(), &cheapest(), &board).unwrap_err().to_string();
    assert!(error.contains("ZZ99") && error.contains("nextpnr-ecp5"), "{error}");
}

/// Tcl that stands in for Vivado's commands: each prints its arguments, and a run has the progress and slack that are wanted.
const VIVADO: &str = "
proc unknown {name args} { puts \"$name $args\"; return $args }
proc get_property {name args} { return [dict get {PROGRESS {PROGRESS_OF_A_RUN} SLACK {SLACK_OF_A_RUN}} $name] }
set argv {ARGV}
if {[catch {source FILE} message]} { puts stderr $message; exit 1 }
";

/// Runs a script with place and route that ends with `progress` and a slack in ns.
fn run_of(file: &Path, argv: &str, [progress, slack]: [&str; 2]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("stand_in.tcl");
    let text = VIVADO.replace("FILE", &file.display().to_string()).replace("ARGV", argv);
    let text = text.replace("PROGRESS_OF_A_RUN", progress).replace("SLACK_OF_A_RUN", slack);
    std::fs::write(&script, text).unwrap();
    let output = Command::new("tclsh").arg(&script).output().expect("tclsh runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

fn tclsh(file: &Path, argv: &str) -> (bool, String) {
    run_of(file, argv, ["100%", "0.1"])
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
        assert!(said.contains("set_property HD.CLK_SRC BUFGCTRL_X0Y0 clk"), "{said}");
    }
}

#[test]
fn scripts_find_the_constraints_within_their_folder_and_beside_it() {
    for constraints in [Constraints::Inside, Constraints::Beside] {
        let folder = tempfile::tempdir().unwrap();
        let verilog = folder.path().join("generated");
        std::fs::create_dir(&verilog).unwrap();
        let core = engine(str::to_string);
        std::fs::write(verilog.join("engine.v"), &core.verilog).unwrap();
        write_with_constraints(package::files(&core, constraints), &verilog, constraints);
        let xdc = constraints.folder(&verilog).join("u280_322.xdc");
        if Command::new("tclsh").arg("/dev/null").output().is_ok() {
            let (good, said) = tclsh(&verilog.join("engine.tcl"), "u280");
            let named =
                said.lines().find_map(|line| line.strip_prefix("add_files -fileset constrs_1 -norecurse "));
            let named = Path::new(named.unwrap_or_else(|| panic!("{said}"))).canonicalize().unwrap();
            assert!(good && named == xdc.canonicalize().unwrap(), "{said}");
        }
        let bench = bench();
        let fusesoc = bench.tools.fusesoc().unwrap();
        let setup =
            ["--cores-root=generated", "run", "--setup", "--target=synth_u280", &package::vlnv(&core)];
        fusesoc.run(folder.path(), &setup).unwrap();
        std::fs::remove_file(&xdc).unwrap();
        let error = fusesoc.run(folder.path(), &setup).unwrap_err().to_string();
        assert!(error.contains("u280_322.xdc"), "{constraints:?}: {error}");
    }
}

#[test]
fn the_vivado_script_makes_a_project_for_each_card_with_its_constraints() {
    if Command::new("tclsh").arg("/dev/null").output().is_err() {
        eprintln!("skipped: no tclsh here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cores = [engine(str::to_string), cheapest()];
    let constraints = Constraints::Inside;
    let files = package::files(&cores[0], constraints);
    let files = files.into_iter().chain(package::design(&cores, &Prefix::default(), constraints));
    write_with_constraints(files, folder.path(), constraints);
    let script = folder.path().join("engine.tcl");
    let (good, said) = tclsh(&script, "");
    assert!(good, "{said}");
    for card in CARDS {
        let project = format!("create_project -force -part {} engine_{}", card.part, card.name);
        assert!(said.contains(&project), "{project}: {said}");
        let xdc = format!("constraints/{}_322.xdc", card.name);
        assert!(said.contains(&xdc) && folder.path().join(&xdc).is_file(), "{said}");
    }
    assert!(!said.contains("launch_runs"));
    let (good, said) = tclsh(&script, "u280 run jobs=7");
    assert!(good && said.matches("create_project").count() == 1, "{said}");
    let run = "launch_runs impl_1 -to_step route_design -jobs 7\n";
    for command in [run, "report_methodology", "report_drc", "engine on u280: WNS 0.1 ns"] {
        assert!(said.contains(command), "{command}: {said}");
    }
    for (ends, sentence) in [
        (["100%", "-0.012"], "engine on u50: timing is not met, WNS -0.012 ns"),
        (["100%", ""], "engine on u50: timing is not met, WNS  ns"),
        (["43%", "0.1"], "engine on u50: place and route did not end"),
    ] {
        let (good, said) = run_of(&script, "run", ends);
        assert!(!good && said.contains(sentence), "{sentence}: {said}");
        assert_eq!(
            said.matches("create_project").count(),
            CARDS.len(),
            "the other cards are run all the same"
        );
    }
    for argument in ["u51", "jobs=0"] {
        let (good, said) = tclsh(&script, argument);
        assert!(!good && said.contains(&format!("no card {argument}; the cards are u50, u200")), "{said}");
    }
    let (good, said) = tclsh(&folder.path().join("cores.tcl"), "u55c");
    assert!(good && said.contains("set_property top cores"), "{said}");
    for source in ["engine.v", "engine_board.v", "ecmp.v", "ecmp_board.v", "cores.v"] {
        assert!(
            said.contains(&format!("add_files -norecurse {}/{source}", folder.path().display())),
            "{said}"
        );
    }
}

/// Writes the committed files anew where UPDATE_GENERATED is set, else compares them.
#[test]
fn committed_cores_are_packaged() {
    let folder = root().join("generated");
    let is_current = |(name, text): (PathBuf, String)| {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(committed, text, "{}: UPDATE_GENERATED=1 cargo test writes it anew", path.display());
    };
    let generate = |name: &&str| catalogue::generate(name, &Config::default()).unwrap();
    let cores: Vec<Generated> = CORES.iter().map(generate).collect();
    package::design(&cores, &Prefix::default(), Constraints::Beside).into_iter().for_each(is_current);
    catalogue::NAMES.iter().map(generate).for_each(|generated| {
        package::files(&generated, Constraints::Beside).into_iter().for_each(is_current);
    });
}

#[test]
#[ignore = "ten seconds for what a small core shows already"]
fn fusesoc_lints_each_committed_core() {
    let (bench, folder) = (bench(), root().join("generated"));
    for name in catalogue::NAMES {
        let generated = catalogue::generate(name, &Config::default()).unwrap();
        let work = tempfile::tempdir().unwrap();
        let arguments =
            ["--cores-root".to_string(), folder.display().to_string(), "run".into(), "--target=lint".into()];
        let arguments = [&arguments[..], &[package::vlnv(&generated)]].concat();
        bench.tools.fusesoc().unwrap().run(work.path(), &arguments).unwrap();
    }
}

#[test]
fn all_cores_in_their_wrappers_are_one_design_without_a_warning() {
    let mut verilator = Command::new("verilator");
    verilator.args(["--lint-only", "-Wall", "-F", "cores.f", "--top", "cores"]);
    let output = verilator.current_dir(root().join("generated")).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success() && !said.contains("Warning"), "{said}");
}

#[test]
fn fusesoc_sets_up_synthesis_with_the_constraints_of_a_card_and_makes_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(str::to_string);
    std::fs::write(folder.path().join("engine.v"), &engine.verilog).unwrap();
    let constraints = Constraints::Inside;
    write_with_constraints(package::files(&engine, constraints), folder.path(), constraints);
    let bench = bench();
    let vlnv = package::vlnv(&engine);
    let run = |steps: &[&str], target: &str| {
        let target = format!("--target={target}");
        let arguments = [&["--cores-root=.", "run"], steps, &[&target, &vlnv]].concat();
        bench.tools.fusesoc().unwrap().run(folder.path(), &arguments)
    };
    for target in ["default", "synth", "synth_u55c"] {
        run(&["--setup"], target).unwrap();
    }
    let project = folder.path().join("build/respray_cores_engine_0.1.0/synth_u55c-vivado");
    let written = std::fs::read_dir(&project).unwrap().flatten().map(|entry| entry.path());
    let scripts = written.filter(|path| path.extension().is_some_and(|found| found == "tcl"));
    let text: String = scripts.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(text.contains("constraints/u55c_322.xdc") && text.contains("xcu55c-fsvh2892-2L-e"), "{text}");
    // each command of the head, but for Vivado's, as it stands there
    let head = std::fs::read_to_string(folder.path().join("engine.core")).unwrap();
    let commands: Vec<Vec<String>> = head
        .lines()
        .filter_map(|line| line.strip_prefix("#   fusesoc "))
        .map(|command| command.split(' ').map(str::to_string).collect())
        .collect();
    let targets: Vec<&str> = commands.iter().map(|command| &command[command.len() - 2][..]).collect();
    assert_eq!(targets, ["--target=lint", "--target=sim", "--target=synth"]);
    for command in &commands[..2] {
        bench.tools.fusesoc().unwrap().run(folder.path(), command).unwrap();
    }
    std::fs::remove_file(folder.path().join("constraints/u50_322.xdc")).unwrap();
    let error = run(&["--setup"], "synth_u50").unwrap_err().to_string();
    assert!(error.contains("u50_322.xdc"), "{error}");
}

#[test]
fn fusesoc_lints_a_core_and_the_file_list_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench();
    let fusesoc = bench.tools.fusesoc().unwrap();
    let lint = |generated: &Generated| {
        std::fs::write(folder.path().join("engine.v"), &generated.verilog).unwrap();
        for (name, text) in package::files(generated, Constraints::Inside) {
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
