    // One connection and one place of its window, whichever: what is shown of them is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    (* anyconst *) reg [$bits(advance_ooo_after)-1:0] spot;
    localparam SPOT_BITS = $bits(advance_ooo_after);
    localparam [23:0] WINDOW = 24'd1 << SPOT_BITS;
    wire [$bits(place_own_address)-1:0] word_of_spot = {one, spot} >> 6;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // The word of the connection in the control RAM, and that of the place in each of the two bitmap RAMs, a bit for each of 64 PSNs. What
    // has `lemma_` before its name is for a window of 64, which takes one such word.
    wire [$bits({full_after_output_value, lowest_after_output_value, counts_since, counts_bytes_recvd,
        advance_ooo_after, advance_epsn_after, control_ram_write_data_initialised})-1:0] stored;
    wire [63:0] kept;
    wire [63:0] kept_copy;
    wire [23:0] epsn_after = stored[24:1];
    wire [SPOT_BITS-1:0] ooo_after = stored[25 +: SPOT_BITS];
    wire [31:0] bytes_after = stored[25 + SPOT_BITS +: 32];

    // Whether the packet of a place in the window from EPSN was received.
    function is_received;
        input [23:0] first;
        input [SPOT_BITS-1:0] place;
        input bit_there;
        is_received = bit_there ^ first[SPOT_BITS] ^ (place < first[SPOT_BITS-1:0]);
    endfunction
    wire received_after = is_received(epsn_after, spot, kept[spot[5:0]]);

    // Ops as they were taken, in their stages: 0 until it leaves, then 1 to 7, a cycle each.
    localparam OP_BITS = $bits({op_kind, op_conn, op_bytes, op_psn, op_ecn, op_ev, op_timestamp, op_probe});
    wire holds;
    reg [7:0] there;
    reg [OP_BITS-1:0] ops [0:7];
    integer each;
    always @(posedge clk) begin
        there <= {there[6:1], there[0] && !holds, (op_valid && op_ready) || (there[0] && holds)};
        if (op_ready) ops[0] <= {op_kind, op_conn, op_bytes, op_psn, op_ecn, op_ev, op_timestamp, op_probe};
        for (each = 1; each < 8; each = each + 1) ops[each] <= ops[each - 1];
        if (rst) there <= 8'd0;
    end
    wire [7:0] inits;
    wire [7:0] closes;
    wire [7:0] of_one;
    genvar stage;
    generate
        for (stage = 0; stage < 8; stage = stage + 1) begin : in_stage
            assign inits[stage] = ops[stage][OP_BITS-1 -: 2] == 2'd1;
            assign closes[stage] = ops[stage][OP_BITS-1];
            assign of_one[stage] = there[stage] && ops[stage][OP_BITS-3 -: $bits(op_conn)] == one;
        end
    endgenerate
    wire [23:0] psn_read = ops[1][18 + $bits(op_ev) +: 24];
    wire reads_spot = (psn_read[SPOT_BITS-1:0] ^ spot) < 64;
    wire [15:0] bytes = ops[7][OP_BITS-$bits(op_conn)-3 -: 16];

    // The connection as the last op of it left it. An op `init` ends when the window was filled.
    reg is_live;
    reg [23:0] left_epsn;
    reg [SPOT_BITS-1:0] left_ooo;
    reg [31:0] left_bytes_recvd;
    reg left_received;
    reg fills;
    wire ends = of_one[7] && !inits[7] && !closes[7];
    wire closes_one = of_one[7] && closes[7];
    wire fills_one = interlock_fill && interlock_conn == one;
    wire begins = fills && !interlock_fill;
    wire rests = !(|of_one[6:3]) && !fills_one && !(of_one[2] && inits[2]);
    always @(posedge clk) begin
        fills <= fills_one && !rst;
        if (ends || begins) begin
            left_epsn <= epsn_after;
            left_ooo <= ooo_after;
            left_bytes_recvd <= bytes_after;
            left_received <= received_after;
        end
        if (begins) is_live <= 1'b1;
        if (rst || closes_one) is_live <= 1'b0;
    end

    wire [23:0] ahead = sack_psn - left_epsn;
    wire is_spot = sack_psn[SPOT_BITS-1:0] == spot;
    wire in_window = ahead < WINDOW;
    wire [23:0] advance_by = epsn_after - left_epsn;
    wire [SPOT_BITS-1:0] spot_ahead = spot - left_epsn[SPOT_BITS-1:0];
    wire finds_new = res_status == 3'd0;
    wire is_clearing;
    wire is_cleared = is_clearing || interlock_finish_clear;
    wire [$bits(one)-1:0] cleared = interlock_finish_conn;
    always @* if (is_begun && !is_cleared) begin
        found_as_left: assert (!(of_one[1] && !inits[1]) || (control_ram_read_data_initialised == is_live && (!is_live
            || ({control_ram_read_data_epsn, control_ram_read_data_ooo, control_ram_read_data_bytes_recvd}
            == {left_epsn, left_ooo, left_bytes_recvd}
            && (!reads_spot || is_received(left_epsn, spot, bitmap_ram_read_data[spot[5:0]]) == left_received)))));
        results_in_order: assert (!(there[0] && holds && op_ready) && res_valid == (there[7] && !inits[7] && !closes[7]) && (!res_valid
            || {res_conn, sack_psn, sack_ecn, sack_ev, sack_timestamp, sack_probe}
            == {ops[7][OP_BITS-3 -: $bits(op_conn)], ops[7][57:0]}));
        init_empties: assert (!begins || (epsn_after == held_packet_psn && ooo_after == 0 && bytes_after == 32'd0 && !received_after));
        status_as_received: assert (!ends || ((res_status == 3'd7) == !is_live && (!is_live || (
            (res_status != 3'd0 || (in_window && !(is_spot && left_received)))
            && (res_status != 3'd1 || ahead[23] || (in_window && (!is_spot || left_received)))
            && (res_status != 3'd2 || !(ahead[23] || in_window))
            && (res_status == 3'd3) == sack_probe))));
        bit_0_is_clear: assert ((!(is_live && rests && !ends && !begins) || left_epsn[SPOT_BITS-1:0] != spot || !left_received)
            && (!((ends && is_live) || begins) || epsn_after[SPOT_BITS-1:0] != spot || !received_after));
        epsn_goes_forward: assert (!(ends && is_live) || (advance_by <= WINDOW
            && (advance_by != 24'd0) == (finds_new && ahead == 24'd0)));
        bits_change: assert (!(ends && is_live)
            || received_after == ((left_received || (finds_new && is_spot)) && !(spot_ahead < advance_by)));
        run_was_received: assert (!(ends && is_live) || !(spot_ahead < advance_by) || left_received || is_spot);
        ooo_counts: assert (!(ends && is_live) || ooo_after == left_ooo + finds_new - advance_by[SPOT_BITS-1:0]);
        bytes_count: assert (!(ends && is_live) || bytes_after == left_bytes_recvd + (finds_new ? {16'd0, bytes} : 32'd0));
        closed_takes_nothing: assert (!(ends && !is_live) || (res_status == 3'd7 && !sack_valid && !stored[0]));
        nothing_changes: assert (!(ends && is_live && !finds_new)
            || {epsn_after, ooo_after, bytes_after, received_after} == {left_epsn, left_ooo, left_bytes_recvd, left_received});
    end

    // What is stored between ops; both copies of the bitmap are the same as far as it was filled.
    wire is_pending;
    wire [7:0] inits_there = inits & there;
    wire [7:0] init_of_fill = filled < 6'd6 ? 8'd4 << filled : 8'd0;
    reg is_of_fill;
    integer later;
    always @* begin
        is_of_fill = 1'b1;
        for (later = 2; later < 8; later = later + 1)
            if (inits_there[later] && (ops[later][OP_BITS-3 -: $bits(op_conn)] != interlock_conn
                || ops[later][18 + $bits(op_ev) +: 24] != held_packet_psn)) is_of_fill = 1'b0;
    end
    wire is_close_0;
    wire is_init_0;
    wire live_0;
    wire live_1;
    wire live_2;
    wire live_3;
    wire live_4;
    wire live_5;
    wire live_7;
    wire [5:0] filled;
    wire [63:0] is_filled;
    wire [63:0] is_empty;
    genvar bit_place;
    generate
        for (bit_place = 0; bit_place < 64; bit_place = bit_place + 1) begin : of_bit
            wire [5:0] place_of_fill = bit_place - held_packet_psn[5:0];
            assign is_filled[bit_place] = place_of_fill < filled;
            assign is_empty[bit_place] = !is_received(held_packet_psn, bit_place, kept[bit_place]);
        end
    endgenerate
    always @* if (is_begun && !is_cleared) begin
        lemma_state: assert (!rests || ends || begins || closes_one || stored[0] == is_live && (!is_live
            || ({epsn_after, ooo_after, bytes_after, received_after} == {left_epsn, left_ooo, left_bytes_recvd, left_received}
            && !stored[80])));
        lemma_ends: assert (!(ends && is_live) || !stored[80]);
        lemma_copies: assert (!((is_live && !fills_one) || begins) || kept == kept_copy);
        lemma_fill: assert (!fills_one || ((~is_filled | (is_empty & ~(kept ^ kept_copy))) == ~64'd0));
        lemma_filled: assert (interlock_fill || filled == 6'd0);
        lemma_pending: assert (is_pending == ((there[0] && inits[0]) || (there[1] && inits[1]) || interlock_fill)
            && !(is_pending && op_ready) && (!(there[2] && inits[2]) || (interlock_fill && filled == 6'd0)));
        lemma_initialises: assert (interlock_fill ? there[1:0] == 2'd0 && inits_there == init_of_fill && is_of_fill
            : inits_there[7:2] == 6'd0);
        lemma_initialised: assert (!(begins || (fills_one && filled >= 6'd5))
            || {stored[80], stored[62:0]} == {39'd0, held_packet_psn, 1'b1});
        lemma_begins: assert (!begins || is_empty == ~64'd0);
    end

    always @* if (is_begun) begin
        lemma_stages: assert (there == {live_7, interlock_finish_any, live_5, live_4, live_3, live_2, live_1, live_0}
            && (!there[0] || ({closes[0], inits[0]} == {is_close_0, is_init_0} && ops[0][OP_BITS-3:0] == {interlock_conn, held_packet_bytes, held_packet_psn, held_packet_ecn, held_packet_ev,
            held_packet_timestamp, held_packet_probe})));
    end

    // Kind and connection of the op in each stage, where there is one.
    wire is_init_3;
    wire is_init_4;
    wire is_init_5;
    wire is_init_6;
    wire is_init_7;
    wire is_close_1;
    wire is_close_3;
    wire is_close_4;
    wire is_close_5;
    wire is_close_6;
    wire is_close_7;
    wire [$bits(op_conn)-1:0] conns_1;
    wire [$bits(op_conn)-1:0] conns_4;
    wire [$bits(op_conn)-1:0] conns_5;
    function is_at;
        input [OP_BITS-1:0] op;
        input [$bits(op_conn)-1:0] conn;
        is_at = op[OP_BITS-3 -: $bits(op_conn)] == conn;
    endfunction
    always @* if (is_begun) begin
        lemma_kinds: assert ({is_init_7, is_init_6, is_init_5, is_init_4, is_init_3, interlock_decide_init, interlock_compare_init, is_init_0}
            == inits_there && {is_close_7, is_close_6, is_close_5, is_close_4, is_close_3, interlock_decide_close, is_close_1, is_close_0}
            == (closes & there));
        lemma_conns: assert ((!there[1] || is_at(ops[1], conns_1)) && (!there[2] || is_at(ops[2], interlock_decide_conn))
            && (!there[3] || is_at(ops[3], interlock_choose_conn)) && (!there[4] || is_at(ops[4], conns_4))
            && (!there[5] || is_at(ops[5], conns_5)) && (!there[6] || is_at(ops[6], interlock_finish_conn))
            && (!there[7] || is_at(ops[7], res_conn)));
    end

    // Of a connection one op stands in stages 1 to 7, and the interlock knows where it is for one that waits in stage 0.
    wire [5:0] waits_for;
    always @* if (is_begun) lemma_interlock: assert (holds == |waits_for && (of_one[7:1] & (of_one[7:1] - 1'b1)) == 7'd0
        && (there[0] || !holds) && (!of_one[0] || waits_for == of_one[6:1]) && !(holds && op_ready));

    // While the control RAM is cleared no connection is initialised.
    always @* if (is_begun && is_cleared) begin
        lemma_idle: assert (there == 8'd0 && !is_live && !fills && !interlock_fill && !is_pending && filled == 6'd0);
        lemma_clearing: assert ((interlock_finish_clear || interlock_conn == 0) && (!(is_clearing && interlock_finish_clear)
            || interlock_conn == cleared + 1'b1) && (is_clearing || &cleared));
        lemma_cleared: assert (!interlock_finish_clear || cleared <= one || !stored[0]);
    end
