    // The first EV of the connection, and the place of the next one behind it.
    reg [15:0] first;
    reg [3:0] place;
    reg is_drawn;
    always @(posedge clk) begin
        if (updates_one) begin
            if (is_init) begin
                is_drawn <= 1'b0;
                place <= 4'd0;
            end
            if (sent) begin
                if (!is_drawn) first <= fresh_ev;
                is_drawn <= 1'b1;
                place <= {1'b0, place} + 5'd1 < update_op_count ? place + 4'd1 : 4'd0;
            end
        end
        if (rst) begin
            is_drawn <= 1'b0;
            place <= 4'd0;
        end
    end
    always @* if (is_begun && op_ready) begin
        lemma_kept: assert (current[20:16] == {place, is_drawn} && (!is_drawn || current[15:0] == first));
        in_turn: assert (!(updates_one && sent) || ev == (is_drawn ? first : fresh_ev) + {12'd0, place});
    end
    always @* if (is_begun && !op_ready) lemma_not_drawn: assert ({is_drawn, place} == 5'd0);
