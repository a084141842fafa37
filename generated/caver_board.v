// caver with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of caver.

module caver_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [240:0] shift_in;
    reg  [65:0] fold_out;
    wire [65:0] result;
    assign serial_out = fold_out[65];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    caver core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[2:1]),
        .op_dst(shift_in[12:3]),
        .op_in_port(shift_in[17:13]),
        .op_hash(shift_in[49:18]),
        .op_bytes(shift_in[63:50]),
        .op_is_local(shift_in[64]),
        .op_fib_port(shift_in[69:65]),
        .op_enable(shift_in[70]),
        .op_hop(shift_in[72:71]),
        .op_path(shift_in[104:73]),
        .op_ce(shift_in[112:105]),
        .op_len(shift_in[114:113]),
        .op_to_local(shift_in[115]),
        .op_port(shift_in[120:116]),
        .op_shift(shift_in[125:121]),
        .now(shift_in[133:126]),
        .path_age(shift_in[141:134]),
        .flow_timeout(shift_in[149:142]),
        .is_host(shift_in[181:150]),
        .up(shift_in[213:182]),
        .dre_period(shift_in[237:214]),
        .dre_alpha(shift_in[240:238]),
        .res_valid(result[1]),
        .res_dst(result[11:2]),
        .res_kind(result[15:12]),
        .res_port(result[20:16]),
        .res_enable(result[21]),
        .res_hop(result[23:22]),
        .res_path(result[55:24]),
        .res_ce(result[63:56]),
        .res_len(result[65:64])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[239:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[64:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 241'd0;
            fold_out <= 66'd0;
        end
    end
endmodule
