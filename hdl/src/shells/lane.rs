//! The block with all that a shell's wrapper puts around it for one port: fixed widths, one module.

use super::whole::FULL_BEATS;
use super::wiring::{DATA_BITS, Group, Row, Wiring};
use super::{AxilFar, AxilNear, Gate, HostGate, PowerUp, ResetFar, ResetNear, Stamps, Tags, Whole};
use crate::config::{Config, Events, Wire};
use crate::cores::GenerateError;
use crate::manifest::Direction::{Input, Output};
use crate::manifest::Generated;
use crate::nic::top::HOST_GETS_EVENTS;

const KEEP_BITS: u32 = DATA_BITS / 8;

/// The registers, with 13 bits of address.
const REGISTERS: Group = Group {
    title: "Registers, AXI4-Lite: the block below 0x1000, events from there on",
    rows: &[
        (Input, 13, "s_axil_awaddr"),
        (Input, 1, "s_axil_awvalid"),
        (Output, 1, "s_axil_awready"),
        (Input, 32, "s_axil_wdata"),
        (Input, 4, "s_axil_wstrb"),
        (Input, 1, "s_axil_wvalid"),
        (Output, 1, "s_axil_wready"),
        (Output, 2, "s_axil_bresp"),
        (Output, 1, "s_axil_bvalid"),
        (Input, 1, "s_axil_bready"),
        (Input, 13, "s_axil_araddr"),
        (Input, 1, "s_axil_arvalid"),
        (Output, 1, "s_axil_arready"),
        (Output, 32, "s_axil_rdata"),
        (Output, 2, "s_axil_rresp"),
        (Output, 1, "s_axil_rvalid"),
        (Input, 1, "s_axil_rready"),
    ],
};

const OPENNIC_CLOCKS: Group = Group {
    title: "Clocks, and the reset pair on axil_clk",
    rows: &[(Input, 1, "axil_clk"), (Input, 1, "clk"), (Input, 1, "mod_rstn"), (Output, 1, "mod_rst_done")],
};

/// Which of OpenNIC's two boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserBox {
    /// Between QDMA and packet adapter: sizes beside frames, and both directions wait.
    Mhz250,
    /// Between packet adapter and CMAC: no sizes, and frames towards the host do not wait.
    Mhz322,
}

impl UserBox {
    /// Both.
    pub const ALL: [UserBox; 2] = [UserBox::Mhz250, UserBox::Mhz322];

    /// Its clock in MHz, as its names have it.
    pub fn mhz(self) -> &'static str {
        match self {
            UserBox::Mhz250 => "250mhz",
            UserBox::Mhz322 => "322mhz",
        }
    }

    /// Name of the module of one port.
    pub fn module(self) -> String {
        format!("nic_lane_{}", self.mhz())
    }

    fn host_in(self) -> Group<'static> {
        Group {
            title: "Frames from the host",
            rows: &[
                (Input, DATA_BITS, "tx_in_tdata"),
                (Input, KEEP_BITS, "tx_in_tkeep"),
                (Input, 1, "tx_in_tvalid"),
                (Input, 1, "tx_in_tlast"),
                (Input, 1, "tx_in_tuser"),
                (Output, 1, "tx_in_tready"),
            ],
        }
    }

    fn mac_out(self) -> Group<'static> {
        const ROWS: &[Row] = &[
            (Output, DATA_BITS, "tx_out_tdata"),
            (Output, KEEP_BITS, "tx_out_tkeep"),
            (Output, 1, "tx_out_tvalid"),
            (Output, 1, "tx_out_tlast"),
            (Input, 1, "tx_out_tready"),
            (Output, 16, "tx_out_size"),
        ];
        let rows = if self == UserBox::Mhz250 { ROWS } else { &ROWS[..5] };
        Group { title: "Frames to the MAC, each without a gap", rows }
    }

    fn mac_in(self) -> Group<'static> {
        Group {
            title: "Frames from the MAC, which does not wait",
            rows: &[
                (Input, DATA_BITS, "rx_in_tdata"),
                (Input, KEEP_BITS, "rx_in_tkeep"),
                (Input, 1, "rx_in_tvalid"),
                (Input, 1, "rx_in_tlast"),
                (Input, 1, "rx_in_tuser"),
            ],
        }
    }

    fn host_out(self) -> Group<'static> {
        const ROWS: &[Row] = &[
            (Output, DATA_BITS, "rx_out_tdata"),
            (Output, KEEP_BITS, "rx_out_tkeep"),
            (Output, 1, "rx_out_tvalid"),
            (Output, 1, "rx_out_tlast"),
            (Input, 1, "rx_out_tready"),
            (Output, 16, "rx_out_size"),
        ];
        let rows = if self == UserBox::Mhz250 { ROWS } else { &ROWS[..4] };
        Group { title: "Frames to the host", rows }
    }
}

const BEAT: [&str; 3] = ["tdata", "tkeep", "tlast"];

/// What no shell has a place for: the block's own word on each frame to the host.
const META: [&str; 10] =
    ["kind", "error", "conn", "psn", "bytes", "ecn", "ev", "timestamp", "ack_request", "status"];
const ABOUT_NIC: &str = "The block.";
pub const ABOUT_HOST_GATE: &str = "Frames from the host: whole ones, or none.";
pub const ABOUT_GATE: &str = "Frames from the MAC: whole ones, or none.";

/// Edges of the registers' clock after which an access is refused: more than twice what the longest takes where both clocks are alike,
/// which is the first one, before which each register gets its value in some 3,400 edges, or a reset, which goes through all connections.
pub fn access_limit(config: &Config) -> u32 {
    (4 * config.connections).max(8192)
}

/// Clock and reset of the registers at the host's end; reset of the block's end, by which accesses are refused, and the one with which
/// both begin; whether the block's end has begun.
struct Ends<'a> {
    near_clk: &'a str,
    near_rst: &'a str,
    far_rst: &'a str,
    far_start: &'a str,
    has_begun: Option<&'a str>,
}

/// The registers' two ends, and the block's.
fn registers(wiring: &mut Wiring, config: &Config, ends: &Ends) -> Result<(), GenerateError> {
    wiring.part(
        "axil_near",
        "shell_axil_near",
        "Register accesses of the host, on its clock.",
        &AxilNear::new(access_limit(config)),
    )?;
    wiring.part(
        "axil_far",
        "shell_axil_far",
        "Register accesses of the block, and its events among them.",
        &AxilFar::new(),
    )?;
    wiring.wires(&[
        ("axil_near.clk", ends.near_clk),
        ("axil_near.rst", ends.near_rst),
        ("axil_far.clk", "clk"),
        ("axil_far.rst", ends.far_rst),
        ("axil_far.start", ends.far_start),
    ]);
    match ends.has_begun {
        Some(pin) => wiring.wires(&[("axil_near.has_begun", pin)]),
        None => wiring.constant("axil_near.has_begun", 1, 1),
    }
    wiring.same(
        "axil_near.s_axil_",
        "s_axil_",
        &["awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready"],
    );
    wiring.same(
        "s_axil_",
        "axil_near.s_axil_",
        &["awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid"],
    );
    wiring.same("axil_far.", "axil_near.", &["request", "is_write", "address", "data", "strobes"]);
    wiring.same("axil_near.", "axil_far.", &["done", "done_refused", "done_data"]);
    wiring.same(
        "nic.s_axil_",
        "axil_far.m_axil_",
        &["awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready"],
    );
    wiring.same(
        "axil_far.m_axil_",
        "nic.s_axil_",
        &["awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid"],
    );
    match config.nic.events {
        Events::Port => wiring.wires(&[
            ("axil_far.event_tdata", "nic.event_tdata"),
            ("axil_far.event_tvalid", "nic.event_tvalid"),
            ("nic.event_tready", "axil_far.event_tready"),
        ]),
        // none ever waits among the registers
        Events::Frames => {
            wiring.constant("axil_far.event_tdata", 0, 128);
            wiring.constant("axil_far.event_tvalid", 0, 1);
            wiring.open(&["axil_far.event_tready"]);
        }
    }
    wiring.open(&META.map(|field| format!("nic.rx_{field}")).each_ref().map(String::as_str));
    Ok(())
}

/// One port of OpenNIC shell: `nic` is the block as [`in_shell`](crate::nic::top::in_shell) gives it.
///
/// # Errors
/// An error of these wires.
pub fn opennic(of: UserBox, config: &Config, header: &str, nic: &Generated) -> Result<String, GenerateError> {
    let groups = [OPENNIC_CLOCKS, REGISTERS, of.host_in(), of.mac_out(), of.mac_in(), of.host_out()];
    let mut wiring = Wiring::new(&of.module(), header, &groups);
    for (part, clk, of) in [("near_start", "axil_clk", "near"), ("far_start", "clk", "far")] {
        let about = format!("The first reset of what is not reset with the block, at the {of} end.");
        wiring.part(part, "shell_power_up", &about, &PowerUp::new())?;
        wiring.wires(&[(&format!("{part}.clk"), clk)]);
    }
    wiring.part("reset_near", "shell_reset_near", "The reset pair of the shell.", &ResetNear::new())?;
    wiring.part(
        "reset_far",
        "shell_reset_far",
        "The same reset on the clock of the streams.",
        &ResetFar::new(),
    )?;
    wiring.wires(&[
        ("reset_near.clk", "axil_clk"),
        ("reset_near.power_up", "near_start.rst"),
        ("reset_far.power_up", "far_start.rst"),
        ("reset_near.mod_rstn", "mod_rstn"),
        ("mod_rst_done", "reset_near.mod_rst_done"),
        ("reset_far.clk", "clk"),
        ("reset_far.asked", "reset_near.asks"),
        ("reset_near.seen", "reset_far.seen"),
    ]);
    let ends = Ends {
        near_clk: "axil_clk",
        near_rst: "near_start.rst",
        far_rst: "reset_far.rst",
        far_start: "far_start.rst",
        has_begun: Some("reset_near.has_begun"),
    };
    registers(&mut wiring, config, &ends)?;
    wiring.part("host_gate", "shell_host_gate", ABOUT_HOST_GATE, &HostGate::new())?;
    wiring.part("gate", "shell_gate", ABOUT_GATE, &Gate::new(Some(FULL_BEATS)))?;
    wiring.nic(ABOUT_NIC, nic);
    wiring.part("to_mac", "shell_whole", "Frames to the MAC, with their sizes.", &Whole::<1>::new())?;
    wiring.part("to_host", "shell_whole", "Frames to the host, with their sizes.", &Whole::<1>::new())?;
    // a reset of the block finds frames under way on all sides, which the shell goes on with
    for part in ["host_gate", "gate", "nic", "to_mac", "to_host"] {
        let rst = if part == "nic" { "reset_far.rst" } else { "far_start.rst" };
        wiring.wires(&[(&format!("{part}.clk"), "clk"), (&format!("{part}.rst"), rst)]);
    }
    // from the host to the MAC
    wiring.same("nic.tx_in_", "tx_in_", &["tdata", "tkeep", "tlast", "tuser"]);
    wiring.wires(&[
        ("host_gate.cut", "nic.engine_rst"),
        ("host_gate.s_axis_tvalid", "tx_in_tvalid"),
        ("host_gate.s_axis_tlast", "tx_in_tlast"),
        ("tx_in_tready", "host_gate.s_axis_tready"),
        ("nic.tx_in_tvalid", "host_gate.m_axis_tvalid"),
        ("host_gate.m_axis_tready", "nic.tx_in_tready"),
    ]);
    wiring.same("to_mac.s_axis_", "nic.tx_out_", &["tdata", "tkeep", "tvalid", "tlast"]);
    wiring.wires(&[
        ("to_mac.cut", "reset_far.rst"),
        ("to_mac.s_drop", "nic.tx_out_tuser"),
        ("nic.tx_out_tready", "to_mac.s_axis_tready"),
        ("to_mac.m_axis_tready", "tx_out_tready"),
        ("axil_far.frame_lost", "to_mac.lost"),
    ]);
    wiring.constant("to_mac.s_side", 0, 1);
    wiring.same("tx_out_", "to_mac.m_axis_", &["tdata", "tkeep", "tvalid", "tlast"]);
    // from the MAC to the host
    wiring.wires(&[
        ("gate.s_axis_tvalid", "rx_in_tvalid"),
        ("gate.s_axis_tlast", "rx_in_tlast"),
        ("gate.s_axis_tuser", "rx_in_tuser"),
        ("gate.m_axis_tready", "nic.rx_in_tready"),
        ("gate.cut", "nic.engine_rst"),
        ("nic.rx_out_tready", "to_host.s_axis_tready"),
        ("to_host.cut", "nic.engine_rst"),
    ]);
    wiring.same("nic.rx_in_", "gate.m_axis_", &["tvalid", "tlast", "tuser"]);
    wiring.same("nic.rx_in_", "rx_in_", &["tdata", "tkeep"]);
    wiring.same("to_host.s_axis_", "nic.rx_out_", &["tdata", "tkeep", "tvalid", "tlast"]);
    wiring.constant("to_host.s_drop", 0, 1);
    wiring.constant("to_host.s_side", 0, 1);
    wiring.same("rx_out_", "to_host.m_axis_", &["tdata", "tkeep", "tvalid", "tlast"]);
    match of {
        UserBox::Mhz250 => wiring.wires(&[
            ("tx_out_size", "to_mac.m_size"),
            ("rx_out_size", "to_host.m_size"),
            ("to_host.m_axis_tready", "rx_out_tready"),
        ]),
        UserBox::Mhz322 => {
            wiring.constant("to_host.m_axis_tready", 1, 1);
            wiring.open(&["to_mac.m_size", "to_host.m_size"]);
        }
    }
    wiring.open(&["gate.begins", "to_mac.m_side", "to_host.lost", "to_host.m_side"]);
    wiring.open(&FATES.map(|field| format!("nic.{field}")).each_ref().map(String::as_str));
    if config.nic.events == Events::Frames {
        wiring.open(&[&format!("nic.{HOST_GETS_EVENTS}")]);
    }
    wiring.verilog()
}

/// What the block says of each frame, of which OpenNIC shell needs nothing.
pub const FATES: [&str; 13] = [
    "tx_rewritten",
    "tx_passed",
    "tx_malformed",
    "tx_dropped",
    "rx_judged_tvalid",
    "rx_judged_tlast",
    "rx_judged_tready",
    "rx_judged_tuser",
    "rx_judged_kind",
    "rx_judged_bytes",
    "rx_judged_ack_request",
    "rx_dropped_host",
    "rx_dropped_engine",
];

/// Name of the module of Corundum's port.
pub const CORUNDUM: &str = "nic_lane_corundum";

const CORUNDUM_GROUPS: [Group; 6] = [
    Group { title: "Clock and reset", rows: &[(Input, 1, "clk"), (Input, 1, "rst")] },
    REGISTERS,
    Group {
        title: "Frames from the host, and to the MAC, each with its tag",
        rows: &[
            (Input, DATA_BITS, "s_tx_tdata"),
            (Input, KEEP_BITS, "s_tx_tkeep"),
            (Input, 1, "s_tx_tvalid"),
            (Input, 1, "s_tx_tlast"),
            (Input, 16, "s_tx_tag"),
            (Output, 1, "s_tx_tready"),
            (Output, DATA_BITS, "m_tx_tdata"),
            (Output, KEEP_BITS, "m_tx_tkeep"),
            (Output, 1, "m_tx_tvalid"),
            (Output, 1, "m_tx_tlast"),
            (Output, 16, "m_tx_tag"),
            (Output, 1, "m_tx_error"),
            (Input, 1, "m_tx_tready"),
        ],
    },
    Group {
        title: "Completions from the MAC, and to the host",
        rows: &[
            (Input, 96, "s_cpl_ts"),
            (Input, 16, "s_cpl_tag"),
            (Input, 1, "s_cpl_valid"),
            (Output, 1, "s_cpl_ready"),
            (Output, 96, "m_cpl_ts"),
            (Output, 16, "m_cpl_tag"),
            (Output, 1, "m_cpl_valid"),
            (Input, 1, "m_cpl_ready"),
        ],
    },
    Group {
        title: "Frames from the MAC, each with the time at which it came",
        rows: &[
            (Input, DATA_BITS, "s_rx_tdata"),
            (Input, KEEP_BITS, "s_rx_tkeep"),
            (Input, 1, "s_rx_tvalid"),
            (Input, 1, "s_rx_tlast"),
            (Input, 1, "s_rx_error"),
            (Input, 96, "s_rx_ts"),
        ],
    },
    Group {
        title: "Frames to the host",
        rows: &[
            (Output, DATA_BITS, "m_rx_tdata"),
            (Output, KEEP_BITS, "m_rx_tkeep"),
            (Output, 1, "m_rx_tvalid"),
            (Output, 1, "m_rx_tlast"),
            (Output, 96, "m_rx_ts"),
            (Input, 1, "m_rx_tready"),
        ],
    },
];

/// One port of Corundum's application block.
///
/// # Errors
/// An error of these wires.
pub fn corundum(config: &Config, header: &str, nic: &Generated) -> Result<String, GenerateError> {
    let mut wiring = Wiring::new(CORUNDUM, header, &CORUNDUM_GROUPS);
    let ends = Ends { near_clk: "clk", near_rst: "rst", far_rst: "rst", far_start: "rst", has_begun: None };
    registers(&mut wiring, config, &ends)?;
    wiring.part("host_gate", "shell_host_gate", ABOUT_HOST_GATE, &HostGate::new())?;
    wiring.part("gate", "shell_gate", ABOUT_GATE, &Gate::new(Some(FULL_BEATS)))?;
    wiring.part(
        "tags",
        "shell_tags",
        "Tags of the frames of the host, and their completions.",
        &Tags::new(),
    )?;
    wiring.nic(ABOUT_NIC, nic);
    let has_events = config.nic.events == Events::Frames;
    let stamps = Stamps::new(config.wire == Wire::Uet, has_events);
    wiring.part("stamps", "shell_stamps", "When each frame came.", &stamps)?;
    wiring.part("to_host", "shell_whole", "Frames to the host.", &Whole::<96>::new())?;
    for part in ["host_gate", "gate", "tags", "nic", "stamps", "to_host"] {
        let rst = if part == "stamps" { "nic.engine_rst" } else { "rst" };
        wiring.wires(&[(&format!("{part}.clk"), "clk"), (&format!("{part}.rst"), rst)]);
    }
    // from the host to the MAC
    wiring.same("nic.tx_in_", "s_tx_", &BEAT);
    wiring.same("m_tx_", "nic.tx_out_", &BEAT);
    wiring.wires(&[
        ("host_gate.cut", "nic.engine_rst"),
        ("host_gate.s_axis_tvalid", "s_tx_tvalid"),
        ("host_gate.s_axis_tlast", "s_tx_tlast"),
        ("s_tx_tready", "host_gate.s_axis_tready"),
        ("host_gate.m_axis_tready", "tags.s_axis_tready"),
        ("tags.cut", "nic.engine_rst"),
        ("tags.s_axis_tvalid", "host_gate.m_axis_tvalid"),
        ("tags.s_axis_tlast", "s_tx_tlast"),
        ("tags.s_axis_tag", "s_tx_tag"),
        ("nic.tx_in_tvalid", "tags.in_tvalid"),
        ("nic.tx_in_tuser", "tags.in_tuser"),
        ("tags.in_tready", "nic.tx_in_tready"),
        ("tags.rewritten", "nic.tx_rewritten"),
        ("tags.passed", "nic.tx_passed"),
        ("tags.malformed", "nic.tx_malformed"),
        ("tags.dropped", "nic.tx_dropped"),
        ("tags.out_tvalid", "nic.tx_out_tvalid"),
        ("tags.out_tlast", "nic.tx_out_tlast"),
        ("tags.out_tuser", "nic.tx_out_tuser"),
        ("nic.tx_out_tready", "tags.out_tready"),
        ("m_tx_tvalid", "tags.m_axis_tvalid"),
        ("m_tx_tag", "tags.m_axis_tag"),
        ("m_tx_error", "tags.m_axis_error"),
        ("tags.m_axis_tready", "m_tx_tready"),
        ("axil_far.frame_lost", "tags.lost_frame"),
    ]);
    wiring.same("tags.", "", &["s_cpl_ts", "s_cpl_tag", "s_cpl_valid", "m_cpl_ready"]);
    wiring.same("", "tags.", &["s_cpl_ready", "m_cpl_ts", "m_cpl_tag", "m_cpl_valid"]);
    // from the MAC to the host
    wiring.same("nic.rx_in_", "s_rx_", &["tdata", "tkeep"]);
    wiring.same("nic.rx_in_", "gate.m_axis_", &["tvalid", "tlast", "tuser"]);
    wiring.wires(&[
        ("gate.s_axis_tvalid", "s_rx_tvalid"),
        ("gate.s_axis_tlast", "s_rx_tlast"),
        ("gate.s_axis_tuser", "s_rx_error"),
        ("gate.m_axis_tready", "nic.rx_in_tready"),
        ("gate.cut", "nic.engine_rst"),
        ("stamps.begins", "gate.begins"),
        ("stamps.ts", "s_rx_ts"),
        ("stamps.dropped_host", "nic.rx_dropped_host"),
        ("stamps.dropped_engine", "nic.rx_dropped_engine"),
        ("stamps.s_axis_tvalid", "nic.rx_out_tvalid"),
        ("stamps.s_axis_tlast", "nic.rx_out_tlast"),
        ("nic.rx_out_tready", "stamps.s_axis_tready"),
        ("to_host.s_axis_tvalid", "stamps.m_axis_tvalid"),
        ("stamps.m_axis_tready", "to_host.s_axis_tready"),
        ("to_host.s_side", "stamps.stamp"),
        ("to_host.cut", "nic.engine_rst"),
        ("m_rx_tvalid", "to_host.m_axis_tvalid"),
        ("m_rx_ts", "to_host.m_side"),
        ("to_host.m_axis_tready", "m_rx_tready"),
    ]);
    if has_events {
        wiring.wires(&[("stamps.is_of_events", &format!("nic.{HOST_GETS_EVENTS}"))]);
    }
    wiring.same("stamps.", "nic.rx_judged_", &["tvalid", "tlast", "tready", "tuser"]);
    wiring.same("stamps.meta_", "nic.rx_judged_", &["kind", "bytes", "ack_request"]);
    wiring.same("to_host.s_axis_", "nic.rx_out_", &BEAT);
    wiring.same("m_rx_", "to_host.m_axis_", &BEAT);
    wiring.constant("to_host.s_drop", 0, 1);
    wiring.open(&["to_host.lost", "to_host.m_size"]);
    wiring.verilog()
}
