// flowcut with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of flowcut.

module flowcut_board (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  [145:0] shift_in;
    reg  [33:0] fold_out;
    wire [33:0] result;
    assign serial_out = fold_out[33];

    // Reset holds for the first 8 cycles after configuration: no pin is needed for it.
    reg [3:0] up;
    initial up = 4'd0;
    wire rst = !up[3];

    flowcut core (
        .clk(clk),
        .rst(rst),
        .op_valid(shift_in[0]),
        .op_ready(result[0]),
        .op_kind(shift_in[3:1]),
        .op_conn(shift_in[11:4]),
        .op_bytes(shift_in[25:12]),
        .op_rtx(shift_in[26]),
        .op_recvd(shift_in[50:27]),
        .op_timestamp(shift_in[66:51]),
        .op_class(shift_in[70:67]),
        .op_serial(shift_in[86:71]),
        .now(shift_in[102:87]),
        .rtt_floor(shift_in[118:103]),
        .ratio(shift_in[124:119]),
        .alpha(shift_in[127:125]),
        .hold(shift_in[128]),
        .timeout_reroutes(shift_in[129]),
        .seed(shift_in[145:130]),
        .res_valid(result[1]),
        .res_conn(result[9:2]),
        .res_kind(result[11:10]),
        .res_ev(result[27:12]),
        .res_draining(result[28]),
        .drain_started(result[29]),
        .drain_done(result[30]),
        .drain_given_up(result[31]),
        .order_risk(result[32]),
        .ack_refused(result[33])
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + 4'd1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shift_in[144:0], serial_in} ^ shift_in;
        fold_out <= {fold_out[32:0], serial_in} ^ result;
        if (rst) begin
            shift_in <= 146'd0;
            fold_out <= 34'd0;
        end
    end
endmodule
