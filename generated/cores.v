// All cores in one design, each in its wrapper for boards, one behind the other: to see what they take together.
// Made by respray.

module cores (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    wire [20:0] serial;
    assign serial[0] = serial_in;
    assign serial_out = serial[20];

    reps_board reps_board_0 (
        .clk(clk),
        .serial_in(serial[0]),
        .serial_out(serial[1])
    );

    sack_rx_board sack_rx_board_0 (
        .clk(clk),
        .serial_in(serial[1]),
        .serial_out(serial[2])
    );

    sack_tx_board sack_tx_board_0 (
        .clk(clk),
        .serial_in(serial[2]),
        .serial_out(serial[3])
    );

    rewrite_tx_board rewrite_tx_board_0 (
        .clk(clk),
        .serial_in(serial[3]),
        .serial_out(serial[4])
    );

    rewrite_rx_board rewrite_rx_board_0 (
        .clk(clk),
        .serial_in(serial[4]),
        .serial_out(serial[5])
    );

    ops_board ops_board_0 (
        .clk(clk),
        .serial_in(serial[5]),
        .serial_out(serial[6])
    );

    ecmp_board ecmp_board_0 (
        .clk(clk),
        .serial_in(serial[6]),
        .serial_out(serial[7])
    );

    subflows_board subflows_board_0 (
        .clk(clk),
        .serial_in(serial[7]),
        .serial_out(serial[8])
    );

    mprdma_board mprdma_board_0 (
        .clk(clk),
        .serial_in(serial[8]),
        .serial_out(serial[9])
    );

    flowlet_board flowlet_board_0 (
        .clk(clk),
        .serial_in(serial[9]),
        .serial_out(serial[10])
    );

    plb_board plb_board_0 (
        .clk(clk),
        .serial_in(serial[10]),
        .serial_out(serial[11])
    );

    strack_board strack_board_0 (
        .clk(clk),
        .serial_in(serial[11]),
        .serial_out(serial[12])
    );

    bitmap_board bitmap_board_0 (
        .clk(clk),
        .serial_in(serial[12]),
        .serial_out(serial[13])
    );

    mixed_board mixed_board_0 (
        .clk(clk),
        .serial_in(serial[13]),
        .serial_out(serial[14])
    );

    strack_cc_board strack_cc_board_0 (
        .clk(clk),
        .serial_in(serial[14]),
        .serial_out(serial[15])
    );

    flowcut_board flowcut_board_0 (
        .clk(clk),
        .serial_in(serial[15]),
        .serial_out(serial[16])
    );

    flowcut_switch_board flowcut_switch_board_0 (
        .clk(clk),
        .serial_in(serial[16]),
        .serial_out(serial[17])
    );

    caver_board caver_board_0 (
        .clk(clk),
        .serial_in(serial[17]),
        .serial_out(serial[18])
    );

    shim_push_board shim_push_board_0 (
        .clk(clk),
        .serial_in(serial[18]),
        .serial_out(serial[19])
    );

    shim_pop_board shim_pop_board_0 (
        .clk(clk),
        .serial_in(serial[19]),
        .serial_out(serial[20])
    );
endmodule
