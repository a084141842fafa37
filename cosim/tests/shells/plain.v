    assign to_mac_side[127:1] = 127'd0;
    assign to_host_side[127:1] = 127'd0;
    assign cpl_valid = 1'b0;
    assign cpl_side = 128'd0;
    assign rst_done = rstn;
    assign stops = 1'b0;
    nic_plain device (
        .clk(clk), .rst(rst), .s_axil_wstrb(4'hf),
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
        .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
        .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .tx_in_tdata(host_tdata), .tx_in_tkeep(host_tkeep), .tx_in_tvalid(host_tvalid), .tx_in_tlast(host_tlast),
        .tx_in_tuser(host_side[0]), .tx_in_tready(host_tready),
        .tx_out_tdata(to_mac_tdata), .tx_out_tkeep(to_mac_tkeep), .tx_out_tvalid(to_mac_tvalid), .tx_out_tlast(to_mac_tlast),
        .tx_out_tuser(to_mac_side[0]), .tx_out_tready(to_mac_tready),
        .rx_in_tdata(mac_tdata), .rx_in_tkeep(mac_tkeep), .rx_in_tvalid(mac_tvalid), .rx_in_tlast(mac_tlast),
        .rx_in_tuser(mac_side[0]), .rx_in_tready(mac_tready),
        .rx_out_tdata(to_host_tdata), .rx_out_tkeep(to_host_tkeep), .rx_out_tvalid(to_host_tvalid), .rx_out_tlast(to_host_tlast),
        .rx_out_tuser(to_host_side[0]), .rx_out_tready(to_host_takes), .event_tready(1'b1)
    );
