    // A frame begins with 1 to 62 records, when none is being made and none has just been made.
    always @* assume (!is_begun || !begins || (records != 6'd0 && records != 6'd63 && !is_busy && !push));
    reg [5:0] took;
    always @(posedge clk) begin
        if (event_valid && event_ready) took <= took + 6'd1;
        if (begins) took <= 6'd0;
    end
    wire [6:0] behind = at - 7'd4;
    wire [6:0] end_at = {count, 1'b0} + 7'd3;
    always @* if (is_begun && is_busy) lemma_count: assert (count != 6'd0 && count != 6'd63 && last_at == end_at
        && (at <= last_at || at <= 7'd7) && took == (at < 7'd4 ? 6'd0 : at > last_at ? count : behind[6:1]));
    always @* if (is_begun) each_is_told: assert (!push || !is_last || took == count);
