// nic with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of nic.

module nic_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [1225:0] shift_in;
    reg  [1443:0] fold_out;
    wire [1443:0] result;
    assign serial_out = fold_out[1443];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    nic core (
        .clk(clk),
        .rst(rst),
        .s_axil_awaddr(shift_in[11:0]),
        .s_axil_awvalid(shift_in[12]),
        .s_axil_awready(result[0]),
        .s_axil_wdata(shift_in[44:13]),
        .s_axil_wstrb(shift_in[48:45]),
        .s_axil_wvalid(shift_in[49]),
        .s_axil_wready(result[1]),
        .s_axil_bresp(result[3:2]),
        .s_axil_bvalid(result[4]),
        .s_axil_bready(shift_in[50]),
        .s_axil_araddr(shift_in[62:51]),
        .s_axil_arvalid(shift_in[63]),
        .s_axil_arready(result[5]),
        .s_axil_rdata(result[37:6]),
        .s_axil_rresp(result[39:38]),
        .s_axil_rvalid(result[40]),
        .s_axil_rready(shift_in[64]),
        .tx_in_tdata(shift_in[576:65]),
        .tx_in_tkeep(shift_in[640:577]),
        .tx_in_tvalid(shift_in[641]),
        .tx_in_tlast(shift_in[642]),
        .tx_in_tuser(shift_in[643]),
        .tx_in_tready(result[41]),
        .tx_out_tdata(result[553:42]),
        .tx_out_tkeep(result[617:554]),
        .tx_out_tvalid(result[618]),
        .tx_out_tlast(result[619]),
        .tx_out_tuser(result[620]),
        .tx_out_tready(shift_in[644]),
        .rx_in_tdata(shift_in[1156:645]),
        .rx_in_tkeep(shift_in[1220:1157]),
        .rx_in_tvalid(shift_in[1221]),
        .rx_in_tlast(shift_in[1222]),
        .rx_in_tuser(shift_in[1223]),
        .rx_in_tready(result[621]),
        .rx_out_tdata(result[1133:622]),
        .rx_out_tkeep(result[1197:1134]),
        .rx_out_tvalid(result[1198]),
        .rx_out_tlast(result[1199]),
        .rx_out_tready(shift_in[1224]),
        .rx_kind(result[1201:1200]),
        .rx_error(result[1204:1202]),
        .rx_conn(result[1228:1205]),
        .rx_psn(result[1260:1229]),
        .rx_bytes(result[1276:1261]),
        .rx_ecn(result[1278:1277]),
        .rx_ev(result[1294:1279]),
        .rx_timestamp(result[1310:1295]),
        .rx_ack_request(result[1311]),
        .rx_status(result[1314:1312]),
        .event_tdata(result[1442:1315]),
        .event_tvalid(result[1443]),
        .event_tready(shift_in[1225])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[1224:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[1442:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 1226'd0;
            fold_out <= 1444'd0;
        end
    end
endmodule
