//! The wrapper for Corundum: its application block, with the block `nic` at the first port of the MACs.

use std::fmt::Write;

use super::app_block::{PARAMETERS, PORTS};
use super::lane::CORUNDUM;
use super::text::{Table, instance};

/// Name of the module, which is that of Corundum's.
pub const MODULE: &str = "mqnic_app_block";

/// What the lane needs of the parameters: name, value, and why.
const NEEDS: [(&str, u32); 5] = [
    ("AXIS_SYNC_DATA_WIDTH", 512),
    ("PTP_TS_ENABLE", 1),
    ("PTP_TS_WIDTH", 96),
    ("TX_TAG_WIDTH", 16),
    ("AXIL_APP_CTRL_DATA_WIDTH", 32),
];

/// Outputs that answer an input beside them, so that nothing of the shell waits: output, input.
const ANSWERS: [(&str, &str); 7] = [
    ("ctrl_dma_ram_wr_done", "ctrl_dma_ram_wr_cmd_valid"),
    ("ctrl_dma_ram_rd_cmd_ready", "ctrl_dma_ram_rd_resp_ready"),
    ("ctrl_dma_ram_rd_resp_valid", "ctrl_dma_ram_rd_cmd_valid"),
    ("data_dma_ram_wr_done", "data_dma_ram_wr_cmd_valid"),
    ("data_dma_ram_rd_cmd_ready", "data_dma_ram_rd_resp_ready"),
    ("data_dma_ram_rd_resp_valid", "data_dma_ram_rd_cmd_valid"),
    ("jtag_tdo", "jtag_tdi"),
];

/// Outputs that are all ones.
const READY: [&str; 2] = ["ctrl_dma_ram_wr_cmd_ready", "data_dma_ram_wr_cmd_ready"];

/// Registers of the lane, and streams of the first port: pin of the lane, signal of the application block.
const LANE: [(&str, &str); 52] = [
    ("clk", "clk"),
    ("rst", "rst"),
    ("s_axil_awaddr", "s_axil_app_ctrl_awaddr[12:0]"),
    ("s_axil_awvalid", "s_axil_app_ctrl_awvalid"),
    ("s_axil_awready", "s_axil_app_ctrl_awready"),
    ("s_axil_wdata", "s_axil_app_ctrl_wdata"),
    ("s_axil_wstrb", "s_axil_app_ctrl_wstrb"),
    ("s_axil_wvalid", "s_axil_app_ctrl_wvalid"),
    ("s_axil_wready", "s_axil_app_ctrl_wready"),
    ("s_axil_bresp", "s_axil_app_ctrl_bresp"),
    ("s_axil_bvalid", "s_axil_app_ctrl_bvalid"),
    ("s_axil_bready", "s_axil_app_ctrl_bready"),
    ("s_axil_araddr", "s_axil_app_ctrl_araddr[12:0]"),
    ("s_axil_arvalid", "s_axil_app_ctrl_arvalid"),
    ("s_axil_arready", "s_axil_app_ctrl_arready"),
    ("s_axil_rdata", "s_axil_app_ctrl_rdata"),
    ("s_axil_rresp", "s_axil_app_ctrl_rresp"),
    ("s_axil_rvalid", "s_axil_app_ctrl_rvalid"),
    ("s_axil_rready", "s_axil_app_ctrl_rready"),
    ("s_tx_tdata", "s_axis_sync_tx_tdata[511:0]"),
    ("s_tx_tkeep", "s_axis_sync_tx_tkeep[63:0]"),
    ("s_tx_tvalid", "s_axis_sync_tx_tvalid[0]"),
    ("s_tx_tlast", "s_axis_sync_tx_tlast[0]"),
    ("s_tx_tag", "s_axis_sync_tx_tuser[16:1]"),
    ("s_tx_tready", "s_axis_sync_tx_tready[0]"),
    ("m_tx_tdata", "m_axis_sync_tx_tdata[511:0]"),
    ("m_tx_tkeep", "m_axis_sync_tx_tkeep[63:0]"),
    ("m_tx_tvalid", "m_axis_sync_tx_tvalid[0]"),
    ("m_tx_tlast", "m_axis_sync_tx_tlast[0]"),
    ("m_tx_tag", "m_axis_sync_tx_tuser[16:1]"),
    ("m_tx_error", "m_axis_sync_tx_tuser[0]"),
    ("m_tx_tready", "m_axis_sync_tx_tready[0]"),
    ("s_cpl_ts", "s_axis_sync_tx_cpl_ts[95:0]"),
    ("s_cpl_tag", "s_axis_sync_tx_cpl_tag[15:0]"),
    ("s_cpl_valid", "s_axis_sync_tx_cpl_valid[0]"),
    ("s_cpl_ready", "s_axis_sync_tx_cpl_ready[0]"),
    ("m_cpl_ts", "m_axis_sync_tx_cpl_ts[95:0]"),
    ("m_cpl_tag", "m_axis_sync_tx_cpl_tag[15:0]"),
    ("m_cpl_valid", "m_axis_sync_tx_cpl_valid[0]"),
    ("m_cpl_ready", "m_axis_sync_tx_cpl_ready[0]"),
    ("s_rx_tdata", "s_axis_sync_rx_tdata[511:0]"),
    ("s_rx_tkeep", "s_axis_sync_rx_tkeep[63:0]"),
    ("s_rx_tvalid", "s_axis_sync_rx_tvalid[0]"),
    ("s_rx_tlast", "s_axis_sync_rx_tlast[0]"),
    ("s_rx_error", "s_axis_sync_rx_tuser[0]"),
    ("s_rx_ts", "s_axis_sync_rx_tuser[96:1]"),
    ("m_rx_tdata", "m_axis_sync_rx_tdata[511:0]"),
    ("m_rx_tkeep", "m_axis_sync_rx_tkeep[63:0]"),
    ("m_rx_tvalid", "m_axis_sync_rx_tvalid[0]"),
    ("m_rx_tlast", "m_axis_sync_rx_tlast[0]"),
    ("m_rx_ts", "m_axis_sync_rx_tuser[96:1]"),
    ("m_rx_tready", "m_axis_sync_rx_tready[0]"),
];

/// The application block.
pub fn wrapper(header: &str) -> String {
    let mut ports = Table::default();
    for (heading, rows) in PORTS {
        ports.heading(heading);
        for (is_output, width, name) in *rows {
            let range = if *width == "1" { String::new() } else { format!("[{width}-1:0]") };
            ports.port(*is_output, &range, name);
        }
    }
    let parameters: Vec<String> =
        PARAMETERS.iter().map(|(name, value)| format!("    parameter {name} = {value}")).collect();
    let pins: Vec<(String, String)> =
        LANE.iter().map(|(pin, net)| (pin.to_string(), net.to_string())).collect();
    let mut text =
        format!("{header}\nmodule {MODULE} #(\n{}\n) (\n{});\n\n", parameters.join(",\n"), ports.text());
    text += &checks();
    text += "    // The first port, with the block. Of a frame to the host bit 0 of tuser is 0: bad ones end in the block.\n";
    text += &instance(CORUNDUM, "lane_0", &pins);
    text += "    assign s_axis_sync_rx_tready[0] = 1'b1;\n    assign m_axis_sync_rx_tuser[0] = 1'b0;\n\n";
    let assigns = assigns();
    for (heading, lines) in &assigns.sections {
        writeln!(text, "    // {heading}").expect("into a string");
        lines.iter().for_each(|line| writeln!(text, "    {line}").expect("into a string"));
        text.push('\n');
    }
    text += &assigns.others;
    format!(
        "{text}    // Bits that nothing reads.\n    wire unused_bits = &{{\n        1'b0,\n        {}\n    }};\nendmodule\n",
        unused(&assigns.read).join(",\n        ")
    )
}

/// What stops a simulation with parameters that the lane cannot serve.
fn checks() -> String {
    let mut text = "    initial begin\n".to_string();
    for (name, value) in NEEDS {
        writeln!(
            text,
            "        if ({name} != {value}) begin\n            $display(\"{MODULE}: {name} is %0d; nic needs {value}\", {name});\n            \
             $finish;\n        end"
        )
        .expect("into a string");
    }
    text + "    end\n\n"
}

/// What drives the outputs that are not the lane's.
struct Assigns {
    sections: Vec<(&'static str, Vec<String>)>,
    /// The sync streams of the other ports.
    others: String,
    /// Inputs that are read.
    read: Vec<String>,
}

fn assigns() -> Assigns {
    let of_lane = |name: &str| LANE.iter().any(|(_, net)| net.split('[').next() == Some(name));
    let find = |name: &str| PORTS.iter().flat_map(|(_, rows)| rows.iter()).find(|row| row.2 == name);
    let mut read: Vec<String> =
        LANE.iter().map(|(_, net)| net.split('[').next().unwrap_or(net).to_string()).collect();
    let (mut passed, mut answered, mut silent, mut others) = (vec![], vec![], vec![], String::new());
    let rows = PORTS.iter().flat_map(|(_, rows)| rows.iter());
    for (_, width, name) in rows.filter(|(is_output, ..)| *is_output) {
        let back = match name.split_once('_') {
            Some(("m", rest)) => format!("s_{rest}"),
            Some(("s", rest)) => format!("m_{rest}"),
            _ => String::new(),
        };
        let is_stream = ["_direct_", "_sync_", "_if_"].iter().any(|kind| name.contains(kind));
        if is_stream && find(&back).is_some() {
            read.push(back.clone());
            if name.contains("_sync_") {
                let bits =
                    width.strip_prefix("PORT_COUNT*").map(|bits| format!("PORT_COUNT*{bits}-1:{bits}"));
                let range = bits.unwrap_or("PORT_COUNT-1:1".to_string());
                writeln!(others, "            assign {name}[{range}] = {back}[{range}];")
                    .expect("into a string");
            } else {
                passed.push(format!("assign {name} = {back};"));
            }
        } else if let Some((_, input)) = ANSWERS.iter().find(|(output, _)| output == name) {
            read.push(input.to_string());
            answered.push(format!("assign {name} = {input};"));
        } else if READY.contains(name) {
            answered.push(format!("assign {name} = {{{width}{{1'b1}}}};"));
        } else if !of_lane(name) {
            let value = if *width == "1" { "1'b0".to_string() } else { format!("{{({width}){{1'b0}}}}") };
            silent.push(format!("assign {name} = {value};"));
        }
    }
    let others = format!(
        "    // The sync streams of the other ports, each as it came.\n    generate\n        if (PORT_COUNT > 1) begin : other\n{others}        end\n    endgenerate\n\n"
    );
    let sections = vec![
        ("Streams at other places, each as it came.", passed),
        ("The block has no memory for DMA and nothing for JTAG.", answered),
        ("What the block does not use.", silent),
    ];
    Assigns { sections, others, read }
}

/// The inputs, or bits of them, that nothing reads.
fn unused(read: &[String]) -> Vec<String> {
    let inputs = PORTS.iter().flat_map(|(_, rows)| rows.iter()).filter(|(is_output, ..)| !is_output);
    let unread = inputs.filter(|(_, _, name)| !read.iter().any(|known| known == name));
    let high = ["aw", "ar"].map(|of| format!("s_axil_app_ctrl_{of}addr[AXIL_APP_CTRL_ADDR_WIDTH-1:13]"));
    let mut bits: Vec<String> = high.into_iter().chain(["s_axis_sync_tx_tuser[0]".to_string()]).collect();
    bits.extend(unread.map(|(_, _, name)| name.to_string()));
    let is_needed = |name: &str| NEEDS.iter().any(|(need, _)| *need == name);
    let widths = || PORTS.iter().flat_map(|(_, rows)| rows.iter()).map(|row| row.1);
    let is_read = |name: &str| {
        let mut texts = widths().chain(PARAMETERS.iter().map(|(_, value)| *value));
        is_needed(name) || texts.any(|text| words(text).any(|word| word == name))
    };
    let parameters = PARAMETERS.iter().filter(|(name, _)| !is_read(name));
    bits.extend(parameters.map(|(name, _)| format!("{name} == 0")));
    bits
}

/// The names in an expression.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}
