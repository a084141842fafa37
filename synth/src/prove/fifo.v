
    // The place of the turn in the memory, and what stands there.
    wire [$bits(head)-1:0] which_place = which;
    wire [$bits(in_data)-1:0] kept;
    always @* if (is_begun) begin
        lemma_turns: assert (head == turn_in[$bits(head)-1:0] && tail == turn_out[$bits(tail)-1:0] && fill == inside);
        lemma_kept: assert (!is_inside || kept == word);
        lemma_valid: assert (!out_valid || inside != 5'd0);
    end
