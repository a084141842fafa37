    // Bytes sent and received as the contract counts them, by what the outputs will say of each op.
    reg [23:0] sent;
    reg [23:0] recvd;
    reg is_placed;
    reg is_draining;
    wire is_counted = ops_update_send && !ops_update_uncounted && !ledger_waits;
    wire starts_one = flags_starts && ops_write_conn == one;
    always @(posedge clk) begin
        if (starts_one) is_draining <= 1'b1;
        if (updates_one) begin
            if (is_counted) sent <= sent + {10'd0, ops_update_bytes};
            if (ops_update_ack && !ledger_ack_refused) recvd <= ops_update_recvd;
            if (ledger_draws) is_placed <= 1'b1;
            if (ledger_drain_done || ledger_drain_given_up) is_draining <= 1'b0;
            if (ops_update_init) begin
                sent <= ops_update_recvd;
                recvd <= ops_update_recvd;
                is_placed <= 1'b0;
                is_draining <= 1'b0;
            end
        end
        if (rst) begin
            sent <= 24'd0;
            recvd <= 24'd0;
            is_placed <= 1'b0;
            is_draining <= 1'b0;
        end
    end
    wire [23:0] in_flight = sent - recvd;
    wire drains_now = is_draining || starts_one;
    always @* if (is_begun && op_ready) begin
        counted: assert (current[47:0] == {recvd, in_flight != 24'd0, in_flight[22:0]});
        lemma_change: assert (!(updates_one && ops_update_ack) || received_change == recvd - ops_update_recvd);
        lemma_change_of_send: assert (!(updates_one && ops_update_send) || received_change == {10'b10_0000_0000, ops_update_bytes});
        lemma_flags: assert (current[$bits(written)-2] == drains_now && (!current[$bits(written)-1] || is_placed));
        half_circle: assert (!in_flight[23]);
        new_is_empty: assert (!(updates_one && ledger_draws && !ledger_order_risk) || in_flight == 24'd0);
        same_is_placed: assert (!(updates_one && ops_update_send && !ledger_draws && !ledger_waits) || is_placed);
        ack_of_bytes_sent: assert (!(updates_one && ops_update_ack && !ledger_ack_refused)
            || (ops_update_recvd != recvd && ops_update_recvd - recvd <= in_flight));
        drain_starts_once: assert (!starts_one || !is_draining);
        drain_holds: assert (!(updates_one && is_counted && ops_update_hold) || !drains_now);
    end

    // The word after an op that changes nothing.
    reg changes_nothing;
    reg [$bits(written)-1:0] was;
    always @(posedge clk) begin
        changes_nothing <= updates_one && op_ready && !rst && (ledger_waits || ledger_ack_refused
            || (ops_update_send && ops_update_uncounted && !ledger_draws)
            || !(ops_update_send || ops_update_ack || ops_update_timeout || ops_update_init));
        was <= current;
    end
    always @* if (is_begun) nothing_changes: assert (!changes_nothing || current == was);

    // While the control RAM is cleared nothing is counted.
    always @* if (is_begun && !op_ready) begin
        lemma_counts_cleared: assert ({sent, recvd, is_placed, is_draining} == 50'd0);
    end
