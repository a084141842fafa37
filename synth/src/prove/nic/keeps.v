    // A word that is read at two edges one behind the other, and written at neither, is the same.
    reg is_known;
    reg was_known;
    reg [$bits(read_address)-1:0] address_1;
    reg [$bits(read_address)-1:0] address_2;
    reg is_written_1;
    reg is_written_2;
    reg [$bits(read_data)-1:0] data_1;
    initial is_known = 1'b0;
    initial was_known = 1'b0;
    always @(posedge clk) begin
        is_known <= 1'b1;
        was_known <= is_known;
        address_1 <= read_address;
        address_2 <= address_1;
        is_written_1 <= write_enable && write_address == read_address;
        is_written_2 <= is_written_1;
        data_1 <= read_data;
    end
    always @* assume (!was_known || address_1 != address_2 || is_written_1 || is_written_2 || read_data == data_1);
