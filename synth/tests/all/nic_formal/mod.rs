//! The bus rules at the ports of the joined `nic`: of the parts that these ports belong to, on the Verilog as it is generated, in the
//! smallest configuration.
//!
//! What is offered stays, for all time: that is proved by induction, also of what comes out of a memory, of which is assumed no more
//! than that it keeps its words. What takes the words themselves is proved from reset on for so many clock edges that several frames
//! have passed. That a port of the whole is that of the part is read from the netlist as it is printed.
//! Memories are those of simulation here: a word that is read and written at one edge is garbage.

mod claim;
mod claims;

use respray_hdl::manifest::{Direction, Port};

use self::claim::{Engine, Whole, whole};
use self::claims::{axi_lite, from_mac, from_registers, refusals, to_driver, to_host, to_mac};
use crate::formal::is_proved;

/// Where the names of ports of the whole begin, the part that they belong to, and where their names begin there.
const JOINTS: [(&str, &str, &str); 6] = [
    ("tx_in_", "sender", "s_axis_"),
    ("tx_out_", "outlet", "m_axis_"),
    ("rx_in_", "rewrite_rx", "s_axis_"),
    ("rx_out_", "receiver", "m_axis_"),
    ("event_t", "events", "event_t"),
    ("s_axil_", "registers", "s_axil_"),
];

/// Ports of the whole that are not those of the parts, as the top has them.
fn unlike(whole: &Whole, (of_whole, part, of_part): (&str, &str, &str)) -> Vec<String> {
    let connections = whole.connections(part);
    let ports: Vec<&Port> =
        whole.parts[part].ports.iter().filter(|port| port.name.starts_with(of_part)).collect();
    assert!(!ports.is_empty(), "{part} has no port {of_part}");
    let outer = |port: &Port| format!("{of_whole}{}", &port.name[of_part.len()..]);
    let is_joined = |port: &Port| match port.direction {
        Direction::Input => connections[port.name.as_str()] == outer(port),
        Direction::Output => whole.is_assigned(&outer(port), &format!("{part}_{}", port.name)),
    };
    ports.iter().filter(|port| !is_joined(port)).map(|port| outer(port)).collect()
}

#[test]
fn ports_of_the_whole_are_those_of_the_parts() {
    let mut whole = whole().clone();
    for joint in JOINTS {
        assert_eq!(unlike(&whole, joint), [""; 0]);
    }
    for (wire, _) in whole.beside() {
        assert!(whole.is_assigned(wire.trim_start_matches("receiver_"), &wire), "{wire}");
    }
    whole.top = whole.top.replace("sender_s_axis_tready;", "sender_s_axis_tready & tx_in_tvalid;");
    assert_eq!(unlike(&whole, JOINTS[0]), ["tx_in_tready"]);
    whole.top = whole.top.replace("(tx_out_tready)", "(1'b1)");
    assert_eq!(unlike(&whole, JOINTS[1]), ["tx_out_tready"]);
}

/// Both streams of frames that go out, and what makes the host wait.
#[test]
fn frames_of_the_whole_come_from_registers() {
    let whole = whole();
    let to_host = [whole.outputs("receiver", "receiver_m_axis_"), whole.beside()].concat();
    let fault = ("assign m_axis_tvalid = offers;", "assign m_axis_tvalid = offers & s_axis_tvalid;");
    from_registers("receiver", &to_host).check(whole, &[fault]);
    from_registers("outlet", &whole.outputs("outlet", "outlet_m_axis_")).check(whole, &[]);
    from_registers("sender", &whole.outputs("sender", "sender_s_axis_")).check(whole, &[]);
}

#[test]
#[ignore = "the same of the other ports"]
fn all_other_outputs_of_the_whole_come_from_registers() {
    for (part, begins) in [
        ("rewrite_rx", "rewrite_rx_s_axis_"),
        ("events", "events_event_t"),
        ("registers", "registers_s_axil_"),
    ] {
        from_registers(part, &whole().outputs(part, begins)).check(whole(), &[]);
    }
}

#[test]
fn what_is_offered_to_the_mac_stays_until_it_is_taken() {
    let whole = whole();
    let fault = (
        "moves = m_axis_tready || !m_axis_tvalid;",
        "moves = m_axis_tready || !m_axis_tvalid || a_axis_tvalid;",
    );
    to_mac(whole).check(whole, &[fault]);
}

#[test]
fn registers_keep_the_rules_of_axi4_lite() {
    axi_lite().check(whole(), &[]);
}

#[test]
#[ignore = "solver runs of seconds each"]
fn registers_that_break_a_rule_are_refuted() {
    let faults = [
        // an answer is taken back; there are two of them, or one without an access; address or value is taken twice; a read is
        // answered with what was not to be told
        ("if (bready) begin\n            bvalid <= 1'b0;", "begin\n            bvalid <= 1'b0;"),
        ("if (rready) begin\n            rvalid <= 1'b0;", "begin\n            rvalid <= 1'b0;"),
        ("bvalid <= is_write;", "bvalid <= 1'b1;"),
        ("wire finishes = ends_round && has_acted &&", "wire finishes = ends_round &&"),
        ("awready <= !(has_address || (awvalid && awready));", "awready <= !has_address;"),
        (
            "wire may_begin = take && !is_active && !bvalid && !rvalid;",
            "wire may_begin = take && !is_active && !bvalid;",
        ),
        ("            if (is_refused) begin\n                rdata <= 32'd0;\n            end\n", ""),
    ];
    axi_lite().check(whole(), &faults);
}

#[test]
#[ignore = "half a minute of a solver"]
fn registers_refuse_just_what_the_table_does_not_allow() {
    let faults = [
        // a byte that is not written; prescalers that are swapped; a write of a register that cannot be written; an address
        // between words
        ("|| !bus_is_whole", "|| 1'b0"),
        ("are_swapped <= next_sack < next_wire;", "are_swapped <= 1'b0;"),
        ("can_clear <= can_read && is_counter && is_low;", "can_clear <= can_read && is_counter;"),
        ("is_outside <= address[1:0] != 2'd0 ||", "is_outside <="),
    ];
    refusals(whole()).check(whole(), &faults);
}

#[test]
#[ignore = "half a minute of a solver"]
fn the_mac_never_waits() {
    // the last beat of a frame waits for more than its record
    let fault = ("assign tready = !tlast | meta_valid;", "assign tready = meta_valid;");
    from_mac(40).check(whole(), &[fault]);
}

/// Of the smallest of the memories: all are made by one block.
#[test]
fn a_memory_keeps_its_words() {
    let whole = whole();
    let (part, memory) = ("receiver", "nic_receiver_status_ram");
    let verilog = &whole.parts[part].verilog;
    let begin = verilog.find(&format!("module {memory} (")).expect("the memory");
    let (module, _) = verilog[begin..].split_once("endmodule").expect("its end");
    let module = format!("{module}{}endmodule\n", whole.memory_rules(part, memory, false));
    let proved = |module: &str| {
        let script = format!(
            "read_verilog -formal memory_rules.v core.v\nhierarchy -check -top {memory}\nproc\nflatten\nmemory\nopt\n\
             async2sync\nsat -tempinduct -seq 1 -maxsteps 4 -prove-asserts -verify\n"
        );
        is_proved(&[("core.v", module)], &script)
    };
    assert!(proved(&module));
    let fault = ("if (write_enable) words", "if (write_enable || read_address == 9'd5) words");
    assert_eq!(module.matches(fault.0).count(), 1);
    assert!(!proved(&module.replace(fault.0, fault.1)), "a word that changes is not refuted");
}

/// A beat leaves that was not taken; a record leaves with each beat.
const FAULTS_TO_HOST: [(&str, &str); 2] = [
    ("wire leaves = offers & m_axis_tready;", "wire leaves = offers;"),
    ("wire records_pop = pop & head_keep[0];", "wire records_pop = pop;"),
];

#[test]
#[ignore = "half a minute of a solver"]
fn what_is_offered_to_the_host_stays_until_it_is_taken() {
    to_host(whole(), Engine::Always).check(whole(), &FAULTS_TO_HOST);
}

#[test]
#[ignore = "half a minute of a solver"]
fn frames_to_the_host_are_whole_and_have_their_records() {
    to_host(whole(), Engine::Edges(11)).check(whole(), &FAULTS_TO_HOST);
}

#[test]
fn events_stay_until_they_are_taken() {
    let whole = whole();
    let faults = [
        // one that was not taken leaves; one is written over another
        ("wire pop = event_tvalid && event_tready;", "wire pop = event_tvalid;"),
        ("(is_retransmit && waiting != SIZE)", "is_retransmit"),
    ];
    to_driver(whole).check(whole, &faults);
}
