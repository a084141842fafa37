//! The self-test of the board ECPIX-5, as Verilator runs it: it passes, and fails where something is wrong.

use std::sync::OnceLock;

use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_hdl::examples::ecpix5::{Length, NAME, generate};

use crate::nic::joints::{Fault, faulty};

/// Few packets, and the time in which they have arrived by far.
const SHORT: Length = Length { packets: 12, patience: 150_000 };

/// What an LED shows: red in bit 0, green in bit 1, blue in bit 2, lit where 0.
const RED: u64 = 6;
const GREEN: u64 = 5;
const BLUE: u64 = 3;
const DARK: u64 = 7;

/// Faults of the block and of what is around it, each with the cause that the LED has to show.
const FAULTS: [(Fault, u64); 7] = [
    // what is to be sent again never is
    (
        (
            "event_kind",
            "nic_0_event_tdata[3:0]",
            "(nic_0_event_tdata[3:0] == 4'd2 ? 4'd15 : nic_0_event_tdata[3:0])",
        ),
        RED,
    ),
    // every ACK says that its EV was marked, so none is recycled
    (("ack_ecn", "receiver_heard_ecn", "1'b1"), BLUE),
    // a counter stands still
    (("count_rx_new", "receiver_rx_new", "1'b0"), BLUE),
    // a byte is another one
    (("s_axis_tdata", "nic_0_rx_out_tdata", "nic_0_rx_out_tdata ^ 64'd1"), GREEN),
    // a connection in recovery is forgotten
    (("add_valid", "scoreboard_recovery_add", "1'b0"), RED),
    // frames of the network are not counted
    (("frames", "fabric_frames", "32'd0"), BLUE),
    // a probe is taken for a new packet
    (("rx_res_status", "sack_rx_res_status", "3'd0"), BLUE),
];

/// The self-test with all faults, and an input that says which of them is there.
fn design() -> &'static Design {
    static DESIGN: OnceLock<&'static Design> = OnceLock::new();
    DESIGN.get_or_init(|| {
        let made = generate(SHORT).unwrap_or_else(|error| panic!("{error}"));
        let verilog = faulty(made.verilog, &FAULTS.map(|(fault, _)| fault));
        let verilog = verilog
            .replacen("\nmodule ecpix5 (\n", "\nmodule ecpix5 (\n    input  wire [4:0] fault,\n", 1)
            .replacen("    nic nic_0 (\n", "    nic nic_0 (\n        .fault (fault),\n", 1);
        let options = BuildOptions { quick: true, ..BuildOptions::default() };
        build(&Source::new(NAME, verilog), &options).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Runs the self-test to its end, and says which colours the LEDs of verdict and cause show then.
fn run(fault: usize) -> (u64, u64) {
    let mut model = design().model(7).expect("a model");
    let port = |name: &str| model.port(name).unwrap_or_else(|error| panic!("{error}"));
    let [rst_n, fault_in] = ["rst_n", "fault"].map(port);
    let leds = ["led_verdict", "led_cause", "led_packets", "led_faults"].map(port);
    model.set(fault_in, fault as u64);
    for cycle in 0..u64::from(SHORT.patience) + 1000 {
        model.set(rst_n, u64::from(cycle >= 8));
        model.tick();
        let verdict = model.get(leds[0]);
        // 256 cycles of reset, in which the registers get their values
        if cycle > 300 && [RED, GREEN].contains(&verdict) {
            assert_eq!([model.get(leds[2]), model.get(leds[3])], [DARK; 2], "nothing passes any longer");
            return (verdict, model.get(leds[1]));
        }
    }
    panic!("fault {fault}: the self-test does not end");
}

#[test]
fn the_self_test_passes_and_fails_with_a_fault() {
    assert_eq!(run(0), (GREEN, DARK));
    for fault in 1..=4 {
        assert_eq!(run(fault), (RED, FAULTS[fault - 1].1), "{:?}", FAULTS[fault - 1].0);
    }
}

#[test]
#[ignore = "the same with every fault"]
fn the_self_test_fails_with_every_fault() {
    for fault in 1..=FAULTS.len() {
        assert_eq!(run(fault), (RED, FAULTS[fault - 1].1), "{:?}", FAULTS[fault - 1].0);
    }
}
