// mixed with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of mixed.

module mixed_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [44:0] shift_in;
    reg  [30:0] fold_out;
    wire [30:0] result;
    assign serial_out = fold_out[30];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    mixed core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[3:1]),
        .op_conn(shift_in[11:4]),
        .op_ev(shift_in[27:12]),
        .op_ecn(shift_in[28]),
        .seed(shift_in[44:29]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_kind(result[11:10]),
        .res_ev(result[27:12]),
        .path_penalised(result[28]),
        .path_forgiven(result[29]),
        .gave_up(result[30])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[43:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[29:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 45'd0;
            fold_out <= 31'd0;
        end
    end
endmodule
