//! Constraint files, made from [`crate::boards`] and [`crate::device::CARDS`].

use std::path::PathBuf;

use crate::boards::{ALVEO_CLOCKS_MHZ, BOARDS, Board, ECPIX5_SELF_TEST, Language};
use crate::device::{CARDS, Card};

/// Every constraint file by its name: XDC per Alveo card and clock (those of [`ALVEO_CLOCKS_MHZ`] and
/// `clock_mhz`), LPF and PCF per board. `README.md` beside them says which file is for what.
pub fn files(clock_mhz: f64) -> Vec<(PathBuf, String)> {
    let clocks = clocks(clock_mhz);
    let alveo = CARDS
        .iter()
        .flat_map(|card| clocks.iter().map(|&mhz| (PathBuf::from(xdc_name(card, mhz)), xdc(card, mhz))));
    let boards = BOARDS.iter().map(|board| (PathBuf::from(board_file(board)), of_board(board)));
    let readme = (PathBuf::from("README.md"), readme(&clocks));
    alveo.chain(boards).chain([readme]).collect()
}

/// Name of the constraint file of a board, e.g. `ulx3s.lpf`.
fn board_file(board: &Board) -> String {
    let extension = if board.language == Language::Lpf { "lpf" } else { "pcf" };
    format!("{}.{extension}", board.name)
}

/// Which file is for which card or board and clock, and what a user changes in it.
fn readme(clocks: &[f64]) -> String {
    let row = |file: &str, whose: &str, part: &str, mhz: &str, pins: &str| {
        format!("| [`{file}`]({file}) | {whose} | `{part}` | {mhz} MHz | {pins} |\n")
    };
    let cards = CARDS.iter().flat_map(|card| {
        let whose = format!("Alveo {}", card.name.to_uppercase());
        clocks.iter().map(move |&mhz| row(&xdc_name(card, mhz), &whose, card.part, &mhz.to_string(), "none"))
    });
    let boards = BOARDS.iter().map(|board| {
        let (title, part) = board.title.split_once(", ").unwrap_or((board.title, ""));
        let (serial_in, serial_out) = board.serial;
        let pins = format!("clock {}, UART {serial_in} and {serial_out}", board.clock.0);
        row(&board_file(board), title, part, &board.clock.1.to_string(), &pins)
    });
    format!(
        "# Constraints

One file for each card or board and clock. `respray generate` makes them, and this page, from its tables of cards and boards.

| file | card or board | part | clock | pins |
| --- | --- | --- | --- | --- |
{}
## Alveo cards: XDC

An XDC holds the clock of one core, out of context, and nothing else: in a card the pins belong to the shell. The scripts `CORE.tcl`
and the FuseSoC targets `synth_CARD` beside the Verilog read the file of their card at the clock of the configuration.

- **Another clock**: `respray generate --set clock_mhz=300` writes one more XDC for each card, for this clock.
- **In a shell**: leave the XDC out, because the shell has the clock already. The head of each file says what to connect `clk` and
  `rst` to. A wrapper for a shell (`respray generate --shell NAME`) comes with constraints of its own.

## Boards: LPF and PCF

The ports are those of the wrapper `CORE_board.v`: `clk`, and the pins of the UART, `serial_in` and `serial_out`. The wrapper shows
that a core fits a device and how fast it is.

- **Another board**: copy the file of a board with the same tools, and change the pins and the frequency of `clk`.
- **Your own design around a core**: keep the lines of `clk`, and name the pins of your own ports in place of the UART's.
- **The self-test on the ECPIX-5** has other ports, so `respray generate --example ecpix5` writes its LPF beside its Verilog.
",
        cards.chain(boards).collect::<String>()
    )
}

/// The constraint file of a board, in the language that its tools read.
pub fn of_board(board: &Board) -> String {
    match board.language {
        Language::Lpf => lpf(board),
        Language::Pcf => pcf(board),
    }
}

/// Clocks that Alveo constraints are made for when the configuration names `clock_mhz`.
fn clocks(clock_mhz: f64) -> Vec<f64> {
    let mut clocks = ALVEO_CLOCKS_MHZ.to_vec();
    if !clocks.contains(&clock_mhz) {
        clocks.push(clock_mhz);
    }
    clocks
}

/// Name of the XDC of a card and a clock, e.g. `u50_322.xdc`.
pub fn xdc_name(card: &Card, mhz: f64) -> String {
    let whole = ALVEO_CLOCKS_MHZ.contains(&mhz);
    if whole { format!("{}_{}.xdc", card.name, mhz.floor()) } else { format!("{}_{mhz}.xdc", card.name) }
}

/// Period in ns, rounded down to a picosecond: never slower than was asked for.
pub(crate) fn period_ns(mhz: f64) -> f64 {
    (1_000_000.0 / mhz).floor() / 1000.0
}

fn xdc(card: &Card, mhz: f64) -> String {
    let Card { name, part, .. } = card;
    format!(
        "# Alveo {} ({part}), {mhz} MHz. Made by respray from its table of cards.
#
# Vivado has never read this file. A test reads it with commands that stand in for Vivado's, and no more.
#
# Out of context (synth_design -mode out_of_context) this clock is all there is: paths from and to ports stay without
# a constraint, so register the ports or read the paths between registers only. HD.CLK_SRC names the buffer from which the
# clock is taken to come; without one, Vivado would reckon with no skew at all.
#
# In a shell leave this file out: the clock's IP makes the clock. Connect clk to
#   322.265625 MHz  the user clock of the 100G MAC (CMAC: gt_txusrclk2), so that no packet crosses a clock domain;
#   250 MHz         the user clock of the PCIe DMA (QDMA, XDMA: axi_aclk);
#   another clock   a clocking wizard (in a Vitis shell: ap_clk at --kernel_frequency).
# rst is synchronous and active-high: take it from the proc_sys_reset of the same clock (peripheral_reset).
create_clock -period {:.3} -name clk [get_ports clk]
set_property HD.CLK_SRC BUFGCTRL_X0Y0 [get_ports clk]
",
        name.to_uppercase(),
        period_ns(mhz)
    )
}

fn lpf(board: &Board) -> String {
    let (clock, mhz) = board.clock;
    let mut text = format!("{}FREQUENCY PORT \"clk\" {mhz} MHZ;\n", head(board));
    let mut place = |port: &str, pin: &str| {
        text += &format!("LOCATE COMP \"{port}\" SITE \"{pin}\";\nIOBUF PORT \"{port}\" IO_TYPE=LVCMOS33;\n");
    };
    place("clk", clock);
    place("serial_in", board.serial.0);
    place("serial_out", board.serial.1);
    text
}

/// The constraint file of the self-test of the ECPIX-5.
pub fn of_self_test(board: &Board) -> String {
    let (clock, mhz) = board.clock;
    let mut text = format!(
        "# {}, with the ports of ecpix5.v. Made by respray from its table of boards.
FREQUENCY PORT \"clk\" {mhz} MHZ;
LOCATE COMP \"clk\" SITE \"{clock}\";
IOBUF PORT \"clk\" IO_TYPE=LVCMOS33;
",
        board.title
    );
    for (port, bit, pin) in ECPIX5_SELF_TEST {
        let port = bit.map_or(port.to_string(), |bit| format!("{port}[{bit}]"));
        let pull = if bit.is_none() { " PULLMODE=UP" } else { "" };
        text += &format!(
            "LOCATE COMP \"{port}\" SITE \"{pin}\";\nIOBUF PORT \"{port}\" IO_TYPE=LVCMOS33{pull};\n"
        );
    }
    text
}

fn pcf(board: &Board) -> String {
    let (clock, mhz) = board.clock;
    format!(
        "{}set_frequency clk {mhz}
set_io clk {clock}
set_io serial_in {}
set_io serial_out {}
",
        head(board),
        board.serial.0,
        board.serial.1
    )
}

/// What a constraint file of a board says of itself.
fn head(board: &Board) -> String {
    format!(
        "# {}. Made by respray from its table of boards.
# Ports are those of CORE_board.v beside each CORE.v: serial_in and serial_out are the UART's pins. There is no reset pin,
# because that wrapper resets the core after configuration.
",
        board.title
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_never_longer_than_the_clock_asked_for() {
        assert_eq!(period_ns(322.265625), 3.103);
        assert_eq!(period_ns(250.0), 4.0);
        assert_eq!(period_ns(300.0), 3.333);
    }

    #[test]
    fn a_configured_clock_gets_files_of_its_own() {
        assert_eq!(files(322.265625).len(), 14);
        let with = files(312.5);
        assert_eq!(with.len(), 19);
        assert!(
            with.iter()
                .any(|(path, text)| path.ends_with("u55c_312.5.xdc") && text.contains("-period 3.200"))
        );
    }
}
