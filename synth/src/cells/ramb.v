// RAMB18E2 and RAMB36E2, the block RAMs of UltraScale+, in the modes that Yosys maps memories to (its `xilinx/brams_xcu_map.v`).
//
// After UG573, UltraScale Architecture Memory Resources, chapter 1. Both modules have only the parameters and pins that the mapping
// sets, so that any other of a netlist is an error of its elaboration. Its CLOCK_DOMAINS is then the default INDEPENDENT, with which
// a port that reads what the other one writes at the same edge is promised nothing, whatever the mode of the one that writes.
//
// A port of 36 bits (RAMB18E2) or 72 bits (RAMB36E2) is port A for reading and port B for writing, and takes the pins of both.

module RAMB18E2 (
    input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, RSTRAMARSTRAM, RSTRAMB,
    input ADDRENA, ADDRENB, REGCEAREGCE, REGCEB, RSTREGARSTREG, RSTREGB, SLEEP,
    input [1:0] WEA,
    input [3:0] WEBWE,
    input [13:0] ADDRARDADDR, ADDRBWRADDR,
    input [15:0] DINADIN, DINBDIN,
    input [1:0] DINPADINP, DINPBDINP,
    output [15:0] DOUTADOUT, DOUTBDOUT,
    output [1:0] DOUTPADOUTP, DOUTPBDOUTP
);
    parameter integer READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
    parameter WRITE_MODE_A = "NO_CHANGE", WRITE_MODE_B = "NO_CHANGE";
    parameter integer DOA_REG = 1, DOB_REG = 1;
    // What the outputs show at configuration, of which nothing is made, and after a reset.
    parameter [17:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0;
    parameter [255:0] INIT_00 = 0, INIT_01 = 0, INIT_02 = 0, INIT_03 = 0, INIT_04 = 0, INIT_05 = 0, INIT_06 = 0, INIT_07 = 0;
    parameter [255:0] INIT_08 = 0, INIT_09 = 0, INIT_0A = 0, INIT_0B = 0, INIT_0C = 0, INIT_0D = 0, INIT_0E = 0, INIT_0F = 0;
    parameter [255:0] INIT_10 = 0, INIT_11 = 0, INIT_12 = 0, INIT_13 = 0, INIT_14 = 0, INIT_15 = 0, INIT_16 = 0, INIT_17 = 0;
    parameter [255:0] INIT_18 = 0, INIT_19 = 0, INIT_1A = 0, INIT_1B = 0, INIT_1C = 0, INIT_1D = 0, INIT_1E = 0, INIT_1F = 0;
    parameter [255:0] INIT_20 = 0, INIT_21 = 0, INIT_22 = 0, INIT_23 = 0, INIT_24 = 0, INIT_25 = 0, INIT_26 = 0, INIT_27 = 0;
    parameter [255:0] INIT_28 = 0, INIT_29 = 0, INIT_2A = 0, INIT_2B = 0, INIT_2C = 0, INIT_2D = 0, INIT_2E = 0, INIT_2F = 0;
    parameter [255:0] INIT_30 = 0, INIT_31 = 0, INIT_32 = 0, INIT_33 = 0, INIT_34 = 0, INIT_35 = 0, INIT_36 = 0, INIT_37 = 0;
    parameter [255:0] INIT_38 = 0, INIT_39 = 0, INIT_3A = 0, INIT_3B = 0, INIT_3C = 0, INIT_3D = 0, INIT_3E = 0, INIT_3F = 0;
    parameter [255:0] INITP_00 = 0, INITP_01 = 0, INITP_02 = 0, INITP_03 = 0, INITP_04 = 0, INITP_05 = 0, INITP_06 = 0, INITP_07 = 0;

    localparam WIDE_READ = READ_WIDTH_A == 36;
    localparam WIDE_WRITE = WRITE_WIDTH_B == 36;

    wire [63:0] data_a, data_b;
    wire [7:0] parity_a, parity_b;
    assign DOUTADOUT = data_a[15:0];
    assign DOUTPADOUTP = parity_a[1:0];
    assign DOUTBDOUT = WIDE_READ ? data_a[31:16] : data_b[15:0];
    assign DOUTPBDOUTP = WIDE_READ ? parity_a[3:2] : parity_b[1:0];

    respray_block_ram #(
        .ADDRESS_BITS(14),
        .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B),
        .WRITE_WIDTH_A(WRITE_WIDTH_A), .WRITE_WIDTH_B(WRITE_WIDTH_B),
        .MODE_A(WRITE_MODE_A), .MODE_B(WRITE_MODE_B),
        .RESET_VALUE_A({
            4'd0, WIDE_READ ? SRVAL_B[17:16] : 2'd0, SRVAL_A[17:16],
            32'd0, WIDE_READ ? SRVAL_B[15:0] : 16'd0, SRVAL_A[15:0]
        }),
        .RESET_VALUE_B({6'd0, SRVAL_B[17:16], 48'd0, SRVAL_B[15:0]}),
        .CONTENTS({
            INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38, INIT_37, INIT_36,
            INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30, INIT_2F, INIT_2E, INIT_2D, INIT_2C,
            INIT_2B, INIT_2A, INIT_29, INIT_28, INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22,
            INIT_21, INIT_20, INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
            INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10, INIT_0F, INIT_0E,
            INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08, INIT_07, INIT_06, INIT_05, INIT_04,
            INIT_03, INIT_02, INIT_01, INIT_00
        }),
        .PARITY_CONTENTS({
            INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00
        })
    ) array (
        .clk_a(CLKARDCLK), .clk_b(CLKBWRCLK),
        .enable_a(ENARDEN), .enable_b(ENBWREN),
        .reset_a(RSTRAMARSTRAM), .reset_b(RSTRAMB),
        .write_a({6'd0, WEA}), .write_b({4'd0, WEBWE}),
        .address_a(ADDRARDADDR), .address_b(ADDRBWRADDR),
        .data_in_a({48'd0, DINADIN}),
        .parity_in_a({6'd0, DINPADINP}),
        .data_in_b(WIDE_WRITE ? {32'd0, DINBDIN, DINADIN} : {48'd0, DINBDIN}),
        .parity_in_b(WIDE_WRITE ? {4'd0, DINPBDINP, DINPADINP} : {6'd0, DINPBDINP}),
        .data_a(data_a), .data_b(data_b),
        .parity_a(parity_a), .parity_b(parity_b)
    );

    always @(posedge CLKARDCLK)
        if (!ADDRENA || !ADDRENB || REGCEAREGCE || REGCEB || RSTREGARSTREG || RSTREGB || SLEEP)
            $fatal(1, "the model of RAMB18E2 has no output registers, no latch of addresses and no sleep");

    generate
        if (DOA_REG != 0 || DOB_REG != 0) $fatal(1, "the model of RAMB18E2 has no output registers");
        if ((|INIT_A) === 1'b1 || (|INIT_B) === 1'b1) $fatal(1, "the model of RAMB18E2 has no outputs with a value at configuration");
        if ((WIDE_READ || WIDE_WRITE) && (WRITE_WIDTH_A != 0 || READ_WIDTH_B != 0))
            $fatal(1, "a RAMB18E2 or RAMB36E2 with a port of all its width reads at port A and writes at port B");
        if (WRITE_WIDTH_A > 18 || READ_WIDTH_B > 18 || READ_WIDTH_A > 36 || WRITE_WIDTH_B > 36)
            $fatal(1, "a port of a RAMB18E2 has at most 18 bits, or 36 where it takes the pins of both");
    endgenerate
endmodule

module RAMB36E2 (
    input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, RSTRAMARSTRAM, RSTRAMB,
    input ADDRENA, ADDRENB, REGCEAREGCE, REGCEB, RSTREGARSTREG, RSTREGB, SLEEP,
    input [3:0] WEA,
    input [7:0] WEBWE,
    input [14:0] ADDRARDADDR, ADDRBWRADDR,
    input [31:0] DINADIN, DINBDIN,
    input [3:0] DINPADINP, DINPBDINP,
    output [31:0] DOUTADOUT, DOUTBDOUT,
    output [3:0] DOUTPADOUTP, DOUTPBDOUTP
);
    parameter integer READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
    parameter WRITE_MODE_A = "NO_CHANGE", WRITE_MODE_B = "NO_CHANGE";
    parameter integer DOA_REG = 1, DOB_REG = 1;
    // What the outputs show at configuration, of which nothing is made, and after a reset.
    parameter [35:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0;
    parameter [255:0] INIT_00 = 0, INIT_01 = 0, INIT_02 = 0, INIT_03 = 0, INIT_04 = 0, INIT_05 = 0, INIT_06 = 0, INIT_07 = 0;
    parameter [255:0] INIT_08 = 0, INIT_09 = 0, INIT_0A = 0, INIT_0B = 0, INIT_0C = 0, INIT_0D = 0, INIT_0E = 0, INIT_0F = 0;
    parameter [255:0] INIT_10 = 0, INIT_11 = 0, INIT_12 = 0, INIT_13 = 0, INIT_14 = 0, INIT_15 = 0, INIT_16 = 0, INIT_17 = 0;
    parameter [255:0] INIT_18 = 0, INIT_19 = 0, INIT_1A = 0, INIT_1B = 0, INIT_1C = 0, INIT_1D = 0, INIT_1E = 0, INIT_1F = 0;
    parameter [255:0] INIT_20 = 0, INIT_21 = 0, INIT_22 = 0, INIT_23 = 0, INIT_24 = 0, INIT_25 = 0, INIT_26 = 0, INIT_27 = 0;
    parameter [255:0] INIT_28 = 0, INIT_29 = 0, INIT_2A = 0, INIT_2B = 0, INIT_2C = 0, INIT_2D = 0, INIT_2E = 0, INIT_2F = 0;
    parameter [255:0] INIT_30 = 0, INIT_31 = 0, INIT_32 = 0, INIT_33 = 0, INIT_34 = 0, INIT_35 = 0, INIT_36 = 0, INIT_37 = 0;
    parameter [255:0] INIT_38 = 0, INIT_39 = 0, INIT_3A = 0, INIT_3B = 0, INIT_3C = 0, INIT_3D = 0, INIT_3E = 0, INIT_3F = 0;
    parameter [255:0] INIT_40 = 0, INIT_41 = 0, INIT_42 = 0, INIT_43 = 0, INIT_44 = 0, INIT_45 = 0, INIT_46 = 0, INIT_47 = 0;
    parameter [255:0] INIT_48 = 0, INIT_49 = 0, INIT_4A = 0, INIT_4B = 0, INIT_4C = 0, INIT_4D = 0, INIT_4E = 0, INIT_4F = 0;
    parameter [255:0] INIT_50 = 0, INIT_51 = 0, INIT_52 = 0, INIT_53 = 0, INIT_54 = 0, INIT_55 = 0, INIT_56 = 0, INIT_57 = 0;
    parameter [255:0] INIT_58 = 0, INIT_59 = 0, INIT_5A = 0, INIT_5B = 0, INIT_5C = 0, INIT_5D = 0, INIT_5E = 0, INIT_5F = 0;
    parameter [255:0] INIT_60 = 0, INIT_61 = 0, INIT_62 = 0, INIT_63 = 0, INIT_64 = 0, INIT_65 = 0, INIT_66 = 0, INIT_67 = 0;
    parameter [255:0] INIT_68 = 0, INIT_69 = 0, INIT_6A = 0, INIT_6B = 0, INIT_6C = 0, INIT_6D = 0, INIT_6E = 0, INIT_6F = 0;
    parameter [255:0] INIT_70 = 0, INIT_71 = 0, INIT_72 = 0, INIT_73 = 0, INIT_74 = 0, INIT_75 = 0, INIT_76 = 0, INIT_77 = 0;
    parameter [255:0] INIT_78 = 0, INIT_79 = 0, INIT_7A = 0, INIT_7B = 0, INIT_7C = 0, INIT_7D = 0, INIT_7E = 0, INIT_7F = 0;
    parameter [255:0] INITP_00 = 0, INITP_01 = 0, INITP_02 = 0, INITP_03 = 0, INITP_04 = 0, INITP_05 = 0, INITP_06 = 0, INITP_07 = 0;
    parameter [255:0] INITP_08 = 0, INITP_09 = 0, INITP_0A = 0, INITP_0B = 0, INITP_0C = 0, INITP_0D = 0, INITP_0E = 0, INITP_0F = 0;

    localparam WIDE_READ = READ_WIDTH_A == 72;
    localparam WIDE_WRITE = WRITE_WIDTH_B == 72;

    wire [63:0] data_a, data_b;
    wire [7:0] parity_a, parity_b;
    assign DOUTADOUT = data_a[31:0];
    assign DOUTPADOUTP = parity_a[3:0];
    assign DOUTBDOUT = WIDE_READ ? data_a[63:32] : data_b[31:0];
    assign DOUTPBDOUTP = WIDE_READ ? parity_a[7:4] : parity_b[3:0];

    respray_block_ram #(
        .ADDRESS_BITS(15),
        .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B),
        .WRITE_WIDTH_A(WRITE_WIDTH_A), .WRITE_WIDTH_B(WRITE_WIDTH_B),
        .MODE_A(WRITE_MODE_A), .MODE_B(WRITE_MODE_B),
        .RESET_VALUE_A({
            WIDE_READ ? SRVAL_B[35:32] : 4'd0, SRVAL_A[35:32],
            WIDE_READ ? SRVAL_B[31:0] : 32'd0, SRVAL_A[31:0]
        }),
        .RESET_VALUE_B({4'd0, SRVAL_B[35:32], 32'd0, SRVAL_B[31:0]}),
        .CONTENTS({
            INIT_7F, INIT_7E, INIT_7D, INIT_7C, INIT_7B, INIT_7A, INIT_79, INIT_78, INIT_77, INIT_76,
            INIT_75, INIT_74, INIT_73, INIT_72, INIT_71, INIT_70, INIT_6F, INIT_6E, INIT_6D, INIT_6C,
            INIT_6B, INIT_6A, INIT_69, INIT_68, INIT_67, INIT_66, INIT_65, INIT_64, INIT_63, INIT_62,
            INIT_61, INIT_60, INIT_5F, INIT_5E, INIT_5D, INIT_5C, INIT_5B, INIT_5A, INIT_59, INIT_58,
            INIT_57, INIT_56, INIT_55, INIT_54, INIT_53, INIT_52, INIT_51, INIT_50, INIT_4F, INIT_4E,
            INIT_4D, INIT_4C, INIT_4B, INIT_4A, INIT_49, INIT_48, INIT_47, INIT_46, INIT_45, INIT_44,
            INIT_43, INIT_42, INIT_41, INIT_40, INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A,
            INIT_39, INIT_38, INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30,
            INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28, INIT_27, INIT_26,
            INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20, INIT_1F, INIT_1E, INIT_1D, INIT_1C,
            INIT_1B, INIT_1A, INIT_19, INIT_18, INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12,
            INIT_11, INIT_10, INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
            INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00
        }),
        .PARITY_CONTENTS({
            INITP_0F, INITP_0E, INITP_0D, INITP_0C, INITP_0B, INITP_0A, INITP_09, INITP_08, INITP_07, INITP_06,
            INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00
        })
    ) array (
        .clk_a(CLKARDCLK), .clk_b(CLKBWRCLK),
        .enable_a(ENARDEN), .enable_b(ENBWREN),
        .reset_a(RSTRAMARSTRAM), .reset_b(RSTRAMB),
        .write_a({4'd0, WEA}), .write_b({WEBWE}),
        .address_a(ADDRARDADDR), .address_b(ADDRBWRADDR),
        .data_in_a({32'd0, DINADIN}),
        .parity_in_a({4'd0, DINPADINP}),
        .data_in_b(WIDE_WRITE ? {DINBDIN, DINADIN} : {32'd0, DINBDIN}),
        .parity_in_b(WIDE_WRITE ? {DINPBDINP, DINPADINP} : {4'd0, DINPBDINP}),
        .data_a(data_a), .data_b(data_b),
        .parity_a(parity_a), .parity_b(parity_b)
    );

    always @(posedge CLKARDCLK)
        if (!ADDRENA || !ADDRENB || REGCEAREGCE || REGCEB || RSTREGARSTREG || RSTREGB || SLEEP)
            $fatal(1, "the model of RAMB36E2 has no output registers, no latch of addresses and no sleep");

    generate
        if (DOA_REG != 0 || DOB_REG != 0) $fatal(1, "the model of RAMB36E2 has no output registers");
        if ((|INIT_A) === 1'b1 || (|INIT_B) === 1'b1) $fatal(1, "the model of RAMB36E2 has no outputs with a value at configuration");
        if ((WIDE_READ || WIDE_WRITE) && (WRITE_WIDTH_A != 0 || READ_WIDTH_B != 0))
            $fatal(1, "a RAMB18E2 or RAMB36E2 with a port of all its width reads at port A and writes at port B");
        if (WRITE_WIDTH_A > 36 || READ_WIDTH_B > 36 || READ_WIDTH_A > 72 || WRITE_WIDTH_B > 72)
            $fatal(1, "a port of a RAMB36E2 has at most 36 bits, or 72 where it takes the pins of both");
    endgenerate
endmodule
