    // One connection, whichever.
    (* anyconst *) reg [$bits(conn)-1:0] one;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;

    // The EV of the connection in its memory, and whether one was written there since the reset.
    wire [15:0] stored;
    reg is_stored;
    always @(posedge clk) is_stored <= !rst && (is_stored || (judge_draws && conn == one));

    // The same as it was when the op at the outputs was in the write stage.
    reg [15:0] stored_before;
    reg [15:0] stored_of_result;
    reg is_stored_before;
    reg is_stored_of_result;

    // The EV that the last `new` showed.
    reg [15:0] shown;
    reg is_shown;
    wire shows_one = res_valid && res_conn == one;
    always @(posedge clk) begin
        stored_before <= stored;
        stored_of_result <= stored_before;
        is_stored_before <= is_stored;
        is_stored_of_result <= is_stored_before;
        if (shows_one && res_kind == 2'd0) begin
            shown <= res_ev;
            is_shown <= 1'b1;
        end
        if (rst) begin
            is_shown <= 1'b0;
            is_stored_before <= 1'b0;
            is_stored_of_result <= 1'b0;
        end
    end
    always @* if (is_begun) begin
        lemma_shown: assert (is_shown == is_stored_of_result && (!is_shown || shown == stored_of_result));
        same_shows_the_last_new: assert (!(shows_one && res_kind == 2'd2 && is_shown) || res_ev == shown);
    end
