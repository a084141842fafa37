    wire [15:0] spare = credit_state[31:16] - credit_state[15:0];
    wire        is_granted = !spare[15] && spare != 16'd0;
    always @* if (is_begun) granted_only: assert (!(judge_push_op && intake_is_data) || is_granted);
    always @* if (is_begun) granted_to_host: assert (!(judge_commit && intake_is_data) || is_granted);
    reg [15:0] limit, given;
    reg        is_known, counts_frame;
    always @(posedge clk) begin
        is_known <= is_begun && !rst;
        limit <= credit_state[31:16];
        given <= credit_state[15:0];
        counts_frame <= judge_commit;
    end
    wire [15:0] raised = credit_state[31:16] - limit;
    always @* if (is_begun && is_known) never_goes_back: assert (raised <= 16'h8000);
    always @* if (is_begun && is_known) each_counts: assert (credit_state[15:0] == given + {15'd0, counts_frame});
