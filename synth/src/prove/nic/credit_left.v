    always @* if (is_begun) lemma_has: assert (has_credit == (!left[15] && left != 16'd0));
    always @* if (is_begun) lemma_owed: assert (!left[15] || left >= 16'hbfff);
    always @* if (is_begun) lemma_ahead: assert (left[15] || !left[14]);
