    wire [$bits(given)-1:0] offered = {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser};
    reg was_offered;
    reg [$bits(given)-1:0] offered_before;
    always @(posedge clk) begin
        was_offered <= m_axis_tvalid && !m_axis_tready && !rst;
        offered_before <= offered;
    end
    always @* if (is_begun) stays_until_taken: assert (!was_offered || (m_axis_tvalid && offered == offered_before));
