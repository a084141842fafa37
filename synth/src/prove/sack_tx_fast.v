    // The same as the ops tell of it that are done. What the op that is done now makes of it is written at the next edge.
    reg is_live;
    reg [23:0] una;
    reg [23:0] nxt;
    wire ends = steps_done && steps_conn == one && !steps_clearing && !steps_is_visit;
    wire told = ends && op_status_ok;
    wire [23:0] outstanding = nxt - una;
    wire [23:0] acked = taken_held_epsn - una;
    wire closes = steps_is_close && steps_step[2] && steps_conn == one && !steps_clearing;
    wire live_next = (is_live || (ends && steps_is_init)) && !closes;
    wire [23:0] una_next = ends && steps_is_init ? taken_held_psn : told && steps_is_sack ? taken_held_epsn : una;
    wire [23:0] nxt_next = ends && steps_is_init ? taken_held_psn : nxt + {23'd0, told && steps_is_sent};
    always @(posedge clk) begin
        {is_live, una, nxt} <= {live_next && !rst, una_next, nxt_next};
    end
    always @* if (is_begun && !steps_clearing) begin
        as_told: assert (stored[0] == is_live && (!is_live || (stored_una == una && stored_nxt == nxt)));
        closed_refuses: assert (!(told && !is_live) || steps_is_init || steps_is_close);
        sent_in_turn: assert (!(told && steps_is_sent) || (is_live && taken_held_psn == nxt && outstanding != WINDOW));
        in_window: assert ((!is_live || outstanding <= WINDOW)
            && (!(told && steps_is_sack) || (is_live && acked <= outstanding)));
    end

    // Ops as they were taken, until their results come: two at most. An `init` has none.
    reg [1:0] owed;
    reg [$bits(op_conn)-1:0] first;
    reg [$bits(op_conn)-1:0] second;
    wire takes_one = op_valid && op_ready && op_kind != 3'd3;
    wire [1:0] left = owed - res_valid;
    reg was_ok;
    always @(posedge clk) begin
        if (steps_done) was_ok <= op_status_ok;
        owed <= left + takes_one;
        if (res_valid) first <= second;
        if (takes_one && left == 2'd0) first <= op_conn;
        if (takes_one && left == 2'd1) second <= op_conn;
        if (rst) owed <= 2'd0;
    end
    always @* if (is_begun) begin
        results_in_order: assert (owed <= 2'd2 && (!res_valid || (owed != 2'd0 && res_conn == first))
            && !(res_valid && (loss_timeout || probe_due)) && (!steps_shows || was_ok == op_status_ok));
        each_has_a_result: assert (owed <= 2'd1 || age <= 5'd1);
    end

    // Nothing is left over where an op or a visit starts, but the last steps of what was done; and none takes longer than 15 edges.
    wire is_forced;
    wire is_walking;
    wire is_writing;
    wire [2:0] behind_walk;
    wire starts = op_ready || is_forced;
    wire [2:0] kinds = steps_is_sent + steps_is_sack + steps_is_next_rtx + steps_is_init + steps_is_read + steps_is_visit;
    wire is_quiet = !is_walking && !is_writing && !walk_valid && (!walk_counted || (steps_is_sack && !op_status_ok))
        && behind_walk == 3'd0 && !steps_shows && !steps_shows_visit;
    wire [9:0] last_step = !steps_done ? 10'd0 : steps_is_sent || steps_is_read ? 10'd16 : steps_is_visit ? 10'd32
        : steps_is_init ? 10'd64 : 10'd0;
    reg [4:0] age;
    always @(posedge clk) age <= starts || steps_clearing || rst ? 5'd0 : age + 5'd1;
    always @* if (is_begun) begin
        lemma_idle: assert (!starts || (is_quiet && steps_step == last_step && !steps_clearing && (!steps_done || kinds == 3'd1)));
        lemma_owed: assert (!starts || (owed == (steps_done && !steps_is_visit && !steps_is_init)
            && (owed == 2'd0 || (first == steps_conn && res_conn == steps_conn))));
        lemma_close: assert (steps_clearing || (starts && !steps_done) || !steps_is_close || steps_is_read);
        lemma_age: assert (age <= 5'd15);
        lemma_done: assert (!steps_done || starts);
        lemma_written: assert (!ends || (control_ram_write_enable
            ? !live_next || (renew_una == una_next && {renew_una[23:6], 6'd0} + {17'd0, renew_nxt} == nxt_next)
            : {live_next, una_next, nxt_next} == {is_live, una, nxt}));
        lemma_visit: assert (!(steps_done && steps_is_visit && control_ram_write_enable && steps_conn == one)
            || (is_live && renew_una == una && {renew_una[23:6], 6'd0} + {17'd0, renew_nxt} == nxt));
        lemma_cleared: assert (!steps_clearing || (!starts && is_quiet && steps_step == 10'd0 && !is_live && !steps_done && owed == 2'd0
            && (steps_conn <= one || !stored[0])));
    end
