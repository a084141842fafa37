// Algorithms 1 and 2 of paper 001 (REPS) for one connection, one op after the other, as they stand there; what they leave open is as
// docs/reps.md says. Nothing of it is taken from the engine but the EVs that it draws.
module reps_specification #(
    parameter REPS_BUFFER_SIZE = 4
) (
    input clk,
    input rst,
    input op_valid,
    input [2:0] op_kind,
    input [15:0] op_ev,
    input op_ecn,
    input [31:0] now,
    input [31:0] freezing_timeout,
    input [7:0] num_pkts_bdp,
    output reg sends,
    output reg [1:0] kind,
    output reg [$clog2(REPS_BUFFER_SIZE)-1:0] offset,
    output reg [15:0] ev,
    output reg caches,
    output reg discards,
    output reg enters,
    output reg leaves
);
    localparam SIZE = REPS_BUFFER_SIZE;

    (* mem2reg *) reg [15:0] cached_ev [0:SIZE-1];
    reg [SIZE-1:0] is_valid;
    reg [31:0] head;
    reg [31:0] number_of_valid_evs;
    reg [7:0] explore_counter;
    reg is_freezing_mode;
    reg [31:0] exit_freezing_mode;
    // EVs cached since the connection began, at most SIZE, and the slot that is replayed next while they are fewer.
    reg [31:0] number_of_cached_evs;
    reg [31:0] replayed;
    wire [16*SIZE-1:0] evs;
    genvar slot;
    generate
        for (slot = 0; slot < SIZE; slot = slot + 1) begin : of_slot
            assign evs[16 * slot +: 16] = cached_ev[slot];
        end
    endgenerate
    wire signed [31:0] past_by = now - exit_freezing_mode;

    task on_ack;
        if (op_ecn) discards = 1'b1;
        else begin
            if (!is_valid[head]) number_of_valid_evs = number_of_valid_evs + 1;
            cached_ev[head] = op_ev;
            is_valid[head] = 1'b1;
            head = (head + 1) % SIZE;
            if (number_of_cached_evs != SIZE) number_of_cached_evs = number_of_cached_evs + 1;
            caches = 1'b1;
            if (is_freezing_mode && past_by > 0) begin
                is_freezing_mode = 1'b0;
                explore_counter = num_pkts_bdp;
                leaves = 1'b1;
            end
        end
    endtask

    task on_failure_detection;
        if (!is_freezing_mode && explore_counter == 0) begin
            is_freezing_mode = 1'b1;
            exit_freezing_mode = now + freezing_timeout;
            enters = 1'b1;
        end
    endtask

    task get_next_ev;
        if (number_of_valid_evs > 0) begin
            kind = 2'd1;
            offset = (head - number_of_valid_evs) % SIZE;
            is_valid[offset] = 1'b0;
            number_of_valid_evs = number_of_valid_evs - 1;
        end else begin
            kind = 2'd2;
            if (number_of_cached_evs == SIZE) begin
                offset = head;
                head = (head + 1) % SIZE;
            end else begin
                offset = replayed;
                replayed = replayed + 1 == number_of_cached_evs ? 0 : replayed + 1;
            end
        end
    endtask

    task on_send;
        sends = 1'b1;
        if (number_of_cached_evs == 0 || (number_of_valid_evs == 0 && !is_freezing_mode) || explore_counter != 0) begin
            kind = 2'd0;
            if (explore_counter != 0) explore_counter = explore_counter - 1;
        end else get_next_ev;
    endtask

    task begin_anew;
        is_valid = 0;
        head = 0;
        number_of_valid_evs = 0;
        explore_counter = 0;
        is_freezing_mode = 1'b0;
        number_of_cached_evs = 0;
        replayed = 0;
    endtask

    always @(posedge clk) begin
        {sends, kind, caches, discards, enters, leaves} = 0;
        if (op_valid && op_kind == 3'd0) on_send;
        if (op_valid && op_kind == 3'd1) on_ack;
        if (op_valid && op_kind == 3'd3) on_failure_detection;
        if (op_valid && op_kind == 3'd4) begin_anew;
        ev = cached_ev[offset];
        if (rst) begin
            {sends, kind, caches, discards, enters, leaves} = 0;
            begin_anew;
        end
    end
endmodule
