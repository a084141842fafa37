    reg [2:0] age;
    always @(posedge clk) age <= rst ? 3'd0 : age == 3'd7 ? 3'd7 : age + 3'd1;
    always @* if (is_begun) never_waits: assert (age < 3'd3 || rewrite_rx_s_axis_tready);
