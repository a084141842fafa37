// shim_pop with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of shim_pop.

module shim_pop_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [601:0] shift_in;
    reg  [729:0] fold_out;
    wire [729:0] result;
    assign serial_out = fold_out[729];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    shim_pop core (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(shift_in[511:0]),
        .s_axis_tkeep(shift_in[575:512]),
        .s_axis_tvalid(shift_in[576]),
        .s_axis_tlast(shift_in[577]),
        .s_axis_tuser(shift_in[578]),
        .s_axis_tready(result[0]),
        .s_take_out(shift_in[583:579]),
        .ethertype(shift_in[599:584]),
        .m_axis_tdata(result[512:1]),
        .m_axis_tkeep(result[576:513]),
        .m_axis_tvalid(result[577]),
        .m_axis_tlast(result[578]),
        .m_axis_tuser(result[579]),
        .m_axis_tready(shift_in[600]),
        .meta_valid(result[580]),
        .meta_ready(shift_in[601]),
        .meta_kind(result[583:581]),
        .meta_error(result[585:584]),
        .meta_bytes(result[599:586]),
        .shim_hops(result[603:600]),
        .shim_epoch(result[607:604]),
        .shim_timestamp(result[623:608]),
        .shim_hash(result[639:624]),
        .shim_bytes(result[663:640]),
        .shim_enable(result[664]),
        .shim_hop(result[666:665]),
        .shim_path(result[698:667]),
        .shim_len(result[700:699]),
        .shim_ce(result[708:701]),
        .shim_dst(result[724:709]),
        .pkt_popped(result[725]),
        .pkt_kept(result[726]),
        .pkt_plain(result[727]),
        .pkt_unknown(result[728]),
        .pkt_malformed(result[729])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[600:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[728:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 602'd0;
            fold_out <= 730'd0;
        end
    end
endmodule
