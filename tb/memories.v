// Memories of many shapes, which synthesis maps to every mode of block RAMs that it uses. What a memory that is read where it is
// written gives is not promised, and is the old word inverted in simulation, as in the generated Verilog. All words are written once
// before anything is compared.

// One port writes, with an enable for each part of a word, and one reads.
module simple_memory #(
    parameter ADDRESS = 9,
    parameter PARTS = 1,
    parameter PART = 9,
    parameter READ_ENABLE = 0
) (
    input wire clk,
    input wire [PARTS-1:0] write,
    input wire [13:0] write_address,
    input wire [13:0] read_address,
    input wire read,
    input wire [PARTS*PART-1:0] data_in,
    output reg [PARTS*PART-1:0] data_out
);
    (* ram_style = "block", no_rw_check *)
    reg [PARTS*PART-1:0] words [0:(1<<ADDRESS)-1];
    integer i;
    always @(posedge clk) begin
        for (i = 0; i < PARTS; i = i + 1)
            if (write[i]) words[write_address[ADDRESS-1:0]][PART*i +: PART] <= data_in[PART*i +: PART];
        if (read || !READ_ENABLE) begin
            data_out <= words[read_address[ADDRESS-1:0]];
    `ifndef SYNTHESIS
            if (write != 0 && write_address[ADDRESS-1:0] == read_address[ADDRESS-1:0])
                data_out <= ~words[read_address[ADDRESS-1:0]];
    `endif
        end
    end
endmodule

// One port that reads and writes: KIND 0 shows the old word while it writes, 1 the new one, 2 what it showed before.
module single_memory #(
    parameter ADDRESS = 10,
    parameter WIDTH = 18,
    parameter KIND = 0
) (
    input wire clk,
    input wire write,
    input wire [13:0] address,
    input wire [WIDTH-1:0] data_in,
    output reg [WIDTH-1:0] data_out
);
    (* ram_style = "block" *)
    reg [WIDTH-1:0] words [0:(1<<ADDRESS)-1];
    always @(posedge clk) begin
        if (write) words[address[ADDRESS-1:0]] <= data_in;
        if (KIND == 0) data_out <= words[address[ADDRESS-1:0]];
        if (KIND == 1) data_out <= write ? data_in : words[address[ADDRESS-1:0]];
        if (KIND == 2 && !write) data_out <= words[address[ADDRESS-1:0]];
    end
endmodule

// Contents at configuration, and no way to write.
module constant_memory (
    input wire clk,
    input wire [13:0] address,
    output reg [17:0] data_out
);
    (* ram_style = "block", rom_style = "block" *)
    reg [17:0] words [0:1023];
    integer i;
    initial for (i = 0; i < 1024; i = i + 1) words[i] = i * i + 18'd7;
    always @(posedge clk) data_out <= words[address[9:0]];
endmodule

module memories (
    input wire clk,
    input wire rst,
    input wire [7:0] write,
    input wire read,
    input wire [13:0] write_address,
    input wire [13:0] read_address,
    input wire [71:0] data_in,
    output wire [0:0] simple_1,
    output wire [1:0] simple_2,
    output wire [3:0] simple_4,
    output wire [8:0] simple_9,
    output wire [17:0] simple_18,
    output wire [35:0] simple_36,
    output wire [71:0] simple_72,
    output wire [17:0] parts_2,
    output wire [35:0] parts_4,
    output wire [71:0] parts_8,
    output wire [17:0] enabled_18,
    output wire [71:0] enabled_72,
    output wire [17:0] single_old,
    output wire [17:0] single_new,
    output wire [17:0] single_kept,
    output wire [17:0] constant
);
    simple_memory #(.ADDRESS(14), .PART(1)) m1 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[0:0]), .data_out(simple_1));
    simple_memory #(.ADDRESS(13), .PART(2)) m2 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[1:0]), .data_out(simple_2));
    simple_memory #(.ADDRESS(12), .PART(4)) m4 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[3:0]), .data_out(simple_4));
    simple_memory #(.ADDRESS(11), .PART(9)) m9 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[8:0]), .data_out(simple_9));
    simple_memory #(.ADDRESS(10), .PART(18)) m18 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[17:0]), .data_out(simple_18));
    simple_memory #(.ADDRESS(9), .PART(36)) m36 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[35:0]), .data_out(simple_36));
    simple_memory #(.ADDRESS(9), .PART(72)) m72 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in), .data_out(simple_72));
    simple_memory #(.ADDRESS(10), .PARTS(2)) p2 (.clk(clk), .write(write[1:0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[17:0]), .data_out(parts_2));
    simple_memory #(.ADDRESS(9), .PARTS(4)) p4 (.clk(clk), .write(write[3:0]), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in[35:0]), .data_out(parts_4));
    simple_memory #(.ADDRESS(9), .PARTS(8)) p8 (.clk(clk), .write(write), .write_address(write_address),
        .read_address(read_address), .read(1'b1), .data_in(data_in), .data_out(parts_8));
    simple_memory #(.ADDRESS(10), .PART(18), .READ_ENABLE(1)) e18 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(read), .data_in(data_in[17:0]), .data_out(enabled_18));
    simple_memory #(.ADDRESS(9), .PART(72), .READ_ENABLE(1)) e72 (.clk(clk), .write(write[0]), .write_address(write_address),
        .read_address(read_address), .read(read), .data_in(data_in), .data_out(enabled_72));
    single_memory #(.KIND(0)) old (.clk(clk), .write(write[0]), .address(write_address),
        .data_in(data_in[17:0]), .data_out(single_old));
    single_memory #(.KIND(1)) new_word (.clk(clk), .write(write[0]), .address(write_address),
        .data_in(data_in[17:0]), .data_out(single_new));
    single_memory #(.KIND(2)) kept (.clk(clk), .write(write[0]), .address(write_address),
        .data_in(data_in[17:0]), .data_out(single_kept));
    constant_memory c (.clk(clk), .address(read_address), .data_out(constant));
    wire unused = rst;
endmodule
