    // Turns of the words that came in and of those that went out, counted modulo four times the size.
    localparam [4:0] SIZE_OF_IT = 5'dSIZE;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);
    wire goes_in = in_valid && in_ready;
    wire goes_out = out_valid && out_ready;
    reg [4:0] turn_in;
    reg [4:0] turn_out;
    wire [4:0] inside = turn_in - turn_out;

    // A turn, whichever, and the word that came in in it.
    (* anyconst *) reg [4:0] which;
    reg [$bits(in_data)-1:0] word;
    wire is_inside = which - turn_out < inside;

    // What was at the last edge.
    reg was_reset;
    reg was_held;
    reg [$bits(out_data)-1:0] was_data;
    reg had_word;
    reg had_room;
    always @(posedge clk) begin
        if (goes_in && turn_in == which) word <= in_data;
        turn_in <= turn_in + goes_in;
        turn_out <= turn_out + goes_out;
        was_reset <= rst;
        was_held <= out_valid && !out_ready && !rst;
        was_data <= out_data;
        had_word <= inside != goes_out && !rst;
        had_room <= (inside != SIZE_OF_IT || goes_out) && !(inside + 5'd1 == SIZE_OF_IT && goes_in && !goes_out) && !rst;
        if (rst) begin
            turn_in <= 5'd0;
            turn_out <= 5'd0;
        end
    end
    always @* if (is_begun) begin
        in_order: assert (!goes_out || (inside != 5'd0 && (turn_out != which || out_data == word)));
        stays_until_taken: assert (!was_held || (out_valid && out_data == was_data));
        never_more_than_its_size: assert (inside <= SIZE_OF_IT && (!in_ready || inside != SIZE_OF_IT));
        never_stuck: assert ((!had_word || out_valid) && (!had_room || in_ready));
    end
