    // Of one connection, whichever it is: frames that were in the ring when it was closed and have not left; and of these at the close that
    // came last before its turn.
    (* anyconst *) reg [$bits(conn)-1:0] one;
    reg [9:0] owed, awaited;
    wire is_turn = begins && closed_conn == one;
    wire [9:0] owed_still = leaves && owed != 10'd0 ? owed - 10'd1 : owed;
    always @(posedge clk) begin
        owed <= owed_still;
        if (closes && conn == one) owed <= leaves ? frames - 10'd1 : frames;
        if (leaves && awaited != 10'd0) awaited <= awaited - 10'd1;
        if (is_turn) awaited <= owed_still;
        if (rst) begin owed <= 10'd0; awaited <= 10'd0; end
    end
    // A frame that leaves was in the ring, which has room for 512.
    always @* assume (!is_begun || !leaves || frames != 10'd0);
    always @* assume (!is_begun || !commit || !(&frames));
    wire is_its_turn = closed_conn == one && (waits || tells);
    always @* if (is_begun) lemma_owed: assert (owed <= frames && !(waits && tells));
    always @* if (is_begun) lemma_ready: assert (is_ready || !(waits || tells));
    always @* if (is_begun) lemma_ahead: assert (!tells || ahead == 10'd0);
    always @* if (is_begun) lemma_awaited: assert (!is_its_turn || awaited <= ahead);
    always @* if (is_begun) told_behind_all: assert (!told || closed_conn != one || awaited == 10'd0);
