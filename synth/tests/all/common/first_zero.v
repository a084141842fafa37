// Position of the lowest zero of 64 bits, registered: as a tree of two levels of 8.
module finder(
    input wire clk,
    input wire rst,
    input wire [63:0] op_bits,
    output reg res_valid,
    output reg [5:0] res_first
);
    reg [63:0] bits;
    reg [7:0] zero_in;
    reg [5:0] first;
    reg [2:0] low [0:7];
    integer i, j;
    always @(*) begin
        first = 6'd0;
        for (i = 0; i < 8; i = i + 1) begin
            zero_in[i] = ~&bits[8 * i +: 8];
            low[i] = 3'd0;
            for (j = 7; j >= 0; j = j - 1) if (~bits[8 * i + j]) low[i] = j[2:0];
        end
        for (i = 7; i >= 0; i = i - 1) if (zero_in[i]) first = {i[2:0], low[i]};
    end
    always @(posedge clk) begin
        bits <= op_bits;
        res_valid <= |zero_in & ~rst;
        res_first <= first;
    end
endmodule
