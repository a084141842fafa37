    always @* if (is_begun) none_is_lost: assert (!(window_valid_0 && is_tail));
