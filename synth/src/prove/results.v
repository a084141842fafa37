    // What was decided of an op in the update stage, on its way to the outputs.
    reg [2:0] decided_sent;
    reg [$bits(op_conn)-1:0] decided_conn [0:2];
    reg [1:0] decided_kind [0:2];
    reg [15:0] decided_ev [0:2];
    always @(posedge clk) begin
        decided_sent <= {decided_sent[1:0], sent && ops_update_valid};
        decided_conn[0] <= ops_update_conn;
        decided_conn[1] <= decided_conn[0];
        decided_conn[2] <= decided_conn[1];
        decided_kind[0] <= kind;
        decided_kind[1] <= decided_kind[0];
        decided_kind[2] <= decided_kind[1];
        decided_ev[0] <= ev;
        decided_ev[1] <= decided_ev[0];
        decided_ev[2] <= decided_ev[1];
        if (rst) decided_sent <= 3'd0;
    end
    always @* if (is_begun) begin
        shown_as_decided: assert (res_valid == decided_sent[2]
            && (!res_valid || {res_conn, res_kind, res_ev} == {decided_conn[2], decided_kind[2], decided_ev[2]}));
    end

