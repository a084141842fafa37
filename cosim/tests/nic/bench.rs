//! Blocks in one model of Verilator, each beside copies of itself that are broken on purpose.

use std::sync::OnceLock;

use respray_cosim::verilator::{BuildOptions, Design, Model, Port as ModelPort, Source, build};
use respray_hdl::join::{Instance, Netlist, Pin};
use respray_hdl::manifest::{Direction, Port};
use respray_hdl::nic::events::Events;
use respray_hdl::nic::outlet::Outlet;
use respray_hdl::nic::probes::Probes;
use respray_hdl::nic::scoreboard::Pick;
use respray_hdl::nic::{LastRequests, Timing};

/// Name of a copy, the block that it is of, a line of the block, and what stands there in the copy.
type Fault = (&'static str, &'static str, &'static str, &'static str);

const FAULTS: [Fault; 20] = [
    ("events_uncounted", "events", "events_lost <= is_wanted && !has_place;", "events_lost <= 1'b0;"),
    ("events_crowded", "events", "waiting < SIZE_FOR_OTHERS ||", "waiting != SIZE ||"),
    (
        "outlet_interrupting",
        "outlet",
        "is_held = !cut && (takes_b ? !b_axis_tlast",
        "is_held = !cut && (takes_b ? 1'b0",
    ),
    ("outlet_joining", "outlet", "owes_end <= in_frame || owes_end;", "owes_end <= 1'b0;"),
    ("outlet_starving", "outlet", "b_axis_tvalid ? in_a_row + 4'd1 : 4'd0;", "4'd0;"),
    ("outlet_unnamed", "outlet", "data_of_b <= named_zeroed;", "data_of_b <= b_axis_tdata;"),
    ("pick_one_sided", "pick", "after_ack <= choose_ack;", "after_ack <= 1'b0;"),
    ("pick_starving", "pick", "if (!(&since)) since <= since + 3'd1;", "if (&since) since <= since + 3'd1;"),
    ("pick_eager", "pick", "if (!(&since)) since <= since + 3'd1;", "since <= 3'd7;"),
    ("pick_restless", "pick", "if (is_full) pause <= 5'h1f;", "if (is_full) pause <= 5'd0;"),
    ("probes_twice", "probes", "&& !queued_read_data;", "&& 1'b1;"),
    ("probes_keeping", "probes", "(head_ready || is_skipped)", "is_read && (head_ready || is_skipped)"),
    ("probes_unforgetting", "probes", "wire writes = add_valid || cancel_valid;", "wire writes = add_valid;"),
    (
        "timing_ambiguous",
        "timing",
        "next_is_timed = kept_is_timed & !is_it;",
        "next_is_timed = kept_is_timed;",
    ),
    ("timing_clinging", "timing", "is_passed <= behind[23];", "is_passed <= 1'b0;"),
    ("timing_of_last_probe", "timing", "if (!kept_is_probed)", "if (1'b1)"),
    ("timing_counting_back", "timing", "if (!says_no_bytes & !is_older)", "if (!says_no_bytes)"),
    ("timing_twice", "timing", "if (heard_valid & heard_ready)", "if (heard_ready)"),
    (
        "last_requests_torn",
        "last_requests",
        "is_apart <= !(write & (conn == draw_conn));",
        "is_apart <= 1'b1;",
    ),
    ("last_requests_of_refused", "last_requests", ".out_ready(decide_valid),", ".out_ready(write),"),
];

fn sound() -> Vec<Instance> {
    let blocks = [
        Instance::of_block("events", "nic_events", "", &Events::<4, 5>::new()),
        Instance::of_block("outlet", "nic_outlet", "", &Outlet::<64, 8>::new()),
        Instance::of_block("pick", "nic_pick", "", &Pick::new(16, false, false, false)),
        Instance::of_block("probes", "nic_probes", "", &Probes::<4, 5, 24>::new()),
        Instance::of_block("timing", "nic_timing", "", &Timing::<4>::new(false)),
        Instance::of_block("last_requests", "nic_last_requests", "", &LastRequests::<4>::new()),
    ];
    blocks.into_iter().map(|block| block.unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The copy of a block that has a fault.
fn broken(blocks: &[Instance], (name, of, right, wrong): Fault) -> Instance {
    let block = blocks.iter().find(|block| block.name == of).expect("a block of that name");
    assert_eq!(block.verilog.matches(right).count(), 1, "`{right}` is not in\n{}", block.verilog);
    let module = format!("nic_{name}");
    let verilog = block.verilog.replace(right, wrong).replace(&block.module, &module);
    Instance { name: name.into(), module, verilog, ..block.clone() }
}

/// All of them side by side; port `p` of instance `i` is the port `p_of_i`.
fn joined() -> Source {
    let mut instances = sound();
    let copies: Vec<Instance> = FAULTS.iter().map(|fault| broken(&instances, *fault)).collect();
    instances.extend(copies);
    let plain = |name: &str, direction, width| Port {
        name: name.into(),
        direction,
        width,
        group: String::new(),
        meaning: String::new(),
    };
    let is_shared = |port: &&Port| !["clk", "rst"].contains(&port.name.as_str());
    let mut ports = vec![plain("clk", Direction::Input, 1), plain("rst", Direction::Input, 1)];
    let mut wires = vec![];
    for instance in &instances {
        for port in instance.ports.iter().filter(is_shared) {
            let own = plain(&format!("{}_of_{}", port.name, instance.name), port.direction, port.width);
            let (inner, outer) = (Pin::of(&instance.name, &port.name), Pin::top(&own.name));
            ports.push(own);
            wires.push(if port.direction == Direction::Input { (inner, outer) } else { (outer, inner) });
        }
    }
    let mut netlist = Netlist::new("blocks_of_nic", "", ports);
    for instance in instances {
        netlist.add(instance);
    }
    netlist.share("clk").share("rst");
    for (sink, source) in wires {
        netlist.connect(sink, source);
    }
    Source::new("blocks_of_nic", netlist.verilog().unwrap_or_else(|error| panic!("{error}")))
}

fn design() -> &'static Design {
    static DESIGN: OnceLock<&'static Design> = OnceLock::new();
    DESIGN.get_or_init(|| {
        let options = BuildOptions { quick: true, ..BuildOptions::default() };
        build(&joined(), &options).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// One of the blocks, alone in a model of its own.
pub struct Bench {
    pub model: Model,
    instance: String,
}

impl Bench {
    /// The block after a reset of so many cycles that every memory is cleared.
    pub fn new(instance: &str) -> Bench {
        let mut bench = Bench { model: design().model(7).expect("a model"), instance: instance.into() };
        let rst = bench.model.port("rst").expect("a reset");
        for cycle in 0..64 {
            bench.model.set(rst, u64::from(cycle < 2));
            bench.model.tick();
        }
        bench
    }

    fn port(&self, name: &str) -> ModelPort {
        let name = format!("{name}_of_{}", self.instance);
        self.model.port(&name).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn set(&mut self, name: &str, value: impl Into<u64>) {
        let port = self.port(name);
        self.model.set(port, value.into());
    }

    pub fn get(&self, name: &str) -> u64 {
        self.model.get(self.port(name))
    }

    pub fn is_high(&self, name: &str) -> bool {
        self.get(name) == 1
    }

    /// A port of 128 bits.
    pub fn get_wide(&self, name: &str) -> u128 {
        let words = self.model.words(self.port(name));
        words.iter().rev().fold(0, |number, word| number << 32 | u128::from(*word))
    }
}

/// An error with this text unless `holds`.
pub fn ensure(holds: bool, text: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(text()) }
}
