    // What an op or a visit finds at its first step: nothing that an earlier one left is in work.
    wire is_walking;
    wire [2:0] behind_walk;
    wire is_forced;
    wire [2:0] number;
    wire second;
    wire is_read;
    wire [2:0] kinds = steps_is_sent + steps_is_sack + steps_is_next_rtx + steps_is_init + steps_is_read + steps_is_visit;
    wire is_first_step = steps_step == 13'd1 && kinds == 3'd1 && (!steps_is_close || steps_is_read) && !op_ready && !is_forced && !steps_clearing && !steps_done
        && !is_walking && !is_read && !walk_valid && !walk_counted && behind_walk == 3'd0 && !pick_found && number == 3'd0 && !second;

