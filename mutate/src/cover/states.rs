//! States that the runs of a core have to come through.

/// A state of a core that a run has to come through.
#[derive(Debug)]
pub(super) struct State {
    pub(super) core: &'static str,
    pub(super) name: &'static str,
    pub(super) module: &'static str,
    pub(super) when: &'static str,
    pub(super) means: &'static str,
}

/// In the top of a core.
const fn of(core: &'static str, name: &'static str, when: &'static str, means: &'static str) -> State {
    State { core, name, module: "", when, means }
}

/// In a module of a core.
const fn within(
    core: &'static str,
    name: &'static str,
    module: &'static str,
    when: &'static str,
    means: &'static str,
) -> State {
    State { core, name, module, when, means }
}

pub(super) const STATES: &[State] = &[
    of(
        "reps",
        "freeze_with_empty_ring",
        "states_action_enter && states_after_any_cached && !states_after_any_valid",
        "A freeze begins when each cached EV was sent already.",
    ),
    of(
        "reps",
        "freeze_with_no_ev",
        "states_action_enter && !states_after_any_cached",
        "A freeze begins before any EV was cached.",
    ),
    of(
        "reps",
        "freeze_with_some_valid",
        "states_action_enter && states_after_any_valid && states_after_head != states_after_tail",
        "A freeze begins when some EVs of the ring are valid.",
    ),
    of(
        "reps",
        "freeze_with_full_ring",
        "states_action_enter && states_after_any_valid && states_after_head == states_after_tail",
        "A freeze begins when all EVs of the ring are valid.",
    ),
    of(
        "reps",
        "replay_wraps",
        "states_action_replay && states_after_replay_slot == 0",
        "A replay is followed by one that begins with the first slot again.",
    ),
    of(
        "reps",
        "head_wraps",
        "states_action_cache && &states_write_slot",
        "The last slot of the ring is written, behind which the first one follows.",
    ),
    of(
        "reps",
        "explores_a_bdp",
        "states_action_explore && states_after_exploring",
        "A send explores because a freeze was left, and more are to follow.",
    ),
    of(
        "reps",
        "freeze_beyond_the_wrap",
        "op_valid && op_ready && op_kind == 3 && now + freeze_timeout < now",
        "A timeout comes so late that the freeze would end behind the wrap of the time.",
    ),
    of("sack_rx", "sack_of_a_probe", "sack_valid && sack_probe", "A SACK answers a probe."),
    of(
        "sack_rx",
        "sack_on_request",
        "sack_valid && !sack_probe && res_status == 0 && taken_packet_ack_request",
        "A SACK is due because a new packet asks for it.",
    ),
    of(
        "sack_rx",
        "sack_for_bytes",
        "sack_valid && !sack_probe && res_status == 0 && !taken_packet_ack_request && taken_packet_threshold != 0",
        "A SACK is due because bytes reached the threshold.",
    ),
    of(
        "sack_rx",
        "sack_of_each_packet",
        "sack_valid && !sack_probe && res_status == 0 && !taken_packet_ack_request && taken_packet_threshold == 0",
        "A SACK is due because every packet gets one.",
    ),
    of("sack_rx", "sack_for_a_duplicate", "sack_valid && res_status == 1", "A SACK is due for a duplicate."),
    of(
        "sack_rx",
        "no_sack",
        "res_valid && res_status == 0 && !sack_valid",
        "A new packet does not make a SACK due.",
    ),
    of(
        "sack_rx",
        "epsn_advances_over_segments",
        "steps_finish && advance_again",
        "EPSN advances over a whole segment of the bitmap, and the next one is looked at.",
    ),
    of(
        "sack_rx",
        "psn_beyond_the_wrap",
        "res_valid && res_status == 0 && &sack_epsn[23:16] && sack_psn[23:16] == 0",
        "A new packet lies behind the wrap of the PSNs, and EPSN before it.",
    ),
    of(
        "sack_rx",
        "window_nearly_full",
        "sack_valid && sack_ooo >= {most}",
        "Of a window of {window} packets at least {most} wait beyond EPSN.",
    ),
    within(
        "sack_rx uet",
        "ack_for_bytes",
        "verdict",
        "counts_bytes && reached && !sack_due_after",
        "An ACK is due because bytes reached the trigger.",
    ),
    of(
        "sack_rx uet",
        "ack_for_a_mark",
        "sack_valid && res_status == 0 && res_ecn && taken_held_on_ecn",
        "An ACK is due because a new packet was marked.",
    ),
    of(
        "sack_rx uet",
        "ack_of_the_last_gap",
        "sack_valid && !steps_sack_valid",
        "An ACK is due because the last gap is filled behind a packet that asked for one.",
    ),
    of(
        "sack_rx uet",
        "ack_of_a_duplicate",
        "sack_valid && res_status == 1",
        "An ACK names what was received before.",
    ),
    of("sack_rx uet", "ack_of_a_probe", "sack_valid && res_status == 3", "An ACK answers a probe."),
    of(
        "sack_rx uet",
        "epsn_moves_without_an_ack",
        "res_valid && verdict_in_order && !sack_valid",
        "EPSN moves, and no ACK says so.",
    ),
    of(
        "sack_rx uet",
        "the_host_holds_back",
        "sack_valid && sack_cum_next != res_epsn",
        "The cumulative PSN of an ACK is held back by the host.",
    ),
    of(
        "sack_rx uet",
        "the_host_clears_all",
        "sack_valid && taken_is_answer && sack_cum_next == res_epsn && control_ram_read_data_cleared != res_epsn",
        "An answer of the host clears all that was received.",
    ),
    of(
        "sack_rx uet",
        "the_host_clears_some",
        "sack_valid && taken_is_answer && sack_cum_next != res_epsn && control_ram_read_data_cleared != sack_cum_next",
        "An answer of the host clears a part of what was received.",
    ),
    of(
        "sack_rx uet",
        "the_host_clears_nothing",
        "sack_valid && taken_is_answer && sack_cum_next != res_epsn && control_ram_read_data_cleared == sack_cum_next",
        "An answer of the host clears nothing more.",
    ),
    of(
        "sack_rx uet",
        "another_nack_of_a_gap",
        "nack_valid && nack_code == 13 && res_retransmit",
        "A packet that was sent again comes too early.",
    ),
    of(
        "sack_rx uet",
        "gap_told_before",
        "res_valid && res_status == 6 && !nack_valid",
        "A packet comes too early, and a NACK told of the gap before.",
    ),
    of(
        "sack_rx uet",
        "trimmed_without_a_connection",
        "nack_valid && res_status == 7",
        "A trimmed packet of a connection that is not initialised is refused.",
    ),
    of(
        "sack_rx uet",
        "epsn_advances_over_segments",
        "steps_finish && advance_again",
        "EPSN advances over a whole segment of the bitmap, and the next one is looked at.",
    ),
    of(
        "sack_rx uet",
        "psn_beyond_the_wrap",
        "res_valid && res_status == 0 && &res_epsn[31:16] && res_psn[31:16] == 0",
        "A new packet lies behind the wrap of the PSNs, and EPSN before it.",
    ),
    of(
        "sack_rx uet",
        "window_nearly_full",
        "sack_valid && sack_ooo >= {most}",
        "Of a window of {window} packets at least {most} wait beyond EPSN.",
    ),
    of(
        "sack_tx",
        "una_beyond_the_wrap",
        "steps_done && steps_is_sack && op_status_ok && taken_held_epsn < control_ram_read_data_una",
        "An EPSN behind the wrap of the PSNs acknowledges packets before it.",
    ),
    of(
        "sack_tx",
        "acked_with_holes",
        "res_valid && steps_is_sack && res_status == 0 && |taken_held_bitmap",
        "A SACK acknowledges packets beyond its EPSN.",
    ),
    of(
        "sack_tx",
        "all_acknowledged",
        "res_valid && steps_is_sack && res_status == 0 && res_in_flight == 0",
        "A SACK leaves nothing in flight.",
    ),
    of(
        "sack_tx",
        "window_in_flight",
        "res_valid && res_in_flight == {window}",
        "A whole window is in flight.",
    ),
    of(
        "sack_tx",
        "close_with_packets_in_flight",
        "res_valid && steps_is_close && res_in_flight != 0",
        "A connection is closed with packets in flight.",
    ),
    of(
        "sack_tx",
        "close_while_recovering",
        "res_valid && steps_is_close && res_in_recovery",
        "A connection is closed in recovery.",
    ),
    of(
        "sack_tx",
        "timeout_while_recovering",
        "loss_timeout && control_ram_read_data_in_recovery",
        "Recovery starts anew because its retransmissions were lost, too.",
    ),
    of(
        "sack_tx",
        "probe_while_recovering",
        "loss_probe && control_ram_read_data_in_recovery",
        "Recovery starts anew because a probe came back.",
    ),
    of(
        "sack_tx",
        "backoff_at_its_limit",
        "loss_timeout && times_ram_read_data_timeouts != 0 && times_ram_read_data_timeouts == taken_held_rto_backoff_max",
        "A timeout comes with the retransmission timeout doubled as often as it may be.",
    ),
    of(
        "sack_tx",
        "timeouts_at_their_end",
        "loss_timeout && &times_ram_read_data_timeouts",
        "A timeout comes behind as many in a row as are counted.",
    ),
    of(
        "sack_tx",
        "time_beyond_the_wrap",
        "res_rtt_valid && taken_held_now < taken_held_timestamp",
        "A round-trip time is measured across the wrap of the time.",
    ),
    of(
        "flowcut",
        "drain_given_up_high_while_hot",
        "drain_given_up && heat_is_hot",
        "A drain is given up while the round-trip time is high.",
    ),
    of(
        "subflows",
        "last_subflow",
        "pipeline_update_op_send && pipeline_update_op_count > 1 && update_after_place == 0",
        "A send takes the last subflow, behind which the first one follows.",
    ),
    within(
        "plb",
        "sum_at_its_end",
        "update",
        "op_feedback && !is_low && difference[16]",
        "Feedback adds to a sum that is as large as it can be.",
    ),
    within(
        "plb",
        "sum_at_its_lower_end",
        "update",
        "op_feedback && is_low && !difference[16]",
        "Feedback takes from a sum that is as small as it can be.",
    ),
    within(
        "plb",
        "rounds_at_their_end",
        "update",
        "closes && is_congested && &state_rounds",
        "A congested round ends behind as many as are counted.",
    ),
    within(
        "strack",
        "search_over_the_end",
        "search",
        "in_place && !ends && place_word == last_word",
        "A search goes on with the first path behind the last one.",
    ),
    within("bitmap", ROUND_ENDS.0, "rounds", ROUND_ENDS.1, ROUND_ENDS.2),
    within("bitmap", ROUND_PASSED.0, "rounds", ROUND_PASSED.1, ROUND_PASSED.2),
    within("bitmap", COUNTER_FULL.0, "rounds", COUNTER_FULL.1, COUNTER_FULL.2),
    within("mixed", ROUND_ENDS.0, "rounds", ROUND_ENDS.1, ROUND_ENDS.2),
    within("mixed", ROUND_PASSED.0, "rounds", ROUND_PASSED.1, ROUND_PASSED.2),
    within("mixed", COUNTER_FULL.0, "rounds", COUNTER_FULL.1, COUNTER_FULL.2),
    of(
        "mixed",
        "list_fills_up",
        "rounds_done && pipeline_taken_good && list_is_full && !pipeline_state_is_full",
        "The list of good EVs fills up.",
    ),
    of(
        "mixed",
        "list_drops_its_oldest",
        "rounds_done && pipeline_taken_good && pipeline_state_is_full",
        "A good EV takes the place of the oldest one of a full list.",
    ),
    of(
        "mixed",
        "list_wraps",
        "rounds_done && pipeline_taken_good && list_free == 0",
        "The last slot of the list is written, behind which the first one follows.",
    ),
];

type Named = (&'static str, &'static str, &'static str);

/// Of `bitmap` and `mixed`, which go through all paths in rounds.
const ROUND_ENDS: Named = ("round_ends", "last_draw", "A send takes the last path of a round.");
const ROUND_PASSED: Named = ("search_into_next_round", "round_draw", "A search goes on in the next round.");
const COUNTER_FULL: Named = (
    "counter_at_its_end",
    "done && op_feedback && |op_penalty && !own_rises",
    "A path is penalised whose counter is as large as it can be.",
);
