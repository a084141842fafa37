    assign to_mac_side[127:17] = 111'd0;
    assign to_host_side[127:97] = 31'd0;
    assign cpl_side[127:112] = 16'd0;
    assign rst_done = rstn;
    assign stops = 1'b0;
    wire mac_cpl_valid, mac_cpl_ready;
    wire [15:0] mac_cpl_tag;
    wire [95:0] mac_cpl_ts;
    stand_in_corundum corundum (
        .clk(clk), .is_up(is_up), .host_taken(host_tvalid && host_tready && host_first), .host_tag(host_side[16:1]),
        .mac_tvalid(to_mac_tvalid), .mac_tlast(to_mac_tlast), .mac_tready(to_mac_tready), .mac_tag(to_mac_side[16:1]),
        .cpl_valid(mac_cpl_valid), .cpl_tag(mac_cpl_tag), .cpl_ts(mac_cpl_ts), .cpl_ready(mac_cpl_ready),
        .done_valid(cpl_valid), .done_tag(cpl_side[15:0]), .done_ready(cpl_ready)
    );
    mqnic_app_block device (
        .clk(clk), .rst(rst), .s_axil_app_ctrl_wstrb(4'hf), .s_axil_app_ctrl_awprot(3'd0), .s_axil_app_ctrl_arprot(3'd0),
        .s_axil_app_ctrl_awaddr(awaddr), .s_axil_app_ctrl_awvalid(awvalid), .s_axil_app_ctrl_awready(awready), .s_axil_app_ctrl_wdata(wdata),
        .s_axil_app_ctrl_wvalid(wvalid), .s_axil_app_ctrl_wready(wready), .s_axil_app_ctrl_bresp(bresp), .s_axil_app_ctrl_bvalid(bvalid),
        .s_axil_app_ctrl_bready(bready), .s_axil_app_ctrl_araddr(araddr), .s_axil_app_ctrl_arvalid(arvalid), .s_axil_app_ctrl_arready(arready),
        .s_axil_app_ctrl_rdata(rdata), .s_axil_app_ctrl_rresp(rresp), .s_axil_app_ctrl_rvalid(rvalid), .s_axil_app_ctrl_rready(rready),
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
        .m_axis_sync_rx_tready(to_host_takes), .m_axis_sync_rx_tlast(to_host_tlast), .m_axis_sync_rx_tuser(to_host_side[96:0])
    );
