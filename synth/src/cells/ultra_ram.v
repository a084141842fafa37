// URAM288, the UltraRAM of UltraScale+, in the modes that Yosys maps memories to (its `xilinx/urams_map.v`).
//
// After UG573, UltraScale Architecture Memory Resources, chapter 2. The module has only the parameters and pins that the mapping sets,
// so that any other of a netlist is an error of its elaboration. Both ports are on one clock, and port A comes before port B: what A
// writes at an edge, B reads at the same one; what B writes, A does not. A port that writes shows what it showed before. The array is
// filled with 0 at configuration, but nothing is made of that: it begins with what the simulator fills it with.
module URAM288 (
    input CLK, SLEEP,
    input [22:0] ADDR_A, ADDR_B,
    input [8:0] BWE_A, BWE_B,
    input EN_A, EN_B, RDB_WR_A, RDB_WR_B, RST_A, RST_B,
    input INJECT_DBITERR_A, INJECT_DBITERR_B, INJECT_SBITERR_A, INJECT_SBITERR_B,
    input [71:0] DIN_A, DIN_B,
    output reg [71:0] DOUT_A, DOUT_B
);
    parameter BWE_MODE_A = "PARITY_INTERLEAVED", BWE_MODE_B = "PARITY_INTERLEAVED";
    parameter EN_AUTO_SLEEP_MODE = "FALSE";
    parameter IREG_PRE_A = "FALSE", IREG_PRE_B = "FALSE";
    parameter IS_CLK_INVERTED = 0;
    parameter OREG_A = "FALSE", OREG_B = "FALSE";
    parameter RST_MODE_A = "SYNC", RST_MODE_B = "SYNC";

    reg [71:0] words [0:4095];

    // The bits that byte enables stand for: parity bits lie behind the data, and go with their bytes or have an enable of their own.
    function [71:0] enabled(input is_interleaved, input [8:0] enables);
        enabled = {is_interleaved ? enables[7:0] : {8{enables[8]}},
            {8{enables[7]}}, {8{enables[6]}}, {8{enables[5]}}, {8{enables[4]}},
            {8{enables[3]}}, {8{enables[2]}}, {8{enables[1]}}, {8{enables[0]}}};
    endfunction
    wire [71:0] bits_a = enabled(BWE_MODE_A == "PARITY_INTERLEAVED", BWE_A);
    wire [71:0] bits_b = enabled(BWE_MODE_B == "PARITY_INTERLEAVED", BWE_B);
    wire [11:0] address_a = ADDR_A[11:0];
    wire [11:0] address_b = ADDR_B[11:0];

    always @(posedge CLK) begin
        if (RST_A) DOUT_A <= 72'd0;
        else if (EN_A && !RDB_WR_A) DOUT_A <= words[address_a];
        if (EN_A && RDB_WR_A) words[address_a] = (words[address_a] & ~bits_a) | (DIN_A & bits_a);
        if (RST_B) DOUT_B <= 72'd0;
        else if (EN_B && !RDB_WR_B) DOUT_B <= words[address_b];
        if (EN_B && RDB_WR_B) words[address_b] = (words[address_b] & ~bits_b) | (DIN_B & bits_b);
        if (SLEEP || INJECT_DBITERR_A || INJECT_DBITERR_B || INJECT_SBITERR_A || INJECT_SBITERR_B)
            $fatal(1, "the model of URAM288 has no sleep and no errors to order");
        if ((EN_A && ADDR_A[22:12] != 0) || (EN_B && ADDR_B[22:12] != 0))
            $fatal(1, "the model of URAM288 has no cascade");
    end

    generate
        if (EN_AUTO_SLEEP_MODE != "FALSE" || IREG_PRE_A != "FALSE" || IREG_PRE_B != "FALSE" || OREG_A != "FALSE" || OREG_B != "FALSE")
            $fatal(1, "the model of URAM288 has neither registers at its pins nor sleep");
        if (IS_CLK_INVERTED != 0) $fatal(1, "the model of URAM288 has no inverted clock");
        if (RST_MODE_A != "SYNC" || RST_MODE_B != "SYNC") $fatal(1, "the model of URAM288 has synchronous resets");
        if (!(is_mode(BWE_MODE_A) && is_mode(BWE_MODE_B)))
            $fatal(1, "the model of URAM288 knows the byte enables PARITY_INTERLEAVED and PARITY_INDEPENDENT");
    endgenerate
    function is_mode(input [8*18-1:0] mode);
        is_mode = mode == "PARITY_INTERLEAVED" || mode == "PARITY_INDEPENDENT";
    endfunction
endmodule
