    // The same of a memory that is read within the cycle.
    wire [$bits(read_address)-1:0] watched;
    reg [$bits(read_data)-1:0] content;
    always @(posedge clk) if (write_enable && write_address == watched) content <= write_data;
    reg is_clocked;
    initial is_clocked = 1'b0;
    always @(posedge clk) is_clocked <= 1'b1;
    always @* assume (!is_clocked || read_address != watched || read_data == content);
