    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits(op_conn)-1:0] one;

    // The word of the connection: the oldest PSN not acknowledged, and the place of the next one, counted from the former's 64.
    localparam PLACE_BITS = $bits(control_ram_read_data_nxt);
    localparam SPOT_BITS = PLACE_BITS - 1;
    localparam [23:0] WINDOW = 24'd1 << SPOT_BITS;
    wire [$bits({control_ram_read_data_in_flight, control_ram_read_data_rtx, control_ram_read_data_rec_end,
        control_ram_read_data_high, control_ram_read_data_nxt, control_ram_read_data_una, control_ram_read_data_probe_out,
        control_ram_read_data_in_recovery, control_ram_read_data_initialised})-1:0] stored;
    wire [23:0] stored_una = stored[26:3];
    wire [23:0] stored_nxt = {stored_una[23:6], 6'd0} + stored[27 +: PLACE_BITS];

