//! The devices that figures are given for, and what each of them holds.

use std::fmt;
use std::str::FromStr;

use respray_files::quote::Quoted;

use crate::tool::{Tool, ToolError, Toolbox};

/// An Alveo card. Vendor's data sheets; counts of the whole device, the shell included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// As `--target` spells it.
    pub name: &'static str,
    /// Vivado's part.
    pub part: &'static str,
    pub lut: u32,
    pub ff: u32,
    pub bram36: u32,
    pub uram: u32,
}

/// Every Alveo card there are figures for.
pub const CARDS: &[Card] = &[
    Card { name: "u50", part: "xcu50-fsvh2104-2-e", lut: 871_680, ff: 1_743_360, bram36: 1344, uram: 640 },
    Card {
        name: "u200",
        part: "xcu200-fsgd2104-2-e",
        lut: 1_182_240,
        ff: 2_364_480,
        bram36: 2160,
        uram: 960,
    },
    Card {
        name: "u250",
        part: "xcu250-figd2104-2L-e",
        lut: 1_728_000,
        ff: 3_456_000,
        bram36: 2688,
        uram: 1280,
    },
    Card {
        name: "u280",
        part: "xcu280-fsvh2892-2L-e",
        lut: 1_303_680,
        ff: 2_607_360,
        bram36: 2016,
        uram: 960,
    },
    Card {
        name: "u55c",
        part: "xcu55c-fsvh2892-2L-e",
        lut: 1_303_680,
        ff: 2_607_360,
        bram36: 2016,
        uram: 960,
    },
];

/// A device that is placed and routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// As `--target` spells it.
    pub name: &'static str,
    /// In words.
    pub title: &'static str,
    /// Yosys's command.
    pub synth: &'static str,
    /// What nextpnr is told.
    pub flags: &'static [&'static str],
    /// Ports through three pins only, for a device that has fewer pins than a core has ports.
    pub folded: bool,
    /// nextpnr's name of a logic cell and of a block memory, and how many there are.
    pub logic: (&'static str, u32),
    pub memory: (&'static str, u32),
    /// Whether logic cells can be memories: where they cannot, a memory that is meant for them becomes registers.
    pub lut_ram: bool,
    /// Registers.
    pub flip_flops: u32,
    /// What the types of Yosys's LUT, register and block memory cells begin with.
    pub lut: &'static str,
    pub flip_flop: &'static str,
    pub memory_cell: &'static str,
    /// Clock in MHz that place and route is asked for; it works harder when asked for more.
    pub asked_mhz: u32,
}

/// ECP5 with 84k LUTs, the fastest grade.
pub const ECP5: Device = Device {
    name: "ecp5",
    title: "ECP5 85k, speed 8",
    synth: "synth_ecp5",
    flags: &[
        "--um5g-85k",
        "--speed",
        "8",
        "--package",
        "CABGA756",
        "--out-of-context",
        "--lpf-allow-unconstrained",
    ],
    folded: false,
    logic: ("TRELLIS_COMB", 83_640),
    memory: ("DP16KD", 208),
    lut_ram: true,
    flip_flops: 83_640,
    lut: "LUT4",
    flip_flop: "TRELLIS_FF",
    memory_cell: "DP16KD",
    asked_mhz: 250,
};

/// iCE40 HX8K: a logic cell is a LUT with its register.
pub const ICE40: Device = Device {
    name: "ice40",
    title: "iCE40 HX8K",
    synth: "synth_ice40",
    flags: &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"],
    folded: true,
    logic: ("ICESTORM_LC", 7_680),
    memory: ("ICESTORM_RAM", 32),
    lut_ram: false,
    flip_flops: 7_680,
    lut: "SB_LUT4",
    flip_flop: "SB_DFF",
    memory_cell: "SB_RAM40_4K",
    asked_mhz: 100,
};

impl Device {
    /// The nextpnr of this device.
    pub fn nextpnr<'a>(&self, tools: &'a Toolbox) -> Result<&'a Tool, ToolError> {
        if self.name == ICE40.name { tools.nextpnr_ice40() } else { tools.nextpnr_ecp5() }
    }
}

/// Seeds of place and route; the median of their results is the figure.
pub const SEEDS: [u32; 3] = [1, 2, 3];

/// Connections that the iCE40 is measured at: its 16 KB of memory hold no more of every core.
pub const ICE40_CONNECTIONS: u32 = 16;

/// Data width in bits that ECP5 and iCE40 are measured at where the configuration has the default one.
pub const SMALL_BUS_BITS: u32 = 64;

/// What a figure is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Alveo(&'static Card),
    Ecp5,
    Ice40,
}

impl Target {
    /// Every target, in the order in which reports list them.
    pub fn all() -> Vec<Target> {
        CARDS.iter().map(Target::Alveo).chain([Target::Ecp5, Target::Ice40]).collect()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Target::Alveo(card) => card.name,
            Target::Ecp5 => ECP5.name,
            Target::Ice40 => ICE40.name,
        })
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let all = Target::all();
        all.iter().copied().find(|target| target.to_string() == text).ok_or_else(|| {
            let names: Vec<String> = all.iter().map(Target::to_string).collect();
            format!("no target `{}`; the targets are {}", Quoted(text), names.join(", "))
        })
    }
}
