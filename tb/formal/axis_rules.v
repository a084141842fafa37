// The rules of AXI4-Stream for formal runs, read with `read_verilog -formal`; `synth/tests/all/formal.rs` wraps the cores in them,
// `synth/tests/all/nic_formal/` the parts of the `nic`.
// Packets of this project: tkeep is all ones but in a packet's last beat, where it is contiguous from bit 0 and not empty.

// A proof begins with a reset; `is_begun` is high behind it.
module proof_begin (
    input  wire clk,
    input  wire rst,
    output reg  is_begun
);
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);
endmodule

// What is offered stays, and stays the same, until it is taken. A reset takes it back.
module stream_rules #(
    parameter BITS = 1
) (
    input wire            clk,
    input wire            rst,
    input wire            valid,
    input wire            ready,
    input wire [BITS-1:0] payload,
    // At the edge before, something was offered and not taken: now it must be there.
    output wire           is_held
);
    reg            is_waiting;
    reg [BITS-1:0] offered;

    always @(posedge clk) begin
        is_waiting <= valid && !ready && !rst;
        offered <= payload;
    end

    assign is_held = !is_waiting || (valid && payload == offered);
endmodule

// One channel. What a core is given is assumed to obey the rules (ASSUMED = 1), what it gives is asserted to.
module axis_rules #(
    parameter BYTES = 8,
    parameter ASSUMED = 0,
    // Which rules: those of one beat and the next, and those of a beat by itself.
    parameter OF_HOLDING = 1,
    parameter OF_SHAPE = 1
) (
    input wire               clk,
    input wire               rst,
    input wire [8*BYTES-1:0] tdata,
    input wire [BYTES-1:0]   tkeep,
    input wire               tvalid,
    input wire               tlast,
    input wire               tuser,
    input wire               tready
);
    wire is_held;
    stream_rules #(.BITS(9*BYTES + 2)) holding (
        .clk(clk), .rst(rst), .valid(tvalid), .ready(tready), .payload({tuser, tlast, tkeep, tdata}), .is_held(is_held)
    );

    // Ones from bit 0 up, at least one of them: adding 1 carries through them all.
    wire is_contiguous = tkeep[0] && (tkeep & (tkeep + 1'b1)) == {BYTES{1'b0}};
    wire is_whole = tlast || (&tkeep);
    wire is_shaped = !tvalid || (is_contiguous && is_whole);

    generate
        if (ASSUMED) begin : given
            if (OF_HOLDING) always @* assume (is_held);
            if (OF_SHAPE) always @* assume (is_shaped);
        end else begin : taken
            if (OF_HOLDING) always @* assert (is_held);
            if (OF_SHAPE) always @* assert (is_shaped);
        end
    endgenerate
endmodule
