    assign to_mac_side[127:1] = 127'd0;
    assign to_host_side[127:1] = 127'd0;
    assign cpl_valid = 1'b0;
    assign cpl_side = 128'd0;
    assign mac_tready = 1'b1;
    assign stops = 1'b0;
    stand_in_cmac_tx cmac (
        .clk(clk), .tvalid(is_up && to_mac_tvalid), .tlast(to_mac_tlast), .tuser_err(to_mac_side[0]), .tready(to_mac_tready)
    );
    stand_in_adapter_rx adapter (
        .clk(clk), .tvalid(is_up && to_host_tvalid), .tlast(to_host_tlast), .tuser_err(to_host_side[0]),
        .pauses(adapter_pauses)
    );
    nic_opennic_322mhz device (
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
        .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
        .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
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
