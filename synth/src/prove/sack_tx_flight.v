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
    wire [6:0] count = ones(flying[15:0]) + ones(flying[31:16]) + ones(flying[47:32]) + ones(flying[63:48]);

    // From op to op: an op, or a visit, begins in any state in which the rules hold, with nothing left over of what was before, as the rules of
    // the table above show it; and where the next one begins they hold again.
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
    always @(posedge clk) begin
        is_begun <= 1'b1;
        is_next <= is_next || (is_begun && step[0]);
        age <= age + 5'd1;
    end
    always @* begin
        assume (!rst);
        assume (is_begun || (begins && (!is_live || (is_whole && in_flight == count))));
        if (is_begun && !is_next) begin
            in_flight_counts: assert (!(step[0] && is_live) || in_flight == count);
            lemma_whole: assert (!(step[0] && is_live) || is_whole);
            lemma_begins: assert (!step[0] || begins);
            lemma_comes: assert (age != 5'd23);
        end
    end
