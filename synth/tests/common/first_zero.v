// Position of the lowest zero of 256 bits, registered: as a tree of two levels of 16.
module finder(
    input wire clk,
    input wire rst,
    input wire [255:0] op_bits,
    output reg res_valid,
    output reg [7:0] res_first
);
    reg [255:0] bits;
    reg [15:0] zero_in;
    reg [7:0] first;
    reg [3:0] low [0:15];
    integer i, j;
    always @(*) begin
        first = 8'd0;
        for (i = 0; i < 16; i = i + 1) begin
            zero_in[i] = ~&bits[16 * i +: 16];
            low[i] = 4'd0;
            for (j = 15; j >= 0; j = j - 1) if (~bits[16 * i + j]) low[i] = j[3:0];
        end
        for (i = 15; i >= 0; i = i - 1) if (zero_in[i]) first = {i[3:0], low[i]};
    end
    always @(posedge clk) begin
        bits <= op_bits;
        res_valid <= |zero_in & ~rst;
        res_first <= first;
    end
endmodule
