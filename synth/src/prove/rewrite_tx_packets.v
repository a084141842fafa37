    // Packets that came in and those that went out, those whose last beat came in up to five edges ago, and edges one behind the other at
    // which beats were taken and none could come in.
    wire ends_in = push && s_axis_tlast;
    wire ends_out = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    reg [5:0] packets_in;
    reg [5:0] packets_out;
    reg [4:0] ended;
    reg [2:0] waited;
    wire [2:0] ended_lately = ended[0] + ended[1] + ended[2] + ended[3] + ended[4];
    always @(posedge clk) begin
        packets_in <= packets_in + ends_in;
        packets_out <= packets_out + ends_out;
        ended <= {ended[3:0], ends_in};
        waited <= s_axis_tready || !m_axis_tready ? 3'd0 : waited + 3'd1;
        if (rst) begin
            packets_in <= 6'd0;
            packets_out <= 6'd0;
            ended <= 5'd0;
            waited <= 3'd0;
        end
    end
    always @* if (is_begun) begin
        never_stuck: assert (packets_in - packets_out <= {3'd0, ended_lately} || m_axis_tvalid);
        takes_again: assert (waited <= 3'd2);
    end
