    // The window in front of the queue holds six beats, and the queue has room for them.
    wire [2:0] in_window = window_valid_0 + window_valid_1 + window_valid_2 + window_valid_3 + window_valid_4 + window_valid_5;
    wire [6:0] held = filled + in_window;
    always @* if (is_begun) lemma_room: assert (held <= 7'd27 && (!s_axis_tready || held <= 7'd26));
