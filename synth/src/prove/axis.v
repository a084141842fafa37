    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // tkeep is all ones but in a packet's last beat, where it is contiguous from bit 0 and not empty.
    function is_shaped;
        input [$bits(s_axis_tkeep)-1:0] keep;
        input last;
        is_shaped = keep[0] && (keep & (keep + 1'b1)) == 0 && (last || &keep);
    endfunction

    // What comes in obeys AXI4-Stream: what is offered stays until it is taken, and is shaped so.
    wire [$bits(s_axis_tdata)+$bits(s_axis_tkeep)+1:0] given = {s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser};
    reg was_waiting;
    reg [$bits(given)-1:0] was_given;
    always @(posedge clk) begin
        was_waiting <= s_axis_tvalid && !s_axis_tready && !rst;
        was_given <= given;
    end
    always @* assume (!was_waiting || (s_axis_tvalid && given == was_given));
    always @* assume (!s_axis_tvalid || is_shaped(s_axis_tkeep, s_axis_tlast));
