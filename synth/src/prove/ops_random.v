    // A generator of its own: 61 bits, of which the next one is the sum of four. While the memories are cleared the seed is mixed in, then
    // each send has the next 16 bits.
    function [60:0] stepped;
        input [60:0] from;
        input [15:0] mixed_in;
        integer at;
        begin
            stepped = from;
            for (at = 0; at < 16; at = at + 1)
                stepped = {stepped[0] ^ stepped[14] ^ stepped[26] ^ stepped[42] ^ mixed_in[at], stepped[60:1]};
        end
    endfunction

    // The sends of the last six edges, and the words of those that are three edges on their way.
    reg [5:0] sends;
    reg [$bits(op_conn)-1:0] connections [0:5];
    reg [60:0] bits;
    reg [15:0] words [0:2];
    reg was_ready;
    integer at;
    always @(posedge clk) begin
        sends <= {sends[4:0], op_valid && op_ready && op_kind == 3'd0};
        connections[0] <= op_conn;
        for (at = 1; at < 6; at = at + 1) connections[at] <= connections[at - 1];
        words[0] <= bits[60:45];
        words[1] <= words[0];
        words[2] <= words[1];
        was_ready <= op_ready;
        if (!op_ready || !was_ready || sends[2]) bits <= stepped(bits, op_ready ? 16'd0 : seed);
        if (rst) begin
            sends <= 6'd0;
            was_ready <= 1'b0;
            bits <= 61'd1;
        end
    end
    wire [60:0] generator;
    always @* if (is_begun) begin
        each_send_has_a_result: assert (res_valid == sends[5] && (!res_valid || (res_conn == connections[5] && res_kind == 2'd0)));
        words_in_turn: assert (!res_valid || res_ev == words[2]);
        lemma_generator: assert (generator == bits);
    end
