    // Records that were not taken are of packets whose events were told.
    reg [5:0] record_turn;
    wire record_goes = meta_valid && meta_ready;
    wire [5:0] records_inside = packets_told + events - record_turn;
    reg had_record;
    always @(posedge clk) begin
        record_turn <= rst ? 6'd0 : record_turn + record_goes;
        had_record <= packets_told - record_turn != record_goes && !rst;
    end
    always @* if (is_begun) one_record: assert ((!meta_valid || records_inside != 6'd0) && (!had_record || meta_valid));
