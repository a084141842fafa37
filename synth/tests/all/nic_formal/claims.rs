//! What is claimed of the ports of the `nic`.

use respray_hdl::nic::registers::{Access, Register};

use super::claim::{Claim, Engine, Whole};

/// The proof is of what follows one reset.
const ONE_RESET: &str = "always @* assume (!is_begun || !rst);\n";

/// What the stream at `stem` of a part shows stays until it is taken.
fn held(stem: &str, payload: &[(String, u32)]) -> String {
    let names: Vec<&str> = payload.iter().map(|(wire, _)| wire.as_str()).collect();
    format!(
        "wire is_held;\nstream_rules #(.BITS({})) rules (\n    .clk(clk), .rst(rst), .valid({stem}tvalid), .ready({stem}tready), \
         .payload({{{}}}), .is_held(is_held)\n);\nalways @* assert (!is_begun || is_held);\n",
        payload.iter().map(|(_, bits)| bits).sum::<u32>(),
        names.join(", ")
    )
}

/// The outputs of a stream but for `tvalid`.
fn payload(whole: &Whole, part: &str, stem: &str) -> Vec<(String, u32)> {
    whole.outputs(part, stem).into_iter().filter(|(wire, _)| !wire.ends_with("_tvalid")).collect()
}

/// Bit 0 of each: the bits of a word come out of one memory and go one way.
fn first_bits(wires: Vec<(String, u32)>) -> Vec<(String, u32)> {
    wires.into_iter().map(|(wire, _)| (format!("{wire}[0]"), 1)).collect()
}

/// Frames to the MAC: what is offered stays.
pub fn to_mac(whole: &Whole) -> Claim {
    let stem = "outlet_m_axis_";
    let rules = held(stem, &payload(whole, "outlet", stem));
    Claim { parts: vec!["outlet"], rules, within: vec![], engine: Engine::Always }
}

/// Frames to the host: what is offered stays, and what stands beside a frame is constant during it.
pub fn to_host(whole: &Whole) -> Claim {
    let stem = "receiver_m_axis_";
    let beside = first_bits(whole.beside());
    let beats = [format!("{stem}tdata[0]"), format!("{stem}tkeep[7]"), format!("{stem}tlast")];
    let held = held(stem, &[beats.map(|wire| (wire, 1)).to_vec(), beside.clone()].concat());
    let names: Vec<&str> = beside.iter().map(|(wire, _)| wire.as_str()).collect();
    let (high, names) = (names.len() - 1, names.join(", "));
    let rules = format!(
        "{held}reg in_frame;\nreg [{high}:0] beside;\nwire [{high}:0] shown = {{{names}}};\n\
         always @(posedge clk) begin\n    if ({stem}tvalid) beside <= shown;\n    \
         if ({stem}tvalid && {stem}tready) in_frame <= !{stem}tlast;\n    if (rst) in_frame <= 1'b0;\nend\n\
         always @* assert (!is_begun || !in_frame || !{stem}tvalid || beside == shown);\n{ONE_RESET}"
    );
    Claim { parts: vec!["receiver"], rules, within: vec![], engine: Engine::Edges(11) }
}

/// Events: what is offered stays.
pub fn to_driver(whole: &Whole) -> Claim {
    let stem = "events_event_t";
    let data = first_bits(payload(whole, "events", "events_event_tdata"));
    let rules = held(stem.trim_end_matches('t'), &data) + ONE_RESET;
    Claim { parts: vec!["events"], rules, within: vec![], engine: Engine::Edges(14) }
}

/// Frames from the MAC: it never waits but for the first edges behind a reset.
pub fn from_mac(edges: u32) -> Claim {
    let rules = "reg [2:0] age;\nalways @(posedge clk) age <= rst ? 3'd0 : age == 3'd7 ? 3'd7 : age + 3'd1;\n\
                 always @* assert (!is_begun || age < 3'd3 || rewrite_rx_s_axis_tready);\n";
    let parts = vec!["rewrite_rx", "receiver"];
    Claim { parts, rules: rules.to_string(), within: vec![], engine: Engine::Edges(edges) }
}

/// Registers: the rules of AXI4-Lite, within the module of the bus, and what a proof for all time has to know of the one around it.
pub fn axi_lite() -> Claim {
    let rules = include_str!("../../../../tb/formal/axi_lite_rules.v");
    let (ports, _) = rules.split_once(");").expect("the ports of the rules");
    let names = ports.lines().filter(|line| line.trim_start().starts_with("input wire"));
    let names = names.map(|line| line.trim_end_matches(',').rsplit(' ').next().expect("a name"));
    let connections: Vec<String> = names.map(|name| format!(".{name}({name})")).collect();
    let around = "wire is_begun;\nproof_begin proof_begin (.clk(clk), .rst(rst), .is_begun(is_begun));\n\
                  always @* assert (!is_begun || !has_acted || bus_is_active);\n";
    let within = vec![
        ("nic_registers_bus", format!("axi_lite_rules rules ({});\n", connections.join(", "))),
        ("nic_registers_control", around.to_string()),
    ];
    Claim { parts: vec!["registers"], rules: String::new(), within, engine: Engine::Always }
}

/// What of the registers is refused: just what the table of registers does not allow, of any address, value and strobes.
pub fn refusals(whole: &Whole) -> Claim {
    let mut claim = axi_lite();
    let rows: String = whole.registers.iter().map(|register| format!("{}\n", row(register))).collect();
    let address = |name: &str| {
        whole.registers.iter().find(|register| register.name == name).expect("a register").address
    };
    let written = |name: &str| {
        let address = address(name);
        format!("bus_is_write && bus_address == 12'd{address} ? bus_value[4:0] : {name}")
    };
    let rules = format!(
        "function allows;\n    input is_write;\n    input [11:0] address;\n    input [31:0] value;\n    begin\n        \
         case (address)\n{rows}            default: allows = 1'b0;\n        endcase\n    end\nendfunction\n\
         wire [4:0] written_wire = {};\nwire [4:0] written_sack = {};\n\
         wire is_allowed = allows(bus_is_write, bus_address, bus_value)\n    \
         && (!bus_is_write || (bus_is_whole && written_sack >= written_wire));\n\
         always @* assert (!is_begun || !finishes || is_refused == !is_allowed);\n\
         always @* assert (!is_begun || !bus_is_active || is_set);\n",
        written("wire_prescale"),
        written("sack_prescale"),
    );
    claim.within.push(("nic_registers_control", rules));
    claim
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
    format!("            12'd{}: allows = is_write ? {is_within} : 1'b{is_read};", register.address)
}

/// These outputs of a part come from registers: no input reaches them within a cycle.
pub fn from_registers(part: &'static str, outputs: &[(String, u32)]) -> Claim {
    let wires: Vec<String> = outputs.iter().map(|(wire, _)| format!("w:{wire}")).collect();
    let engine = Engine::Registers(wires.join(" "));
    Claim { parts: vec![part], rules: String::new(), within: vec![], engine }
}
