    // A beat that was in the queue an edge ago, and did not leave at that edge.
    reg was_inside;
    always @(posedge clk) was_inside <= inside != goes_out && !rst;
    always @* if (is_begun) never_stuck: assert (!was_inside || m_axis_tvalid);
