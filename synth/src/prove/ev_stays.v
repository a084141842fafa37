    // The EV that was drawn last for the connection, if one was since it began.
    reg [15:0] last;
    reg is_drawn;
    always @(posedge clk) begin
        if (updates_one) begin
            if (is_init) is_drawn <= 1'b0;
            if (draw) begin
                last <= fresh_ev;
                is_drawn <= 1'b1;
            end
        end
        if (rst) is_drawn <= 1'b0;
    end
    always @* if (is_begun && op_ready) begin
        lemma_kept: assert (is_drawn == (|(current & DRAWN)) && (!is_drawn || current[15:0] == last));
        ev_stays: assert (!(updates_one && sent) || (draw ? ev == fresh_ev : is_drawn && ev == last));
    end
    // The flag that an EV was drawn stands above the EV.
    localparam DRAWN = 1 << 16;
    always @* if (is_begun && !op_ready) lemma_not_drawn: assert (!is_drawn);
