    wire [$bits({RECORD})-1:0] record = {RECORD};
    reg was_told;
    reg [$bits(record)-1:0] record_before;
    always @(posedge clk) begin
        was_told <= meta_valid && !meta_ready && !rst;
        record_before <= record;
    end
    always @* if (is_begun) record_stays: assert (!was_told || (meta_valid && record == record_before));
