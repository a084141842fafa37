    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    wire [$bits(memory_read_address)-1:0] window_of_one = {one, 2'd0};
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // The first of its words: flags, window, time of the last increase for fairness.
    wire [44:0] stored;

    // The connection as `init` and the results of its ACKs tell of it.
    reg is_live;
    reg [25:0] cwnd;
    wire opens = steps_done && steps_is_init && res_conn == one;
    wire shows = res_valid && res_conn == one;
    wire [25:0] most = {taken_most, 16'd0};
    always @(posedge clk) begin
        if (shows && steps_is_ack && res_status == 3'd0) cwnd <= res_cwnd;
        if (opens) begin
            cwnd <= most;
            is_live <= 1'b1;
        end
        if (rst) is_live <= 1'b0;
    end

    // The op in work: its connection, and whether its result is owed.
    reg [$bits(op_conn)-1:0] working_conn;
    reg owes;
    wire takes_op = op_valid && op_ready;
    always @(posedge clk) begin
        if (res_valid) owes <= 1'b0;
        if (takes_op) begin
            working_conn <= op_conn;
            owes <= op_kind <= 3'd1;
        end
        if (rst) owes <= 1'b0;
    end

    always @* if (is_begun && !steps_clearing) begin
        window_in_bounds: assert (!(res_valid && steps_is_ack && res_status == 3'd0)
            || (res_cwnd >= 26'h10000 && res_cwnd <= most));
        read_as_left: assert (!(shows && !steps_is_ack && res_status == 3'd0) || (is_live && res_cwnd == cwnd));
        refuses_unknown: assert (!shows || ((res_status == 3'd7) == (!is_live || !taken_is_mtu)
            && (res_status != 3'd7 || res_cwnd == 26'd0)));
        never_below_a_packet: assert ((!is_live || stored[41:16] >= 26'h10000)
            && (!steps_done || res_cwnd >= 26'h10000));
        one_result: assert ((!res_valid || (owes && res_conn == working_conn)) && (!op_ready || !owes || res_valid));
        writes_own_words: assert (!memory_write || (memory_write_address[$bits(memory_write_address)-1:2] == working_conn
            && (steps_is_init || (steps_is_ack && memory_initialised && taken_is_mtu))));
    end

    // The steps of an op, of which it is in one, but that a division begins while the step behind it is done.
    wire [5:0] steps_in_work = steps_step[0] + steps_step[1] + steps_step[2] + steps_step[3] + steps_step[4] + steps_step[5] + steps_step[6] + steps_step[7] + steps_step[8]
        + steps_step[9] + steps_step[10] + steps_step[11] + steps_step[12] + steps_load + steps_take + steps_grow + steps_cut[0] + steps_cut[1]
        + steps_cut[2] + steps_cut[3] + steps_cut[4] + steps_cut[5] + steps_fair + steps_clamp
        + (steps_dividing && !steps_step[8]);
    wire is_late = (|steps_step[12:3]) || steps_load || steps_take || steps_grow || (|steps_cut) || steps_fair || steps_clamp
        || steps_dividing || steps_done;
    always @* if (is_begun) begin
        lemma_step: assert (steps_in_work == {5'd0, !op_ready && !steps_clearing});
        lemma_late: assert (!is_late || (steps_is_ack != steps_is_init && (steps_done || owes == steps_is_ack)
            && (steps_is_init || (memory_initialised && taken_is_mtu && res_status == 3'd0))));
        lemma_done: assert (!steps_done || (op_ready && res_valid == steps_is_ack
            && (!steps_is_init || res_cwnd == most)));
        lemma_init: assert (!(is_late && steps_is_init) || (steps_step[12:9] == 4'd0 && !steps_dividing && !decide_grows
            && !steps_load && !steps_take && !steps_grow && steps_cut == 6'd0 && !steps_fair));
        lemma_conn: assert (steps_clearing || op_ready || res_conn == working_conn);
        lemma_most: assert (!is_late || taken_most != 10'd0);
        lemma_live: assert (steps_clearing || (stored[42] == is_live && (!is_live || stored[41:16] == cwnd)));
        lemma_known: assert (!(is_late && steps_is_ack && res_conn == one) || is_live);
        lemma_cleared: assert (!steps_clearing || (!op_ready && !is_live && !owes && !res_valid && !is_late && (res_conn <= one || !stored[42])));
    end
