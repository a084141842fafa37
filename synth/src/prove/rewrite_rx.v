    localparam DATA = $bits(s_axis_tdata);
    localparam KEEP = $bits(s_axis_tkeep);

    // Of what came in, tkeep was shaped, and so it is of what goes out.
    always @* if (is_begun) begin
        shaped: assert (!is_next || is_shaped(m_axis_tkeep, m_axis_tlast));
        lemma_shaped: assert (!(which - turn_out < inside) || is_shaped({beat[DATA+1 +: KEEP-1], 1'b1}, beat[DATA]));
        lemma_room: assert (filled <= 6'd25 && (!s_axis_tready || filled <= 6'd24));
    end

    // Events: packets whose last beat came in one, two and up to six edges ago.
    wire [2:0] events = pkt_data + pkt_ack + pkt_probe + pkt_other;
    wire [1:0] kind_of_event = pkt_data ? 2'd0 : pkt_ack ? 2'd1 : pkt_probe ? 2'd2 : 2'd3;
    reg [5:0] ended;
    wire [2:0] in_work = ended[0] + ended[1] + ended[2] + ended[3] + ended[4];
    always @(posedge clk) ended <= rst ? 6'd0 : {ended[4:0], push && s_axis_tlast};
    always @* if (is_begun) begin
        one_event: assert (events == ended[5]);
        lemma_stages: assert (ended[4:0] == {judge_5, judge_4, judge_3, judge_2, inlet_valid && inlet_is_last});
    end

    // Turns of packets by their events and by their records, one packet of them, whichever, and the kind that its event told.
    (* anyconst *) reg [5:0] packet;
    reg [5:0] event_turn;
    reg [5:0] record_turn;
    reg [1:0] kind;
    wire record_goes = meta_valid && meta_ready;
    wire [5:0] records_inside = event_turn - record_turn + events;
    wire [1:0] kind_now = events != 3'd0 && event_turn == packet ? kind_of_event : kind;
    reg had_record;
    always @(posedge clk) begin
        event_turn <= event_turn + events;
        record_turn <= record_turn + record_goes;
        kind <= kind_now;
        had_record <= records_inside != record_goes && !rst;
        if (rst) begin
            event_turn <= 6'd0;
            record_turn <= 6'd0;
        end
    end
    wire [5:0] record_write_at;
    wire [5:0] record_read_at;
    wire [5:0] records_filled = record_write_at - record_read_at;
    wire [5:0] kept_mark;
    wire [4:0] mark_spot = packet[4:0];
    always @* if (is_begun) begin
        one_record: assert ((!meta_valid || records_inside != 6'd0) && (!had_record || meta_valid)
            && (!(meta_valid && record_turn == packet) || meta_kind == kind_now));
        lemma_records: assert (record_write_at == event_turn + events && record_read_at == record_turn + meta_valid
            && records_filled <= 6'd23 && records_filled + in_work <= 6'd23
            && (!s_axis_tready || records_filled + in_work <= 6'd22) && (!records_ready || records_filled + in_work <= 6'd21));
        lemma_mark: assert (!(packet - record_read_at < records_filled) || kept_mark[1:0] == kind_now);
    end

    // Edges one behind the other at which beats and records were taken, and no beat could come in.
    reg [5:0] waited;
    always @(posedge clk) waited <= rst || s_axis_tready || !m_axis_tready || !meta_ready ? 6'd0 : waited + 6'd1;
    always @* if (is_begun) begin
        takes_again: assert (waited <= 6'd10);
        lemma_waited: assert (records_filled + in_work + waited <= 6'd23 && filled + waited <= 6'd25);
    end
