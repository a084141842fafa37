// shim_push with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of shim_push.

module shim_push_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [725:0] shift_in;
    reg  [584:0] fold_out;
    wire [584:0] result;
    assign serial_out = fold_out[584];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    shim_push core (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(shift_in[511:0]),
        .s_axis_tkeep(shift_in[575:512]),
        .s_axis_tvalid(shift_in[576]),
        .s_axis_tlast(shift_in[577]),
        .s_axis_tuser(shift_in[578]),
        .s_axis_tready(result[0]),
        .s_op(shift_in[580:579]),
        .s_kind(shift_in[583:581]),
        .s_hops(shift_in[587:584]),
        .s_epoch(shift_in[591:588]),
        .s_timestamp(shift_in[607:592]),
        .s_hash(shift_in[623:608]),
        .s_bytes(shift_in[647:624]),
        .s_enable(shift_in[648]),
        .s_hop(shift_in[650:649]),
        .s_path(shift_in[682:651]),
        .s_len(shift_in[684:683]),
        .s_ce(shift_in[692:685]),
        .s_dst(shift_in[708:693]),
        .ethertype(shift_in[724:709]),
        .m_axis_tdata(result[512:1]),
        .m_axis_tkeep(result[576:513]),
        .m_axis_tvalid(result[577]),
        .m_axis_tlast(result[578]),
        .m_axis_tuser(result[579]),
        .m_axis_tready(shift_in[725]),
        .pkt_inserted(result[580]),
        .pkt_patched(result[581]),
        .pkt_passed(result[582]),
        .pkt_refused(result[583]),
        .pkt_malformed(result[584])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[724:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[583:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 726'd0;
            fold_out <= 585'd0;
        end
    end
endmodule
