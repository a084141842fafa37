// The same as a chain: each bit waits for the bit below.
module finder(
    input wire clk,
    input wire rst,
    input wire [255:0] op_bits,
    output reg res_valid,
    output reg [7:0] res_first
);
    reg [255:0] bits;
    wire [256:0] ones_below;
    reg [7:0] first;
    integer i;
    assign ones_below[0] = 1'b1;
    assign ones_below[256:1] = ones_below[255:0] & bits;
    always @(*) begin
        first = 8'd0;
        for (i = 0; i < 256; i = i + 1) first = first | ((ones_below[i] & ~bits[i]) ? i[7:0] : 8'd0);
    end
    always @(posedge clk) begin
        bits <= op_bits;
        res_valid <= ~ones_below[256] & ~rst;
        res_first <= first;
    end
endmodule
