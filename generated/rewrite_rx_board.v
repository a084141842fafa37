// rewrite_rx with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of rewrite_rx.

module rewrite_rx_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [596:0] shift_in;
    reg  [942:0] fold_out;
    wire [942:0] result;
    assign serial_out = fold_out[942];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    rewrite_rx core (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(shift_in[511:0]),
        .s_axis_tkeep(shift_in[575:512]),
        .s_axis_tvalid(shift_in[576]),
        .s_axis_tlast(shift_in[577]),
        .s_axis_tuser(shift_in[578]),
        .s_axis_tready(result[0]),
        .udp_port(shift_in[594:579]),
        .m_axis_tdata(result[512:1]),
        .m_axis_tkeep(result[576:513]),
        .m_axis_tvalid(result[577]),
        .m_axis_tlast(result[578]),
        .m_axis_tuser(result[579]),
        .m_axis_tready(shift_in[595]),
        .meta_valid(result[580]),
        .meta_ready(shift_in[596]),
        .meta_kind(result[582:581]),
        .meta_error(result[585:583]),
        .meta_conn(result[609:586]),
        .meta_psn(result[641:610]),
        .meta_bytes(result[657:642]),
        .meta_ecn(result[659:658]),
        .meta_ev(result[675:660]),
        .meta_timestamp(result[691:676]),
        .meta_ack_request(result[692]),
        .meta_source_pdc(result[708:693]),
        .meta_retransmit(result[709]),
        .ack_ecn(result[710]),
        .ack_probe(result[711]),
        .ack_flags(result[713:712]),
        .ack_ev(result[729:714]),
        .ack_timestamp(result[745:730]),
        .ack_bytes(result[777:746]),
        .ack_epsn(result[809:778]),
        .ack_offset(result[825:810]),
        .ack_ooo(result[841:826]),
        .ack_base(result[873:842]),
        .ack_bitmap(result[937:874]),
        .pkt_data(result[938]),
        .pkt_ack(result[939]),
        .pkt_probe(result[940]),
        .pkt_other(result[941]),
        .pkt_malformed(result[942])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[595:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[941:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 597'd0;
            fold_out <= 943'd0;
        end
    end
endmodule
