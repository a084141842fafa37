    // One entry of each table, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(slots_place)-1:0] one;
    (* anyconst *) reg [$bits(op_dst)-1:0] dst;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // Their words, and the flow entry after the op that writes.
    wire [$bits({flow_ram_write_data_seen, flow_ram_write_data_route, flow_ram_write_data_is_routed,
        flow_ram_write_data_dst, flow_ram_write_data_tag, flow_ram_write_data_valid})-1:0] flow_word;
    wire [$bits({path_ram_write_data_seen, path_ram_write_data_path, path_ram_write_data_port,
        path_ram_write_data_len, path_ram_write_data_ce, path_ram_write_data_valid})-1:0] path_word;
    wire [$bits(flow_word)-1:0] written_word = {written_flow_seen, written_flow_route, written_flow_is_routed,
        written_flow_dst, written_flow_tag, written_flow_valid};
    wire [$bits(flow_word)-1:0] current = writes_flow && written_place == one ? written_word : flow_word;

    // What an op finds is what the ops ahead of it left.
    wire uses_flow = (in_decide_kind_data || in_decide_kind_visit) && in_decide_place == one;
    wire uses_path = (in_decide_kind_data || in_decide_kind_ack || in_decide_kind_visit) && in_decide_dst == dst;
    wire writes_path = judge_writes_path && in_judge_dst == dst;
    always @* if (is_begun && !slots_clears) begin
        found_as_left: assert ((!uses_flow || {decided_flow_seen, decided_flow_route, decided_flow_is_routed,
            decided_flow_dst, decided_flow_tag, decided_flow_valid} == current)
            && (!uses_path || (!writes_path && {decided_path_seen, decided_path_path, decided_path_port,
            decided_path_len, decided_path_ce, decided_path_valid} == path_word)));
    end

    // The flow that the entry was last given to, and the route that its first packet took, if any.
    reg [$bits(op_dst)+15:0] owner;
    reg [32:0] route;
    reg is_given;
    wire is_first = in_decide_kind_data && in_decide_from_host && !in_decide_to_host && in_decide_place == one;
    wire [$bits(owner)-1:0] flow = {in_decide_dst, in_decide_tag};
    wire [32:0] decided = {decide_verdict_stored, decide_verdict_enable};
    always @(posedge clk) begin
        if (is_first && decide_verdict_code >= 4'd3) begin
            owner <= flow;
            route <= decided;
            is_given <= 1'b1;
        end
        if (rst) is_given <= 1'b0;
    end
    always @* if (is_begun && !slots_clears) begin
        lemma_given: assert (!current[0] || (is_given && current[1 +: $bits(owner)] == owner
            && current[1 + $bits(owner)] == route[0] && (!route[0] || current[2 + $bits(owner) +: 32] == route[32:1])));
        route_stays: assert (!(is_first && decide_verdict_code == 4'd1) || (is_given && flow == owner
            && decided[0] == route[0] && (route[0] ? decided == route && decide_verdict_port == route[1 +: $bits(decide_verdict_port)]
            : decide_verdict_port == in_decide_fib_port)));
    end

    // One kind of op stands in a stage.
    wire [2:0] kinds_held = held_kind_data + held_kind_ack + held_kind_set_shift + held_kind_visit + held_kind_decay;
    wire [2:0] kinds_read = in_read_kind_data + in_read_kind_ack + in_read_kind_set_shift + in_read_kind_visit
        + in_read_kind_decay;
    wire [2:0] kinds_decided = in_decide_kind_data + in_decide_kind_ack + in_decide_kind_visit;
    always @* if (is_begun) begin
        lemma_held: assert (slots_clears || kinds_held <= 3'd1);
        lemma_kinds: assert (kinds_read <= 3'd1 && kinds_decided <= 3'd1
            && in_judge_is_data + in_judge_is_ack + in_judge_clears <= 2'd1);
    end

    // The interlock knows the op in its stage 0.
    wire is_live;
    wire waits_of_flow;
    wire waits_of_path;
    wire [$bits(one)-1:0] waits_of_place;
    wire [$bits(dst)-1:0] waits_of_dst;
    always @* if (is_begun && !slots_clears) begin
        lemma_interlock: assert (is_live ? waits_of_flow == (held_kind_data || held_kind_visit)
            && waits_of_path == (held_kind_ack || held_kind_visit)
            && waits_of_place == held_place && waits_of_dst == held_dst
            : !waits_of_flow && !waits_of_path && interlock_is_free);
    end

    // What was written for the op at the outputs.
    reg [2:0] wrote_flow;
    reg wrote_path;
    wire stores_none = res_kind == 4'd2 || res_kind == 4'd6 || res_kind == 4'd10;
    always @(posedge clk) begin
        wrote_flow <= {wrote_flow[1:0], writes_flow};
        wrote_path <= judge_writes_path;
    end
    always @* if (is_begun) stores_no_route: assert (!(res_valid && stores_none) || (!wrote_flow[2] && !wrote_path));

    // While the tables are cleared.
    always @* if (is_begun && slots_clears) begin
        lemma_idle: assert (!writes_flow && !in_judge_is_ack && !in_judge_clears && !res_valid
            && !interlock_leaves && interlock_is_free);
        lemma_cleared: assert ((slots_place <= one || flow_word == 0)
            && (slots_place <= {{$bits(one)-$bits(dst){1'b0}}, dst} || path_word == 0));
    end
