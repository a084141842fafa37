//! The assertions of `respray generate --sv-check`: Verilator takes them, the Verilog keeps them, and a fault in it breaks one.

mod bench;
mod faults;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::runs::{foreign, names, project, respray, stderr, stdout};

/// Verilog and assertions of cores, as the binary writes them.
fn generated(folder: &Path, arguments: &[&str]) {
    let output = respray(folder, &[&["generate", "--sv-check", "-o", "."], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
}

fn verilator(folder: &Path, arguments: &[&str]) -> Output {
    foreign("verilator").current_dir(folder).args(arguments).output().expect("Verilator is there")
}

fn lint(folder: &Path, core: &str) {
    let files = [format!("{core}.v"), format!("{core}_check.sv")];
    let output =
        verilator(folder, &["--lint-only", "--assert", "-Wall", "--top-module", core, &files[0], &files[1]]);
    assert!(output.status.success(), "{core}: {}", stderr(&output));
}

#[test]
fn verilator_takes_the_assertions_of_a_core_and_of_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    for core in ["reps", "rewrite_rx"] {
        generated(folder.path(), &["--core", core]);
        lint(folder.path(), core);
    }
    let reps = fs::read_to_string(folder.path().join("reps_check.sv")).unwrap();
    for rule in ["oldest_first", "explores", "freezes", "bind reps "] {
        assert!(reps.contains(rule), "`{rule}` is not in: {reps}");
    }
    assert!(!reps.contains("lemma_") && !reps.contains("anyconst"), "{reps}");
    let stream = fs::read_to_string(folder.path().join("rewrite_rx_check.sv")).unwrap();
    for rule in ["m_axis_stays", "given_s_axis_shaped", "record_stays"] {
        assert!(stream.contains(rule), "`{rule}` is not in: {stream}");
    }
}

#[test]
fn assertions_have_the_prefix_of_their_core_and_leave_out_what_is_proved_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    generated(folder.path(), &["--core", "reps", "--prefix", "a", "--set", "reps.variant=uet"]);
    assert!(!folder.path().join("a_reps_check.sv").exists(), "the other variant is not the one of the proof");
    generated(folder.path(), &["--core", "reps", "--prefix", "a"]);
    let text = fs::read_to_string(folder.path().join("a_reps_check.sv")).unwrap();
    assert!(text.contains("oldest_first") && text.contains("bind a_reps a_reps_rules_check"), "{text}");
    lint(folder.path(), "a_reps");
}

#[test]
#[ignore = "lints every core, which takes a minute: `make test-long`"]
fn verilator_takes_the_assertions_of_every_core() {
    for sets in [&[][..], &["--set", "connections=16", "--set", "bus_bits=64", "--set", "sack.window=64"]] {
        let folder = tempfile::tempdir().unwrap();
        generated(folder.path(), sets);
        let files = names(folder.path());
        let cores: Vec<&str> = files.iter().filter_map(|name| name.strip_suffix("_check.sv")).collect();
        assert!(cores.len() > 10 && ["nic", "reps"].iter().all(|core| cores.contains(core)), "{cores:?}");
        cores.iter().for_each(|core| lint(folder.path(), core));
    }
}

/// The bench of a core with its assertions, run with these arguments.
fn run(folder: &Path, core: &str, arguments: &[&str]) -> Output {
    let bench = format!("{core}_bench");
    let library = std::env::current_exe().unwrap().with_file_name("librespray_golden_c.so");
    let rpath = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let sources: Vec<PathBuf> = ["respray_golden_pkg", &bench]
        .iter()
        .map(|name| project().join(format!("tb/sv/{name}.sv")))
        .collect();
    let files = [
        sources[0].display().to_string(),
        sources[1].display().to_string(),
        format!("{core}.v"),
        format!("{core}_check.sv"),
        library.display().to_string(),
    ];
    let mut words = vec!["--binary", "--assert", "-Wno-fatal", "-j", "2", "--top-module", &bench];
    words.extend(["-CFLAGS", "-O0", "-LDFLAGS", &rpath, "-o", "bench"]);
    words.extend(files.iter().map(String::as_str));
    let output = verilator(folder, &words);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    Command::new(folder.join("obj_dir/bench")).args(arguments).output().expect("it was built")
}

/// Lines of the page for a shell, from one that begins so to the end of its block.
fn commands(page: &str, first: &str) -> String {
    let lines =
        page.lines().skip_while(|line| line.strip_prefix("    ").is_none_or(|line| !line.starts_with(first)));
    lines.map_while(|line| line.strip_prefix("    ")).map(|line| format!("{line}\n")).collect()
}

#[test]
#[ignore = "compiles two simulations of `reps`: `make test-long`"]
fn the_commands_of_the_page_run() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("build/models");
    fs::create_dir_all(&models).unwrap();
    let library = std::env::current_exe().unwrap().with_file_name("librespray_golden_c.so");
    std::os::unix::fs::symlink(library, models.join("librespray_golden_c.so")).unwrap();
    for part in ["tb", "generated"] {
        std::os::unix::fs::symlink(project().join(part), folder.path().join(part)).unwrap();
    }
    let respray = Path::new(env!("CARGO_BIN_EXE_respray")).parent().unwrap();
    let page = fs::read_to_string(project().join("docs/models.md")).unwrap();
    for first in ["verilator --binary", "respray generate"] {
        let script = commands(&page, first);
        assert!(script.contains("obj_dir/Vreps_bench"), "{first}: {script}");
        let mut shell = foreign("sh");
        shell.env("PATH", format!("{}:{}", respray.display(), std::env::var("PATH").unwrap()));
        let output =
            shell.current_dir(folder.path()).args(["-ec", &script]).output().expect("a shell is there");
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(output.status.success() && said.contains(", 0 are not"), "{script}: {said}");
        fs::remove_dir_all(folder.path().join("obj_dir")).unwrap();
    }
}

/// A core, the arguments of its bench, a fault in its Verilog, and the assertion that it breaks.
const FAULTS: [[&str; 4]; 2] = [
    ["reps", "assign recycle = send & ", "assign recycle = 1'b0 & ", "reps: send_once"],
    [
        "rewrite_rx",
        "        valid <= load || (valid && !pop);\n        ready <= filled < LIMIT && !is_held_up;",
        "        valid <= load;\n        ready <= filled < LIMIT && !is_held_up;",
        "rewrite_rx: m_axis_stays",
    ],
];

#[test]
#[ignore = "compiles two simulations of each core: `make test-long`"]
fn the_verilog_keeps_the_assertions_and_a_fault_breaks_one() {
    for [core, right, wrong, broken] in FAULTS {
        let folder = tempfile::tempdir().unwrap();
        generated(folder.path(), &["--core", core]);
        let script = folder.path().join("script");
        fs::write(&script, script_of_frames()).unwrap();
        let plus = [format!("+script={}", script.display()), "+count=30000".to_string()];
        let plus: Vec<&str> = plus.iter().map(String::as_str).collect();
        let output = run(folder.path(), core, &plus);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(output.status.success() && said.contains(", 0 are not"), "{core}: {said}");
        let path = folder.path().join(format!("{core}.v"));
        let verilog = fs::read_to_string(&path).unwrap();
        assert_eq!(verilog.matches(right).count(), 1, "`{right}` stands in the Verilog once");
        fs::write(&path, verilog.replace(right, wrong)).unwrap();
        // by itself a simulation ends with the first rule that is broken, and a fault may break several
        let plus = [&plus[..], &["+verilator+error+limit+100000"]].concat();
        let output = run(folder.path(), core, &plus);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(said.contains(broken), "{core}: {said}");
    }
}

/// Frames of all lengths up to a few beats, which are nobody's.
fn script_of_frames() -> String {
    (60..400_usize)
        .map(|bytes| {
            format!(
                "tx {}\n",
                (0..bytes).map(|at| format!("{:02x}", (at * 7 + bytes) % 256)).collect::<String>()
            )
        })
        .collect()
}
