//! Compilers, interpreters and simulators that tests run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folder in which cargo put the shared library: that of the tests.
pub fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// The shared library.
pub fn library() -> PathBuf {
    let path = libraries().join("librespray_golden_c.so");
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// Compiles a C program against the header and the shared library.
pub fn compiled(source: &Path, program: &Path) {
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o"])
        .arg(program)
        .arg(source)
        .arg("-I")
        .arg(project().join("golden/c/include"))
        .arg(library())
        .arg(format!("-Wl,-rpath,{}", libraries().display()))
        .output()
        .expect("a C compiler is there");
    assert!(output.status.success(), "{}", said(&output));
}

/// The interpreter of .venv, if it has what the package needs.
pub fn python() -> Option<Command> {
    let python = project().join(".venv/bin/python");
    let has = Command::new(&python).args(["-c", "import cffi, numpy, pytest"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: cffi, numpy or pytest is missing in .venv; `./setup.sh --all`");
        return None;
    }
    let mut command = Command::new(python);
    command.env("PYTHONPATH", project().join("python")).env("RESPRAY_GOLDEN", library());
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Some(command)
}

/// All that it printed.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What it printed to standard output, if it succeeded.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program is there");
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}
