//! The wrapper for OpenNIC shell: the streams of a user box, and what the box includes.

use std::fmt::Write;

use super::lane::UserBox;
use super::text::{Table, instance};

/// A stream of the box: its name there, whether it comes out of the wrapper, its name at the lane, what stands beside its beats, and
/// whether it waits.
struct Stream {
    name: &'static str,
    is_output: bool,
    lane: &'static str,
    users: &'static [User],
    has_ready: bool,
    /// The stream that it is of the ports without the block.
    other: &'static str,
}

/// A signal beside the beats: name, bits, and what drives or takes it at the port with the block and at port `i` without it.
struct User(&'static str, u32, &'static str, &'static str);

const MHZ_250: &[Stream] = &[
    Stream {
        name: "s_axis_qdma_h2c",
        is_output: false,
        lane: "tx_in",
        users: &[
            User("tuser_size", 16, "", ""),
            User("tuser_src", 16, "", ""),
            User("tuser_dst", 16, "", ""),
        ],
        has_ready: true,
        other: "m_axis_adap_tx_250mhz",
    },
    Stream {
        name: "m_axis_qdma_c2h",
        is_output: true,
        lane: "rx_out",
        users: &[
            User("tuser_size", 16, "size", "s_axis_adap_rx_250mhz_tuser_size[16*i +: 16]"),
            User("tuser_src", 16, "16'h0040", "s_axis_adap_rx_250mhz_tuser_src[16*i +: 16]"),
            User("tuser_dst", 16, "16'h0001", "16'h0001 << i"),
        ],
        has_ready: true,
        other: "s_axis_adap_rx_250mhz",
    },
    Stream {
        name: "m_axis_adap_tx_250mhz",
        is_output: true,
        lane: "tx_out",
        users: &[
            User("tuser_size", 16, "size", "s_axis_qdma_h2c_tuser_size[16*i +: 16]"),
            User("tuser_src", 16, "16'h0001", "s_axis_qdma_h2c_tuser_src[16*i +: 16]"),
            User("tuser_dst", 16, "16'h0040", "16'h0040 << i"),
        ],
        has_ready: true,
        other: "s_axis_qdma_h2c",
    },
    Stream {
        name: "s_axis_adap_rx_250mhz",
        is_output: false,
        lane: "rx_in",
        users: &[
            User("tuser_size", 16, "", ""),
            User("tuser_src", 16, "", ""),
            User("tuser_dst", 16, "", ""),
        ],
        has_ready: true,
        other: "m_axis_qdma_c2h",
    },
];

const MHZ_322: &[Stream] = &[
    Stream {
        name: "s_axis_adap_tx_322mhz",
        is_output: false,
        lane: "tx_in",
        users: &[User("tuser_err", 1, "tuser", "")],
        has_ready: true,
        other: "m_axis_cmac_tx",
    },
    Stream {
        name: "m_axis_adap_rx_322mhz",
        is_output: true,
        lane: "rx_out",
        users: &[User("tuser_err", 1, "1'b0", "s_axis_cmac_rx_tuser_err[i]")],
        has_ready: false,
        other: "s_axis_cmac_rx",
    },
    Stream {
        name: "m_axis_cmac_tx",
        is_output: true,
        lane: "tx_out",
        users: &[User("tuser_err", 1, "1'b0", "s_axis_adap_tx_322mhz_tuser_err[i]")],
        has_ready: true,
        other: "s_axis_adap_tx_322mhz",
    },
    Stream {
        name: "s_axis_cmac_rx",
        is_output: false,
        lane: "rx_in",
        users: &[User("tuser_err", 1, "tuser", "")],
        has_ready: false,
        other: "m_axis_adap_rx_322mhz",
    },
];

/// The register accesses of a box, without `wstrb`: output, bits, name.
const REGISTERS: [(bool, u32, &str); 16] = [
    (false, 1, "awvalid"),
    (false, 32, "awaddr"),
    (true, 1, "awready"),
    (false, 1, "wvalid"),
    (false, 32, "wdata"),
    (true, 1, "wready"),
    (true, 1, "bvalid"),
    (true, 2, "bresp"),
    (false, 1, "bready"),
    (false, 1, "arvalid"),
    (false, 32, "araddr"),
    (true, 1, "arready"),
    (true, 1, "rvalid"),
    (true, 32, "rdata"),
    (true, 2, "rresp"),
    (false, 1, "rready"),
];

fn streams(of: UserBox) -> &'static [Stream] {
    match of {
        UserBox::Mhz250 => MHZ_250,
        UserBox::Mhz322 => MHZ_322,
    }
}

/// Name of the wrapper.
pub fn module(of: UserBox) -> String {
    format!("nic_opennic_{}", of.mhz())
}

/// The clock of the streams as the box has it: one, or one for each port.
fn clock(of: UserBox) -> &'static str {
    match of {
        UserBox::Mhz250 => "axis_aclk",
        UserBox::Mhz322 => "cmac_clk",
    }
}

/// The port of the clock that the block has.
pub fn clock_port(of: UserBox) -> &'static str {
    match of {
        UserBox::Mhz250 => "axis_aclk",
        UserBox::Mhz322 => "cmac_clk[0]",
    }
}

impl Stream {
    /// Name, bits of a port and direction of each of its signals.
    fn signals(&self) -> Vec<(String, u32, bool)> {
        let signal = |field: &str, bits: u32| (format!("{}_{field}", self.name), bits, self.is_output);
        let mut signals =
            vec![signal("tvalid", 1), signal("tdata", 512), signal("tkeep", 64), signal("tlast", 1)];
        signals.extend(self.users.iter().map(|User(name, bits, ..)| signal(name, *bits)));
        if self.has_ready {
            signals.push((format!("{}_tready", self.name), 1, !self.is_output));
        }
        signals
    }
}

/// The wrapper: what a user block in this box is connected to, for any number of ports. The block is at port 0.
pub fn wrapper(of: UserBox, header: &str) -> String {
    let range = |bits: u32| match bits {
        1 => "[NUM_INTF-1:0]".to_string(),
        _ => format!("[{bits}*NUM_INTF-1:0]"),
    };
    let mut ports = Table::default();
    ports.heading("Registers, AXI4-Lite, on axil_aclk");
    for (is_output, bits, name) in REGISTERS {
        let range = if bits == 1 { String::new() } else { format!("[{}:0]", bits - 1) };
        ports.port(is_output, &range, &format!("s_axil_{name}"));
    }
    for stream in streams(of) {
        ports.heading(match stream.lane {
            "tx_in" => "Frames from the host",
            "tx_out" => "Frames to the MAC",
            "rx_in" => "Frames from the MAC",
            _ => "Frames to the host",
        });
        for (name, bits, is_output) in stream.signals() {
            ports.port(is_output, &range(bits), &name);
        }
    }
    ports.heading("Reset pair on axil_aclk, and clocks");
    ports.port(false, "", "mod_rstn");
    ports.port(true, "", "mod_rst_done");
    ports.port(false, "", "axil_aclk");
    ports.port(false, if of == UserBox::Mhz250 { "" } else { "[NUM_INTF-1:0]" }, clock(of));
    let mut text = format!(
        "{header}\nmodule {} #(\n    // Ports of the shell. The block is at port 0.\n    parameter NUM_INTF = 1\n) (\n",
        module(of)
    );
    text += &ports.text();
    text += ");\n\n";
    text += &lane(of);
    text += &others(of);
    text += &unused(of);
    text + "endmodule\n"
}

/// The instance of the lane, at port 0.
fn lane(of: UserBox) -> String {
    let mut pins = vec![
        ("axil_clk".to_string(), "axil_aclk".to_string()),
        ("clk".into(), clock_port(of).into()),
        ("mod_rstn".into(), "mod_rstn".into()),
        ("mod_rst_done".into(), "mod_rst_done".into()),
        ("s_axil_wstrb".into(), "4'hf".into()),
    ];
    for (_, _, name) in REGISTERS {
        let range = if name.ends_with("addr") { "[12:0]" } else { "" };
        pins.push((format!("s_axil_{name}"), format!("s_axil_{name}{range}")));
    }
    let mut assigns = String::new();
    for Stream { name, lane, users, has_ready, is_output, .. } in streams(of) {
        for (field, range) in [("tvalid", "[0]"), ("tdata", "[511:0]"), ("tkeep", "[63:0]"), ("tlast", "[0]")]
        {
            pins.push((format!("{lane}_{field}"), format!("{name}_{field}{range}")));
        }
        for User(user, bits, driver, _) in *users {
            let range = if *bits == 1 { "[0]".to_string() } else { format!("[{}:0]", bits - 1) };
            match *driver {
                "" => {}
                "size" | "tuser" => pins.push((format!("{lane}_{driver}"), format!("{name}_{user}{range}"))),
                _ => writeln!(assigns, "    assign {name}_{user}{range} = {driver};").expect("into a string"),
            }
        }
        if *lane == "rx_in" {
            // the gate takes all that comes
            if *has_ready {
                writeln!(assigns, "    assign {name}_tready[0] = 1'b1;").expect("into a string");
            }
        } else if *has_ready {
            pins.push((format!("{lane}_tready"), format!("{name}_tready[0]")));
        }
        if of == UserBox::Mhz250 && !is_output {
            pins.push((format!("{lane}_tuser"), "1'b0".into()));
        }
    }
    let about = "    // Port 0, with the block.\n";
    let marks = if of == UserBox::Mhz250 {
        "\n    // Source and destination: a bit for each PCIe function from bit 0 on, and one for each MAC from bit 6 on. The packet adapter\n    // has dropped frames that the MAC found bad.\n"
    } else {
        "\n    // A frame with an error goes no further than the block.\n"
    };
    format!("{about}{}{marks}{assigns}", instance(&of.module(), "lane_0", &pins))
}

/// The ports without the block: each stream goes on as it came.
fn others(of: UserBox) -> String {
    let mut text = "\n    // The other ports, each as it came.\n    genvar i;\n    generate\n        for (i = 1; i < NUM_INTF; i = i + 1) begin : other\n".to_string();
    for stream in streams(of) {
        let Stream { name, other, is_output, users, .. } = stream;
        if *is_output {
            for (field, range) in
                [("tvalid", "i"), ("tdata", "512*i +: 512"), ("tkeep", "64*i +: 64"), ("tlast", "i")]
            {
                writeln!(text, "            assign {name}_{field}[{range}] = {other}_{field}[{range}];")
                    .expect("into a string");
            }
            for User(user, bits, _, driver) in *users {
                let range = if *bits == 1 { "i".to_string() } else { format!("{bits}*i +: {bits}") };
                writeln!(text, "            assign {name}_{user}[{range}] = {driver};")
                    .expect("into a string");
            }
        } else if stream.has_ready {
            writeln!(text, "            assign {name}_tready[i] = {other}_tready[i];")
                .expect("into a string");
        }
    }
    text + "        end\n    endgenerate\n"
}

/// What nothing reads: sizes and addresses of frames that come in, which the lane finds itself, and high bits of addresses.
fn unused(of: UserBox) -> String {
    let mut bits = vec!["s_axil_awaddr[31:13]".to_string(), "s_axil_araddr[31:13]".to_string()];
    for stream in streams(of).iter().filter(|stream| !stream.is_output) {
        let is_unread = |user: &&User| user.2.is_empty();
        bits.extend(
            stream.users.iter().filter(is_unread).map(|User(user, ..)| format!("{}_{user}", stream.name)),
        );
    }
    if of == UserBox::Mhz322 {
        bits.push("cmac_clk".to_string());
    }
    format!(
        "\n    // Bits that nothing reads.\n    wire unused_bits = &{{\n        1'b0,\n        {}\n    }};\n",
        bits.join(",\n        ")
    )
}

/// What the box includes and its build script reads, as names and texts.
pub fn glue(of: UserBox) -> Vec<(String, String)> {
    let mhz = of.mhz();
    let folder = format!("box_{mhz}");
    let none = |comment: &str, what: &str| format!("{comment} {what}\n{comment} Made by respray.\n");
    vec![
        (format!("{folder}/user_plugin_{mhz}_inst.vh"), user_plugin(of)),
        (
            format!("{folder}/{folder}_address_map_inst.vh"),
            none(
                "//",
                "The wrapper takes the register accesses of the box as they come, so nothing stands between.",
            ),
        ),
        (
            format!("{folder}/{folder}_address_map.v"),
            none(
                "//",
                "The wrapper takes the register accesses of the box as they come, so there is no address map.",
            ),
        ),
        (
            format!("{folder}/{folder}_axi_crossbar.tcl"),
            none(
                "#",
                "The wrapper takes the register accesses of the box as they come, so there is no crossbar.",
            ),
        ),
    ]
}

/// The instance of the wrapper within the box.
fn user_plugin(of: UserBox) -> String {
    let resets = if of == UserBox::Mhz250 { 16 } else { 8 };
    let mut pins: Vec<(String, String)> =
        REGISTERS.iter().map(|(_, _, name)| (format!("s_axil_{name}"), format!("s_axil_{name}"))).collect();
    for stream in streams(of) {
        pins.extend(stream.signals().into_iter().map(|(name, ..)| (name.clone(), name)));
    }
    for name in ["mod_rstn", "mod_rst_done"] {
        pins.push((name.into(), format!("{name}[0]")));
    }
    pins.extend(["axil_aclk", clock(of)].map(|name| (name.to_string(), name.to_string())));
    let check = match of {
        UserBox::Mhz322 => String::new(),
        UserBox::Mhz250 => "initial begin\n    if (USE_PHYS_FUNC == 0 || NUM_PHYS_FUNC != NUM_CMAC_PORT) begin\n        \
             $display(\"nic_opennic_250mhz needs USE_PHYS_FUNC = 1, and as many physical functions as CMAC ports\");\n        \
             $finish;\n    end\nend\n\n"
            .into(),
    };
    format!(
        "// The user block of the box: respray's nic at port 0.\n// Made by respray.\n\n{check}// Reset pairs that nothing uses are done.\n\
         assign mod_rst_done[{high}:1] = {{{high}{{1'b1}}}};\n\n{}",
        instance(
            &format!("{} #(\n        .NUM_INTF(NUM_CMAC_PORT)\n    )", module(of)),
            "nic_opennic",
            &pins
        )
        .replace("\n    ", "\n")
        .trim_start(),
        high = resets - 1,
    )
}
