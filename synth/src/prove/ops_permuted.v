    // A path, whichever: the low bits of an EV. Whether a send of the round had it, and how many sends the round had.
    (* anyconst *) reg [7:0] path;
    reg is_used;
    reg [7:0] sends;
    reg is_drawn;
    reg [7:0] set;
    always @(posedge clk) begin
        if (updates_one) begin
            if (is_init) {is_used, sends, is_drawn} <= 10'd0;
            if (sent) begin
                is_used <= !(&sends) && (is_used || ev[7:0] == path);
                sends <= sends + 8'd1;
                is_drawn <= 1'b1;
                set <= ev[15:8];
            end
        end
        if (rst) {is_used, sends, is_drawn} <= 10'd0;
    end
    wire is_of_path = updates_one && sent && ev[7:0] == path;
    always @* if (is_begun && op_ready) begin
        lemma_kept: assert ({current[24], current[7:0]} == {is_drawn, sends} && (is_drawn || sends == 8'd0)
            && (!is_drawn || current[23:16] == set) && is_used == ((current[15:8] ^ path) < sends));
        each_path_once: assert (!is_of_path || !is_used);
        last_path_left: assert (!(updates_one && sent && &sends) || is_used || is_of_path);
        set_stays: assert (!(updates_one && sent && is_drawn) || ev[15:8] == set);
    end
    always @* if (is_begun && !op_ready) lemma_not_drawn: assert ({is_used, sends, is_drawn} == 10'd0);
