//! Every arc of a carry and every pin of a block RAM: a path that has nothing else to distinguish it, and what it takes in ps.

use super::hand::Case;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    carry_arcs().into_iter().chain(chained()).chain(block_ram_pins()).collect()
}

// From S of a bit, without a LUT of its own: clock to Q 77, wire, A6 43 + 35, to S 15, the arc, to the flip-flop 25 from O and nothing
// from CO, setup 25, 50. So 270 and the arc to O, 245 and the arc to CO.
const S_TO_O: [&[u32]; 8] = [
    &[335, 366, 404, 409, 476, 510, 496, 511],
    &[326, 387, 393, 474, 507, 494, 508],
    &[328, 356, 437, 470, 458, 472],
    &[331, 419, 454, 442, 457],
    &[333, 365, 399, 407],
    &[328, 401, 408],
    &[326, 355],
    &[326],
];
const S_TO_CO: [&[u32]; 8] = [
    &[316, 354, 360, 431, 461, 446, 462, 444],
    &[336, 343, 429, 458, 444, 459, 442],
    &[308, 393, 421, 407, 422, 413],
    &[378, 404, 391, 407, 415],
    &[315, 348, 358, 408],
    &[350, 358, 411],
    &[306, 369],
    &[369],
];
// From DI of a bit: 77, wire, 65, the arc, 25 from O, 25, 50. So 242 and the arc to O, 217 and the arc to CO.
const DI_TO_O: [&[u32]; 7] = [
    &[323, 351, 357, 420, 450, 438, 453],
    &[341, 344, 404, 438, 425, 440],
    &[336, 392, 428, 416, 430],
    &[389, 424, 412, 427],
    &[326, 357, 365],
    &[344, 349],
    &[335],
];
const DI_TO_CO: [&[u32]; 8] = [
    &[274, 300, 307, 399, 401, 387, 403, 357],
    &[290, 295, 361, 389, 375, 390, 344],
    &[286, 351, 377, 365, 380, 334],
    &[348, 374, 361, 377, 330],
    &[276, 304, 315, 317],
    &[291, 299, 312],
    &[286, 284],
    &[277],
];
// From the carry of the CARRY8 before, by its DI7: 77, wire, 65, DI7 to CO7 60, on 20 + 26, the arc, 25 from O, 25, 50. So 348 and the arc to
// O, 323 and the arc to CO.
const CIN_TO_O: [u32; 8] = [404, 424, 415, 430, 434, 464, 451, 464];
const CIN_TO_CO: [u32; 8] = [375, 365, 380, 383, 415, 400, 415, 346];
// From CYINIT as from DI.
const CYINIT_TO_O: [u32; 8] = [352, 374, 373, 377, 435, 470, 458, 473];
const CYINIT_TO_CO: [u32; 8] = [324, 322, 327, 394, 420, 408, 423, 377];
/// Outputs of RAMB36 without and with the register: the clock to the pin, wire, 65 + 100 + 25, 50. So 240 and the pin.
const OUT: [(&str, &str, &[u32]); 8] = [
    (
        "DOUTADOUT",
        "DOA_REG:0",
        &[
            1243, 1219, 1177, 1197, 1159, 1174, 1160, 1163, 1128, 1141, 1125, 1139, 1135, 1139, 1131, 1133,
            1113, 1116, 1126, 1118, 1121, 1122, 1119, 1117, 1123, 1129, 1115, 1122, 1106, 1120, 1103, 1116,
        ],
    ),
    ("DOUTPADOUTP", "DOA_REG:0", &[1166, 1142, 1102, 1105]),
    (
        "DOUTADOUT",
        "DOA_REG:1",
        &[
            460, 450, 460, 452, 459, 453, 459, 455, 457, 457, 455, 458, 454, 458, 451, 459, 460, 451, 459,
            453, 459, 454, 459, 456, 456, 458, 454, 458, 453, 459, 449, 459,
        ],
    ),
    ("DOUTPADOUTP", "DOA_REG:1", &[458, 456, 457, 457]),
    (
        "DOUTBDOUT",
        "DOB_REG:0",
        &[
            1232, 1206, 1167, 1184, 1142, 1156, 1141, 1147, 1117, 1125, 1116, 1124, 1117, 1120, 1110, 1118,
            1097, 1090, 1099, 1102, 1110, 1109, 1106, 1108, 1108, 1119, 1098, 1115, 1092, 1103, 1086, 1097,
        ],
    ),
    ("DOUTPBDOUTP", "DOB_REG:0", &[1156, 1132, 1094, 1096]),
    (
        "DOUTBDOUT",
        "DOB_REG:1",
        &[
            469, 458, 469, 460, 468, 462, 467, 463, 465, 467, 464, 468, 462, 468, 459, 468, 469, 459, 468,
            461, 468, 463, 467, 465, 465, 467, 463, 468, 461, 468, 457, 468,
        ],
    ),
    ("DOUTPBDOUTP", "DOB_REG:1", &[467, 466, 466, 466]),
];
/// Inputs: 77, wire, setup of the pin, 50. So 127 and the pin.
const IN: [(&str, &[u32]); 6] = [
    ("ADDRARDADDR", &[485, 460, 457, 465, 464, 479, 412, 394, 410, 404, 403, 421, 406, 401, 414]),
    ("ADDRBWRADDR", &[510, 474, 468, 461, 470, 489, 414, 412, 433, 432, 436, 430, 411, 417, 456]),
    (
        "DINADIN",
        &[
            418, 421, 403, 395, 415, 399, 371, 375, 388, 386, 375, 378, 364, 371, 369, 384, 388, 396, 375,
            363, 366, 372, 393, 373, 392, 387, 369, 388, 369, 396, 440, 394,
        ],
    ),
    ("DINPADINP", &[355, 354, 353, 349]),
    (
        "DINBDIN",
        &[
            404, 393, 391, 388, 383, 377, 382, 407, 366, 371, 364, 393, 383, 385, 397, 394, 401, 358, 365,
            356, 371, 372, 387, 392, 382, 359, 365, 393, 355, 372, 425, 394,
        ],
    ),
    ("DINPBDINP", &[372, 369, 370, 369]),
];

/// Inputs of which all bits are alike, as those of [`IN`].
const CONTROLS: [(&str, u32); 9] = [
    ("WEA", 521),
    ("WEBWE", 521),
    ("ENARDEN", 469),
    ("ENBWREN", 469),
    ("REGCEAREGCE", 360),
    ("REGCEB", 360),
    ("RSTREGARSTREG", 440),
    ("RSTREGB", 440),
    ("RSTRAMARSTRAM", 440),
];

/// A bus of `width` nets, of which one is `net` and the others are `other` with their numbers, or constants.
fn bus(width: usize, at: usize, net: &str, other: Option<&str>) -> String {
    let bit = |bit: usize| match other {
        _ if bit == at => net.to_string(),
        Some(other) => format!("{other}{bit}"),
        None => "0".to_string(),
    };
    (0..width).map(bit).collect::<Vec<_>>().join(",")
}

/// Two CARRY4 that are one CARRY8. `into` and `out` are pins of it by name and bit; the path goes through them alone.
fn carry8(into: (&str, usize), out: (&str, usize), before: &str, enters: &str) -> String {
    let cell = |half: usize| {
        let is_here = |bit: usize| bit / 4 == half;
        let input = |name: &str| match into {
            (port, bit) if port == name && is_here(bit) => bus(4, bit % 4, "q", None),
            _ => bus(4, 4, "", None),
        };
        let cyinit = if into.0 == "CYINIT" && half == 0 { "q" } else { "0" };
        let ci = if half == 0 { enters } else { "half" };
        let output = |name: &str| {
            let mut nets: Vec<String> = (0..4).map(|bit| format!("{name}{half}{bit}")).collect();
            if name == "CO" && half == 0 {
                nets[3] = "half".into();
            }
            if out.0 == name && is_here(out.1) {
                nets[out.1 % 4] = if name == "CO" && out.1 == 3 { "half".into() } else { "d".into() };
            }
            nets.join(",")
        };
        format!(
            "CARRY4 k{half} CI={ci} CYINIT={cyinit} S={} DI={} O={} CO={}\n",
            input("S"),
            input("DI"),
            output("O"),
            output("CO")
        )
    };
    // What reads CO3 beside the second half reads it by wire.
    let end = if out == ("CO", 3) { "out half\n" } else { "FDRE b D=d Q=z\n" };
    format!("FDRE a D=0 Q=q\n{before}{}{}{end}", cell(0), cell(1))
}

/// CO3 goes to the second half and to a port: 65 + 100 + 25 by a wire to 2 in place of 25 and no wire.
fn carry_case(name: String, text: &str, ps: u32, is_co3: bool) -> Case {
    match is_co3 {
        true => Case::new(name, text, [ps + 165, ps + 165 + 180, ps + 165 + 270]),
        false => Case::with_one_wire(name, text, ps),
    }
}

fn carry_arcs() -> Vec<Case> {
    let mut cases = Vec::new();
    let matrices: [(&str, &str, &[&[u32]]); 4] =
        [("S", "O", &S_TO_O), ("S", "CO", &S_TO_CO), ("DI", "O", &DI_TO_O), ("DI", "CO", &DI_TO_CO)];
    for (from, to, rows) in matrices {
        for (bit, row) in rows.iter().enumerate() {
            for (at, &ps) in row.iter().enumerate() {
                let out = at + 8 - row.len();
                let text = carry8((from, bit), (to, out), "", "0");
                let name = format!("{from}{bit} to {to}{out}");
                cases.push(carry_case(name, &text, ps, (to, out) == ("CO", 3)));
            }
        }
    }
    for (to, row) in [("O", CYINIT_TO_O), ("CO", CYINIT_TO_CO)] {
        for (out, ps) in row.into_iter().enumerate() {
            let text = carry8(("CYINIT", 0), (to, out), "", "0");
            cases.push(carry_case(format!("CYINIT to {to}{out}"), &text, ps, (to, out) == ("CO", 3)));
        }
    }
    cases
}

/// The same behind a CARRY8 of two CARRY4, of which only DI7 is driven.
fn chained() -> Vec<Case> {
    let before = "CARRY4 j0 CI=0 CYINIT=0 S=0,0,0,0 DI=0,0,0,0 CO=e0,e1,e2,e3\n\
                  CARRY4 j1 CI=e3 CYINIT=0 S=0,0,0,0 DI=0,0,0,q CO=e4,e5,e6,e7\n";
    let mut cases = Vec::new();
    for (to, row) in [("O", CIN_TO_O), ("CO", CIN_TO_CO)] {
        for (out, ps) in row.into_iter().enumerate() {
            let text = carry8(("CIN", 0), (to, out), before, "e7");
            cases.push(carry_case(format!("CIN to {to}{out}"), &text, ps, (to, out) == ("CO", 3)));
        }
    }
    cases
}

fn block_ram_pins() -> Vec<Case> {
    let mut cases = Vec::new();
    for (port, register, row) in OUT {
        for (bit, &ps) in row.iter().enumerate() {
            let pins = bus(row.len(), bit, "d", Some("n"));
            let text = format!("in clk\nRAMB36E2 r CLKARDCLK=clk {register} {port}={pins}\nFDRE b D=d Q=z");
            cases.push(Case::with_one_wire(format!("{port}[{bit}] with {register}"), &text, ps));
        }
    }
    let mut input = |port: &str, width: usize, bit: usize, ps: u32| {
        let pins = bus(width, bit, "q", None);
        let text = format!("in clk\nFDRE a D=0 Q=q\nRAMB36E2 r CLKARDCLK=clk {port}={pins}");
        cases.push(Case::with_one_wire(format!("{port}[{bit}]"), &text, ps));
    };
    for (port, row) in IN {
        row.iter().enumerate().for_each(|(bit, &ps)| input(port, row.len(), bit, ps));
    }
    for (port, ps) in CONTROLS {
        input(port, 1, 0, ps);
    }
    cases
}
