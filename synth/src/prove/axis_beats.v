    // Turns of the beats that went into the queue and of those that went out, modulo 64: the queue holds half as many, and one waits
    // behind it. The memory of the queue keeps the beat that is watched.
    wire goes_in = GOES_IN;
    wire goes_out = m_axis_tvalid && m_axis_tready;
    reg [5:0] turn_in;
    reg [5:0] turn_out;
    wire [5:0] inside = turn_in - turn_out;

    // A turn, whichever, and the beat of that turn.
    (* anyconst *) reg [5:0] which;
    wire [4:0] spot = which[4:0];
    reg [$bits(BEAT)-1:0] beat;
    wire [$bits(BEAT)-1:0] kept_beat;
    wire is_next = m_axis_tvalid && turn_out == which;
    always @(posedge clk) begin
        if (goes_in && turn_in == which) beat <= BEAT;
        turn_in <= turn_in + goes_in;
        turn_out <= turn_out + goes_out;
        if (rst) begin
            turn_in <= 6'd0;
            turn_out <= 6'd0;
        end
    end
    always @* if (is_begun) in_order: assert ((!goes_out || inside != 6'd0) && (!is_next || SHOWN == beat));
