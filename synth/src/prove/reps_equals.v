    // One connection and one slot of its ring, whichever: what is shown of them is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;
    (* anyconst *) reg [$bits(states_write_slot)-1:0] which;
    localparam SLOTS = 1 << $bits(which);
    wire [$bits({one, which})-1:0] slot_of_one = {one, which};
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // Ops of the connection as they were taken, four edges later, when the engine writes what it made of them.
    localparam OP_BITS = $bits({op_kind, op_ecn, op_ev, bdp_packets, freeze_timeout, now});
    reg [3:0] op_there;
    reg [OP_BITS-1:0] ops [0:3];
    reg [$bits(op_conn)-1:0] op_conns [0:3];
    integer place;
    always @(posedge clk) begin
        op_there <= {op_there[2:0], op_valid && op_ready};
        ops[0] <= {op_kind, op_ecn, op_ev, bdp_packets, freeze_timeout, now};
        op_conns[0] <= op_conn;
        for (place = 1; place < 4; place = place + 1) begin
            ops[place] <= ops[place - 1];
            op_conns[place] <= op_conns[place - 1];
        end
        if (rst) op_there <= 4'd0;
    end
    wire is_one = op_there[3] && op_conns[3] == one;

    // The specification, to which they are given.
    wire specified_sends;
    wire [1:0] specified_kind;
    wire [$bits(which)-1:0] specified_offset;
    wire [15:0] specified_ev;
    wire [3:0] specified_events;
    reps_specification #(.REPS_BUFFER_SIZE(1 << $bits(which))) specification (
        .clk(clk),
        .rst(rst),
        .op_valid(is_one),
        .op_kind(ops[3][OP_BITS-1 -: 3]),
        .op_ecn(ops[3][OP_BITS-4]),
        .op_ev(ops[3][OP_BITS-5 -: 16]),
        .num_pkts_bdp(ops[3][64 +: 8]),
        .freezing_timeout(ops[3][32 +: 32]),
        .now(ops[3][0 +: 32]),
        .sends(specified_sends),
        .kind(specified_kind),
        .offset(specified_offset),
        .ev(specified_ev),
        .caches(specified_events[0]),
        .discards(specified_events[1]),
        .enters(specified_events[2]),
        .leaves(specified_events[3])
    );

    // What it says is shown two edges after the op was given to it, and an EV that the engine draws is the specification's, too.
    wire [15:0] draw;
    reg was_one;
    reg is_shown;
    reg sends;
    reg [1:0] kind;
    reg shows_ev;
    reg [15:0] ev;
    reg [3:0] events;
    always @(posedge clk) begin
        was_one <= is_one && !rst;
        is_shown <= was_one && !rst;
        sends <= specified_sends && !rst;
        kind <= specified_kind;
        shows_ev <= specified_kind == 2'd0 || specified_offset == which;
        ev <= specified_kind == 2'd0 ? draw : specified_ev;
        events <= rst ? 4'd0 : specified_events;
    end
    wire shows_one = res_conn == one;
    always @* if (is_begun) begin
        sends_as_specified: assert (sends == (res_valid && is_shown)
            && (!sends || (shows_one && res_kind == kind && (!shows_ev || res_ev == ev))));
        events_as_specified: assert (!is_shown
            || (shows_one && events == {freeze_left, freeze_entered, ev_dropped, ev_cached}));
        nothing_else: assert (is_shown || !shows_one || !(res_valid || freeze_left || freeze_entered || ev_dropped || ev_cached));
    end

    // The state of the specification is that of the connection's word, and of the watched slot, in the memories of the engine. The valid
    // slots are those from number_of_valid_evs places before head up to head; the time matters only while it freezes.
    wire [3*$bits(which)+12:0] word;
    wire [31:0] time_there;
    wire [15:0] kept;
    wire [SLOTS-1:0] is_valid;
    wire [31:0] head;
    wire [31:0] number_of_valid_evs;
    wire [7:0] explore_counter;
    wire is_freezing_mode;
    wire [31:0] exit_freezing_mode;
    wire [31:0] number_of_cached_evs;
    wire [31:0] replayed;
    wire [SLOTS*16-1:0] cached_evs;
    wire [$bits(which)-1:0] oldest = head - number_of_valid_evs;
    wire [SLOTS-1:0] window;
    genvar slot;
    generate
        for (slot = 0; slot < SLOTS; slot = slot + 1) begin : of_slot
            wire [$bits(which)-1:0] behind = head - 1 - slot;
            assign window[slot] = behind < number_of_valid_evs;
        end
    endgenerate
    wire is_full = number_of_cached_evs == SLOTS;
    wire [4:0] flags = {explore_counter != 0, is_freezing_mode, number_of_cached_evs != 0, number_of_valid_evs != 0, is_full};
    wire [$bits(which)-1:0] replay_slot = word[8 + 2 * $bits(which) +: $bits(which)];
    always @* if (is_begun && op_ready) begin
        lemma_bounds: assert (head < SLOTS && number_of_valid_evs <= number_of_cached_evs && number_of_cached_evs <= SLOTS
            && (is_full || head == number_of_cached_evs) && (replayed == 0 || replayed < number_of_cached_evs));
        lemma_window: assert (is_valid == window);
        lemma_places: assert (word[8 +: 2 * $bits(which)] == {oldest, head[$bits(which)-1:0]}
            && (is_full || replay_slot == replayed));
        lemma_flags: assert (word[8 + 3 * $bits(which) +: 5] == flags);
        lemma_counter: assert (explore_counter == 0 || (word[7:0] == explore_counter && !is_freezing_mode));
        lemma_time: assert (!is_freezing_mode || time_there == exit_freezing_mode);
        lemma_kept: assert (which >= number_of_cached_evs || kept == cached_evs[16 * which +: 16]);
        lemma_place: assert (!op_there[3] || ops_write_conn == op_conns[3]);
    end
    always @* if (is_begun && !op_ready) begin
        lemma_idle: assert (op_there == 4'd0 && !states_action_cache);
        lemma_cleared: assert (ops_write_conn <= one || word[3*$bits(which)+12:0] == 0);
        lemma_nothing: assert ({is_valid, head, number_of_valid_evs, explore_counter, is_freezing_mode, number_of_cached_evs,
            replayed} == 0);
    end
