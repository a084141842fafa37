    // tkeep is all ones but in a packet's last beat, where it is contiguous from bit 0 and not empty.
    function is_shaped;
        input [$bits(s_axis_tkeep)-1:0] keep;
        input last;
        is_shaped = keep[0] && (keep & (keep + 1'b1)) == 0 && (last || &keep);
    endfunction

    // What comes in is shaped so.
    always @* assume (!s_axis_tvalid || is_shaped(s_axis_tkeep, s_axis_tlast));
