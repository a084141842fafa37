// rewrite_tx with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of rewrite_tx.

module rewrite_tx_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [629:0] shift_in;
    reg  [582:0] fold_out;
    wire [582:0] result;
    assign serial_out = fold_out[582];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    rewrite_tx core (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(shift_in[511:0]),
        .s_axis_tkeep(shift_in[575:512]),
        .s_axis_tvalid(shift_in[576]),
        .s_axis_tlast(shift_in[577]),
        .s_axis_tuser(shift_in[578]),
        .s_axis_tready(result[0]),
        .s_ev(shift_in[594:579]),
        .s_timestamp(shift_in[610:595]),
        .s_enable(shift_in[611]),
        .udp_port(shift_in[627:612]),
        .flow_label_enable(shift_in[628]),
        .m_axis_tdata(result[512:1]),
        .m_axis_tkeep(result[576:513]),
        .m_axis_tvalid(result[577]),
        .m_axis_tlast(result[578]),
        .m_axis_tuser(result[579]),
        .m_axis_tready(shift_in[629]),
        .pkt_rewritten(result[580]),
        .pkt_passed(result[581]),
        .pkt_malformed(result[582])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[628:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[581:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 630'd0;
            fold_out <= 583'd0;
        end
    end
endmodule
