    // Of the memory nothing is taken for given but that it keeps one word, whichever is watched, but for its bits that are written. What
    // is read of a word at the edge at which a bit of it is written may be anything.
    wire [$bits(read_address)-1:0] watched;
    reg [$bits(read_data)-1:0] content;
    reg is_read;
    reg [$bits(read_data)-1:0] content_when_read;
    wire is_written = write_enable && write_address[$bits(write_address)-1 -: $bits(read_address)] == watched;
    always @(posedge clk) begin
        if (is_written) content[write_address[$bits(write_address)-$bits(read_address)-1:0]] <= write_data;
        is_read <= read_address == watched && !is_written;
        content_when_read <= content;
    end
    reg is_clocked;
    initial is_clocked = 1'b0;
    always @(posedge clk) is_clocked <= 1'b1;
    always @* assume (!is_clocked || !is_read || read_data == content_when_read);
