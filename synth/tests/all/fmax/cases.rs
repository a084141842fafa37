//! Netlists with known paths. All figures are in ps; 50 of them are uncertainty, and a wire of fan-out f takes nothing, 80 + 20 log2 f,
//! or 120 + 30 log2 f.

use super::hand::{Case, registers};

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    [luts(), inverters(), multiplexers(), carries(), lut_rams(), others()].into_iter().flatten().collect()
}

fn luts() -> Vec<Case> {
    let mut cases = vec![
        // clock to Q 77, wire, into the slice 65 and to D 100, setup 25, 50
        Case::with_one_wire("from flip-flop to flip-flop", "FDRE a D=0 Q=q\nFDRE b D=q Q=z", 317),
        // 77, wire to 8, 65 + 100 + 25, 50; the wire takes 80 + 3 * 20 or 120 + 3 * 30
        Case::new(
            "a fan-out of eight",
            &format!(
                "FDRE a D=0 Q=q\n{}",
                (0..8).map(|at| format!("FDRE b{at} D=q Q=z{at}\n")).collect::<String>()
            ),
            [317, 457, 527],
        ),
        // To the port, which is outside: 77, wire, A6 43 + 35, wire to 2, 65 + 100 + 25, 50
        Case::new(
            "a LUT for a flip-flop and a port",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nFDRE b D=n Q=z\nout n",
            [395, 395 + 80 + 100, 395 + 120 + 150],
        ),
        // The flip-flop is in the slice of the LUT: 77, wire, 43 + 35, 50 + 25, 50. The clock enable is elsewhere: 77, wire, 43 + 35, wire to
        // 2, 5 + 61, 50, which is less without wires and more with them.
        Case::new(
            "a LUT for a flip-flop and a clock enable",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nFDRE b D=n Q=z\nFDRE c D=0 CE=n Q=y",
            [280, 271 + 80 + 100, 271 + 120 + 150],
        ),
        // Two flip-flops are in the slice of the LUT.
        Case::with_one_wire(
            "a LUT for two flip-flops",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nFDRE b D=n Q=z\nFDRE c D=n Q=y",
            280,
        ),
        // The third and the fourth are elsewhere: 77, wire, 43 + 35, wire to 4, 65 + 100 + 25, 50
        Case::new(
            "a LUT for four flip-flops",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nFDRE b D=n Q=z\nFDRE c D=n Q=y\nFDRE d D=n Q=x\nFDRE e D=n Q=w",
            [395, 395 + 80 + 120, 395 + 120 + 180],
        ),
        // Port as register outside: 77, wire, 43 + 35, wire, 65 + 100 + 25, 50
        Case::with_two_wires("from port to port", "in a\nLUT1 l I0=a O=z\nout z", 395),
        // Without wires the five direct inputs are slowest, at A1: 77 + 74 + 150 = 301. With them it is the input that comes through a
        // LUT, and it has A6: 77 + 80 + 78 + 80 + 78 = 393 against 77 + 80 + 224 = 381, and 473 against 421.
        // To each: 50 + 25 to and of the flip-flop, 50.
        Case::new(
            "the input that arrives last has the fastest pin",
            &format!(
                "{}LUT1 l I0=q5 O=n\nLUT6 m I0=n I1=q0 I2=q1 I3=q2 I4=q3 I5=q4 O=d\nFDRE b D=d Q=z",
                registers(6)
            ),
            [426, 393 + 125, 473 + 125],
        ),
        // CE: 77, wire, 5 + 61, 50. SR: 77, wire, 5 + 70, 50.
        Case::with_one_wire("clock enable", "FDRE a D=0 Q=q\nFDRE b D=0 CE=q Q=z", 193),
        Case::with_one_wire("synchronous reset", "FDRE a D=0 Q=q\nFDRE b D=0 R=q Q=z", 202),
        Case::with_one_wire("synchronous set", "FDRE a D=0 Q=q\nFDSE b D=0 S=q Q=z", 202),
        Case::with_one_wire("asynchronous reset", "FDRE a D=0 Q=q\nFDCE b D=0 CLR=q Q=z", 202),
    ];
    // All inputs arrive at 77 and a wire. The slowest is at the slowest pin that is taken:
    // A6 43 + 35, A5 44 + 50, A4 44 + 90, A3 48 + 100, A2 53 + 125, A1 74 + 150. Then 50 to the flip-flop, setup 25, 50.
    for (at, bound) in [280, 296, 336, 350, 380, 426].into_iter().enumerate() {
        let inputs: String = (0..=at).map(|pin| format!(" I{pin}=q{pin}")).collect();
        let text = format!("{}LUT{} l{inputs} O=d\nFDRE b D=d Q=z", registers(at + 1), at + 1);
        cases.push(Case::with_one_wire(format!("a LUT of {} inputs", at + 1), &text, bound));
    }
    cases
}

fn inverters() -> Vec<Case> {
    vec![
        // The inverter is in the LUT: 77, wire, 43 + 35, 50 + 25, 50
        Case::with_one_wire(
            "an inverter before a LUT",
            "FDRE a D=0 Q=q\nINV i I=q O=n\nLUT1 l I0=n O=d\nFDRE b D=d Q=z",
            280,
        ),
        Case::with_one_wire(
            "an inverter behind a LUT",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nINV i I=n O=d\nFDRE b D=d Q=z",
            280,
        ),
        // It becomes a LUT itself.
        Case::with_one_wire(
            "an inverter between flip-flops",
            "FDRE a D=0 Q=q\nINV i I=q O=d\nFDRE b D=d Q=z",
            280,
        ),
        // q goes to the LUT and to what has become a LUT for b: 77, wire to 2, 43 + 35, 50 + 25, 50
        Case::new(
            "an inverter for a LUT and a flip-flop",
            "FDRE a D=0 Q=q\nINV i I=q O=n\nLUT1 l I0=n O=d\nFDRE c D=d Q=y\nFDRE b D=n Q=z",
            [280, 380, 430],
        ),
    ]
}

fn multiplexers() -> Vec<Case> {
    let mux = |pins: &str| format!("FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m {pins} O=d\nFDRE b D=d Q=z");
    vec![
        // 77, wire, 43 + 35, to the multiplexer 25 or 21, through it 70, out of it 32, setup 25, 50
        Case::with_one_wire("MUXF7, first input", &mux("I0=n I1=0 S=0"), 357),
        Case::with_one_wire("MUXF7, second input", &mux("I0=0 I1=n S=0"), 353),
        // Without a LUT of its own the input goes through one: the same.
        Case::with_one_wire(
            "MUXF7 behind a flip-flop",
            "FDRE a D=0 Q=q\nMUXF7 m I0=q I1=0 S=0 O=d\nFDRE b D=d Q=z",
            357,
        ),
        // The LUT is with the first MUXF7. To the second: 77, wire, 43 + 35, wire to 2, 43 + 35, 25 + 70, 32, 25, 50
        Case::new(
            "MUXF7 behind a LUT that is with another",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m I0=n I1=0 S=0 O=d\nFDRE b D=d Q=z\n\
             MUXF7 w I0=n I1=0 S=0 O=e\nFDRE c D=e Q=y",
            [435, 435 + 80 + 100, 435 + 120 + 150],
        ),
        // 77, wire, 65 + 77, 32, 25, 50
        Case::with_one_wire(
            "MUXF7, select",
            "FDRE a D=0 Q=q\nMUXF7 m I0=0 I1=0 S=q O=d\nFDRE b D=d Q=z",
            326,
        ),
        // 77, wire, 43 + 35, 25 + 70, 32, wire, 65 + 100 + 25, 50
        Case::with_two_wires(
            "MUXF7 to a port",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m I0=n I1=0 S=0 O=d\nout d",
            522,
        ),
        // To the clock enable: 77, wire, 43 + 35, 25 + 70, 32, wire to 2, 5 + 61, 50. The flip-flop is in the slice.
        Case::new(
            "MUXF7 for a flip-flop and a clock enable",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m I0=n I1=0 S=0 O=d\nFDRE b D=d Q=z\nFDRE c D=0 CE=d Q=y",
            [398, 398 + 80 + 100, 398 + 120 + 150],
        ),
        // 77, wire, 43 + 35, 25 + 70, 25 + 70, 32, 25, 50
        Case::with_one_wire(
            "MUXF8 behind MUXF7",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m I0=n I1=0 S=0 O=k\nMUXF8 w I0=k I1=0 S=0 O=d\nFDRE b D=d Q=z",
            452,
        ),
        // The MUXF7 is with the first MUXF8. To the second its output comes through a LUT and another MUXF7:
        // 77, wire, 43 + 35, 25 + 70, 32, wire to 2, 43 + 35, 25 + 70, 21 + 70, 32, 25, 50
        Case::new(
            "MUXF8 behind a MUXF7 that is with another",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nMUXF7 m I0=n I1=0 S=0 O=k\nMUXF8 v I0=k I1=0 S=0 O=e\nFDRE c D=e Q=y\n\
             MUXF8 w I0=0 I1=k S=0 O=d\nFDRE b D=d Q=z",
            [653, 653 + 80 + 100, 653 + 120 + 150],
        ),
    ]
}

fn carries() -> Vec<Case> {
    let chain = |count: usize, first: &str, last: &str| -> String {
        let cell = |at: usize| {
            let (pins, enters) = match at {
                0 => (first, "0".to_string()),
                _ => ("", format!("c{at}")),
            };
            let leaves = if at + 1 == count { last.to_string() } else { format!("CO=,,,c{}", at + 1) };
            let leaves = leaves.replace("CO=,,,", "CO=u,u,u,").replace('u', &format!("u{at}"));
            format!("CARRY4 k{at} CI={enters} {pins} {leaves}\n")
        };
        (0..count).map(cell).collect()
    };
    let adder = "CYINIT=0 S=s,0,0,0 DI=0,0,0,0";
    let mut cases = vec![
        // Three CARRY8 of two CARRY4: 77, wire, 43 + 35, to S 15, S0 to CO7 199, on 20 + 26, CIN to CO7 23, on 20 + 26, CIN to O7 116,
        // to the flip-flop 25, setup 25, 50
        Case::with_one_wire(
            "a chain of 24 bits",
            &format!("FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{}FDRE b D=d Q=z", chain(6, adder, "O=v0,v1,v2,d")),
            700,
        ),
        // 77, wire, 43 + 35, 15, S0 to O0 65, out 30, wire to 2, 65 + 100 + 25, 50
        Case::new(
            "a sum that leaves its slice",
            &format!(
                "FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{}FDRE b D=d Q=z\nout d",
                chain(1, adder, "O=d,v1,v2,v3")
            ),
            [505, 505 + 80 + 100, 505 + 120 + 150],
        ),
        // To the clock enable: 77, wire, 43 + 35, 15, 65, out 30, wire to 2, 5 + 61, 50. The flip-flop is in the slice.
        Case::new(
            "a sum for a flip-flop and a clock enable",
            &format!(
                "FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{}FDRE b D=d Q=z\nFDRE c D=0 CE=d Q=y",
                chain(1, adder, "O=d,v1,v2,v3")
            ),
            [381, 381 + 80 + 100, 381 + 120 + 150],
        ),
        // The LUT is with the first carry, so that the second has another one before S: 77, wire, 43 + 35, wire to 2, 43 + 35, 15, S0 to O0
        // 65, 25, 25, 50
        Case::new(
            "a carry behind a LUT that is with another",
            &format!(
                "FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{}FDRE b D=d Q=z\n\
                 CARRY4 w CI=0 CYINIT=0 S=s,0,0,0 DI=0,0,0,0 O=e,p1,p2,p3\nFDRE c D=e Q=y",
                chain(1, adder, "O=d,v1,v2,v3")
            ),
            [413, 413 + 80 + 100, 413 + 120 + 150],
        ),
        // A carry out needs no way out: 77, wire, 43 + 35, 15, S0 to CO3 186, wire, 65 + 100 + 25, 50
        Case::with_two_wires(
            "a carry that leaves its slice",
            &format!("FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{}out d", chain(1, adder, "CO=v0,v1,v2,d")),
            596,
        ),
        // The second CARRY4 behind k0 begins a chain of its own: CO3 as above, wire to 2, 65, CYINIT to O0 110, 25, 25, 50. The first is
        // half of the CARRY8 of k0: 77, wire, 43 + 35, 15, S0 to O4 206, 25, 25, 50.
        Case::new(
            "a carry with two behind it",
            "FDRE a D=0 Q=q\nLUT1 l I0=q O=s\nCARRY4 k0 CI=0 CYINIT=0 S=s,0,0,0 DI=0,0,0,0 CO=u0,u1,u2,c\n\
             CARRY4 k1 CI=c CYINIT=0 S=0,0,0,0 DI=0,0,0,0 O=d,o1,o2,o3\nFDRE b D=d Q=z\n\
             CARRY4 k2 CI=c CYINIT=0 S=0,0,0,0 DI=0,0,0,0 O=e,p1,p2,p3\nFDRE f D=e Q=y",
            [77 + 78 + 15 + 186 + 65 + 110 + 100, 631 + 80 + 100, 631 + 120 + 150],
        ),
    ];
    // The LUTs at DI and S of bit 0 share their inputs, so that of DI is at O5: 77, wire to 2, pin, DI0 to CO3 182, setup 25, 50.
    // The slowest pin is A5 44 + 70, A4 44 + 100, A3 48 + 115, A2 53 + 140, A1 74 + 165. S is faster each time: 15 + 186 in place of 182
    // behind A6 78, A5 94, A4 134, A3 148, A2 178.
    for (at, bound) in [448, 478, 497, 527, 573].into_iter().enumerate() {
        let inputs: String = (0..=at).map(|pin| format!(" I{pin}=q{pin}")).collect();
        let kind = at + 1;
        let text = format!(
            "{}LUT{kind} l{inputs} O=s\nLUT{kind} m{inputs} O=t\n\
             CARRY4 k CI=0 CYINIT=0 S=s,0,0,0 DI=t,0,0,0 CO=v0,v1,v2,d\nFDRE b D=d Q=z",
            registers(kind)
        );
        cases.push(Case::new(
            format!("a LUT of {kind} inputs at O5"),
            &text,
            [bound, bound + 100, bound + 150],
        ));
    }
    cases
}

fn lut_rams() -> Vec<Case> {
    let srl = |pins: &str| format!("in x\nFDRE a D=0 Q=q\nSRL16E s {pins} Q=y\n");
    let ram = |pins: &str| format!("in clk\nFDRE a D=0 Q=q\nRAM64M8 r WCLK=clk {pins}\n");
    let mut cases = vec![
        // clock to Q 312, wire, 65 + 100 + 25, 50
        Case::with_one_wire(
            "out of a shift register",
            &format!("{}FDRE b D=y Q=z", srl("D=0 CE=1 A0=0")),
            552,
        ),
        // 77, wire, 65 + 69, 50
        Case::with_one_wire("into a shift register", &srl("D=q CE=1 A0=0"), 261),
        // 77, wire, 65 + 180, 50
        Case::with_one_wire("clock enable of a shift register", &srl("D=0 CE=q A0=0"), 372),
        // RAMB36 992, wire, A6 43 + 35, wire, 65 + 100 + 25, 50
        Case::with_two_wires(
            "address of a shift register",
            "in clk\nRAMB36E2 m CLKBWRCLK=clk DOUTBDOUT=q\nSRL16E s D=0 CE=1 A0=q Q=y\nFDRE b D=y Q=z",
            1310,
        ),
        // clock to O6 312, wire, 65 + 100 + 25, 50
        Case::with_one_wire("out of distributed RAM", &format!("{}FDRE b D=y Q=z", ram("DOA=y")), 552),
        // 77, wire, 65 + 180, 50
        Case::with_one_wire("write enable of distributed RAM", &ram("WE=q"), 372),
        // 77, wire, 65 + 69 or 81, 50
        Case::with_one_wire("data of distributed RAM", &ram("DIA=q"), 261),
        Case::with_one_wire(
            "data of the second memory of 32 bits",
            "in clk\nFDRE a D=0 Q=q\nRAM32M16 r WCLK=clk DIA=0,q",
            273,
        ),
        // As of the shift register: 992, wire, 43 + 35, wire, 65 + 100 + 25, 50
        Case::with_two_wires(
            "read address of distributed RAM",
            "in clk\nRAMB36E2 m CLKBWRCLK=clk DOUTBDOUT=q\n\
             RAM64M8 r WCLK=clk ADDRA=q,0,0,0,0,0 ADDRH=0,0,0,0,0,0 DOA=y\nFDRE b D=y Q=z",
            1310,
        ),
    ];
    // 77, wire, pins 74, 53, 48, 44, 44, 43, setup 117, 114, 113, 112, 86, 96, 50
    for (at, bound) in [318, 294, 288, 283, 257, 266].into_iter().enumerate() {
        let address = ["0"; 6].map(str::to_string).into_iter().enumerate();
        let address: Vec<String> =
            address.map(|(bit, zero)| if bit == at { "q".into() } else { zero }).collect();
        let text = ram(&format!("ADDRA=0,0,0,0,0,0 ADDRH={}", address.join(",")));
        cases.push(Case::with_one_wire(format!("write address {at} of distributed RAM"), &text, bound));
    }
    cases
}

fn others() -> Vec<Case> {
    vec![
        // 77, wire, 1610, wire, 65 + 100 + 25, 50
        Case::with_two_wires(
            "through a DSP",
            "FDRE a D=0 Q=q\nDSP48E2 m A=q,0 B=0 AREG:0 PREG:0 P=p\nFDRE b D=p Q=z",
            1927,
        ),
        // RAMB18 as RAMB36: 1003, wire, 43 + 35, wire, address 5 of port B 362, 50
        Case::with_two_wires(
            "from block RAM to block RAM",
            "in clk\nRAMB18E2 m CLKARDCLK=clk DOUTADOUT=q\nLUT1 l I0=q O=n\n\
             RAMB36E2 r CLKBWRCLK=clk ADDRBWRADDR=0,0,0,0,0,n",
            1493,
        ),
    ]
}
