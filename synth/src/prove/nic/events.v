    always @* if (is_begun) lemma_queue: assert (waiting == head - tail && waiting <= SIZE && (!event_tvalid || waiting != 11'd0));
