    // The accesses that each register allows.
    function allows;
        input is_write;
        input [11:0] address;
        input [31:0] value;
        case (address)
            ROWS
            default: allows = 1'b0;
        endcase
    endfunction
    wire [4:0] written_wire = WRITTEN_WIRE;
    wire [4:0] written_sack = WRITTEN_SACK;
    wire is_allowed = allows(bus_is_write, bus_address, value)
        && (!bus_is_write || (bus_is_whole && written_sack >= written_wire));
    always @* if (is_begun) begin
        refuses_by_the_table: assert (!finishes || is_refused == !is_allowed);
        lemma_control: assert ((!has_acted || bus_is_active) && (!bus_is_active || is_set));
    end
