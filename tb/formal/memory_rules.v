// What every memory keeps, for formal runs, read with `read_verilog -formal` into the module of a memory: a word that is read at two
// edges one behind the other, and written at neither, is the same. A proof in which a memory gives anything at all assumes it
// (ASSUMED = 1); of the memory itself it is asserted.
module memory_rules #(
    parameter ADDRESS = 1,
    parameter BITS = 1,
    parameter ASSUMED = 1
) (
    input wire               clk,
    input wire [ADDRESS-1:0] read_address,
    input wire [BITS-1:0]    read_data,
    input wire               write_enable,
    input wire [ADDRESS-1:0] write_address
);
    // Of the last edge, and of the one before it.
    reg               is_known;
    reg               was_known;
    reg [ADDRESS-1:0] address;
    reg [ADDRESS-1:0] address_before;
    reg               is_written;
    reg               was_written;
    reg [BITS-1:0]    data_before;

    initial is_known = 1'b0;
    initial was_known = 1'b0;
    always @(posedge clk) begin
        is_known <= 1'b1;
        was_known <= is_known;
        address <= read_address;
        address_before <= address;
        is_written <= write_enable && write_address == read_address;
        was_written <= is_written;
        data_before <= read_data;
    end

    wire is_same = was_known && address == address_before && !is_written && !was_written;
    generate
        if (ASSUMED == 1) begin : given
            always @* assume (!is_same || read_data == data_before);
        end else begin : shown
            always @* assert (!is_same || read_data == data_before);
        end
    endgenerate
endmodule
