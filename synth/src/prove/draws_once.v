    always @* if (is_begun && op_ready) draws_once: assert (!(updates_one && draw) || (sent && !is_drawn));
