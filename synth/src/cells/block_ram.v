// The array of a block RAM and its two ports, as the models of RAMB18E2, RAMB36E2 and DP16KD have it in common.
//
// The vendors count in bytes of 9 bits, of which the ninth is a parity bit. Here the array is words of 64 data bits with 8 parity
// bits beside them, and an address is that of a data bit: its lower bits say where in the word a port of fewer bits begins. Ports of
// 1, 2 and 4 bits reach no parity bits.
//
// What a device does not promise is garbage here, the word inverted, so that whoever relies on it is found out:
// - A port reads what the other port writes at the same edge.
// - Both ports write the same bits at the same edge; then the array holds garbage.
// - The array and the outputs before the first write and read, which a simulator fills at random.
// - Contents that are all 0 at configuration, since that is also what synthesis writes where a design gives none.
//
// Both ports must be on one clock. What a port is not made for stops the simulation.
module respray_block_ram #(
    // Bits of an address.
    parameter ADDRESS_BITS = 15,
    // Bits of each port with parity: 0 where it does not read or write, 1, 2, 4, 9, 18, 36 or 72.
    parameter READ_WIDTH_A = 0,
    parameter READ_WIDTH_B = 0,
    parameter WRITE_WIDTH_A = 0,
    parameter WRITE_WIDTH_B = 0,
    // What a port shows while it writes: READ_FIRST the old word, WRITE_FIRST the new one, NO_CHANGE what it showed before.
    parameter MODE_A = "NO_CHANGE",
    parameter MODE_B = "NO_CHANGE",
    // A reset of the outputs does nothing while the port is not enabled.
    parameter RESET_NEEDS_ENABLE = 1,
    // A reset keeps its port from writing.
    parameter RESET_KEEPS_FROM_WRITING = 0,
    // What the outputs show after a reset: parity bits, data bits.
    parameter [71:0] RESET_VALUE_A = 0,
    parameter [71:0] RESET_VALUE_B = 0,
    // The array at configuration, word by word from bit 0 on.
    parameter [(1<<ADDRESS_BITS)-1:0] CONTENTS = 0,
    parameter [(1<<ADDRESS_BITS)/8-1:0] PARITY_CONTENTS = 0
) (
    input clk_a, clk_b,
    input enable_a, enable_b,
    input reset_a, reset_b,
    // A bit for each byte of the port.
    input [7:0] write_a, write_b,
    input [ADDRESS_BITS-1:0] address_a, address_b,
    input [63:0] data_in_a, data_in_b,
    input [7:0] parity_in_a, parity_in_b,
    output reg [63:0] data_a, data_b,
    output reg [7:0] parity_a, parity_b
);
    localparam WORDS = 1 << (ADDRESS_BITS - 6);
    localparam USES_A = READ_WIDTH_A != 0 || WRITE_WIDTH_A != 0;
    localparam USES_B = READ_WIDTH_B != 0 || WRITE_WIDTH_B != 0;

    reg [63:0] words [0:WORDS-1];
    reg [7:0] parities [0:WORDS-1];

    generate
        if ((|CONTENTS) === 1'b1 || (|PARITY_CONTENTS) === 1'b1) begin : given
            integer i;
            initial for (i = 0; i < WORDS; i = i + 1) begin
                words[i] = CONTENTS[64*i +: 64];
                parities[i] = PARITY_CONTENTS[8*i +: 8];
            end
        end
    endgenerate

    // Data bits, and parity bits, of a port of so many bits, at the lower end of a word.
    function [63:0] data_lane(input integer width);
        case (width)
            0: data_lane = 64'h0;
            1: data_lane = 64'h1;
            2: data_lane = 64'h3;
            4: data_lane = 64'hf;
            9: data_lane = 64'hff;
            18: data_lane = 64'hffff;
            36: data_lane = 64'hffffffff;
            default: data_lane = 64'hffffffffffffffff;
        endcase
    endfunction
    function [7:0] parity_lane(input integer width);
        case (width)
            9: parity_lane = 8'h1;
            18: parity_lane = 8'h3;
            36: parity_lane = 8'hf;
            72: parity_lane = 8'hff;
            default: parity_lane = 8'h0;
        endcase
    endfunction
    // Lower bits of an address that say where in a word a port of so many bits begins.
    function [5:0] place(input integer width, input [5:0] address);
        case (width)
            1: place = address;
            2: place = {address[5:1], 1'b0};
            4: place = {address[5:2], 2'b0};
            9: place = {address[5:3], 3'b0};
            18: place = {address[5:4], 4'b0};
            36: place = {address[5], 5'b0};
            default: place = 6'd0;
        endcase
    endfunction
    function [63:0] of_bytes(input [7:0] bytes);
        of_bytes = {{8{bytes[7]}}, {8{bytes[6]}}, {8{bytes[5]}}, {8{bytes[4]}},
            {8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}};
    endfunction

    wire [ADDRESS_BITS-7:0] word_a = address_a[ADDRESS_BITS-1:6];
    wire [ADDRESS_BITS-7:0] word_b = address_b[ADDRESS_BITS-1:6];
    wire [5:0] read_place_a = place(READ_WIDTH_A, address_a[5:0]);
    wire [5:0] read_place_b = place(READ_WIDTH_B, address_b[5:0]);
    wire [5:0] write_place_a = place(WRITE_WIDTH_A, address_a[5:0]);
    wire [5:0] write_place_b = place(WRITE_WIDTH_B, address_b[5:0]);

    // Bits of the word that a port writes.
    wire writes_a = WRITE_WIDTH_A != 0 && enable_a && write_a != 0 && !(RESET_KEEPS_FROM_WRITING && reset_a);
    wire writes_b = WRITE_WIDTH_B != 0 && enable_b && write_b != 0 && !(RESET_KEEPS_FROM_WRITING && reset_b);
    wire [63:0] written_a = writes_a ? (of_bytes(write_a) & data_lane(WRITE_WIDTH_A)) << write_place_a : 64'd0;
    wire [63:0] written_b = writes_b ? (of_bytes(write_b) & data_lane(WRITE_WIDTH_B)) << write_place_b : 64'd0;
    wire [7:0] parity_written_a = writes_a ? (write_a & parity_lane(WRITE_WIDTH_A)) << write_place_a[5:3] : 8'd0;
    wire [7:0] parity_written_b = writes_b ? (write_b & parity_lane(WRITE_WIDTH_B)) << write_place_b[5:3] : 8'd0;

    // Where the ports meet at one place: a byte that is not written belongs to a port's place nevertheless.
    wire [63:0] taken_a = writes_a ? data_lane(WRITE_WIDTH_A) << write_place_a : 64'd0;
    wire [63:0] taken_b = writes_b ? data_lane(WRITE_WIDTH_B) << write_place_b : 64'd0;
    wire [63:0] looked_at_a = data_lane(READ_WIDTH_A) << read_place_a;
    wire [63:0] looked_at_b = data_lane(READ_WIDTH_B) << read_place_b;
    wire is_one_word = word_a == word_b;
    wire spoils_a = is_one_word && (looked_at_a & taken_b) != 0;
    wire spoils_b = is_one_word && (looked_at_b & taken_a) != 0;
    wire [63:0] both = is_one_word ? written_a & written_b : 64'd0;
    wire [7:0] parity_both = is_one_word ? parity_written_a & parity_written_b : 8'd0;

    reg [63:0] old_a, old_b, new_word;
    reg [7:0] old_parity_a, old_parity_b, new_parity;

    // A port that a design has no use for may be without a clock, and is then never enabled.
    wire clk = (USES_A && clk_a) || (USES_B && clk_b);
    always @(posedge clk) begin
        if ((USES_A && enable_a && !clk_a) || (USES_B && enable_b && !clk_b))
            $fatal(1, "the model of a block RAM has both ports on one clock");
        old_a = words[word_a];
        old_b = words[word_b];
        old_parity_a = parities[word_a];
        old_parity_b = parities[word_b];
        if (writes_a) begin
            words[word_a] = (words[word_a] & ~written_a) | ((data_in_a << write_place_a) & written_a);
            parities[word_a] = (parities[word_a] & ~parity_written_a)
                | ((parity_in_a << write_place_a[5:3]) & parity_written_a);
        end
        if (writes_b) begin
            words[word_b] = (words[word_b] & ~written_b) | ((data_in_b << write_place_b) & written_b);
            parities[word_b] = (parities[word_b] & ~parity_written_b)
                | ((parity_in_b << write_place_b[5:3]) & parity_written_b);
            if (both != 0 || parity_both != 0) begin
                words[word_b] = (words[word_b] & ~both) | (~old_b & both);
                parities[word_b] = (parities[word_b] & ~parity_both) | (~old_parity_b & parity_both);
            end
        end
        if (READ_WIDTH_A != 0) begin
            if (reset_a && (enable_a || !RESET_NEEDS_ENABLE)) {parity_a, data_a} <= RESET_VALUE_A;
            else if (enable_a && !(writes_a && MODE_A == "NO_CHANGE")) begin
                new_word = writes_a && MODE_A == "WRITE_FIRST" ? words[word_a] : old_a;
                new_parity = writes_a && MODE_A == "WRITE_FIRST" ? parities[word_a] : old_parity_a;
                data_a <= ((spoils_a ? ~new_word : new_word) >> read_place_a) & data_lane(READ_WIDTH_A);
                parity_a <= ((spoils_a ? ~new_parity : new_parity) >> read_place_a[5:3]) & parity_lane(READ_WIDTH_A);
            end
        end
        if (READ_WIDTH_B != 0) begin
            if (reset_b && (enable_b || !RESET_NEEDS_ENABLE)) {parity_b, data_b} <= RESET_VALUE_B;
            else if (enable_b && !(writes_b && MODE_B == "NO_CHANGE")) begin
                new_word = writes_b && MODE_B == "WRITE_FIRST" ? words[word_b] : old_b;
                new_parity = writes_b && MODE_B == "WRITE_FIRST" ? parities[word_b] : old_parity_b;
                data_b <= ((spoils_b ? ~new_word : new_word) >> read_place_b) & data_lane(READ_WIDTH_B);
                parity_b <= ((spoils_b ? ~new_parity : new_parity) >> read_place_b[5:3]) & parity_lane(READ_WIDTH_B);
            end
        end
    end

    generate
        if (ADDRESS_BITS != 14 && ADDRESS_BITS != 15) $fatal(1, "the model of a block RAM has 16 or 32 kbit");
        if (!(is_width(READ_WIDTH_A) && is_width(READ_WIDTH_B) && is_width(WRITE_WIDTH_A) && is_width(WRITE_WIDTH_B)))
            $fatal(1, "the model of a block RAM knows ports of 1, 2, 4, 9, 18, 36 and 72 bits");
        if (!(is_mode(MODE_A) && is_mode(MODE_B)))
            $fatal(1, "the model of a block RAM knows the modes READ_FIRST, WRITE_FIRST and NO_CHANGE");
    endgenerate
    function is_width(input integer width);
        is_width = width == 0 || width == 1 || width == 2 || width == 4 || width == 9 || width == 18 || width == 36 || width == 72;
    endfunction
    function is_mode(input [8*11-1:0] mode);
        is_mode = mode == "READ_FIRST" || mode == "WRITE_FIRST" || mode == "NO_CHANGE";
    endfunction
endmodule
