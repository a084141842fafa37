    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);
