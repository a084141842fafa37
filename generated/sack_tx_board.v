// sack_tx with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of sack_tx.

module sack_tx_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [303:0] shift_in;
    reg  [153:0] fold_out;
    wire [153:0] result;
    assign serial_out = fold_out[153];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    sack_tx core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[3:1]),
        .op_conn(shift_in[11:4]),
        .op_psn(shift_in[35:12]),
        .op_bytes(shift_in[51:36]),
        .op_epsn(shift_in[75:52]),
        .op_base(shift_in[99:76]),
        .op_bitmap(shift_in[163:100]),
        .op_ooo(shift_in[175:164]),
        .op_bytes_recvd(shift_in[207:176]),
        .op_timestamp(shift_in[223:208]),
        .op_probe(shift_in[224]),
        .now(shift_in[240:225]),
        .cwnd_packets(shift_in[252:241]),
        .probe_timeout(shift_in[268:253]),
        .probe_rtt(shift_in[284:269]),
        .rto(shift_in[300:285]),
        .rto_backoff_max(shift_in[303:301]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_status(result[12:10]),
        .res_psn(result[36:13]),
        .res_snd_nxt(result[60:37]),
        .res_acked(result[69:61]),
        .res_in_flight(result[78:70]),
        .res_bytes_in_flight(result[110:79]),
        .res_bytes_acked(result[130:111]),
        .res_in_recovery(result[131]),
        .res_rtt_valid(result[132]),
        .res_rtt(result[148:133]),
        .loss_ooo(result[149]),
        .loss_probe(result[150]),
        .loss_timeout(result[151]),
        .probe_due(result[152]),
        .recovery_left(result[153])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[302:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[152:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 304'd0;
            fold_out <= 154'd0;
        end
    end
endmodule
