//! The block in the shells that people run on cards.
//!
//! A wrapper has the ports of its shell and is nothing but wires; what a shell needs beside the block stands in a module below it,
//! the *lane* of one port, joined of the blocks here:
//!
//! ```text
//!  shell ── wrapper ──┬── lane ──┬── nic_shell     the block, and what becomes of each frame
//!                     │          ├── axil_near, axil_far    registers, and events among them
//!                     │          ├── gate, host_gate   whole frames from a MAC that never waits, and from a host that does
//!                     │          ├── whole         frames that go on when they are whole, with their size
//!                     │          ├── tags, stamps  Corundum: tags, completions, times
//!                     │          └── reset_near, reset_far, power_up  OpenNIC: its reset pair
//!                     └── the other ports, as they came
//! ```

pub mod app_block;
pub mod axil_far;
pub mod axil_near;
pub mod corundum;
pub mod ender;
pub mod gate;
pub mod host_gate;
pub mod lane;
pub mod opennic;
pub mod plain;
pub mod power_up;
pub mod reset;
pub mod stamps;
pub mod tags;
mod text;
pub mod whole;
mod wiring;

pub use axil_far::AxilFar;
pub use axil_near::AxilNear;
pub use ender::Ender;
pub use gate::Gate;
pub use host_gate::HostGate;
pub use power_up::PowerUp;
pub use reset::{ResetFar, ResetNear};
pub use stamps::Stamps;
pub use tags::Tags;
pub use whole::Whole;

use thiserror::Error;

use crate::config::{Config, Nic, RxCredit};
use crate::cores::GenerateError;
use crate::cores::prefix::Prefix;
use crate::manifest::generator;
use crate::nic::{registers, selector, top};

/// Names of the shells.
pub const NAMES: &[&str] = &["opennic", "corundum", "plain"];

/// Why there is no wrapper.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShellError {
    #[error("there is no shell `{name}`; the shells are {}", NAMES.join(", "))]
    Unknown { name: String },
    #[error(
        "--shell {shell}: `bus_bits` is {bus_bits}; the shell's streams have 512 bits, so 512 is what is allowed"
    )]
    Bus { shell: String, bus_bits: u32 },
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

/// A clock of a wrapper: its port, and its frequency in MHz.
pub type Clock = (&'static str, f64);

/// The block in one place of a shell.
#[derive(Clone, Debug)]
pub struct Wrapper {
    /// Name of the top module, and of the folder's file list and scripts.
    pub top: String,
    /// Folder of all its files.
    pub folder: String,
    /// Verilog sources by their names in the folder, what is instantiated first.
    pub sources: Vec<(String, String)>,
    /// Other files: what the shell includes, and descriptions of the registers.
    pub others: Vec<(String, String)>,
    /// The clocks, that of the streams first.
    pub clocks: Vec<Clock>,
    /// Place of the user block in OpenNIC shell.
    pub opennic_box: Option<lane::UserBox>,
}

impl Wrapper {
    /// Whether register accesses go from one clock to another.
    pub fn has_crossing(&self) -> bool {
        self.clocks.len() > 1
    }
}

/// Clocks in MHz of Corundum's core, of OpenNIC's boxes, and of OpenNIC's registers.
const CORUNDUM_MHZ: f64 = 250.0;
const OPENNIC_MHZ: [f64; 2] = [250.0, 322.265625];
const OPENNIC_AXIL_MHZ: f64 = 125.0;

/// The wrappers of a shell. The same input gives the same bytes. `clock_mhz` is that of the shell where it has one, whatever the
/// configuration says, so that the block tells it right; and OpenNIC's box at 322 MHz has `nic.rx_credit` = frames.
///
/// # Errors
/// An unknown shell, or a configuration that it cannot carry.
pub fn generate(shell: &str, config: &Config) -> Result<Vec<Wrapper>, ShellError> {
    let at = |clock_mhz| Config { clock_mhz, ..config.clone() };
    if ["opennic", "corundum"].contains(&shell) && config.bus_bits != 512 {
        return Err(ShellError::Bus { shell: shell.to_string(), bus_bits: config.bus_bits });
    }
    match shell {
        "opennic" => {
            let places = lane::UserBox::ALL.into_iter().zip(OPENNIC_MHZ);
            places.map(|(of, clock_mhz)| of_opennic(of, &with_credit(of, at(clock_mhz)))).collect()
        }
        "corundum" => Ok(vec![of_corundum(&at(CORUNDUM_MHZ))?]),
        "plain" => Ok(vec![of_plain(config)?]),
        _ => Err(ShellError::Unknown { name: shell.to_string() }),
    }
}

/// Behind the box at 322 MHz the packet adapter drops what it has no room for, and nothing tells the box: so the host has to grant frames
/// there, whatever the configuration says.
fn with_credit(of: lane::UserBox, config: Config) -> Config {
    let nic = match of {
        lane::UserBox::Mhz250 => config.nic.clone(),
        lane::UserBox::Mhz322 => Nic { rx_credit: RxCredit::Frames, ..config.nic.clone() },
    };
    Config { nic, ..config }
}

/// Descriptions of the registers.
fn registers_of(config: &Config) -> Vec<(String, String)> {
    registers::texts::files(config, selector(config), &Prefix::default()).into()
}

/// The same, and the window of events.
fn registers_and_window(config: &Config) -> Vec<(String, String)> {
    let window = ("nic_shell.h".to_string(), axil_far::header());
    registers_of(config).into_iter().chain([window]).collect()
}

fn of_plain(config: &Config) -> Result<Wrapper, ShellError> {
    let nic = top::in_shell(config, &Prefix::default())?;
    let about = "nic_plain: the block nic with a register in each stream, for a shell of one's own.";
    let wrapper = plain::plain(config, &header(about, config), &nic)?;
    Ok(Wrapper {
        top: plain::NAME.to_string(),
        folder: "plain".to_string(),
        sources: vec![source(&nic.manifest.module, nic.verilog), source(plain::NAME, wrapper)],
        others: registers_of(config),
        clocks: vec![("clk", config.clock_mhz)],
        opennic_box: None,
    })
}

fn of_corundum(config: &Config) -> Result<Wrapper, ShellError> {
    let nic = top::in_shell(config, &Prefix::default())?;
    let about = "nic_lane_corundum: the block nic and what Corundum needs beside it, for one port.";
    let lane = lane::corundum(config, &header(about, config), &nic)?;
    let about = "mqnic_app_block: Corundum's application block, with respray's nic at its first port.";
    let wrapper = corundum::wrapper(&comment(&header(about, config)));
    Ok(Wrapper {
        top: corundum::MODULE.to_string(),
        folder: "corundum".to_string(),
        sources: vec![
            source_in_shell(&nic.manifest.module, nic.verilog),
            source_in_shell(lane::CORUNDUM, lane),
            source_in_shell(corundum::MODULE, wrapper),
        ],
        others: registers_and_window(config),
        clocks: vec![("clk", config.clock_mhz)],
        opennic_box: None,
    })
}

fn of_opennic(of: lane::UserBox, config: &Config) -> Result<Wrapper, ShellError> {
    let nic = top::in_shell(config, &Prefix::default())?;
    let (mhz, inner, top) = (of.mhz(), of.module(), opennic::module(of));
    let about = format!(
        "{inner}: the block nic and what OpenNIC shell needs beside it, for one port of the box at {mhz}."
    );
    let lane = lane::opennic(of, config, &header(&about, config), &nic)?;
    let about = format!("{top}: respray's nic as the user block of OpenNIC shell's box at {mhz}.");
    let wrapper = opennic::wrapper(of, &comment(&header(&about, config)));
    Ok(Wrapper {
        folder: format!("opennic_{mhz}"),
        sources: vec![
            source_in_shell(&nic.manifest.module, nic.verilog),
            source_in_shell(&inner, lane),
            source_in_shell(&top, wrapper),
        ],
        others: opennic::glue(of).into_iter().chain(registers_and_window(config)).collect(),
        clocks: vec![(opennic::clock_port(of), config.clock_mhz), ("axil_aclk", OPENNIC_AXIL_MHZ)],
        opennic_box: Some(of),
        top,
    })
}

/// A source by the name of its top module.
fn source(module: &str, verilog: String) -> (String, String) {
    (format!("{module}.v"), verilog)
}

/// The same for a shell whose own sources state a time scale: a lint of all of them wants one of each.
fn source_in_shell(module: &str, verilog: String) -> (String, String) {
    let begin = verilog.lines().take_while(|line| line.starts_with("//")).map(|line| line.len() + 1).sum();
    let (head, rest) = verilog.split_at(begin);
    source(module, format!("{head}`timescale 1ns / 1ps\n{rest}"))
}

/// The head of a file.
fn header(about: &str, config: &Config) -> String {
    format!(
        "{about}\nGenerated by {}. Do not edit.\n\nconnections = {}, bus_bits = {}, wire = {}, nic.selector = {}",
        generator(),
        config.connections,
        config.bus_bits,
        config.wire.name(),
        config.nic.selector.name(),
    )
}

/// `text` as comment lines.
fn comment(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "//".to_string() } else { format!("// {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}
