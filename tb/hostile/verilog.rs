//! What a user's Verilog may do to a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use respray_cosim::verilator::cache_dir;

use super::common::{assert_is_refusal, command, names, project, stderr, words};
use crate::runs::program;

/// The cache that all tests share and that later runs of them find, so that Verilator's runtime is compiled once.
fn cache() -> PathBuf {
    cache_dir().expect("the tests have a cache")
}

/// A cache in `directory` that has of the shared one what begins with one of `kept`: `runtime-`, `headers-`.
pub fn own_cache(directory: &Path, kept: &[&str]) -> PathBuf {
    write_verilog(directory, "// only to have the runtime");
    let output = run_of_mine(directory).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let own = directory.join("cache");
    let is_kept = |name: &String| kept.iter().any(|prefix| name.starts_with(prefix));
    for entry in names(&cache()).into_iter().filter(is_kept) {
        fs::create_dir_all(own.join(&entry)).unwrap();
        for file in names(&cache().join(&entry)) {
            fs::copy(cache().join(&entry).join(&file), own.join(&entry).join(&file)).unwrap();
        }
    }
    own
}

/// Writes the Verilog of `ecmp` as `mine.v` with `more` at the end of the top module, and gives the number of the line
/// with which that begins.
pub fn write_verilog(directory: &Path, more: &str) -> usize {
    let verilog = fs::read_to_string(project().join("generated/ecmp.v")).unwrap();
    let (before, _) = verilog.rsplit_once("endmodule").unwrap();
    fs::write(directory.join("mine.v"), format!("{before}{more}\nendmodule\n")).unwrap();
    before.lines().count() + 1
}

/// The command that runs `mine.v`.
pub fn run_of_mine(directory: &Path) -> Command {
    let line = "cosim --core ecmp --random 5000 --verilog mine.v --stuck-after 1";
    let mut command = command(directory, &words(line));
    command.env("RESPRAY_CACHE", cache()).env_remove("CXX");
    command
}

/// Runs the Verilog of `ecmp` with `more` in it; nothing but `mine.v` is there afterwards.
fn run(more: &str) -> (Output, usize) {
    let directory = tempfile::tempdir().unwrap();
    let line = write_verilog(directory.path(), more);
    let output = run_of_mine(directory.path()).output().unwrap();
    assert_eq!(names(directory.path()), ["mine.v"], "{more}: {output:?}");
    (output, line)
}

#[test]
fn an_endless_loop_ends_with_a_sentence() {
    for more in [
        "integer n = 0;\nalways @(posedge clk) begin while (1) n = n + 3; if (n == 7) $stop; end",
        // one in front of the first cycle
        "integer n = 0;\ninitial begin while (n != 1) n = n + 2; $stop; end",
    ] {
        let (output, _) = run(more);
        let said = "mine.v: the Verilog did not come to the end of a cycle for 1 s";
        assert_is_refusal(&output, &[said, "--stuck-after SECONDS"]);
    }
}

#[test]
fn an_end_of_the_simulation_is_told_with_its_place_and_cycle() {
    let (output, line) =
        run("reg [9:0] n = 0;\nalways @(posedge clk) begin n <= n + 1;\nif (n == 700) $finish; end");
    let said = format!("mine.v:{}: the Verilog stopped its simulation after 701 cycles: $finish", line + 2);
    assert_is_refusal(&output, &[&said]);
}

#[test]
fn logic_that_never_settles_names_the_file_of_the_user() {
    let (output, _) = run("reg [31:0] n = 0;\nwire a, b;\nassign a = op_valid ? ~b : 1'b0;\nassign b = a;\n\
                           always @(posedge clk) begin n <= n + 1; if (a && n > 100000) $stop; end");
    assert_is_refusal(&output, &["mine.v:", "did not converge"]);
}

#[test]
fn a_memory_file_that_cannot_be_read_is_named_beside_the_file_of_the_user() {
    let (output, _) = run("reg [7:0] table_a [0:3];\ninitial $readmemh(\"none.hex\", table_a);");
    assert_is_refusal(&output, &["mine.v", "none.hex", "$readmem file not found"]);
    let (output, _) = run("reg [7:0] table_a [0:3];\ninitial $readmemh(\"mine.v\", table_a);");
    assert_is_refusal(&output, &["mine.v", "$readmem file syntax error"]);
}

#[test]
fn a_function_of_c_that_is_missing_is_named() {
    let (output, _) = run("import \"DPI-C\" function int answer(input int x);\n\
                           reg [31:0] n = 0;\nalways @(posedge clk) n <= answer(n);");
    assert_is_refusal(&output, &["mine.v: the C function `answer`", "DPI-C"]);
}

/// A compiler that does `act` where its arguments contain `of`; `$result` is what it is to make.
pub fn compiler(directory: &Path, of: &str, act: &str) -> PathBuf {
    let script = format!(
        "result=; previous=\nfor word; do [ \"$previous\" = -o ] && result=$word; previous=$word; done\n\
         case \"$*\" in *{of}*) {act};; esac\nexec g++ \"$@\""
    );
    program(directory, "compiler", &script)
}

#[test]
fn a_compiler_that_is_killed_or_makes_no_library_is_told_as_that() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for act in ["kill -9 $$", "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1"]
    {
        write_verilog(at, "// of a compiler that is killed");
        let killed = compiler(at, "unity.cpp", act);
        let output = run_of_mine(at).env("CXX", killed).output().unwrap();
        assert_is_refusal(
            &output,
            &["mine.v: `", "was killed while it worked, as it is where memory runs out"],
        );
    }
    let own = own_cache(at, &["runtime-", "headers-"]);
    write_verilog(at, "// of a linker that makes something else");
    let broken = compiler(at, "z,defs", "echo text > $result; exit 0");
    let output = run_of_mine(at).env("CXX", broken).env("RESPRAY_CACHE", &own).output().unwrap();
    assert_is_refusal(&output, &["mine.v: the compiled model ", "model.so cannot be loaded: "]);
    assert!(!names(&own).iter().any(|name| name.starts_with("ecmp")), "it is not kept");
}
