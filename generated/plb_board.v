// plb with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of plb.

module plb_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [152:0] shift_in;
    reg  [29:0] fold_out;
    wire [29:0] result;
    assign serial_out = fold_out[29];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    plb core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[3:1]),
        .op_conn(shift_in[11:4]),
        .op_ev(shift_in[27:12]),
        .op_ecn(shift_in[28]),
        .now(shift_in[60:29]),
        .round_ticks(shift_in[92:61]),
        .rto(shift_in[124:93]),
        .mark_threshold(shift_in[132:125]),
        .congested_rounds(shift_in[136:133]),
        .seed(shift_in[152:137]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_kind(result[11:10]),
        .res_ev(result[27:12]),
        .path_moved(result[28]),
        .round_congested(result[29])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[151:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[28:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 153'd0;
            fold_out <= 30'd0;
        end
    end
endmodule
