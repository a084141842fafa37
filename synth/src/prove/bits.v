    // Of the memory nothing is taken for given but that it keeps one bit, whichever is watched, while that is not written. What is read of a
    // word at the edge at which a bit of it is written may be anything.
    wire [$bits(write_address)-1:0] watched;
    wire [$bits(read_address)-1:0] watched_word = watched[$bits(write_address)-1 -: $bits(read_address)];
    wire [$bits(write_address)-$bits(read_address)-1:0] watched_place = watched;
    reg content;
    reg is_read;
    reg content_when_read;
    always @(posedge clk) begin
        if (write_enable && write_address == watched) content <= write_data;
        is_read <= read_address == watched_word
            && !(write_enable && write_address[$bits(write_address)-1 -: $bits(read_address)] == watched_word);
        content_when_read <= content;
    end
    reg is_clocked;
    initial is_clocked = 1'b0;
    always @(posedge clk) is_clocked <= 1'b1;
    always @* assume (!is_clocked || !is_read || read_data[watched_place] == content_when_read);
