//! A suite as an array job of Slurm, on a cluster of one node that the test starts as a user would.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::documents::blocks;
use crate::runs::{project, respray, stderr};

/// Programs that a cluster needs.
const PROGRAMS: [&str; 7] = ["munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo"];

/// How long anything of the cluster may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The daemons, which end with the test.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// None where it cannot start, with the reason on standard error.
    fn start() -> Option<Cluster> {
        let missing: Vec<&str> = PROGRAMS
            .into_iter()
            .filter(|program| !run(Path::new("/"), "which", &[program]).status.success())
            .collect();
        if !missing.is_empty() || !nix::unistd::geteuid().is_root() {
            eprintln!("skipped: no cluster without root and {} (Debian's slurm-wlm)", missing.join(", "));
            return None;
        }
        let cluster = Cluster { folder: tempfile::tempdir().unwrap() };
        let at = cluster.folder.path();
        fs::set_permissions(at, Permissions::from_mode(0o755)).unwrap();
        for folder in ["munge", "state", "spool", "work", "work/results"] {
            fs::create_dir(at.join(folder)).unwrap();
        }
        fs::set_permissions(at.join("munge"), Permissions::from_mode(0o755)).unwrap();
        let key: Vec<u8> = (0..128u32).map(|byte| (byte * 7 + 3) as u8).collect();
        fs::write(at.join("munge/key"), key).unwrap();
        fs::set_permissions(at.join("munge/key"), Permissions::from_mode(0o600)).unwrap();
        fs::write(at.join("slurm.conf"), cluster.configuration()).unwrap();
        let munge = at.join("munge");
        let option = |name: &str, file: &str| format!("--{name}={}", munge.join(file).display());
        let options = [
            option("socket", "socket"),
            option("key-file", "key"),
            option("pid-file", "pid"),
            option("log-file", "log"),
            option("seed-file", "seed"),
            "--force".to_string(),
        ];
        let started = [
            cluster.run("munged", &options.each_ref().map(String::as_str)),
            cluster.run("slurmctld", &[]),
            cluster.run("slurmd", &["-N", "node"]),
        ];
        if let Some(failed) = started.iter().find(|output| !output.status.success()) {
            eprintln!("skipped: a cluster cannot start here: {}", stderr(failed));
            return None;
        }
        let is_idle =
            || String::from_utf8_lossy(&cluster.run("sinfo", &["-h", "-o", "%t"]).stdout).contains("idle");
        if !wait(is_idle) {
            eprintln!("skipped: the node of the cluster does not become idle");
            return None;
        }
        Some(cluster)
    }

    fn configuration(&self) -> String {
        let at = self.folder.path().display();
        let host = run(Path::new("/"), "hostname", &["-s"]).stdout;
        let host = String::from_utf8_lossy(&host).trim().to_string();
        let port = 20_000 + std::process::id() % 20_000;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={port}\nSlurmdPort={}\n\
             AuthType=auth/munge\nAuthInfo=socket={at}/munge/socket\nCredType=cred/munge\nSlurmUser=root\nSlurmdUser=root\n\
             StateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\nSlurmctldPidFile={at}/slurmctld.pid\n\
             SlurmdPidFile={at}/slurmd.pid\nSlurmctldLogFile={at}/slurmctld.log\nSlurmdLogFile={at}/slurmd.log\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\n\
             SchedulerType=sched/builtin\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\nMailProg=/bin/true\n\
             NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN\n\
             PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP\n",
            port + 1
        )
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A command of the cluster, in the folder of the suite, with `respray` on its path.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let binary = Path::new(env!("CARGO_BIN_EXE_respray")).parent().unwrap().display().to_string();
        Command::new(program)
            .args(arguments)
            .current_dir(self.work())
            .env("SLURM_CONF", self.folder.path().join("slurm.conf"))
            .env("PATH", format!("{binary}:{}", std::env::var("PATH").unwrap_or_default()))
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// Results that there are.
    fn results(&self) -> usize {
        let files = fs::read_dir(self.work().join("results")).unwrap();
        files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".json")).count()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for file in ["slurmd.pid", "slurmctld.pid", "munge/pid"] {
            let Ok(text) = fs::read_to_string(self.folder.path().join(file)) else { continue };
            if let Ok(process) = text.trim().parse() {
                let _ =
                    nix::sys::signal::kill(nix::unistd::Pid::from_raw(process), nix::sys::signal::SIGTERM);
            }
        }
        sleep(Duration::from_millis(500));
    }
}

fn run(at: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).current_dir(at).output().expect("the shell's programs are there")
}

/// Whether something becomes true in time.
fn wait(mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if is_so() {
            return true;
        }
        sleep(Duration::from_millis(50));
    }
    false
}

/// Merges a folder and gives the lines.
fn merged(at: &Path, folder: &str) -> Result<Vec<u8>, String> {
    let output = respray(at, &["fabric", "merge", "suite.toml", folder]);
    if output.status.success() { Ok(output.stdout) } else { Err(stderr(&output)) }
}

#[test]
#[ignore = "starts a cluster of one node, with the long tests"]
fn a_suite_as_an_array_job_with_a_task_that_is_cancelled_merges_to_the_bytes_of_one_machine() {
    let Some(cluster) = Cluster::start() else { return };
    let page = fs::read_to_string(project().join("docs/cluster.md")).unwrap();
    let (suite, script) = (&blocks(&page, "toml")[0], &blocks(&page, "sh")[0]);
    let work = cluster.work();
    fs::write(work.join("suite.toml"), suite).unwrap();
    fs::write(work.join("array.sh"), script).unwrap();
    let submitted = cluster.run("sbatch", &["array.sh"]);
    assert!(submitted.status.success(), "{}", stderr(&submitted));
    let said = String::from_utf8_lossy(&submitted.stdout).trim().to_string();
    let job = said.rsplit(' ').next().unwrap().to_string();
    // its second task is cancelled as soon as something is there, whether it is under way or waits
    assert!(wait(|| cluster.results() > 0), "no result came");
    assert!(cluster.run("scancel", &[&format!("{job}_4")]).status.success());
    assert!(wait(|| cluster.run("squeue", &["-h"]).stdout.is_empty()), "the job does not end");
    let missing = merged(&work, "results").expect_err("a part was cancelled");
    assert!(missing.contains("of 60 runs are missing"), "{missing}");
    let again = cluster.run("sbatch", &["--wait", "array.sh"]);
    assert!(again.status.success(), "{}", stderr(&again));
    let log = fs::read_to_string(work.join("results/part_1.log")).unwrap();
    assert!(log.contains("15 runs, 15 of them were there before"), "{log}");
    let of_cluster = merged(&work, "results").unwrap();
    fs::create_dir(work.join("alone")).unwrap();
    let alone = respray(&work, &["fabric", "suite", "suite.toml", "-o", "alone"]);
    assert!(alone.status.success(), "{}", stderr(&alone));
    assert!(of_cluster == merged(&work, "alone").unwrap(), "other bytes than those of one machine");
    assert_eq!(String::from_utf8_lossy(&of_cluster).lines().count(), 60);
}
