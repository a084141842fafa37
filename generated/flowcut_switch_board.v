// flowcut_switch with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of flowcut_switch.

module flowcut_switch_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [183:0] shift_in;
    reg  [29:0] fold_out;
    wire [29:0] result;
    assign serial_out = fold_out[29];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    flowcut_switch core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[2:1]),
        .op_bucket(shift_in[14:3]),
        .op_bytes(shift_in[38:15]),
        .op_up(shift_in[54:39]),
        .op_epoch(shift_in[58:55]),
        .op_timestamp(shift_in[74:59]),
        .op_class(shift_in[78:75]),
        .op_serial(shift_in[94:79]),
        .op_port(shift_in[98:95]),
        .op_load(shift_in[106:99]),
        .now(shift_in[122:107]),
        .clock(shift_in[130:123]),
        .rtt_floor(shift_in[146:131]),
        .ratio(shift_in[152:147]),
        .alpha(shift_in[155:153]),
        .entry_timeout(shift_in[163:156]),
        .drain_after(shift_in[167:164]),
        .seed(shift_in[183:168]),
        .res_valid(result[1]),
        .res_port(result[5:2]),
        .res_kind(result[7:6]),
        .res_epoch(result[11:8]),
        .res_xoff(result[12]),
        .ev_bucket(result[24:13]),
        .xoff(result[25]),
        .xon(result[26]),
        .entry_cleared(result[27]),
        .order_risk(result[28]),
        .ack_refused(result[29])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[182:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[28:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 184'd0;
            fold_out <= 30'd0;
        end
    end
endmodule
