    // A frame that came is offered without a pause, as the ring of the receiver has it whole.
    reg in_frame;
    reg [31:0] told;
    always @(posedge clk) begin
        if (s_axis_tvalid && s_axis_tready) in_frame <= !s_axis_tlast;
        told <= told + {31'd0, lost0} + {31'd0, lost1} + {31'd0, lost2};
        if (rst) begin in_frame <= 1'b0; told <= 32'd0; end
    end
    always @* assume (!is_begun || !in_frame || s_axis_tvalid);
    always @* if (is_begun) between_frames: assert (!in_frame || !m_is_events);
    always @* if (is_begun) each_loss_counts: assert (lost == told);
