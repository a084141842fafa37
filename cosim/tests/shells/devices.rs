//! The wrappers as the bench is connected to them.

use super::bench::{Place, wrappers};

/// Registers without write strobes, as OpenNIC has them.
macro_rules! registers {
    ($prefix:literal) => {
        concat!(
            ".",
            $prefix,
            "awaddr(awaddr), .",
            $prefix,
            "awvalid(awvalid), .",
            $prefix,
            "awready(awready), .",
            $prefix,
            "wdata(wdata), .",
            $prefix,
            "wvalid(wvalid), .",
            $prefix,
            "wready(wready), .",
            $prefix,
            "bresp(bresp), .",
            $prefix,
            "bvalid(bvalid), .",
            $prefix,
            "bready(bready), .",
            $prefix,
            "araddr(araddr), .",
            $prefix,
            "arvalid(arvalid), .",
            $prefix,
            "arready(arready), .",
            $prefix,
            "rdata(rdata), .",
            $prefix,
            "rresp(rresp), .",
            $prefix,
            "rvalid(rvalid), .",
            $prefix,
            "rready(rready),"
        )
    };
}

/// Two ports: at the second one there is no block, and what is given there goes on as it came.
const OPENNIC_250MHZ: &str = concat!(
    "
    localparam [511:0] OTHER_HOST = {16{32'h600d_f00d}};
    localparam [511:0] OTHER_MAC = {16{32'h0ddba11}};
    wire other_mac_valid, other_host_valid, other_mac_last, other_host_last;
    wire [511:0] other_mac_data, other_host_data;
    wire [63:0] other_mac_keep, other_host_keep;
    wire [47:0] other_mac_side, other_host_side;
    wire [1:0] other_ready;
    assign to_mac_side[127:48] = 80'd0;
    assign to_host_side[127:48] = 80'd0;
    assign cpl_valid = 1'b0;
    assign cpl_side = 128'd0;
    assign mac_cpl_ready = 1'b1;
    nic_opennic_250mhz #(.NUM_INTF(2)) device (
        ",
    registers!("s_axil_"),
    "
        .s_axis_qdma_h2c_tvalid({1'b1, host_tvalid}), .s_axis_qdma_h2c_tdata({OTHER_HOST, host_tdata}),
        .s_axis_qdma_h2c_tkeep({64'hff, host_tkeep}), .s_axis_qdma_h2c_tlast({1'b1, host_tlast}),
        .s_axis_qdma_h2c_tuser_size({16'd8, 16'd0}), .s_axis_qdma_h2c_tuser_src({16'h2, 16'h1}),
        .s_axis_qdma_h2c_tuser_dst(32'd0), .s_axis_qdma_h2c_tready({other_ready[0], host_tready}),
        .m_axis_qdma_c2h_tvalid({other_host_valid, to_host_tvalid}), .m_axis_qdma_c2h_tdata({other_host_data, to_host_tdata}),
        .m_axis_qdma_c2h_tkeep({other_host_keep, to_host_tkeep}), .m_axis_qdma_c2h_tlast({other_host_last, to_host_tlast}),
        .m_axis_qdma_c2h_tuser_size({other_host_side[47:32], to_host_side[47:32]}),
        .m_axis_qdma_c2h_tuser_src({other_host_side[31:16], to_host_side[31:16]}),
        .m_axis_qdma_c2h_tuser_dst({other_host_side[15:0], to_host_side[15:0]}),
        .m_axis_qdma_c2h_tready({1'b0, to_host_tready}),
        .m_axis_adap_tx_250mhz_tvalid({other_mac_valid, to_mac_tvalid}), .m_axis_adap_tx_250mhz_tdata({other_mac_data, to_mac_tdata}),
        .m_axis_adap_tx_250mhz_tkeep({other_mac_keep, to_mac_tkeep}), .m_axis_adap_tx_250mhz_tlast({other_mac_last, to_mac_tlast}),
        .m_axis_adap_tx_250mhz_tuser_size({other_mac_side[47:32], to_mac_side[47:32]}),
        .m_axis_adap_tx_250mhz_tuser_src({other_mac_side[31:16], to_mac_side[31:16]}),
        .m_axis_adap_tx_250mhz_tuser_dst({other_mac_side[15:0], to_mac_side[15:0]}),
        .m_axis_adap_tx_250mhz_tready({1'b1, to_mac_tready}),
        .s_axis_adap_rx_250mhz_tvalid({1'b1, mac_tvalid}), .s_axis_adap_rx_250mhz_tdata({OTHER_MAC, mac_tdata}),
        .s_axis_adap_rx_250mhz_tkeep({64'hf, mac_tkeep}), .s_axis_adap_rx_250mhz_tlast({1'b1, mac_tlast}),
        .s_axis_adap_rx_250mhz_tuser_size({16'd4, 16'd0}), .s_axis_adap_rx_250mhz_tuser_src({16'h80, 16'h40}),
        .s_axis_adap_rx_250mhz_tuser_dst(32'd0), .s_axis_adap_rx_250mhz_tready({other_ready[1], mac_tready}),
        .mod_rstn(rstn), .mod_rst_done(rst_done), .axil_aclk(axil_clk), .axis_aclk(clk)
    );
    always @(posedge clk) if (rst_done) begin
        if ({other_mac_valid, other_mac_data, other_mac_keep, other_mac_last} !== {1'b1, OTHER_HOST, 64'hff, 1'b1}
            || other_mac_side !== {16'd8, 16'h2, 16'h80}) $display(\"broken: the other port to the MAC\");
        if ({other_host_valid, other_host_data, other_host_keep, other_host_last} !== {1'b1, OTHER_MAC, 64'hf, 1'b1}
            || other_host_side !== {16'd4, 16'h80, 16'h2}) $display(\"broken: the other port to the host\");
        if (other_ready !== 2'b01) $display(\"broken: ready of the other port\");
    end
"
);

const OPENNIC_322MHZ: &str = concat!(
    "
    assign to_mac_side[127:1] = 127'd0;
    assign to_host_side[127:1] = 127'd0;
    assign cpl_valid = 1'b0;
    assign cpl_side = 128'd0;
    assign mac_cpl_ready = 1'b1;
    assign mac_tready = 1'b1;
    nic_opennic_322mhz device (
        ",
    registers!("s_axil_"),
    "
        .s_axis_adap_tx_322mhz_tvalid(host_tvalid), .s_axis_adap_tx_322mhz_tdata(host_tdata),
        .s_axis_adap_tx_322mhz_tkeep(host_tkeep), .s_axis_adap_tx_322mhz_tlast(host_tlast),
        .s_axis_adap_tx_322mhz_tuser_err(host_side[0]), .s_axis_adap_tx_322mhz_tready(host_tready),
        .m_axis_adap_rx_322mhz_tvalid(to_host_tvalid), .m_axis_adap_rx_322mhz_tdata(to_host_tdata),
        .m_axis_adap_rx_322mhz_tkeep(to_host_tkeep), .m_axis_adap_rx_322mhz_tlast(to_host_tlast),
        .m_axis_adap_rx_322mhz_tuser_err(to_host_side[0]),
        .m_axis_cmac_tx_tvalid(to_mac_tvalid), .m_axis_cmac_tx_tdata(to_mac_tdata), .m_axis_cmac_tx_tkeep(to_mac_tkeep),
        .m_axis_cmac_tx_tlast(to_mac_tlast), .m_axis_cmac_tx_tuser_err(to_mac_side[0]), .m_axis_cmac_tx_tready(to_mac_tready),
        .s_axis_cmac_rx_tvalid(mac_tvalid), .s_axis_cmac_rx_tdata(mac_tdata), .s_axis_cmac_rx_tkeep(mac_tkeep),
        .s_axis_cmac_rx_tlast(mac_tlast), .s_axis_cmac_rx_tuser_err(mac_side[0]),
        .mod_rstn(rstn), .mod_rst_done(rst_done), .axil_aclk(axil_clk), .cmac_clk(clk)
    );
"
);

const CORUNDUM: &str = concat!(
    "
    assign to_mac_side[127:17] = 111'd0;
    assign to_host_side[127:97] = 31'd0;
    assign cpl_side[127:112] = 16'd0;
    assign rst_done = rstn;
    mqnic_app_block device (
        .clk(clk), .rst(rst), .s_axil_app_ctrl_wstrb(4'hf), .s_axil_app_ctrl_awprot(3'd0), .s_axil_app_ctrl_arprot(3'd0),
        ",
    registers!("s_axil_app_ctrl_"),
    "
        .s_axis_sync_tx_tdata(host_tdata), .s_axis_sync_tx_tkeep(host_tkeep), .s_axis_sync_tx_tvalid(host_tvalid),
        .s_axis_sync_tx_tready(host_tready), .s_axis_sync_tx_tlast(host_tlast), .s_axis_sync_tx_tuser(host_side[16:0]),
        .m_axis_sync_tx_tdata(to_mac_tdata), .m_axis_sync_tx_tkeep(to_mac_tkeep), .m_axis_sync_tx_tvalid(to_mac_tvalid),
        .m_axis_sync_tx_tready(to_mac_tready), .m_axis_sync_tx_tlast(to_mac_tlast), .m_axis_sync_tx_tuser(to_mac_side[16:0]),
        .s_axis_sync_tx_cpl_ts(mac_cpl_ts), .s_axis_sync_tx_cpl_tag(mac_cpl_tag), .s_axis_sync_tx_cpl_valid(mac_cpl_valid),
        .s_axis_sync_tx_cpl_ready(mac_cpl_ready),
        .m_axis_sync_tx_cpl_ts(cpl_side[111:16]), .m_axis_sync_tx_cpl_tag(cpl_side[15:0]), .m_axis_sync_tx_cpl_valid(cpl_valid),
        .m_axis_sync_tx_cpl_ready(cpl_ready),
        .s_axis_sync_rx_tdata(mac_tdata), .s_axis_sync_rx_tkeep(mac_tkeep), .s_axis_sync_rx_tvalid(mac_tvalid),
        .s_axis_sync_rx_tready(mac_tready), .s_axis_sync_rx_tlast(mac_tlast), .s_axis_sync_rx_tuser(mac_side[96:0]),
        .m_axis_sync_rx_tdata(to_host_tdata), .m_axis_sync_rx_tkeep(to_host_tkeep), .m_axis_sync_rx_tvalid(to_host_tvalid),
        .m_axis_sync_rx_tready(to_host_tready), .m_axis_sync_rx_tlast(to_host_tlast), .m_axis_sync_rx_tuser(to_host_side[96:0])
    );
"
);

const PLAIN: &str = concat!(
    "
    assign to_mac_side[127:1] = 127'd0;
    assign to_host_side = 128'd0;
    assign cpl_valid = 1'b0;
    assign cpl_side = 128'd0;
    assign mac_cpl_ready = 1'b1;
    assign rst_done = rstn;
    nic_plain device (
        .clk(clk), .rst(rst), .s_axil_wstrb(4'hf),
        ",
    registers!("s_axil_"),
    "
        .tx_in_tdata(host_tdata), .tx_in_tkeep(host_tkeep), .tx_in_tvalid(host_tvalid), .tx_in_tlast(host_tlast),
        .tx_in_tuser(host_side[0]), .tx_in_tready(host_tready),
        .tx_out_tdata(to_mac_tdata), .tx_out_tkeep(to_mac_tkeep), .tx_out_tvalid(to_mac_tvalid), .tx_out_tlast(to_mac_tlast),
        .tx_out_tuser(to_mac_side[0]), .tx_out_tready(to_mac_tready),
        .rx_in_tdata(mac_tdata), .rx_in_tkeep(mac_tkeep), .rx_in_tvalid(mac_tvalid), .rx_in_tlast(mac_tlast),
        .rx_in_tuser(mac_side[0]), .rx_in_tready(mac_tready),
        .rx_out_tdata(to_host_tdata), .rx_out_tkeep(to_host_tkeep), .rx_out_tvalid(to_host_tvalid), .rx_out_tlast(to_host_tlast),
        .rx_out_tready(to_host_tready), .event_tready(1'b1)
    );
"
);

fn place(shell: &str, at: usize, device: &'static str, half_ps: [u32; 2]) -> Place {
    let wrapper = wrappers(shell).swap_remove(at);
    Place { wrapper, device, half_ps, host_waits: true, gapless: false }
}

/// OpenNIC's box at 250 MHz with two ports; registers at 125 MHz.
pub fn opennic_250mhz() -> Place {
    place("opennic", 0, OPENNIC_250MHZ, [4000, 2000])
}

/// OpenNIC's box at 322 MHz, whose clock has nothing to do with that of the registers.
pub fn opennic_322mhz() -> Place {
    Place { host_waits: false, gapless: true, ..place("opennic", 1, OPENNIC_322MHZ, [4000, 1551]) }
}

/// Corundum's application block, all on one clock.
pub fn corundum() -> Place {
    place("corundum", 0, CORUNDUM, [2000, 2000])
}

/// The block with registers at its streams.
pub fn plain() -> Place {
    place("plain", 0, PLAIN, [1551, 1551])
}
