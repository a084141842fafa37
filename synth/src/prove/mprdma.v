    // What the latest ACK and NACK of the connection said.
    reg [15:0] heard;
    reg has_room;
    always @(posedge clk) begin
        if (updates_one) begin
            if (is_init) has_room <= 1'b0;
            if (update_op_ack) has_room <= update_op_room;
            if (update_op_names) heard <= update_op_ev;
        end
        if (rst) has_room <= 1'b0;
    end
    always @* if (is_begun && op_ready) begin
        lemma_kept: assert (current[16] == has_room && (!has_room || current[15:0] == heard));
        latest_feedback: assert (!(updates_one && sent) || (draw == !has_room && ev == (has_room ? heard : fresh_ev)));
    end
    always @* if (is_begun && !op_ready) lemma_no_room: assert (!has_room);
