    localparam SLOTS = 1 << $bits(states_write_slot);

    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // Ops as they were taken, until they are in the write stage.
    reg [3:0] op_there;
    reg [$bits(op_conn)-1:0] op_conns [0:3];
    reg [2:0] op_kinds [0:3];
    reg [3:0] op_marks;
    reg [15:0] op_evs [0:3];
    reg [$bits(bdp_packets)-1:0] op_bdps [0:3];
    integer place;
    always @(posedge clk) begin
        op_there <= {op_there[2:0], op_valid && op_ready};
        op_marks <= {op_marks[2:0], op_ecn};
        op_conns[0] <= op_conn;
        op_kinds[0] <= op_kind;
        op_evs[0] <= op_ev;
        op_bdps[0] <= bdp_packets;
        for (place = 1; place < 4; place = place + 1) begin
            op_conns[place] <= op_conns[place - 1];
            op_kinds[place] <= op_kinds[place - 1];
            op_evs[place] <= op_evs[place - 1];
            op_bdps[place] <= op_bdps[place - 1];
        end
        if (rst) op_there <= 4'd0;
    end
    wire is_one = op_there[3] && op_conns[3] == one;
    wire sends = is_one && op_kinds[3] == 3'd0;
    wire caches = is_one && op_kinds[3] == 3'd1 && !op_marks[3];
    wire times_out = is_one && op_kinds[3] == 3'd3;
    wire begins = is_one && op_kinds[3] == 3'd4;

    // The word of the connection in the control RAM.
    wire [3*$bits(states_write_slot)+12:0] stored;
    wire [$bits(stored)-1:0] written = {states_after_exploring, states_after_freezing, states_after_any_cached,
        states_after_any_valid, states_after_full, states_after_replay_slot, states_after_tail, states_after_head,
        states_after_count};
    wire [$bits(states_write_slot)-1:0] head = stored[8 +: $bits(states_write_slot)];
    wire [$bits(states_write_slot)-1:0] tail = stored[8 + $bits(states_write_slot) +: $bits(states_write_slot)];
    wire [$bits(states_write_slot)-1:0] replay_slot = stored[8 + 2 * $bits(states_write_slot) +: $bits(states_write_slot)];
    wire [4:0] flags = stored[8 + 3 * $bits(states_write_slot) +: 5];

    // The paper's ring beside it: which slots are valid, and which were ever written; the counter of packets that explore; freezing.
    reg [SLOTS-1:0] valid;
    reg [SLOTS-1:0] filled;
    reg [$bits(states_write_slot)-1:0] ring_head;
    reg [$bits(states_write_slot):0] num_valid;
    reg [$bits(bdp_packets)-1:0] explore_counter;
    reg freezing;
    wire is_full = &filled;
    always @(posedge clk) begin
        if (caches) begin
            valid[ring_head] <= 1'b1;
            filled[ring_head] <= 1'b1;
            num_valid <= num_valid + !valid[ring_head];
            ring_head <= ring_head + 1'b1;
        end
        if (states_action_recycle && is_one) begin
            valid[states_read_slot] <= 1'b0;
            num_valid <= num_valid - 1'b1;
        end
        if (states_action_replay && is_one && is_full) ring_head <= ring_head + 1'b1;
        if (sends && explore_counter != 0) explore_counter <= explore_counter - 1'b1;
        if (states_action_enter && is_one) freezing <= 1'b1;
        if (states_action_leave && is_one) begin
            freezing <= 1'b0;
            explore_counter <= op_bdps[3];
        end
        if (rst || begins) begin
            valid <= {SLOTS{1'b0}};
            filled <= {SLOTS{1'b0}};
            ring_head <= 0;
            num_valid <= 0;
            explore_counter <= 0;
            freezing <= 1'b0;
        end
    end

    // One slot of the connection, whichever, and the EV of the last ACK that was cached in it, as it was for the op that is shown.
    (* anyconst *) reg [$bits(states_write_slot)-1:0] which;
    wire [$bits({one, which})-1:0] slot_of_one = {one, which};
    wire [15:0] kept;
    reg [15:0] cached;
    reg [15:0] cached_before;
    reg [15:0] cached_for_result;
    reg is_cached;
    reg [1:0] sends_which;
    always @(posedge clk) begin
        if (caches && ring_head == which) cached <= op_evs[3];
        is_cached <= !rst && (is_cached || (caches && ring_head == which));
        cached_before <= cached;
        cached_for_result <= cached_before;
        sends_which <= {sends_which[0], is_one && states_read_slot == which && (states_action_recycle || states_action_replay)};
        if (rst) sends_which <= 2'd0;
    end
    always @* if (is_begun) begin
        lemma_kept: assert (!op_ready || ((!filled[which] || is_cached) && (!is_cached || kept == cached)));
        sends_what_was_cached: assert (!sends_which[1]
            || (res_valid && res_conn == one && res_kind != 2'd0 && res_ev == cached_for_result));
    end

    // The slots from num_valid places before head on, up to head.
    wire [SLOTS-1:0] window;
    genvar slot;
    generate
        for (slot = 0; slot < SLOTS; slot = slot + 1) begin : of_slot
            wire [$bits(states_write_slot)-1:0] behind = ring_head - 1'b1 - slot;
            assign window[slot] = {1'b0, behind} < num_valid;
        end
    endgenerate

    wire [$bits(states_write_slot)-1:0] oldest = ring_head - num_valid[$bits(states_write_slot)-1:0];
    always @* if (is_begun && op_ready) begin
        isolated: assert (head == ring_head && flags == {explore_counter != 0, freezing, |filled, |valid, is_full}
            && tail == oldest);
        lemma_valid: assert ((valid & ~filled) == 0);
        lemma_counter: assert (explore_counter == 0 || stored[7:0] == explore_counter);
        lemma_filled: assert (is_full || filled == (1 << ring_head) - 1'b1);
        lemma_replay: assert (is_full || (replay_slot == 0 && ring_head == 0) || replay_slot < ring_head);
        lemma_freezing: assert (!freezing || explore_counter == 0);
        lemma_place: assert (!op_there[3] || ops_write_conn == op_conns[3]);
        valid_set: assert (valid == window && num_valid <= SLOTS);
        send_once: assert (!is_one || (states_action_explore + states_action_recycle + states_action_replay == sends));
        sent_slot_is_filled: assert (!(is_one && (states_action_recycle || states_action_replay)) || filled[states_read_slot]);
        oldest_first: assert (!(is_one && states_action_recycle) || (num_valid != 0 && states_read_slot == oldest));
        explores: assert (!(is_one && states_action_explore)
            || explore_counter != 0 || num_valid == 0 && (!freezing || filled == 0));
        replays: assert (!(is_one && states_action_replay) || (freezing && num_valid == 0 && explore_counter == 0));
        caches_at_head: assert (!is_one || (states_action_cache == caches
            && (!caches || (states_write_slot == ring_head && states_ev == op_evs[3]))));
        freezes: assert (!is_one || states_action_enter == (times_out && !freezing && explore_counter == 0));
        thaws: assert (!(is_one && states_action_leave) || (caches && freezing));
    end
    always @* if (is_begun && !op_ready) begin
        lemma_idle: assert (op_there == 4'd0 && !states_action_cache);
        lemma_cleared: assert (written == 0 && (ops_write_conn <= one || stored == 0));
        lemma_nothing: assert ({is_cached, valid, filled, ring_head, num_valid, explore_counter, freezing} == 0);
    end
