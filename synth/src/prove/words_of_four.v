    // Of the memory nothing is taken for given but that it keeps the words of one connection, whichever, while they are not written: four
    // words at addresses that follow each other. What is read of a word at the edge at which it is written may be anything.
    localparam BITS = $bits(read_data);
    wire [$bits(read_address)-3:0] watched;
    reg [4*BITS-1:0] content;
    reg is_read;
    reg [BITS-1:0] content_when_read;
    always @(posedge clk) begin
        if (write_enable && write_address[$bits(read_address)-1:2] == watched)
            content[BITS * write_address[1:0] +: BITS] <= write_data;
        is_read <= read_address[$bits(read_address)-1:2] == watched && !(write_enable && write_address == read_address);
        content_when_read <= content[BITS * read_address[1:0] +: BITS];
    end
    reg is_clocked;
    initial is_clocked = 1'b0;
    always @(posedge clk) is_clocked <= 1'b1;
    always @* assume (!is_clocked || !is_read || read_data == content_when_read);
