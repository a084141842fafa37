    // Turns of packets by their last beats that came in, by those that went into the queue, and by their events.
    wire [2:0] events = EVENTS;
    wire ends_in = push && s_axis_tlast;
    wire ends_made = goes_in && marked_keep[0];
    reg [5:0] packets_in;
    reg [5:0] packets_queued;
    reg [5:0] packets_told;
    // Whether the last beat of a packet came in in the last twelve edges, and edges one behind the other at which all that is offered was
    // taken, and no beat could come in.
    reg [11:0] ended;
    reg [3:0] waited;

    // A packet, whichever, and the tuser of its last beat.
    (* anyconst *) reg [5:0] packet;
    reg user_of_last;
    always @(posedge clk) begin
        packets_in <= packets_in + ends_in;
        packets_queued <= packets_queued + ends_made;
        packets_told <= packets_told + events;
        ended <= {ended[10:0], ends_in};
        waited <= s_axis_tready || !(TAKEN) ? 4'd0 : waited + 4'd1;
        if (ends_in && packets_in == packet) user_of_last <= s_axis_tuser;
        if (rst) begin
            packets_in <= 6'd0;
            packets_queued <= 6'd0;
            packets_told <= 6'd0;
            ended <= 12'd0;
            waited <= 4'd0;
        end
    end
    always @* if (is_begun) begin
        shaped: assert (!is_next || is_shaped(m_axis_tkeep, m_axis_tlast));
        packets_in_order: assert ((!(ends_made && packets_queued == packet) || user == user_of_last)
            && (!ends_made || packets_queued != packets_in) && (ended != 12'd0 || packets_queued == packets_in));
        one_event: assert (events <= 3'd1 && (events == 3'd0 || packets_told != packets_in)
            && (ended != 12'd0 || packets_told == packets_in));
        takes_again: assert (waited <= 4'd3);
    end
