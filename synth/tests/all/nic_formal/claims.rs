//! What is claimed of the ports of the `nic`.

use respray_hdl::nic::registers::{Access, Register};

use super::claim::{Claim, Engine, Whole};

/// The proof is of what follows one reset.
const ONE_RESET: &str = "always @* assume (!is_begun || !rst);\n";

/// The first reset has begun.
const BEGUN: &str = "wire is_begun;\nproof_begin proof_begin (.clk(clk), .rst(rst), .is_begun(is_begun));\n";

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

/// What holds of a queue in a memory at any time.
fn queue_rules(verb: &str) -> String {
    format!(
        "{BEGUN}always @* assert (!is_begun || after == read_at + 10'd1);\n\
         always @* assert (!is_begun || !valid || fill != 10'd0);\nalways @* {verb} (!is_begun || fill <= 10'd512);\n"
    )
}

/// The same of the ring: `ahead` of its beats are those of whole frames.
fn ring_rules(verb: &str) -> String {
    format!(
        "{BEGUN}wire [9:0] ahead = start - read_at;\nalways @* assert (!is_begun || after == read_at + 10'd1);\n\
         always @* assert (!is_begun || (fill <= 10'd512 && ahead <= fill));\n\
         always @* assert (!is_begun || is_full || fill <= LIMIT);\nalways @* assert (!is_begun || !valid || ahead != 10'd0);\n\
         always @* {verb} (!is_begun || !valid || unused_records_valid);\n"
    )
}

/// Frames to the host: what is offered stays, and what stands beside a frame is constant during it.
///
/// For all time this takes for given what follows from the beats in the ring: that each frame there is whole and has its record,
/// and that there are no more records and statuses than beats. From reset on that is shown, too.
pub fn to_host(whole: &Whole, engine: Engine) -> Claim {
    let (verb, resets) = match engine {
        Engine::Always => ("assume", ""),
        _ => ("assert", ONE_RESET),
    };
    let stem = "receiver_m_axis_";
    let beats = [format!("{stem}tdata[0]"), format!("{stem}tkeep[7]"), format!("{stem}tlast")];
    let beside = whole.beside();
    let offered = [beats.map(|wire| (wire, 1)).to_vec(), first_bits(beside.clone())].concat();
    let rules = held(stem, &offered) + resets;
    let port = |(wire, bits): &(String, u32)| {
        let port = wire.trim_start_matches("receiver_");
        if *bits == 1 { port.to_string() } else { format!("{port}[0]") }
    };
    let names: Vec<String> = beside.iter().map(port).collect();
    let (high, names) = (names.len() - 1, names.join(", "));
    let frames = format!(
        "{BEGUN}reg in_frame;\nreg [{high}:0] beside;\nwire [{high}:0] shown = {{{names}}};\n\
         always @(posedge clk) begin\n    if (m_axis_tvalid) beside <= shown;\n    \
         if (leaves) in_frame <= !m_axis_tlast;\n    if (rst) in_frame <= 1'b0;\nend\n\
         always @* assert (!is_begun || !in_frame || beside == shown);\n\
         always @* assert (!is_begun || !in_frame || !has_data || statuses_valid);\n\
         always @* {verb} (!is_begun || !in_frame || ring_valid);\n"
    );
    let mut within = vec![("nic_receiver", frames), ("nic_receiver_ring", ring_rules(verb))];
    // records and statuses
    for queue in ["nic_receiver_backlog", "nic_receiver_backlog_4"] {
        within.push((queue, queue_rules(verb)));
    }
    for memory in ["nic_receiver_beat_ram", "nic_receiver_record_ram", "nic_receiver_status_ram"] {
        within.push((memory, whole.memory_rules("receiver", memory, true)));
    }
    Claim { parts: vec!["receiver"], rules, within, engine }
}

/// Events: what is offered stays.
pub fn to_driver(whole: &Whole) -> Claim {
    let stem = "events_event_t";
    let data = payload(whole, "events", "events_event_tdata");
    let rules = held(stem.trim_end_matches('t'), &data);
    let queue = format!(
        "{BEGUN}always @* assert (!is_begun || waiting == head - tail);\n\
         always @* assert (!is_begun || waiting <= SIZE);\nalways @* assert (!is_begun || !event_tvalid || waiting != 11'd0);\n"
    );
    let memory = "nic_events_memory";
    let within = vec![("nic_events", queue), (memory, whole.memory_rules("events", memory, true))];
    Claim { parts: vec!["events"], rules, within, engine: Engine::Always }
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
    let around = format!("{BEGUN}always @* assert (!is_begun || !has_acted || bus_is_active);\n");
    let within = vec![
        ("nic_registers_bus", format!("axi_lite_rules rules ({});\n", connections.join(", "))),
        ("nic_registers_control", around),
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
