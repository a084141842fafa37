    // Of what came in, tkeep was shaped, and so it is of what goes out. The beat behind the queue has its tkeep in a register.
    wire can_take;
    wire [$bits(s_axis_tkeep)-1:0] keep_held;
    always @* if (is_begun) begin
        shaped: assert (!is_next || is_shaped(m_axis_tkeep, m_axis_tlast));
        lemma_shaped: assert (!(which - turn_out < inside) || is_shaped({beat[$bits(s_axis_tkeep)-1:1], 1'b1}, beat[0]));
        lemma_room: assert (filled <= 6'd25 && (!s_axis_tready || filled <= 6'd24) && (!can_take || filled != 6'd0));
        lemma_held: assert (!is_next || (keep_held == beat[$bits(s_axis_tkeep)-1:0] && m_axis_tuser == beat[$bits(s_axis_tkeep)]));
    end

    // Packets that came in whole less events, and those whose last beat came in one, two and up to six edges ago. Of a packet that has
    // begun there may be an event before it came in whole.
    wire [1:0] events = pkt_rewritten + pkt_passed + pkt_malformed;
    reg [3:0] owed;
    reg [5:0] ended;
    wire [2:0] ended_lately = ended[0] + ended[1] + ended[2] + ended[3] + ended[4] + ended[5];
    wire [3:0] in_work = (inlet_valid && inlet_is_last) + fields_judge_2 + judge_3 + judge_4 + judge_5 + events;
    wire is_judged;
    always @(posedge clk) begin
        owed <= owed + (push && s_axis_tlast) - {2'd0, events};
        ended <= {ended[4:0], push && s_axis_tlast};
        if (rst) begin
            owed <= 4'd0;
            ended <= 6'd0;
        end
    end
    always @* if (is_begun) begin
        one_event: assert (events <= 2'd1 && (owed == 4'd15 ? !inlet_at_first && events == 2'd0 : owed <= {1'b0, ended_lately}));
        lemma_owed: assert (owed + is_judged == in_work && ended[0] == (inlet_valid && inlet_is_last)
            && (!is_judged || (inlet_valid ? inlet_is_last || !inlet_at_first : !inlet_at_first)));
    end
