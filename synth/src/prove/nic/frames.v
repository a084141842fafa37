    // What stands beside the frame that is going out.
    wire [$bits({BESIDE})-1:0] shown = {BESIDE};
    reg [$bits({BESIDE})-1:0] beside;
    reg in_frame;
    always @(posedge clk) begin
        if (m_axis_tvalid) beside <= shown;
        if (leaves) in_frame <= !m_axis_tlast;
        if (rst) in_frame <= 1'b0;
    end
    always @* if (is_begun) begin
        beside_is_constant: assert (!in_frame || beside == shown);
        lemma_statuses: assert (!in_frame || !has_data || statuses_valid);
    end
    always @* VERB (!is_begun || !in_frame || ring_valid);
