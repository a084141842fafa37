// strack_cc with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of strack_cc.

module strack_cc_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [207:0] shift_in;
    reg  [70:0] fold_out;
    wire [70:0] result;
    assign serial_out = fold_out[70];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    strack_cc core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[3:1]),
        .op_conn(shift_in[11:4]),
        .op_ecn(shift_in[12]),
        .op_probe(shift_in[13]),
        .op_bytes(shift_in[33:14]),
        .op_timestamp(shift_in[49:34]),
        .now(shift_in[65:50]),
        .net_base_rtt(shift_in[81:66]),
        .min_base_rtt(shift_in[97:82]),
        .target_qdelay(shift_in[113:98]),
        .target_qhigh(shift_in[129:114]),
        .alpha(shift_in[145:130]),
        .beta(shift_in[161:146]),
        .eta(shift_in[177:162]),
        .gamma(shift_in[193:178]),
        .max_cwnd(shift_in[203:194]),
        .mtu_log2(shift_in[207:204]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_status(result[12:10]),
        .res_cwnd(result[38:13]),
        .res_cwnd_packets(result[50:39]),
        .res_delay(result[66:51]),
        .res_action(result[69:67]),
        .res_fair(result[70])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[206:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[69:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 208'd0;
            fold_out <= 71'd0;
        end
    end
endmodule
