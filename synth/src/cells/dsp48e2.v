// DSP48E2, the multiplier of UltraScale+, as Yosys maps products to it (its `xilinx/xcu_dsp_map.v`): 27 by 18 bits, both signed, without
// any register.
//
// After UG579, UltraScale Architecture DSP Slice. The module has only the parameters and pins that the mapping sets, so that any other
// of a netlist, as the clock of a register is, is an error of its elaboration.
module DSP48E2 (
    input [29:0] A, ACIN,
    input [17:0] B, BCIN,
    input [47:0] C, PCIN,
    input [26:0] D,
    input CARRYIN,
    input [2:0] CARRYINSEL,
    input [3:0] ALUMODE,
    input [4:0] INMODE,
    input [8:0] OPMODE,
    output [47:0] P
);
    parameter integer ACASCREG = 1, ADREG = 1, ALUMODEREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, CARRYINREG = 1, CARRYINSELREG = 1;
    parameter integer CREG = 1, DREG = 1, INMODEREG = 1, MREG = 1, OPMODEREG = 1, PREG = 1;
    parameter AMULTSEL = "A", BMULTSEL = "B", A_INPUT = "DIRECT", B_INPUT = "DIRECT", USE_MULT = "MULTIPLY", USE_SIMD = "ONE48";

    wire signed [47:0] wide_a = {{21{A[26]}}, A[26:0]};
    wire signed [47:0] wide_b = {{30{B[17]}}, B};
    assign P = wide_a * wide_b;

    // The product alone, and no other use of the slice.
    always @* if (OPMODE != 9'h005 || ALUMODE != 4'd0 || INMODE != 5'd0 || CARRYINSEL != 3'd0 || CARRYIN)
        $fatal(1, "the model of DSP48E2 multiplies, and does nothing else");

    generate
        if (ACASCREG + ADREG + ALUMODEREG + AREG + BCASCREG + BREG + CARRYINREG + CARRYINSELREG != 0
            || CREG + DREG + INMODEREG + MREG + OPMODEREG + PREG != 0)
            $fatal(1, "the model of DSP48E2 has no registers");
        if (AMULTSEL != "A" || BMULTSEL != "B" || A_INPUT != "DIRECT" || B_INPUT != "DIRECT")
            $fatal(1, "the model of DSP48E2 multiplies A and B");
        if (USE_MULT != "MULTIPLY" || USE_SIMD != "ONE48") $fatal(1, "the model of DSP48E2 gives one product");
    endgenerate
endmodule
