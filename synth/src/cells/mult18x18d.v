// MULT18X18D, the multiplier of ECP5, as Yosys maps products to it (its `lattice/dsp_map_18x18.v`): 18 by 18 bits, each of them signed or
// not, without any register.
//
// After FPGA-TN-02205, ECP5 and ECP5-5G sysDSP Usage Guide. The module has no parameters and only the pins that the mapping sets, so that
// any other of a netlist, as the clock of a register is, is an error of its elaboration.
module MULT18X18D (
    input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
    input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
    input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
    input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
    output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11,
    P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
    wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
    wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
    wire signed [35:0] wide_a = {{18{SIGNEDA & A17}}, a};
    wire signed [35:0] wide_b = {{18{SIGNEDB & B17}}, b};
    assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11,
    P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = wide_a * wide_b;

    always @* if (SOURCEA || SOURCEB || {C17, C16, C15, C14, C13, C12, C11, C10, C9, C8,
        C7, C6, C5, C4, C3, C2, C1, C0} != 18'd0)
        $fatal(1, "the model of MULT18X18D multiplies A and B, and does nothing else");
endmodule
