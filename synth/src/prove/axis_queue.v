    // The queue: its places are turns, and its memory keeps the beat that is watched.
    wire [5:0] write_at;
    wire [5:0] read_at;
    wire [5:0] filled = write_at - read_at;
    always @* if (is_begun) begin
        lemma_turns: assert (write_at == turn_in && read_at == turn_out + m_axis_tvalid && filled <= 6'd32);
        lemma_kept: assert (!(which - read_at < filled) || kept_beat == beat);
    end
