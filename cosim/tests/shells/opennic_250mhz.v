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
    nic_opennic_250mhz #(.NUM_INTF(2)) device (
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
        .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
        .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .s_axis_qdma_h2c_tvalid({1'b1, host_tvalid}), .s_axis_qdma_h2c_tdata({OTHER_HOST, host_tdata}),
        .s_axis_qdma_h2c_tkeep({64'hff, host_tkeep}), .s_axis_qdma_h2c_tlast({1'b1, host_tlast}),
        .s_axis_qdma_h2c_tuser_size({16'd8, host_side[15:0]}), .s_axis_qdma_h2c_tuser_src({16'h2, 16'h1}),
        .s_axis_qdma_h2c_tuser_dst(32'd0), .s_axis_qdma_h2c_tready({other_ready[0], host_tready}),
        .m_axis_qdma_c2h_tvalid({other_host_valid, to_host_tvalid}), .m_axis_qdma_c2h_tdata({other_host_data, to_host_tdata}),
        .m_axis_qdma_c2h_tkeep({other_host_keep, to_host_tkeep}), .m_axis_qdma_c2h_tlast({other_host_last, to_host_tlast}),
        .m_axis_qdma_c2h_tuser_size({other_host_side[47:32], to_host_side[47:32]}),
        .m_axis_qdma_c2h_tuser_src({other_host_side[31:16], to_host_side[31:16]}),
        .m_axis_qdma_c2h_tuser_dst({other_host_side[15:0], to_host_side[15:0]}),
        .m_axis_qdma_c2h_tready({1'b0, to_host_takes}),
        .m_axis_adap_tx_250mhz_tvalid({other_mac_valid, to_mac_tvalid}), .m_axis_adap_tx_250mhz_tdata({other_mac_data, to_mac_tdata}),
        .m_axis_adap_tx_250mhz_tkeep({other_mac_keep, to_mac_tkeep}), .m_axis_adap_tx_250mhz_tlast({other_mac_last, to_mac_tlast}),
        .m_axis_adap_tx_250mhz_tuser_size({other_mac_side[47:32], to_mac_side[47:32]}),
        .m_axis_adap_tx_250mhz_tuser_src({other_mac_side[31:16], to_mac_side[31:16]}),
        .m_axis_adap_tx_250mhz_tuser_dst({other_mac_side[15:0], to_mac_side[15:0]}),
        .m_axis_adap_tx_250mhz_tready({1'b1, to_mac_tready}),
        .s_axis_adap_rx_250mhz_tvalid({1'b1, mac_tvalid}), .s_axis_adap_rx_250mhz_tdata({OTHER_MAC, mac_tdata}),
        .s_axis_adap_rx_250mhz_tkeep({64'hf, mac_tkeep}), .s_axis_adap_rx_250mhz_tlast({1'b1, mac_tlast}),
        .s_axis_adap_rx_250mhz_tuser_size({16'd4, mac_side[15:0]}), .s_axis_adap_rx_250mhz_tuser_src({16'h80, 16'h40}),
        .s_axis_adap_rx_250mhz_tuser_dst(32'd0), .s_axis_adap_rx_250mhz_tready({other_ready[1], mac_tready}),
        .mod_rstn(rstn), .mod_rst_done(rst_done), .axil_aclk(axil_clk), .axis_aclk(clk)
    );
    stand_in_qdma_c2h qdma (
        .clk(clk), .tvalid(is_up && to_host_tvalid), .tlast(to_host_tlast), .tkeep(to_host_tkeep),
        .tuser_size(to_host_side[47:32]), .tuser_dst(to_host_side[15:0]), .tready(to_host_tready), .stops(stops)
    );
    stand_in_adapter_tx adapter (
        .clk(clk), .tvalid(is_up && to_mac_tvalid), .tlast(to_mac_tlast), .tkeep(to_mac_tkeep), .tuser_size(to_mac_side[47:32]),
        .tuser_dst(to_mac_side[15:0]), .tready(to_mac_tready)
    );
    always @(posedge clk) if (is_up) begin
        if ({other_mac_valid, other_mac_data, other_mac_keep, other_mac_last} !== {1'b1, OTHER_HOST, 64'hff, 1'b1}
            || other_mac_side !== {16'd8, 16'h2, 16'h80}) $display("broken: the other port to the MAC");
        if ({other_host_valid, other_host_data, other_host_keep, other_host_last} !== {1'b1, OTHER_MAC, 64'hf, 1'b1}
            || other_host_side !== {16'd4, 16'h80, 16'h2}) $display("broken: the other port to the host");
        if (other_ready !== 2'b01) $display("broken: ready of the other port");
    end
