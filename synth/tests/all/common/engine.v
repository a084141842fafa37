// A small engine with one of each: block RAM, shift registers, carry chains, an inverter.
module engine(
    input wire clk,
    input wire rst,
    input wire op_valid,
    input wire [7:0] op_conn,
    input wire [15:0] op_ev,
    output reg res_valid,
    output reg [15:0] res_ev
);
    reg valid;
    reg [7:0] conn;
    reg [15:0] ev;
    reg [15:0] late0, late1, late2, late3;
    (* ram_style = "block" *) reg [15:0] words [0:255];
    reg [15:0] stored;
    wire [15:0] sum = stored + ev + {8'd0, conn};
    always @(posedge clk) begin
        valid <= op_valid & ~rst;
        if (valid) words[conn] <= sum;
        stored <= words[op_conn];
        conn <= op_conn;
        ev <= op_ev;
        late0 <= sum;
        late1 <= late0;
        late2 <= late1;
        late3 <= late2;
        res_valid <= valid & ~rst;
        res_ev <= (late3 < 16'd1000) ? late3 : ~ev;
    end
endmodule
