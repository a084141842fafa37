    // What is offered stays, and stays the same, until it is taken. A reset takes it back.
    wire [$bits({PAYLOAD})-1:0] RULE_payload = {PAYLOAD};
    reg RULE_was_offered;
    reg [$bits({PAYLOAD})-1:0] RULE_before;
    always @(posedge clk) begin
        RULE_was_offered <= VALID && !READY && !rst;
        RULE_before <= RULE_payload;
    end
    always @* if (is_begun) RULE: assert (!RULE_was_offered || (VALID && RULE_payload == RULE_before));
