    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;

    // The words of the connection: its state, and of each PSN of the window whether it is acknowledged. A place is a PSN counted from the
    // beginning of the 64 PSNs in which the oldest one lies that is not acknowledged.
    wire [61:0] stored;
    wire [63:0] acked;
    wire is_live = stored[0];
    wire in_recovery = stored[1];
    wire probe_out = stored[2];
    wire [6:0] una = {1'b0, stored[8:3]};
    wire [6:0] nxt = stored[33:27];
    wire [6:0] high = stored[40:34];
    wire [6:0] rec_end = stored[47:41];
    wire [6:0] rtx = stored[54:48];
    wire [6:0] in_flight = stored[61:55];

    // The PSNs that are sent and not acknowledged in order, those of them that are claimed for retransmission, and those from `high` on.
    wire [63:0] outstanding;
    wire [63:0] claimed;
    wire [63:0] above;
    genvar spot;
    generate
        for (spot = 0; spot < 64; spot = spot + 1) begin : of_psn
            wire [6:0] at = spot < una ? spot + 64 : spot;
            assign outstanding[spot] = at < nxt;
            assign claimed[spot] = in_recovery && rtx <= at && at < rec_end;
            assign above[spot] = high <= at;
        end
    endgenerate
    wire [63:0] flying = outstanding & ~acked & ~claimed;

    // How many there are.
    function [4:0] ones;
        input [15:0] flags;
        integer bit_of_word;
        begin
            ones = 5'd0;
            for (bit_of_word = 0; bit_of_word < 16; bit_of_word = bit_of_word + 1) ones = ones + flags[bit_of_word];
        end
    endfunction

    // From op to op: an op, or a visit, begins in any state in which the rules hold, with nothing left over of what was before, as the other
    // rules of this engine show it; and where the next one begins they hold again.
    wire is_forced;
    wire is_walking;
    wire is_read;
    wire [2:0] behind_walk;
    wire [2:0] number;
    wire second;
    wire [2:0] kinds = steps_is_sent + steps_is_sack + steps_is_next_rtx + steps_is_init + steps_is_read + steps_is_visit;
    wire begins = step == 13'd1 && kinds == 3'd1 && !op_ready && !is_forced && !steps_clearing && !steps_done && !is_walking && !is_read
        && !walk_valid && !walk_counted && behind_walk == 3'd0 && !pick_found && number == 3'd0 && !second;
    wire is_whole = una <= nxt && nxt <= una + 7'd64 && (acked & ~outstanding) == 64'd0 && high <= nxt && (acked & above) == 64'd0
        && (!(in_recovery || probe_out) || rec_end <= nxt);
    reg is_begun;
    initial is_begun = 1'b0;
    reg is_next;
    initial is_next = 1'b0;
    reg [4:0] age;
    initial age = 5'd0;

    // What a SACK takes away in its walk, a word at a time and each word once: in the first 64 places, in the second ones, and in the segment
    // of its bitmap; and how many these are together.
    wire [15:0] lands_next;
    wire in_base;
    reg [15:0] lands;
    reg [2:0] word_of_lands;
    reg [1:0] in_base_before;
    reg [63:0] gone_0, gone_1, gone_2;
    reg [6:0] fallen;
    reg [63:0] flew;
    reg [6:0] flew_count;
    reg was_live;
    reg [63:0] was_acked;
    reg [23:0] una_before;
    wire takes = walk_counted && steps_is_sack && op_status_ok && res_conn == one;
    always @(posedge clk) begin
        is_begun <= 1'b1;
        is_next <= is_next || (is_begun && step[0]);
        age <= age + 5'd1;
        lands <= lands_next;
        word_of_lands <= walk_word;
        in_base_before <= {in_base_before[0], in_base};
        if (takes) begin
            fallen <= fallen + ones(lands);
            if (in_base_before[1]) gone_2[16 * word_of_lands[1:0] +: 16] <= lands;
            else if (word_of_lands[2]) gone_1[16 * word_of_lands[1:0] +: 16] <= lands;
            else gone_0[16 * word_of_lands[1:0] +: 16] <= lands;
        end
        if (!is_begun) begin
            was_live <= is_live;
            {flew, flew_count} <= {flying, in_flight};
            {was_acked, una_before} <= {acked, stored[26:3]};
            gone_0 <= 64'd0;
            gone_1 <= 64'd0;
            gone_2 <= 64'd0;
            fallen <= 7'd0;
        end
    end

    // The PSNs from the end of the range on.
    wire [63:0] range;
    generate
        for (spot = 0; spot < 64; spot = spot + 1) begin : of_range
            wire [6:0] at = spot < una ? spot + 64 : spot;
            assign range[spot] = rec_end <= at && at < nxt;
        end
    endgenerate

    // What is left of the PSNs that were in flight, and whether one joined them.
    wire [63:0] gone_before = in_base_before[1] ? gone_2 : word_of_lands[2] ? gone_1 : gone_0;
    wire [63:0] rest = flew & ~gone_0 & ~gone_1 & ~gone_2;
    wire are_parts = (gone_0 & ~flew) == 64'd0 && (gone_1 & ~flew) == 64'd0 && (gone_2 & ~flew) == 64'd0
        && (gone_0 & gone_1) == 64'd0 && (gone_0 & gone_2) == 64'd0 && (gone_1 & gone_2) == 64'd0;
    wire [63:0] more = flying & ~flew;
    wire is_one_more = (flew & ~flying) == 64'd0 && more != 64'd0 && (more & (more - 64'd1)) == 64'd0;
    // How an op ended.
    reg [2:0] ended;
    localparam AS_BEFORE = 3'd0, MORE = 3'd1, FEWER = 3'd2, RANGE = 3'd3, NONE = 3'd4;
    always @(posedge clk) if (steps_done) ended <= res_conn != one ? AS_BEFORE
        : steps_is_init || (steps_is_visit && rules_timeout) ? NONE
        : steps_is_sack && rules_enters && op_status_ok ? RANGE
        : steps_is_sack && op_status_ok ? FEWER
        : (steps_is_sent || steps_is_next_rtx) && op_status_ok ? MORE : AS_BEFORE;

    // What its bitmap told of the PSNs of one segment.
    reg [63:0] bitmap;
    reg [17:0] told_segment;
    always @(posedge clk) if (steps_done) {bitmap, told_segment} <= {taken_held_bitmap, taken_held_base[23:6] - una_before[23:6]};
    wire [63:0] tells;
    generate
        for (spot = 0; spot < 64; spot = spot + 1) begin : of_bit
            assign tells[spot] = bitmap[spot] && told_segment == (spot < una_before[5:0] ? 18'd1 : 18'd0);
        end
    endgenerate
    reg was_init;
    always @(posedge clk) if (steps_done) was_init <= steps_is_init && res_conn == one;
    wire is_sack_taken = ended == FEWER || ended == RANGE;

    wire counts = is_begun && steps_is_sack && op_status_ok && res_conn == one && is_live && (|step[12:2] || is_walking || is_read
        || walk_valid || walk_counted || behind_walk != 3'd0);
    always @* begin
        assume (!rst);
        assume (is_begun || (begins && (!is_live || is_whole)));
        if (is_begun) begin
            lemma_landed: assert (!walk_counted || word_landed == ones(lands));
            lemma_once: assert (!takes || gone_before[16 * word_of_lands[1:0] +: 16] == 16'd0);
            lemma_falls: assert (!(counts && !is_next) || res_in_flight == flew_count - fallen);
        end
        if (is_begun && !is_next) begin
            lemma_whole: assert (!(step[0] && is_live) || is_whole);
            lemma_begins: assert (!step[0] || begins);
            lemma_comes: assert (age != 5'd23);
            acked_as_told: assert (!(step[0] && is_live && was_live && !was_init)
                || (is_sack_taken ? (outstanding & (acked ^ (was_acked | tells))) == 64'd0 : acked == was_acked));
            in_flight_counts: assert (!(step[0] && is_live) || (ended == AS_BEFORE ? was_live && flying == flew && in_flight == flew_count
                : ended == MORE ? was_live && is_one_more && in_flight == flew_count + 7'd1
                : ended == FEWER ? was_live && are_parts && flying == rest && in_flight == flew_count - fallen
                : ended == RANGE ? in_flight == nxt - rec_end && flying == range && una <= rec_end && rec_end <= nxt
                : flying == 64'd0 && in_flight == 7'd0));
        end
    end
