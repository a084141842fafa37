//! The delays of UltraScale+ in ps: `synth/delays/ultrascale.toml`, which says where they come from.

use serde::Deserialize;

use crate::fmax::graph::Wires;

/// The table, as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UltraScale {
    pub(super) uncertainty: f64,
    pub(super) wires: WireKinds,
    pub(super) lut: Lut,
    pub(super) flip_flop: FlipFlop,
    pub(super) mux: Mux,
    pub(super) carry: Carry,
    pub(super) lut_ram: LutRam,
    pub(super) block_ram: BlockRam,
    pub(super) dsp: Dsp,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireKinds {
    pub(super) nominal: Wires,
    pub(super) wide: Wires,
}

/// By pin, A1 to A6; O5 has no A6.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lut {
    pub(super) to_o6: [f64; 6],
    pub(super) to_o5: [f64; 5],
    pub(super) site_pin: [f64; 6],
    pub(super) to_flip_flop: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlipFlop {
    pub(super) clock_to_q: f64,
    pub(super) setup: f64,
    pub(super) site_pin: f64,
    pub(super) site_pin_to_d: f64,
    pub(super) control_site_pin: f64,
    pub(super) setup_ce: f64,
    pub(super) setup_sr: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mux {
    pub(super) from_lut: [f64; 2],
    pub(super) data: f64,
    pub(super) select_site_pin: f64,
    pub(super) select: f64,
    pub(super) leave: f64,
}

/// CARRY8. Row i of a matrix is of S or DI of bit i, and begins with the first bit that it reaches.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Carry {
    pub(super) lut_to_s: f64,
    pub(super) site_pin: f64,
    pub(super) o_to_flip_flop: f64,
    pub(super) o_to_wire: f64,
    pub(super) chain_out: f64,
    pub(super) chain_in: f64,
    pub(super) s_to_o: Vec<Vec<f64>>,
    pub(super) s_to_co: Vec<Vec<f64>>,
    pub(super) di_to_o: Vec<Vec<f64>>,
    pub(super) di_to_co: Vec<Vec<f64>>,
    pub(super) cin_to_o: [f64; 8],
    pub(super) cin_to_co: [f64; 8],
    pub(super) cyinit_to_o: [f64; 8],
    pub(super) cyinit_to_co: [f64; 8],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LutRam {
    pub(super) clock_to_o6: f64,
    pub(super) setup_we: f64,
    pub(super) we_site_pin: f64,
    pub(super) setup_data: [f64; 2],
    pub(super) data_site_pin: f64,
    pub(super) setup_address: [f64; 6],
}

/// By pin.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockRam {
    setup_we: f64,
    setup_en: f64,
    setup_regce: f64,
    setup_rstreg: f64,
    setup_rstram: f64,
    data_out_a: Vec<f64>,
    parity_out_a: Vec<f64>,
    registered_data_out_a: Vec<f64>,
    registered_parity_out_a: Vec<f64>,
    data_out_b: Vec<f64>,
    parity_out_b: Vec<f64>,
    registered_data_out_b: Vec<f64>,
    registered_parity_out_b: Vec<f64>,
    address_a: Vec<f64>,
    data_in_a: Vec<f64>,
    parity_in_a: Vec<f64>,
    address_b: Vec<f64>,
    data_in_b: Vec<f64>,
    parity_in_b: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dsp {
    pub(super) through: f64,
}

impl UltraScale {
    /// The table in this text, which is TOML; its error is that of the reader.
    pub fn read(text: &str) -> Result<UltraScale, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

impl Carry {
    /// From `S` or `DI` of a bit to `O` or `CO` of another, where there is such an arc.
    pub(super) fn arc(&self, from: &str, bit: usize, to: &str, at: usize) -> Option<f64> {
        let (rows, first) = match (from, to) {
            ("S", "O") => (&self.s_to_o, 0),
            ("S", _) => (&self.s_to_co, 0),
            (_, "O") => (&self.di_to_o, 1),
            _ => (&self.di_to_co, 0),
        };
        rows.get(bit)?.get(at.checked_sub(bit + first)?).copied()
    }
}

impl BlockRam {
    /// Clock to a bit of an output, which may be registered in the RAM; none: the table does not know the output.
    pub(super) fn clock_to(&self, port: &str, bit: usize, is_registered: bool) -> Option<f64> {
        let pins = match (port, is_registered) {
            ("DOUTADOUT", false) => &self.data_out_a,
            ("DOUTADOUT", true) => &self.registered_data_out_a,
            ("DOUTPADOUTP", false) => &self.parity_out_a,
            ("DOUTPADOUTP", true) => &self.registered_parity_out_a,
            ("DOUTBDOUT", false) => &self.data_out_b,
            ("DOUTBDOUT", true) => &self.registered_data_out_b,
            ("DOUTPBDOUTP", false) => &self.parity_out_b,
            ("DOUTPBDOUTP", true) => &self.registered_parity_out_b,
            _ => return None,
        };
        pins.get(bit).copied()
    }

    /// Setup of a bit of an input; none: the table does not know the input.
    pub(super) fn setup(&self, port: &str, bit: usize) -> Option<f64> {
        let pins = match port {
            "ADDRARDADDR" => &self.address_a,
            "ADDRBWRADDR" => &self.address_b,
            "DINADIN" => &self.data_in_a,
            "DINPADINP" => &self.parity_in_a,
            "DINBDIN" => &self.data_in_b,
            "DINPBDINP" => &self.parity_in_b,
            "WEA" | "WEBWE" => return Some(self.setup_we),
            "ENARDEN" | "ENBWREN" => return Some(self.setup_en),
            "REGCEAREGCE" | "REGCEB" => return Some(self.setup_regce),
            "RSTREGARSTREG" | "RSTREGB" => return Some(self.setup_rstreg),
            "RSTRAMARSTRAM" | "RSTRAMB" => return Some(self.setup_rstram),
            _ => return None,
        };
        pins.get(bit).copied()
    }
}
