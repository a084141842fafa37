    // `ahead` of its beats are those of whole frames.
    wire [9:0] ahead = start - read_at;
    always @* if (is_begun) lemma_ring: assert (after == read_at + 10'd1 && fill <= 10'd512 && ahead <= fill && (is_full || fill <= LIMIT)
        && (!valid || ahead != 10'd0));
    always @* VERB (!is_begun || !valid || unused_records_valid);
