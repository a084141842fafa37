// sack_tx with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of sack_tx.

module sack_tx_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [299:0] shift_in;
    reg  [92:0] fold_out;
    wire [92:0] result;
    assign serial_out = fold_out[92];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    sack_tx core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[2:1]),
        .op_conn(shift_in[10:3]),
        .op_psn(shift_in[34:11]),
        .op_bytes(shift_in[50:35]),
        .op_epsn(shift_in[74:51]),
        .op_base(shift_in[98:75]),
        .op_bitmap(shift_in[162:99]),
        .op_ooo(shift_in[174:163]),
        .op_bytes_recvd(shift_in[206:175]),
        .op_timestamp(shift_in[222:207]),
        .op_probe(shift_in[223]),
        .now(shift_in[239:224]),
        .cwnd_packets(shift_in[251:240]),
        .probe_timeout(shift_in[267:252]),
        .probe_rtt(shift_in[283:268]),
        .rto(shift_in[299:284]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_status(result[12:10]),
        .res_psn(result[36:13]),
        .res_acked(result[45:37]),
        .res_in_flight(result[54:46]),
        .res_bytes_in_flight(result[86:55]),
        .res_in_recovery(result[87]),
        .loss_ooo(result[88]),
        .loss_probe(result[89]),
        .loss_timeout(result[90]),
        .probe_due(result[91]),
        .recovery_left(result[92])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[298:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[91:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 300'd0;
            fold_out <= 93'd0;
        end
    end
endmodule
