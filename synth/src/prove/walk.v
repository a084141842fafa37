    // One connection, whichever, and its word in the control RAM.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);
    wire [$bits({STATE})-1:0] stored;

    // The op in work: its connection, and whether its result is owed.
    reg is_working;
    reg owes;
    reg [$bits(op_conn)-1:0] working_conn;
    reg is_past;
    always @(posedge clk) begin
        if (take) begin
            is_working <= 1'b1;
            working_conn <= op_conn;
            owes <= op_kind == 3'd0;
            is_past <= op_kind != 3'd4;
        end else if (done) begin
            is_working <= 1'b0;
            owes <= 1'b0;
        end
        if (rst) begin
            is_working <= 1'b0;
            owes <= 1'b0;
        end
    end
    reg was_owed;
    reg was_init;
    always @(posedge clk) begin
        was_init <= done && !is_past && !rst;
        was_owed <= owes && done && !rst;
    end
    always @* if (is_begun && !is_clearing) begin
        one_at_a_time: assert (op_ready != is_working && (!is_working || conn == working_conn) && (!done || is_working));
        found_as_left: assert (!(decide && is_past && conn == one) || {STATE} == stored);
        init_clears: assert (!(was_init && working_conn == one) || stored == 0);
        one_result: assert (res_valid == was_owed && (!res_valid || res_conn == working_conn));
    end
    always @* if (is_begun && is_clearing) lemma_idle: assert (!is_working && !done && !res_valid && !op_ready);
