    // The run begins with the first step of an op, in any state in which there can be one. What is taken for given of that state is shown
    // of the state in which the next op begins.
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    wire begins = steps_step[0];
    always @* assume (!rst && (is_begun || is_first_step));
    reg is_over;
    reg [4:0] edges;
    always @(posedge clk) begin
        is_over <= is_begun && (is_over || begins);
        edges <= is_begun ? edges + 5'd1 : 5'd1;
    end
    wire is_first = !is_begun || !is_over;

    // One place in the ring of a window's PSNs, whichever. Its PSN has a place from the 64 on in which snd_una is, as all marks of the
    // connection.
    (* anyconst *) reg [$bits(control_ram_read_data_nxt)-2:0] spot;
    wire [$bits(walk_write_address)-1:0] word_of_spot = {one, spot} >> 4;
    wire [15:0] acked_word;
    wire is_acked = acked_word[spot[3:0]];
    function [PLACE_BITS-1:0] place_from;
        input [SPOT_BITS-1:0] una;
        reg [SPOT_BITS-1:0] ahead;
        begin
            ahead = spot - una;
            place_from = una[5:0] + ahead;
        end
    endfunction

    // Whether that PSN is in flight: sent, not acknowledged, and not claimed for retransmission.
    function is_in_flight;
        input initialised;
        input in_recovery;
        input [SPOT_BITS-1:0] una;
        input [PLACE_BITS-1:0] nxt;
        input [PLACE_BITS-1:0] rec_end;
        input [PLACE_BITS-1:0] rtx;
        reg [PLACE_BITS-1:0] place;
        begin
            place = place_from(una);
            is_in_flight = initialised && place < nxt && !is_acked && !(in_recovery && rtx <= place && place < rec_end);
        end
    endfunction

    // The connection's word before the op, and after it.
    wire is_live = stored[0];
    wire [SPOT_BITS-1:0] una = stored[3 +: SPOT_BITS];
    wire [PLACE_BITS-1:0] nxt = stored[27 +: PLACE_BITS];
    wire [PLACE_BITS-1:0] high = stored[27 + PLACE_BITS +: PLACE_BITS];
    wire [PLACE_BITS-1:0] rec_end = stored[27 + 2 * PLACE_BITS +: PLACE_BITS];
    wire [PLACE_BITS-1:0] rtx = stored[27 + 3 * PLACE_BITS +: PLACE_BITS];
    wire [PLACE_BITS-1:0] count = stored[27 + 4 * PLACE_BITS +: PLACE_BITS];
    wire flies_before = is_in_flight(is_live, stored[1], una, nxt, rec_end, rtx);
    wire writes = control_ram_write_enable && res_conn == one;
    wire is_live_after = writes ? control_ram_write_data_initialised : is_live;
    wire in_recovery_after = writes ? control_ram_write_data_in_recovery : stored[1];
    wire [SPOT_BITS-1:0] una_after = writes ? renew_una[SPOT_BITS-1:0] : una;
    wire [PLACE_BITS-1:0] nxt_after = writes ? renew_nxt : nxt;
    wire [PLACE_BITS-1:0] rec_end_after = writes ? renew_rec_end : rec_end;
    wire [PLACE_BITS-1:0] rtx_after = writes ? renew_rtx : rtx;
    wire [PLACE_BITS-1:0] count_after = writes ? res_in_flight : count;
    wire flies = is_in_flight(is_live_after, in_recovery_after, una_after, nxt_after, rec_end_after, rtx_after);
    wire is_unclaimed = is_live_after && place_from(una_after) < nxt_after && place_from(una_after) >= rec_end_after;

    // What holds of a connection between ops: bits of the ring that are set are those of PSNs which were sent, and no mark is ahead of
    // the PSN that is sent next.
    wire [PLACE_BITS-1:0] outstanding = nxt - una[5:0];
    wire bits_are_sent = !is_live || !is_acked || (place_from(una) < nxt && place_from(una) < high);
    wire marks_are_sent = !is_live || (una[5:0] <= nxt && outstanding <= WINDOW && high <= nxt
        && (!(stored[1] || stored[2]) || rec_end <= nxt));
    always @* assume (is_begun || (bits_are_sent && marks_are_sent));
    always @* if (is_begun && is_first) begin
        lemma_bits: assert (!begins || bits_are_sent);
        lemma_marks: assert (!begins || marks_are_sent);
        lemma_ends: assert (edges != 5'd26);
    end

    // What the op finds: whether the PSN was in flight before, how often its bit is among those that are taken for landed, and how many
    // bits are.
    wire [15:0] landing;
    wire counts = walk_valid && steps_is_sack && op_status_ok;
    reg flew;
    reg [1:0] hits;
    reg [4:0] of_word;
    reg has_word;
    reg [PLACE_BITS-1:0] landed;
    always @(posedge clk) begin
        of_word <= landing[0] + landing[1] + landing[2] + landing[3] + landing[4] + landing[5] + landing[6] + landing[7]
            + landing[8] + landing[9] + landing[10] + landing[11] + landing[12] + landing[13] + landing[14] + landing[15];
        has_word <= is_begun && counts;
        if (counts) hits <= hits + {1'b0, walk_write_address == word_of_spot && landing[spot[3:0]]};
        if (walk_counted && op_status_ok) landed <= landed + word_landed;
        if (!is_begun) begin
            flew <= flies_before;
            hits <= 2'd0;
            landed <= 0;
        end
    end
    always @* if (is_begun && is_first)
        lemma_tally: assert (edges < 5'd4 || begins || !steps_is_sack || steps_done || !is_live || res_conn != one
            || res_in_flight == count - landed);

    wire ends = is_begun && is_first && steps_done && res_conn == one;
    wire of_others = is_begun && is_first && steps_done && res_conn != one;
    wire is_op = ends && !steps_is_visit && !steps_is_init;
    wire is_told = is_op && op_status_ok;
    wire is_visit = ends && steps_is_visit;
    wire is_sent_spot = taken_held_psn[SPOT_BITS-1:0] == spot;
    wire is_given_spot = res_psn[SPOT_BITS-1:0] == spot;
    wire holds_lost = rules_enters || rules_timeout;
    always @* if (is_begun && is_first) begin
        none_flies_anew: assert (!(ends && steps_is_init) || (!flies && count_after == 0));
        sent_flies: assert (!(is_told && steps_is_sent)
            || (count_after == count + 1'b1 && flies == (flew || is_sent_spot) && !(flew && is_sent_spot)));
        ones_counted: assert (!has_word || (walk_counted && word_landed == of_word));
        acked_land: assert (!(is_told && steps_is_sack && !holds_lost)
            || (count_after == count - landed && hits == {1'b0, flew && !flies} && !(flies && !flew)));
        held_for_lost: assert (!(((is_told && steps_is_sack) || is_visit) && holds_lost)
            || (count_after == nxt_after - rec_end_after && flies == is_unclaimed));
        again_flies: assert (!(is_told && steps_is_next_rtx)
            || (count_after == count + 1'b1 && flies == (flew || is_given_spot) && !(flew && is_given_spot)));
        others_stay: assert (!(of_others || (is_op && (!op_status_ok || (steps_is_read && !steps_is_close))) || (is_visit && !holds_lost))
            || (count_after == count && flies == flew));
        is_shown: assert (!(is_told && res_valid) || res_in_flight == count_after);
    end
