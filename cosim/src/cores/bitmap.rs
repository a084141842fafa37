//! Counters of what feedback said of each path.

use respray_golden::bitmap::{Bitmap, Connection, Keys, SEND, TimeoutRule, WORD_COUNTERS};
use respray_golden::rng::Rng;
use respray_golden::selector::{Op, OpKind, Outcome, Params, SpoiltWord};
use respray_hdl::config::{Config, Timeout};
use respray_hdl::contract::Contract;
use respray_hdl::cores::bitmap::CONTRACT;

use super::selector::{Binding, STATES, SelectorCore};
use crate::lockstep::op_core::{BrokenWord, Touched};

/// The golden side of the core `bitmap`.
pub type BitmapCore = SelectorCore<Bitmap>;

/// What its events are called where they are counted.
pub(super) const EVENT_COUNTS: &[&str] = &["paths_penalised", "paths_forgiven", "gave_up"];
/// Events whose counts the terminal is told.
pub(super) const TOLD: &[(usize, &str)] = &[(0, "penalties"), (1, "forgiven")];

impl Binding for Bitmap {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = EVENT_COUNTS;
    const TOLD: &'static [(usize, &'static str)] = TOLD;

    fn apply_broken(
        params: &Params<Keys>,
        connection: &mut Connection,
        op: &Op,
        rng: &mut Rng,
        broken: &BrokenWord,
    ) -> (Outcome, Touched) {
        let Keys { paths, timeout } = params.keys;
        counted(paths, timeout, SEND, connection, op, || params.draw(rng), broken)
    }

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.bitmap.paths as u16, timeout: timeout(config) }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.bitmap.paths)
    }
}

/// Edges from the one that takes an op to that at which it reads its first word beside the state.
pub(super) const FIRST_READ: u32 = 3;

/// An op that searches or is no send, beside a word of the state or of the counters with a flipped bit; `class` is that of a search.
pub(super) fn counted(
    paths: u16,
    timeout: TimeoutRule,
    class: u8,
    connection: &mut Connection,
    op: &Op,
    draw: impl FnMut() -> u16,
    broken: &BrokenWord,
) -> (Outcome, Touched) {
    let spoilt = SpoiltWord { word: broken.word, from: broken.good_reads(FIRST_READ) };
    let spoilt = (broken.memory == "counters_ram").then_some(spoilt);
    let before = *connection;
    let (outcome, reads) = match op.kind {
        OpKind::Send => connection.send_spoilt(paths, class, spoilt, draw),
        _ => connection.hear_spoilt(paths, timeout, op, spoilt),
    };
    let is_idle = outcome.class.index == 0;
    let word = |path: u16| u32::from(path / WORD_COUNTERS) == broken.word;
    let writes = match (broken.memory, op.kind) {
        (STATES, _) => !is_idle,
        // a send lowers one counter, or none
        ("counters_ram", OpKind::Send) => (0..paths).any(|path| {
            word(path) && before.counters[usize::from(path)] != connection.counters[usize::from(path)]
        }),
        ("counters_ram", _) => !is_idle && word(op.ev % paths),
        _ => false,
    };
    (outcome, Touched { reads, writes })
}

/// What a timeout does.
pub(super) fn timeout(config: &Config) -> TimeoutRule {
    match config.bitmap.timeout {
        Timeout::Ignore => TimeoutRule::Ignore,
        Timeout::Ev => TimeoutRule::Ev,
    }
}
