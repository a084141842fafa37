    // One connection and one place of its window, whichever: what is shown of them is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    (* anyconst *) reg [$bits(advance_ooo)-1:0] spot;
    localparam SPOT_BITS = $bits(advance_ooo);
    localparam [23:0] WINDOW = 24'd1 << SPOT_BITS;
    wire [$bits({one, spot})-1:0] bit_of_one = {one, spot};
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // The word of the connection after the op that writes, and the bit of the place in the bitmap RAM.
    wire [$bits({packet_status_lowest, counts_since, sack_bytes_recvd, advance_ooo, sack_epsn,
        control_ram_write_data_initialised})-1:0] written = {packet_status_lowest, counts_since, sack_bytes_recvd,
        advance_ooo, sack_epsn, control_ram_write_data_initialised};
    wire [$bits(written)-1:0] stored;
    wire [$bits(written)-1:0] current = steps_write && res_conn == one ? written : stored;
    wire kept;

    // Whether the packet of that place in the window from EPSN was received.
    function is_received;
        input [23:0] first;
        input bit_there;
        is_received = bit_there ^ first[SPOT_BITS] ^ (spot < first[SPOT_BITS-1:0]);
    endfunction

    // The connection as the last op of it left it.
    reg is_live;
    reg [23:0] epsn;
    reg [SPOT_BITS-1:0] ooo;
    reg [31:0] bytes_recvd;
    reg received;
    reg fills;
    wire ends = res_valid && res_conn == one;
    wire begins = fills && op_ready && res_conn == one;
    wire closes = steps_close && res_conn == one;
    wire [23:0] epsn_after = current[24:1];
    wire [SPOT_BITS-1:0] ooo_after = current[25 +: SPOT_BITS];
    wire [31:0] bytes_after = current[25 + SPOT_BITS +: 32];
    wire received_after = is_received(epsn_after, kept);
    always @(posedge clk) begin
        fills <= steps_fill && !rst;
        if (ends || begins) begin
            epsn <= epsn_after;
            ooo <= ooo_after;
            bytes_recvd <= bytes_after;
            received <= received_after;
        end
        if (begins) is_live <= 1'b1;
        if (rst || closes) is_live <= 1'b0;
    end

    wire [23:0] ahead = sack_psn - epsn;
    wire is_spot = sack_psn[SPOT_BITS-1:0] == spot;
    wire in_window = ahead < WINDOW;
    wire [23:0] advance_by = epsn_after - epsn;
    wire [SPOT_BITS-1:0] spot_ahead = spot - epsn[SPOT_BITS-1:0];
    wire is_new = res_status == 3'd0;
    wire fetches;
    wire rests = op_ready || res_conn != one || fetches || steps_compare || steps_decide;
    always @* if (is_begun && !steps_clearing) begin
        lemma_state: assert (!rests || ends || begins || current[0] == is_live && (!is_live
            || ({epsn_after, ooo_after, bytes_after, received_after} == {epsn, ooo, bytes_recvd, received})));
        init_empties: assert (!begins || (epsn_after == sack_psn && ooo_after == 0 && bytes_after == 32'd0 && !received_after));
        status_as_received: assert (!(ends && is_live) || (
            (res_status != 3'd0 || (in_window && !(is_spot && received)))
            && (res_status != 3'd1 || ahead[23] || (in_window && (!is_spot || received)))
            && (res_status != 3'd2 || !(ahead[23] || in_window))
            && (res_status == 3'd3) == sack_probe && res_status != 3'd7));
        closed_takes_nothing: assert (!(ends && !is_live) || (res_status == 3'd7 && !sack_valid && !current[0]));
        bit_0_is_clear: assert ((!(is_live && rests && !ends && !begins) || epsn[SPOT_BITS-1:0] != spot || !received)
            && (!((ends && is_live) || begins) || epsn_after[SPOT_BITS-1:0] != spot || !received_after));
        epsn_goes_forward: assert (!(ends && is_live) || (advance_by <= WINDOW
            && (advance_by != 24'd0) == (is_new && ahead == 24'd0)));
        bits_change: assert (!(ends && is_live)
            || received_after == ((received || (is_new && is_spot)) && !(spot_ahead < advance_by)));
        run_was_received: assert (!(ends && is_live) || !(spot_ahead < advance_by) || received || is_spot);
        ooo_counts: assert (!(ends && is_live) || ooo_after == ooo + is_new - advance_by[SPOT_BITS-1:0]);
        bytes_count: assert (!(ends && is_live) || bytes_after == bytes_recvd + (is_new ? {16'd0, taken_packet_bytes} : 32'd0));
        nothing_changes: assert (!(ends && is_live && !is_new)
            || {epsn_after, ooo_after, bytes_after, received_after} == {epsn, ooo, bytes_recvd, received});
    end

    // One step at a time; what init has filled of the window; while the control RAM is cleared no connection is initialised.
    wire [SPOT_BITS-1:0] filled;
    wire [SPOT_BITS-1:0] spot_of_fill = spot - sack_psn[SPOT_BITS-1:0];
    always @* if (is_begun) begin
        lemma_step: assert (steps_clearing + op_ready + fetches + steps_compare + steps_decide + steps_look + steps_finish
            + steps_fill + steps_close == 4'd1);
        lemma_filled: assert (steps_fill || filled == 0);
        lemma_fill: assert (!(steps_fill && res_conn == one && spot_of_fill < filled) || !is_received(sack_psn, kept));
        lemma_cleared: assert (!steps_clearing || (!is_live && !fills && (res_conn <= one || !stored[0])));
    end
