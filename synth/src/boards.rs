//! The boards and cards that constraints are made for: one table.
//!
//! Pins are those of the boards' public schematics. Alveo cards stand in [`crate::device::CARDS`]; their pins belong to
//! the shell, so they have clocks only.

/// Clocks in MHz that an Alveo card's constraints are made for: a 100G MAC's and a PCIe DMA's.
pub const ALVEO_CLOCKS_MHZ: [f64; 2] = [322.265625, 250.0];

/// Which constraint language a board's tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Lattice preferences, nextpnr-ecp5.
    Lpf,
    /// Physical constraints, nextpnr-ice40.
    Pcf,
}

/// A board that a core can be tried on, in [`crate::wrapper::folded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name of its constraint file.
    pub name: &'static str,
    /// In words.
    pub title: &'static str,
    pub language: Language,
    /// What nextpnr is told.
    pub flags: &'static [&'static str],
    /// Clock pin and frequency.
    pub clock: (&'static str, u32),
    /// The UART's pins: into the device, out of it.
    pub serial: (&'static str, &'static str),
}

/// Every board there are constraints for.
pub const BOARDS: &[Board] = &[
    Board {
        name: "ecpix5",
        title: "LambdaConcept ECPIX-5, LFE5UM5G-85F-8BG554",
        language: Language::Lpf,
        flags: &["--um5g-85k", "--speed", "8", "--package", "CABGA554"],
        clock: ("K23", 100),
        serial: ("R26", "R24"),
    },
    Board {
        name: "ulx3s",
        title: "Radiona ULX3S, LFE5U-85F-6BG381",
        language: Language::Lpf,
        flags: &["--85k", "--speed", "6", "--package", "CABGA381"],
        clock: ("G2", 25),
        serial: ("M1", "L4"),
    },
    Board {
        name: "ice40_hx8k",
        title: "Lattice iCE40-HX8K breakout, iCE40HX8K-CT256",
        language: Language::Pcf,
        flags: &["--hx8k", "--package", "ct256"],
        clock: ("J3", 12),
        serial: ("B10", "B12"),
    },
];

/// Pins of the ECPIX-5 that its self-test uses besides the clock: port, bit of it, and pin. Of an LED the bits are red, green and blue,
/// and it is lit while they are low. `rst_n` is pulled up, so that the test also runs where nothing drives that pin.
///
/// As in litex-hub/litex-boards at 062b899e, `litex_boards/platforms/lambdaconcept_ecpix5.py`. That the LEDs are lit while low is from
/// amaranth-lang/amaranth-boards at 6cd33cef, `amaranth_boards/ecpix5.py`, which has the button at AB1.
pub const ECPIX5_SELF_TEST: [(&str, Option<u32>, &str); 13] = [
    ("rst_n", None, "N5"),
    ("led_verdict", Some(0), "P21"),
    ("led_verdict", Some(1), "R23"),
    ("led_verdict", Some(2), "P22"),
    ("led_cause", Some(0), "K21"),
    ("led_cause", Some(1), "K24"),
    ("led_cause", Some(2), "M21"),
    ("led_packets", Some(0), "U21"),
    ("led_packets", Some(1), "W21"),
    ("led_packets", Some(2), "T24"),
    ("led_faults", Some(0), "T23"),
    ("led_faults", Some(1), "R21"),
    ("led_faults", Some(2), "T22"),
];
