//! What the entropy cache promises.

use crate::config::{Config, Variant};
use crate::contract::{Contract, Default, Group, Timing, Value, bits, flag, sized};
use crate::cores::selector::{self, SELECTOR};
use crate::manifest::Memory;

/// The entropy cache: a selector with a freeze timeout, a size of a BDP and four events.
pub const CONTRACT: Contract = Contract {
    core: "reps",
    about: "the entropy cache. Chooses the EV of each packet sent, from the EVs of ACKs without ECN.",
    source,
    sizes,
    keys: &[
        "connections",
        "reps.depth",
        "reps.variant",
        "selector.ev_base",
        "selector.ev_bits",
        "selector.time_bits",
        "protect",
    ],
    settings: Group {
        heading: selector::SETTINGS,
        fields: &[
            selector::NOW,
            sized(selector::time_bits, "ticks that a freeze entered by this op lasts")
                .is(Value::Limit)
                // as the reference traces of variant `uet` were recorded
                .set_by_driver(
                    "TICKS",
                    "freeze timeout in ticks of `now`",
                    Default::Sized(|config| selector::ticks(100_000, config)),
                )
                .at("freeze_timeout"),
            bits(8, "packets of one BDP: explored after a freeze left by this op; 0 for none")
                .set_by_driver("N", "packets of one BDP, explored after a freeze", Default::Fixed(16))
                .at("bdp_packets"),
        ],
    },
    shown: &[
        selector::results!(
            RESULTS,
            CONNECTION_OF_EVENTS,
            "0 explore (random EV), 1 recycle (oldest valid EV), 2 replay (EV again, while freezing)"
        ),
        Group {
            heading: selector::EVENTS,
            fields: &[
                flag("an ACK's EV was cached").expected_as("ev_cached").at("ev_cached"),
                flag("an ACK's EV was dropped for ECN").expected_as("ev_dropped").at("ev_dropped"),
                flag("the connection entered freezing").expected_as("freeze_entered").at("freeze_entered"),
                flag("the connection left freezing").expected_as("freeze_left").at("freeze_left"),
                selector::STATE_LOST,
            ],
        },
    ],
    timing,
    memories,
    ..SELECTOR
};

fn source(config: &Config) -> &'static str {
    match config.reps.variant {
        Variant::Paper => "001 (REPS) Algorithms 1 and 2, Table 1",
        Variant::Uet => "001 (REPS) as the public Ultra Ethernet simulator model behaves",
    }
}

fn sizes(config: &Config) -> String {
    let reps = &config.reps;
    let variant = match reps.variant {
        Variant::Paper => "paper",
        Variant::Uet => "uet",
    };
    let keys = format!(
        "reps.depth = {}, reps.variant = {variant}, reps.time_bits = {}, ",
        reps.depth, config.selector.time_bits
    );
    selector::sizes(&keys, config)
}

/// As of every pipelined selector; with parity an EV that is found spoilt makes room for an `init`.
fn timing(config: &Config) -> Timing {
    let mut timing = (SELECTOR.timing)(config);
    if config.has_parity() {
        timing.stalls.push(
            "an EV with a flipped bit: op_ready is low in the cycle behind its state_lost, in which an init of the connection is taken",
        );
    }
    timing
}

fn memories(config: &Config) -> Vec<Memory> {
    let slot_bits = config.reps.depth.trailing_zeros();
    vec![
        Memory::block(
            "reps_control_ram",
            config.connections,
            selector::stored_bits(13 + 3 * slot_bits, config),
            "control state of a connection: explore counter, ring pointers, flags",
        ),
        Memory::block(
            "reps_time_ram",
            config.connections,
            selector::stored_bits(config.selector.time_bits, config),
            "time at which a connection may leave freezing",
        ),
        Memory::block(
            "reps_ev_ram",
            config.connections * config.reps.depth,
            selector::stored_bits(16, config),
            "a cached EV, at {connection, slot}",
        ),
    ]
}
