//! tcpdump on a host's interface, into a file of its own until it is stopped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::RecordError;
use crate::network::HOST_INTERFACE;

/// How long tcpdump may take to begin or to end: long, as a machine that compiles beside it leaves it little time.
const PATIENCE: Duration = Duration::from_secs(60);
/// The kernel hands frames over in blocks, the last one after a second.
const HAND_OVER: Duration = Duration::from_millis(1200);

/// A running tcpdump; it is ended when this goes.
pub struct Tcpdump {
    child: Child,
    said: Receiver<String>,
    file: PathBuf,
}

impl Tcpdump {
    /// Starts it inside a namespace and waits until it listens. Times are recorded to the nanosecond.
    pub fn start(
        namespace: &str,
        file: &Path,
        snap_len: usize,
        max_frames: u64,
    ) -> Result<Tcpdump, RecordError> {
        let mut child = Command::new("ip")
            .args([
                "netns",
                "exec",
                namespace,
                "tcpdump",
                "-n",
                "-i",
                HOST_INTERFACE,
                "-Z",
                "root",
                "-B",
                "16384",
            ])
            .args([
                "--time-stamp-precision=nano",
                "-s",
                &snap_len.to_string(),
                "-c",
                &max_frames.to_string(),
                "-w",
            ])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // a Ctrl-C at the terminal is for us alone; we end tcpdump in our own time
            .process_group(0)
            .spawn()
            .map_err(|source| RecordError::Tool { program: "tcpdump".into(), source })?;
        let (sender, said) = channel();
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let tcpdump = Tcpdump { child, said, file: file.into() };
        let mut last = String::from("it said nothing");
        loop {
            match tcpdump.said.recv_timeout(PATIENCE) {
                Ok(line) if line.contains("listening on") => return Ok(tcpdump),
                Ok(line) => last = line,
                Err(_) => return Err(RecordError::Tcpdump { said: last }),
            }
        }
    }

    /// Waits until it has taken over what the kernel holds, stops it, makes sure that it missed nothing, and returns what it recorded.
    pub fn stop(mut self) -> Result<Vec<u8>, RecordError> {
        let failed = |source| RecordError::Tool { program: "tcpdump".into(), source };
        thread::sleep(HAND_OVER);
        // it is our child and not yet waited for, so its number is its own
        let pid = Pid::from_raw(self.child.id() as i32);
        kill(pid, Signal::SIGINT).map_err(|errno| failed(errno.into()))?;
        let mut lines = Vec::new();
        while let Ok(line) = self.said.recv_timeout(PATIENCE) {
            lines.push(line);
        }
        self.child.wait().map_err(failed)?;
        let dropped = lines.iter().find_map(|line| line.strip_suffix(" packets dropped by kernel"));
        match dropped {
            Some("0") => {}
            Some(dropped) => return Err(RecordError::Missed { frames: dropped.into() }),
            None => return Err(RecordError::Tcpdump { said: lines.join(", ") }),
        }
        let mut bytes = Vec::new();
        File::open(&self.file).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
        Ok(bytes)
    }
}

impl Drop for Tcpdump {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
