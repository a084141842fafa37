// sack_rx with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of sack_rx.

module sack_rx_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [101:0] shift_in;
    reg  [227:0] fold_out;
    wire [227:0] result;
    assign serial_out = fold_out[227];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    sack_rx core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[2:1]),
        .op_conn(shift_in[10:3]),
        .op_psn(shift_in[34:11]),
        .op_bytes(shift_in[50:35]),
        .op_ecn(shift_in[51]),
        .op_ev(shift_in[67:52]),
        .op_timestamp(shift_in[83:68]),
        .op_ack_request(shift_in[84]),
        .op_probe(shift_in[85]),
        .sack_threshold(shift_in[101:86]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_status(result[12:10]),
        .sack_valid(result[13]),
        .sack_psn(result[37:14]),
        .sack_epsn(result[61:38]),
        .sack_base(result[85:62]),
        .sack_bitmap(result[149:86]),
        .sack_ooo(result[161:150]),
        .sack_bytes_recvd(result[193:162]),
        .sack_ecn(result[194]),
        .sack_ev(result[210:195]),
        .sack_timestamp(result[226:211]),
        .sack_probe(result[227])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[100:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[226:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 102'd0;
            fold_out <= 228'd0;
        end
    end
endmodule
