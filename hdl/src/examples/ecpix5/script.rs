//! What the self-test does, step by step.

use crate::nic::registers::Register;

/// A step of the self-test. Sums have 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes a number to a register.
    Write(&'static str, u32),
    /// Writes the number of the connection whose turn it is.
    WriteConnection(&'static str),
    /// Takes the next connection, and goes so many steps back but after the last one.
    NextConnection(u32),
    /// Lets the generator send, until every packet is acknowledged.
    Run,
    /// Waits so many cycles.
    Settle(u32),
    /// Adds what a register holds to the sum, or subtracts it.
    Add(&'static str),
    Subtract(&'static str),
    /// The same with a number that the self-test has itself.
    AddOwn(Own),
    SubtractOwn(Own),
    /// Fails unless the sum is 0, or where it is; the sum is 0 afterwards.
    Zero,
    NotZero,
    /// The test has passed.
    Pass,
}

/// A number that the self-test has itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Packets that each connection sends.
    PerConnection,
    /// Those of all connections.
    All,
    /// Frames that entered the fabric, and of those the ones that it lost whole, and the ones that it ended as bad.
    Frames,
    Dropped,
    Spoiled,
    /// Data packets and probes that left the fabric with its mark, but for those that are bad.
    Marked,
    /// New packets that arrived with the right bytes.
    Taken,
}

/// Counters that must be 0: nothing was refused, mistaken, or dropped for want of room.
const ALWAYS_ZERO: [&str; 12] = [
    "tx_other",
    "tx_malformed",
    "tx_refused",
    "rx_outside",
    "rx_not_open",
    "rx_acks_bad",
    "rx_other",
    "rx_malformed",
    "rx_dropped_host",
    "rx_dropped_engine",
    "events_lost",
    "accesses_refused",
];

/// Counters that say, together, how often something happened without which the test shows little.
const HAPPENS: [&[&str]; 5] = [
    &["selector_recycle"],
    &["loss_ooo", "loss_probe", "loss_timeout"],
    &["tx_again"],
    &["recovery_left"],
    &["rx_marked"],
];

/// All steps.
pub fn steps() -> Vec<Step> {
    use Step::*;
    let mut steps = vec![
        Write("seed", 0x5eed),
        Write("command", 5),
        Write("sack_threshold", 0),
        Write("cwnd_packets", 32),
        Write("probe_timeout", 200),
        Write("probe_rtt", 100),
        Write("rto", 4000),
        // acknowledged, and what is to be sent again
        Write("event_enable", 0b101),
        WriteConnection("command_conn"),
        Write("command", 1),
        Write("command", 2),
        NextConnection(3),
        Run,
        Settle(20_000),
        // of each connection all packets are acknowledged
        WriteConnection("command_conn"),
        Write("command", 3),
        Add("result_snd_una"),
        SubtractOwn(Own::PerConnection),
        Zero,
        NextConnection(5),
    ];
    let mut equal = |left: &[Step], right: &[Step]| {
        steps.extend(left);
        steps.extend(right);
        steps.push(Zero);
    };
    equal(&[Add("tx_data")], &[SubtractOwn(Own::All)]);
    equal(&[Add("rx_new")], &[SubtractOwn(Own::All)]);
    equal(&[AddOwn(Own::Taken)], &[SubtractOwn(Own::All)]);
    equal(&[Add("handed_out")], &[Subtract("tx_again")]);
    equal(&[Add("rx_bad")], &[SubtractOwn(Own::Spoiled)]);
    equal(&[Add("rx_marked")], &[SubtractOwn(Own::Marked)]);
    equal(&["tx_data", "tx_again", "tx_probes", "tx_sacks"].map(Add), &[SubtractOwn(Own::Frames)]);
    equal(
        &["rx_new", "rx_duplicate", "rx_probes", "rx_acks", "rx_acks_old", "acks_dropped", "rx_bad"].map(Add),
        &[AddOwn(Own::Dropped), SubtractOwn(Own::Frames)],
    );
    equal(
        &["selector_explore", "selector_recycle", "selector_replay"].map(Add),
        &["tx_data", "tx_again", "tx_probes"].map(Subtract),
    );
    equal(&ALWAYS_ZERO.map(Add), &[]);
    for counters in HAPPENS {
        steps.extend(counters.iter().copied().map(Add));
        steps.push(NotZero);
    }
    steps.push(Pass);
    steps
}

/// The words of `steps` and their comments: operation (4 bits), address (12), number (32).
///
/// # Panics
/// On a register that `registers` lack, or a jump to before the first step.
pub fn words(steps: &[Step], registers: &[Register]) -> Vec<(u64, String)> {
    steps.iter().enumerate().map(|(at, step)| word(at, *step, registers)).collect()
}

fn word(at: usize, step: Step, registers: &[Register]) -> (u64, String) {
    let counters = |name: &str| {
        let exact = registers.iter().find(|one| one.name == name);
        let low = || registers.iter().find(|one| one.name == format!("{name}_low"));
        exact.or_else(low).unwrap_or_else(|| panic!("there is no register {name}")).address
    };
    let (operation, address, number, about) = match step {
        Step::Write(name, value) => (0, counters(name), value, format!("write {value} to {name}")),
        Step::WriteConnection(name) => (1, counters(name), 0, format!("write the connection to {name}")),
        Step::NextConnection(back) => {
            let target = (at as u32).checked_sub(back).expect("a loop begins behind the first step");
            (2, 0, target, format!("next connection, from step {target} on"))
        }
        Step::Run => (3, 0, 0, "send until all is acknowledged".to_string()),
        Step::Settle(cycles) => (4, 0, cycles, format!("wait {cycles} cycles")),
        Step::Add(name) => (5, counters(name), 0, format!("add {name}")),
        Step::Subtract(name) => (6, counters(name), 0, format!("subtract {name}")),
        Step::AddOwn(own) => (7, 0, own as u32, format!("add own {own:?}").to_lowercase()),
        Step::SubtractOwn(own) => (8, 0, own as u32, format!("subtract own {own:?}").to_lowercase()),
        Step::Zero => (9, 0, 0, "the sum must be 0".to_string()),
        Step::NotZero => (10, 0, 0, "the sum must not be 0".to_string()),
        Step::Pass => (11, 0, 0, "passed".to_string()),
    };
    (u64::from(operation as u32) << 44 | u64::from(address) << 32 | u64::from(number), about)
}
