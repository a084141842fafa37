// DP16KD, the block RAM of ECP5, in the modes that Yosys maps memories to (its `lattice/brams_map_16kd.v`).
//
// After FPGA-TN-02204, ECP5 and ECP5-5G Memory Usage Guide. The module has only the parameters and pins that the mapping sets, so that
// any other of a netlist is an error of its elaboration. A port of 18 bits has its byte enables in place of the lowest address bits, and
// one of 36 bits, which takes the data pins of both, as well. Each byte of 9 bits has its parity bit on top.
//
// A reset does nothing to the array, is heeded without enable, and keeps a port that both reads and writes from writing. An
// asynchronous one, which Yosys also writes where there is none, must never come.
module DP16KD (
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    parameter integer DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG";
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000";
    parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB";
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
    parameter GSR = "AUTO";
    // 16 words of 18 bits each, a word in the lower 18 bits of 20.
    parameter [319:0] INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0, INITVAL_05 = 0;
    parameter [319:0] INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0;
    parameter [319:0] INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0;
    parameter [319:0] INITVAL_12 = 0, INITVAL_13 = 0, INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0;
    parameter [319:0] INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0;
    parameter [319:0] INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0, INITVAL_23 = 0;
    parameter [319:0] INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0, INITVAL_28 = 0, INITVAL_29 = 0;
    parameter [319:0] INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0, INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0;
    parameter [319:0] INITVAL_30 = 0, INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0;
    parameter [319:0] INITVAL_36 = 0, INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0;
    parameter [319:0] INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0;

    // Only a port A that writes and a port B that reads can be wide, as the mapping has them.
    localparam WIDE_WRITE = DATA_WIDTH_A == 36;
    localparam WIDE_READ = DATA_WIDTH_B == 36;

    wire [17:0] in_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [17:0] in_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
    wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [63:0] data_a, data_b;
    wire [7:0] parity_a, parity_b;
    // A wide read has its lower half at the pins of port A.
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = WIDE_READ
        ? {parity_b[1], data_b[15:8], parity_b[0], data_b[7:0]}
        : {parity_a[1], data_a[15:8], parity_a[0], data_a[7:0]};
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = WIDE_READ
        ? {parity_b[3], data_b[31:24], parity_b[2], data_b[23:16]}
        : {parity_b[1], data_b[15:8], parity_b[0], data_b[7:0]};

    // The bytes that are written: one of a port without byte enables.
    function [7:0] bytes(input integer width, input enable, input [3:0] lowest);
        case (width)
            36: bytes = {4'd0, {4{enable}} & lowest};
            18: bytes = {6'd0, {2{enable}} & lowest[1:0]};
            default: bytes = {7'd0, enable};
        endcase
    endfunction

    // The words without parity, and their parity.
    localparam [64*320-1:0] ALL = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38, INITVAL_37, INITVAL_36,
        INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C,
        INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22,
        INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
        INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F, INITVAL_0E,
        INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08, INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
        INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
    };
    function [16*1024-1:0] contents(input integer unused);
        integer i;
        for (i = 0; i < 1024; i = i + 1) contents[16*i +: 16] = {ALL[20*i + 9 +: 8], ALL[20*i +: 8]};
    endfunction
    function [2*1024-1:0] parity_contents(input integer unused);
        integer i;
        for (i = 0; i < 1024; i = i + 1) parity_contents[2*i +: 2] = {ALL[20*i + 17], ALL[20*i + 8]};
    endfunction

    function [8*11-1:0] mode(input [8*15-1:0] name);
        case (name)
            "NORMAL": mode = "NO_CHANGE";
            "WRITETHROUGH": mode = "WRITE_FIRST";
            "READBEFOREWRITE": mode = "READ_FIRST";
            default: mode = "unknown";
        endcase
    endfunction

    respray_block_ram #(
        .ADDRESS_BITS(14),
        .READ_WIDTH_A(WIDE_WRITE || WIDE_READ ? 0 : DATA_WIDTH_A), .READ_WIDTH_B(DATA_WIDTH_B),
        .WRITE_WIDTH_A(DATA_WIDTH_A), .WRITE_WIDTH_B(WIDE_WRITE || WIDE_READ ? 0 : DATA_WIDTH_B),
        .MODE_A(mode(WRITEMODE_A)), .MODE_B(mode(WRITEMODE_B)),
        .RESET_NEEDS_ENABLE(0), .RESET_KEEPS_FROM_WRITING(1),
        .CONTENTS(contents(0)),
        .PARITY_CONTENTS(parity_contents(0))
    ) array (
        .clk_a(CLKA), .clk_b(CLKB),
        .enable_a(CEA), .enable_b(CEB),
        .reset_a(RSTA), .reset_b(RSTB),
        .write_a(bytes(DATA_WIDTH_A, WEA, address_a[3:0])), .write_b(bytes(DATA_WIDTH_B, WEB, address_b[3:0])),
        .address_a(address_a), .address_b(address_b),
        .data_in_a(WIDE_WRITE
            ? {32'd0, in_b[16:9], in_b[7:0], in_a[16:9], in_a[7:0]} : {48'd0, in_a[16:9], in_a[7:0]}),
        .parity_in_a(WIDE_WRITE ? {4'd0, in_b[17], in_b[8], in_a[17], in_a[8]} : {6'd0, in_a[17], in_a[8]}),
        .data_in_b({48'd0, in_b[16:9], in_b[7:0]}),
        .parity_in_b({6'd0, in_b[17], in_b[8]}),
        .data_a(data_a), .data_b(data_b),
        .parity_a(parity_a), .parity_b(parity_b)
    );

    always @(posedge CLKA)
        if (RESETMODE == "ASYNC" && (RSTA || RSTB)) $fatal(1, "the model of DP16KD has synchronous resets");
        else if (CSA2 || CSA1 || CSA0 || CSB2 || CSB1 || CSB0 || ((WIDE_WRITE || WIDE_READ) && WEB))
            $fatal(1, "the model of DP16KD has no chip select, and a wide one writes at port A alone");

    generate
        if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") $fatal(1, "the model of DP16KD has no output registers");
        if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") $fatal(1, "the model of DP16KD knows the resets SYNC and ASYNC");
        if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") $fatal(1, "the model of DP16KD has no chip select");
        if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") $fatal(1, "the model of DP16KD has no inverted clock");
        if (GSR != "AUTO" && GSR != "DISABLED") $fatal(1, "the model of DP16KD has no global reset");
    endgenerate
endmodule
