    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;

    // The word of the connection: the oldest PSN not acknowledged, and the place of the next one, counted from the former's 64.
    wire [61:0] stored;
    wire [23:0] stored_una = stored[26:3];
    wire [23:0] stored_nxt = {stored_una[23:6], 6'd0} + {17'd0, stored[33:27]};

