    // The bytes of the bucket on their way as the contract counts them, its uplink and its pause, by what the outputs will say of each op.
    reg [23:0] in_flight;
    reg is_saturated;
    reg [$bits(res_port)-1:0] uplink;
    reg has_uplink;
    wire sends = updates_one && ops_update_data && ledger_kind != 2'd3;
    wire accepts = updates_one && ops_update_ack && !ledger_ack_refused;
    wire [24:0] more = in_flight + fields_output_value_bytes;
    always @(posedge clk) begin
        if (sends) begin
            in_flight <= more[24] || is_saturated ? 24'hffffff : more[23:0];
            is_saturated <= more[24] || is_saturated;
            if (ledger_kind != 2'd1) begin
                uplink <= ledger_after_port;
                has_uplink <= 1'b1;
            end
        end
        if (accepts && !is_saturated) in_flight <= in_flight - fields_output_value_bytes;
        if (updates_one && ledger_entry_cleared) begin
            in_flight <= 24'd0;
            is_saturated <= 1'b0;
        end
        if (rst) begin
            in_flight <= 24'd0;
            is_saturated <= 1'b0;
            has_uplink <= 1'b0;
        end
    end
    wire [23:0] counted_bytes = current[23:0];
    wire [$bits(uplink)-1:0] kept_uplink = current[24 +: $bits(uplink)];
    wire [3:0] kept_epoch = current[24 + $bits(uplink) +: 4];
    wire kept_saturated = current[$bits(written)-14];
    always @* if (is_begun && ops_ready) begin
        counted: assert ({kept_saturated, counted_bytes} == {is_saturated, in_flight});
        lemma_full: assert (!is_saturated || (&in_flight));
        lemma_uplink: assert (in_flight == 24'd0 || (has_uplink && kept_uplink == uplink));
        new_is_empty: assert (!(sends && ledger_kind == 2'd0) || in_flight == 24'd0);
        ack_of_this_flowcut: assert (!accepts || (in_flight != 24'd0 && fields_output_value_epoch == kept_epoch
            && (is_saturated || fields_output_value_bytes <= in_flight)));
    end

    // The word after an op that changes nothing, and no op in the update stage where `load` or `set_min` was taken.
    reg changes_nothing;
    reg [$bits(written)-1:0] was;
    reg [7:0] is_other;
    always @(posedge clk) begin
        changes_nothing <= updates_one && ops_ready && !rst && (ledger_ack_refused
            || (ops_update_data && ledger_kind == 2'd3)
            || !(ops_update_data || ops_update_ack || ops_update_visit));
        was <= current;
        is_other <= {is_other[6:0], op_valid && op_ready && op_kind[1]};
    end
    always @* if (is_begun) nothing_changes: assert ((!changes_nothing || current == was)
        && !(is_other[7] && ops_ready && ops_update_valid));

    // The uplink as it was when the op at the outputs was in the update stage, and the one that the last `new` or `forced` showed.
    reg [$bits(uplink)-1:0] uplink_of_result;
    reg has_uplink_of_result;
    reg [$bits(uplink)-1:0] shown;
    reg is_shown;
    reg [$bits(uplink)-1:0] uplink_before;
    reg has_uplink_before;
    wire shows_one = res_valid && ev_bucket == one;
    always @(posedge clk) begin
        uplink_before <= uplink;
        has_uplink_before <= has_uplink;
        uplink_of_result <= uplink_before;
        has_uplink_of_result <= has_uplink_before;
        if (shows_one && (res_kind == 2'd0 || res_kind == 2'd2)) begin
            shown <= res_port;
            is_shown <= 1'b1;
        end
        if (rst) begin
            has_uplink_before <= 1'b0;
            has_uplink_of_result <= 1'b0;
            is_shown <= 1'b0;
        end
    end
    always @* if (is_begun) begin
        lemma_shown: assert (is_shown == has_uplink_of_result && (!is_shown || shown == uplink_of_result));
        same_shows_the_last_new: assert (!(shows_one && res_kind == 2'd1) || (is_shown && res_port == shown));
    end

    // The pause of the bucket's host: by the op in the write stage, where it is known, and by what the outputs told.
    reg pauses;
    reg ends;
    reg is_draining;
    reg was_draining;
    reg is_paused;
    wire starts = pauses || (drain_starts && ops_write_conn == one);
    wire drains_now = (is_draining && !ends) || starts;
    wire tells_one = ev_bucket == one;
    always @(posedge clk) begin
        pauses <= updates_one && ledger_xoff;
        ends <= updates_one && ledger_xon;
        is_draining <= drains_now;
        was_draining <= is_draining;
        if (tells_one && xoff) is_paused <= 1'b1;
        if (tells_one && xon) is_paused <= 1'b0;
        if (rst) {pauses, ends, is_draining, was_draining, is_paused} <= 5'd0;
    end
    always @* if (is_begun) begin
        lemma_drains: assert (!ops_ready || current[$bits(written)-1] == drains_now);
        lemma_paused: assert (is_paused == was_draining);
        drain_starts_once: assert (!(tells_one && xoff && is_paused) && !(tells_one && xon && !is_paused));
    end

    // While the control RAM is cleared nothing is counted.
    always @* if (is_begun && !ops_ready) begin
        lemma_counts_cleared: assert ({in_flight, is_saturated, has_uplink, pauses, ends, is_draining, drains_now} == 30'd0);
    end
