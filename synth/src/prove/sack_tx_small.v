    // The same as the results of its ops tell of it.
    reg is_live;
    reg [23:0] una;
    reg [23:0] nxt;
    wire ends = steps_done && res_conn == one && !steps_clearing;
    wire told = ends && res_valid && res_status == 3'd0;
    wire [23:0] outstanding = nxt - una;
    wire [23:0] acked = taken_held_epsn - una;
    always @(posedge clk) begin
        if (told && steps_is_sent) nxt <= nxt + 24'd1;
        if (told && steps_is_sack) una <= taken_held_epsn;
        if (ends && steps_is_init) begin
            is_live <= 1'b1;
            una <= taken_held_psn;
            nxt <= taken_held_psn;
        end
        if (rst || (ends && steps_is_close)) is_live <= 1'b0;
    end
    always @* if (is_begun && !steps_clearing) begin
        as_told: assert (stored[0] == is_live && (!is_live || (stored_una == una && stored_nxt == nxt)));
        sent_in_turn: assert (!(told && steps_is_sent) || (is_live && taken_held_psn == nxt && outstanding != WINDOW));
    end

    // A connection that was closed, or saw no init yet, is told of by nothing but refusals.
    wire has_event = loss_ooo || loss_probe || loss_timeout || probe_due || recovery_left;
    always @* if (is_begun && !steps_clearing)
        closed_refuses: assert (!(ends && !is_live) || (!has_event && (!res_valid || res_status == 3'd7)));

    // One op at a time, and what is known of it while it is in work.
    wire is_idle = op_ready || is_forced || steps_clearing;
    wire [12:0] step = steps_step;
    wire [3:0] steps_at = step[0] + step[1] + step[2] + step[3] + step[4] + step[5] + step[6] + step[7] + step[8] + step[9]
        + step[10] + step[11] + step[12];
    wire [2:0] walks_at = is_walking + behind_walk[0] + behind_walk[1] + behind_walk[2];
    wire in_walk = walks_at == 3'd1;
    wire [2:0] word_at_step = step[5] ? 3'd0 : step[6] ? 3'd1 : step[7] ? 3'd2 : step[8] ? 3'd3 : step[9] ? 3'd4
        : step[10] ? 3'd5 : step[11] ? 3'd6 : 3'd7;
    wire [2:0] word_of_init = step[1] ? 3'd0 : step[2] ? 3'd1 : step[3] ? 3'd2 : step[4] ? 3'd3 : step[5] ? 3'd4 : 3'd5;
    wire is_late = !op_ready && !is_forced && !steps_clearing && step[2:0] == 3'd0;
    wire is_ok = res_conn == one && res_status == 3'd0;
    always @* if (is_begun) begin
        lemma_steps: assert (steps_at <= 4'd1 && walks_at <= 3'd1 && (op_ready + is_forced + steps_clearing <= 2'd1)
            && (!is_idle || ((step == 13'd0 || (step == 13'd64 && (steps_is_sent || steps_is_read))) && walks_at == 3'd0)) && (!steps_done || op_ready || is_forced));
        lemma_short: assert (is_idle || !(steps_is_sent || steps_is_read || steps_is_visit)
            || (walks_at == 3'd0 && steps_at == 4'd1 && step[12:7] == 6'd0 && (steps_is_visit || !step[6])));
        lemma_walk: assert (is_idle || !(steps_is_init || steps_is_next_rtx) || (step[12:7] == 6'd0 && (step[0] != in_walk)
            && !(|step[4:1] && !is_walking) && !(is_walking && |step[6:1] && number != word_of_init)
            && !(is_walking && step[5:1] == 5'd0 && steps_is_init) && !(|behind_walk[2:1] && step[5]) && !(behind_walk[2] && step[6])
            && !second));
        lemma_sack: assert (is_idle || !steps_is_sack || (
            |step[4:0] ? !in_walk
            : |step[7:5] ? is_walking
            : |step[9:8] ? is_walking == op_status_ok && (is_walking || walks_at == 3'd0)
            : op_status_ok && in_walk && (steps_at == 4'd0 || is_walking)));
        lemma_word: assert (is_idle || !steps_is_sack || !is_walking || steps_at == 4'd0
            || (number[1:0] == word_at_step[1:0] && second == (word_at_step[2] && !distance_segments)
            && (second || number[2] == word_at_step[2])));
        lemma_kinds: assert (steps_clearing || (is_idle && !steps_done) || (kinds == 3'd1 && (!steps_is_close || steps_is_read)));
        lemma_found: assert (is_idle && !steps_done || !(steps_is_next_rtx && pick_found && !(|step[1:0])) || control_ram_read_data_initialised);
        lemma_known: assert (!((is_late || steps_done) && res_status == 3'd0 && !steps_is_visit && !steps_is_init)
            || control_ram_read_data_initialised);
        lemma_visit: assert (!(steps_done && steps_is_visit && control_ram_write_enable) || control_ram_read_data_initialised);
        in_window: assert ((!is_live || outstanding <= WINDOW)
            && (!((is_late || steps_done) && is_ok && steps_is_sack) || (is_live && acked <= outstanding)));
        lemma_segments: assert (!((is_late || steps_done) && is_ok && steps_is_sack)
            || distance_segments == (taken_held_epsn[6] ^ una[6]));
        lemma_sent: assert (!((is_late || steps_done) && is_ok && steps_is_sent)
            || (is_live && taken_held_psn == nxt && outstanding != WINDOW));
        lemma_begins: assert (!step[0] || is_first_step);
        lemma_cleared: assert (!steps_clearing || (!is_live && !steps_done && (res_conn <= one || !stored[0])));
    end
