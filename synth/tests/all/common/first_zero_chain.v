// The same as a chain: each bit waits for the bit below.
module finder(
    input wire clk,
    input wire rst,
    input wire [63:0] op_bits,
    output reg res_valid,
    output reg [5:0] res_first
);
    reg [63:0] bits;
    wire [64:0] ones_below;
    reg [5:0] first;
    integer i;
    assign ones_below[0] = 1'b1;
    assign ones_below[64:1] = ones_below[63:0] & bits;
    always @(*) begin
        first = 6'd0;
        for (i = 0; i < 64; i = i + 1) first = first | ((ones_below[i] & ~bits[i]) ? i[5:0] : 6'd0);
    end
    always @(posedge clk) begin
        bits <= op_bits;
        res_valid <= ~ones_below[64] & ~rst;
        res_first <= first;
    end
endmodule
