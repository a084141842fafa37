
    // The word that goes out first, and the one in the spare behind it.
    always @* if (is_begun) begin
        lemma_inside: assert (inside == out_valid + has_spare && (!has_spare || out_valid) && (!starts || was_reset));
        lemma_first: assert (!(out_valid && which == turn_out) || out_data == word);
        lemma_spare: assert (!(has_spare && which == turn_out + 5'd1) || spare == word);
    end
