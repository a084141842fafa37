    always @* if (is_begun) lemma_queue: assert (after == read_at + 10'd1 && (!valid || fill != 10'd0));
    always @* VERB (!is_begun || fill <= 10'd512);
