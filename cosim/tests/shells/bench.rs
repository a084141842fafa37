//! A shell around a wrapper, simulated by Icarus: what is given, what is done at the registers, and what came out.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use respray_hdl::config::Config;
use respray_hdl::shells::{self, Wrapper};

const BENCH: &str = include_str!("bench.v");
const STAND_INS: &str = include_str!("stand_ins.v");

/// Bytes of a beat.
const BEAT: usize = 64;

/// The wrapper under test, and how the bench is connected to it.
#[derive(Clone)]
pub struct Place {
    pub wrapper: Wrapper,
    /// The instance, in the nets of `bench.v`.
    pub device: &'static str,
    /// Half periods of the clocks of registers and streams in ps.
    pub half_ps: [u32; 2],
    /// The host side waits.
    pub host_waits: bool,
    /// The streams' clock runs from the beginning on.
    pub clock_runs: bool,
    /// Edges between two completions of Corundum's MAC.
    pub pause: u32,
    /// Microseconds after which the simulation is given up.
    pub limit_us: u32,
}

/// The wrappers of a shell, at the size of the tests.
pub fn wrappers(shell: &str) -> Vec<Wrapper> {
    wrappers_of(shell, &[])
}

/// The same with other values of some keys.
pub fn wrappers_of(shell: &str, sets: &[&str]) -> Vec<Wrapper> {
    let sets = ["connections=16", "sack.window=64"].iter().chain(sets).map(ToString::to_string);
    let config = Config::load(None, &sets.collect::<Vec<String>>()).expect("a valid configuration");
    shells::generate(shell, &config).expect("a shell that carries it")
}

/// A frame with what stands beside it and the gap before each of its beats.
#[derive(Clone)]
pub struct Given {
    pub frame: Vec<u8>,
    pub side: u128,
    pub gap: u32,
}

/// A frame that came out, and what stood beside each of its beats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    pub frame: Vec<u8>,
    pub side: u128,
}

/// All that came out.
#[derive(Debug, Default)]
pub struct Out {
    pub to_mac: Vec<Came>,
    pub to_host: Vec<Came>,
    /// Completions: the time above the 16 bits of the tag.
    pub completions: Vec<u128>,
    /// Answers of the registers: what was read, or `None` of a write, and whether it was refused.
    pub registers: Vec<(Option<u32>, bool)>,
    /// Edges of their clock that each answer took.
    pub took: Vec<u32>,
    /// Cycles of the last beats of the frames to the MAC, and to the host.
    pub ends: [Vec<u64>; 2],
    /// Cycles of the first beats of the frames from the host, and from the MAC.
    pub begins: [Vec<u64>; 2],
    /// Beats that were taken from the host, and from the MAC.
    pub taken: [usize; 2],
    /// Frames to the host, by their numbers from 0 on, for which the packet adapter had no room.
    pub lost: Vec<usize>,
    /// Other lines: what the bench found to be wrong.
    pub broken: Vec<String>,
}

/// A step of the script.
pub enum Step {
    Read(u32),
    Write(u32, u32),
    /// So many beats more of the host, of the MAC.
    Host(usize),
    Mac(usize),
    /// Of eight edges so many on average have no ready.
    Stalls(u32),
    /// QDMA takes nothing of the packet adapter, or takes again.
    AdapterPauses(bool),
    /// Cycles of the streams' clock.
    Wait(u32),
    /// No more beats than these of the host and of the MAC from now on, whatever was to be given.
    Only(usize),
    /// Low for so many edges of the registers' clock: a reset as the shell gives it. It is not waited for its end.
    UserReset(u32),
    ResetDone,
    /// The streams' clock goes on, or stands still.
    Clock(bool),
    /// Cycles of the registers' clock.
    WaitAxil(u32),
    /// Both at once.
    Both(Box<Step>, Vec<Step>),
}

/// Beats of frames as the bench reads them.
fn hex(given: &[Given]) -> String {
    let mut text = String::new();
    for Given { frame, side, gap } in given {
        for (at, beat) in frame.chunks(BEAT).enumerate() {
            let is_last = (at + 1) * BEAT >= frame.len();
            let keep = u64::MAX >> (BEAT - beat.len());
            let data: String =
                (0..BEAT).rev().map(|at| format!("{:02x}", beat.get(at).unwrap_or(&0))).collect();
            // 32 + 1 + 128 + 64 + 512 bits: what stands before tkeep and tdata has 161
            let head = (u128::from(*gap) << 1 | u128::from(is_last), *side);
            writeln!(text, "{:09x}{:032x}{keep:016x}{data}", head.0, head.1).expect("into a string");
        }
    }
    text
}

/// Beats of so many frames.
pub fn beats(given: &[Given]) -> usize {
    given.iter().map(|given| given.frame.len().div_ceil(BEAT)).sum()
}

fn statement(step: &Step) -> String {
    match step {
        Step::Read(address) => format!("read(32'h{address:x});"),
        Step::Write(address, value) => format!("write(32'h{address:x}, 32'h{value:x});"),
        Step::Host(beats) => format!("host_count = host_count + {beats};"),
        Step::Mac(beats) => format!("mac_count = mac_count + {beats};"),
        Step::Stalls(stalls) => format!("stalls = {stalls};"),
        Step::AdapterPauses(pauses) => format!("adapter_pauses = {};", u8::from(*pauses)),
        Step::Wait(cycles) => format!("repeat ({cycles}) @(posedge clk);"),
        Step::Only(beats) => {
            format!("host_count = host_given + {beats}; mac_count = mac_given + {beats};")
        }
        Step::UserReset(edges) => format!("user_reset({edges});"),
        Step::ResetDone => "reset_done;".to_string(),
        Step::Clock(runs) => format!("clk_runs = {};", u8::from(*runs)),
        Step::WaitAxil(cycles) => format!("repeat ({cycles}) @(posedge axil_clk);"),
        Step::Both(one, others) => {
            let others: Vec<String> = others.iter().map(statement).collect();
            format!("fork begin {} end begin {} end join", statement(one), others.join(" "))
        }
    }
}

impl Place {
    /// Runs the script, with the sources changed by `change`.
    pub fn run(
        &self,
        host: &[Given],
        mac: &[Given],
        script: &[Step],
        change: impl Fn(String) -> String,
    ) -> Out {
        let folder = tempfile::tempdir().expect("a folder for the run");
        let at = |name: &str| folder.path().join(name);
        let script: Vec<String> = script.iter().map(statement).collect();
        let bench = BENCH
            .replace("AXIL_HALF", &self.half_ps[0].to_string())
            .replace("STREAM_HALF", &self.half_ps[1].to_string())
            .replace("HOST_WAITS", &u8::from(self.host_waits).to_string())
            .replace("CLOCK_RUNS", &u8::from(self.clock_runs).to_string())
            .replace("LIMIT_PS", &format!("{}000000", self.limit_us))
            .replace("DEVICE", self.device)
            .replace("SCRIPT", &script.join("\n        "));
        let sources: String = self.wrapper.sources.iter().map(|(_, text)| text.as_str()).collect();
        for (name, text) in [
            ("bench.v", bench),
            ("stand_ins.v", STAND_INS.replace("PAUSE", &self.pause.to_string())),
            ("device.v", change(sources)),
            ("host.hex", hex(host)),
            ("mac.hex", hex(mac)),
        ] {
            fs::write(at(name), text).expect("the folder can be written");
        }
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
            let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(output.status.success(), "{program}: {said}");
            said
        };
        run("iverilog", &["-g2005", "-o", "bench.vvp", "-s", "bench", "device.v", "stand_ins.v", "bench.v"]);
        read(&run("vvp", &["-n", "bench.vvp"]))
    }
}

/// The lines of the bench.
fn read(said: &str) -> Out {
    let mut out = Out::default();
    let mut frames = [Vec::new(), Vec::new()];
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["read", _, value, answer, took] => {
                out.registers.push((u32::from_str_radix(value, 16).ok(), answer != "0"));
                out.took.push(took.parse().unwrap_or(u32::MAX));
            }
            ["write", _, answer, took] => {
                out.registers.push((None, answer != "0"));
                out.took.push(took.parse().unwrap_or(u32::MAX));
            }
            ["given", stream, cycle] => {
                out.begins[usize::from(stream == "mac")].push(cycle.parse().unwrap_or(0));
            }
            ["lost", frame] => out.lost.extend(frame.parse::<usize>()),
            ["completion", side] => out.completions.push(number(side)),
            [stream @ ("to_mac" | "to_host"), data, keep, last, side, cycle] => {
                let at = usize::from(stream == "to_host");
                let kept = u64::from_str_radix(keep, 16).map_or(0, u64::count_ones) as usize;
                let is_contiguous =
                    u64::from_str_radix(keep, 16).is_ok_and(|keep| keep.wrapping_add(1) & keep == 0);
                if !is_contiguous || (last == "0" && kept != BEAT) {
                    out.broken.push(line.to_string());
                }
                let frame: &mut Vec<u8> = &mut frames[at];
                frame.extend((0..kept).map(|byte| {
                    let low = data.len() - 2 * byte;
                    u8::from_str_radix(&data[low - 2..low], 16).unwrap_or(0)
                }));
                if last == "1" {
                    let came = Came { frame: std::mem::take(frame), side: number(side) };
                    out.ends[at].push(cycle.parse().unwrap_or(0));
                    if at == 0 { out.to_mac.push(came) } else { out.to_host.push(came) }
                }
            }
            ["end", host, mac] => out.taken = [host, mac].map(|beats| beats.parse().unwrap_or(0)),
            _ if line.contains("$finish") || line.starts_with("WARNING") => {}
            _ => out.broken.push(line.to_string()),
        }
    }
    out
}

fn number(hex: &str) -> u128 {
    u128::from_str_radix(hex, 16).unwrap_or(u128::MAX)
}
