//! What is proved of the registers of the `nic`: AXI4-Lite, and what is refused.

use respray_hdl::nic::registers::{Access, Register};

use super::super::axis::{BEGIN, given, held};
use super::super::{Claim, Fault, Method, Proof, Rules};
use super::{TO_MAC, whole};

/// The rules of AXI4-Lite within the module of the bus, and the table of registers around it. Behind a reset the registers give each setting
/// its value, a round of 52 edges each; in a search for a fault a round is 14 edges long, and the first one gives all.
pub const REGISTERS: Proof = Proof {
    block: Some(|| Ok(whole().verilog(&["registers"]))),
    rules,
    method: Method::Unbounded(4),
    fault_edges: 0..40,
    shortened: &[
        ("localparam [5:0] LAST = 6'h33;", "localparam [5:0] LAST = 6'd13;"),
        ("localparam [5:0] TAKE = 6'h27;", "localparam [5:0] TAKE = 6'd1;"),
        ("localparam [5:0] ACT = 6'h2c;", "localparam [5:0] ACT = 6'd6;"),
        ("is_set <= first_word == LAST_FIRST_WORD;", "is_set <= 1'b1;"),
    ],
    claims: &[
        Claim {
            rule: "write_answer_stays",
            source: "AXI4-Lite",
            says: "The answer to a write stays, unchanged, until it is taken.",
            fault: Fault::Shown("if (bready) bvalid <= 1'b0;", "bvalid <= 1'b0;"),
        },
        Claim {
            rule: "read_answer_stays",
            source: "AXI4-Lite",
            says: "The answer to a read stays, unchanged, until it is taken.",
            fault: Fault::Shown("if (rready) rvalid <= 1'b0;", "rvalid <= 1'b0;"),
        },
        Claim {
            rule: "one_answer",
            source: "AXI4-Lite",
            says: "Each write and each read has one answer, after its address and its value were taken, and there is no answer without an access.",
            fault: Fault::Shown("bvalid <= is_write;", "bvalid <= 1'b1;"),
        },
        Claim {
            rule: "taken_once",
            source: "AXI4-Lite",
            says: "The address and the value of a write are taken only while none is held.",
            fault: Fault::Shown(
                "awready <= !(has_address || (awvalid && awready));",
                "awready <= !has_address;",
            ),
        },
        Claim {
            rule: "response",
            source: "AXI4-Lite",
            says: "A response is OKAY or SLVERR, and a read that is refused gives 0.",
            fault: Fault::Shown("rdata <= is_refused ? 32'd0 : data;", "rdata <= data;"),
        },
        Claim {
            rule: "refuses_by_the_table",
            source: "table of registers",
            says: "An access is refused exactly where the table of registers does not allow it: of any address, value and strobes.",
            fault: Fault::Shown("|| !bus_is_whole", "|| 1'b0"),
        },
    ],
    ..TO_MAC
};

fn rules() -> Rules {
    let bus = BEGIN.to_string()
        + &given("given_write_address", "awvalid", "awready", "awaddr")
        + &given("given_value", "wvalid", "wready", "wstrb, wdata")
        + &given("given_read_address", "arvalid", "arready", "araddr")
        + &held("write_answer_stays", "bvalid", "bready", "resp")
        + &held("read_answer_stays", "rvalid", "rready", "resp, rdata")
        + include_str!("axi_lite.v");
    let rows: String = whole().registers.iter().map(row).collect();
    let table = include_str!("refusals.v")
        .replace("            ROWS\n", &rows)
        .replace("WRITTEN_WIRE", &written("wire_prescale"))
        .replace("WRITTEN_SACK", &written("sack_prescale"));
    Rules::of("registers_bus", bus).and("registers_control", &(BEGIN.to_string() + &table))
}

/// The prescaler of this register as a write leaves it.
fn written(name: &str) -> String {
    let address =
        whole().registers.iter().find(|register| register.name == name).expect("a register").address;
    format!("bus_is_write && bus_address == 12'd{address} ? value[4:0] : {name}")
}

/// The accesses that a register allows.
fn row(register: &Register) -> String {
    let (least, most) = register.allowed.clone().into_inner();
    let is_within = match (least, most) {
        _ if least > most => "1'b0".to_string(),
        (0, u32::MAX) => "1'b1".to_string(),
        (0, _) => format!("value <= 32'd{most}"),
        _ => format!("value >= 32'd{least} && value <= 32'd{most}"),
    };
    let is_read = u8::from(register.access != Access::WriteOnly);
    format!("            12'd{}: allows = is_write ? {is_within} : 1'b{is_read};\n", register.address)
}
