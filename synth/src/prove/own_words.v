    // The second memory is written at words of the connection whose op is in work, and only then.
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    reg is_working;
    reg [$bits(op_conn)-1:0] working_conn;
    always @(posedge clk) begin
        if (op_valid && op_ready) working_conn <= op_conn;
        is_working <= !rst && ((op_valid && op_ready) || (is_working && !op_ready));
    end
    always @* if (is_begun) writes_own_words: assert (!WRITES
        || (is_working && address_write[$bits(op_conn)-1:0] == working_conn));
