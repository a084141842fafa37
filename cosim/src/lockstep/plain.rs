//! How plain the values of an op are, and plainer ones for the shrinker to try: by what the contract says of each field.

use std::ops::Range;

use respray_golden::psn::{SEGMENT, segment_base};
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value, Words};

use crate::traffic::stimulus::{Entry, Event};

/// What is known of the fields of an op in a configuration.
pub struct Plainness {
    fields: Vec<Known>,
    ways: Vec<Way>,
}

/// By how much a PSN just below 0 weighs more than one just above.
const BELOW_ZERO: u64 = 12;

/// PSNs by which a trace closes up at once, at most: more than a window has.
const MOST_CLOSED_UP: u64 = 4096;

/// Place of the connection among the words of an op.
const CONNECTION: usize = 1;

/// A field, by its place among the words of an op.
#[derive(Clone, Copy)]
struct Known {
    place: usize,
    value: Value,
    last: u64,
    /// Kinds of op that use it; none if it is not known.
    used_by: u8,
}

/// A change of all ops of a trace at once.
enum Way {
    /// All of these fields become this value, or the largest one.
    Become(Vec<usize>, u64),
    /// All PSNs are moved down by the first one's distance from a multiple of this, or all of it.
    MovePsns(PsnStep),
    /// The times count from the first one's.
    TimesFromFirst,
    /// The field counts the ops, from this value.
    CountOps(usize, u64),
    /// Kinds of op that do not use a field leave it 0.
    ClearUnused(usize),
    /// Limits that nothing reaches, and no time passes.
    Quiet,
}

/// By how much PSNs move down.
enum PsnStep {
    /// By the first one's.
    First,
    /// By the part of the first one's that is a multiple of this.
    FirstOf(u64),
    /// By the part of the lowest one's that is a multiple of this.
    LowestOf(u64),
    /// By the first multiple of a segment, less one segment, which keeps what lies below the first PSN above 0.
    BelowFirst,
    /// By this much.
    By(u64),
}

impl Plainness {
    pub fn new(contract: &Contract, config: &Config) -> Self {
        let fields = contract.op_fields().enumerate().skip(1).map(|(place, field)| Known {
            place,
            value: field.value,
            last: field.last(config),
            used_by: field.used_by,
        });
        let mut plainness = Plainness { fields: fields.collect(), ways: Vec::new() };
        plainness.ways = plainness.all_ways();
        plainness
    }

    /// How far an op's values are from the plainest ones. The shrinker takes only ops that weigh less.
    pub fn weight(&self, op: &impl Words) -> u64 {
        let weigh = |field: &Known| {
            let value = op.get(field.place);
            let plain = bits(value);
            match field.value {
                // one that nothing reaches is as plain as one that everything does
                Value::Limit => plain.min(1 + bits(field.last - value.min(field.last))),
                // the nearer to 0 the plainer, from below too; but one above 0 has values below it that are plainer still,
                // by which ops become needless
                Value::Psn | Value::SegmentBase => {
                    plain.min(BELOW_ZERO + bits((field.last + 1).wrapping_sub(value)))
                }
                Value::Bitmap => 2 * u64::from(value.count_ones()) + plain,
                _ => plain,
            }
        };
        self.fields.iter().map(weigh).sum()
    }

    /// The op with plainer values.
    pub fn plainer<O: Words>(&self, op: &O) -> Vec<O> {
        let mut plainer = Vec::new();
        let with = |changes: &[(usize, u64)]| {
            let mut op = *op;
            changes.iter().for_each(|(place, value)| op.set(*place, *value));
            op
        };
        let operands = || self.fields.iter().filter(|field| field.place != CONNECTION);
        let zeros: Vec<(usize, u64)> = operands().map(|field| (field.place, 0)).collect();
        let limits = operands().filter(|field| matches!(field.value, Value::Limit | Value::Now));
        let quiet: Vec<(usize, u64)> = limits
            .map(|field| (field.place, if field.value == Value::Limit { field.last } else { 0 }))
            .collect();
        plainer.extend([with(&zeros), with(&quiet)]);
        for field in operands() {
            let value = op.get(field.place);
            let values: &[u64] = match field.value {
                Value::Psn => &[0, value / 2, value & !63, value.saturating_sub(1)],
                Value::SegmentBase => &[0, u64::from(segment_base(value as u32 / 2)), value / 2],
                Value::Bitmap => &[
                    0,
                    value & value.wrapping_neg(),
                    value & value.wrapping_sub(1),
                    value & 0xffff_ffff,
                    value & 0xffff,
                    value & 0x5555_5555_5555_5555,
                ],
                Value::Limit => &[0, 1, field.last, value / 2],
                _ => &[0, 1, value / 2],
            };
            plainer
                .extend(values.iter().filter(|new| **new != value).map(|new| with(&[(field.place, *new)])));
        }
        plainer
    }

    /// The trace with the values of all ops plainer at once, where one op alone would not do. Ways to do so count from 0;
    /// `None` if there is no such way.
    pub fn plainer_trace<O: Words>(&self, way: usize, entries: &[Entry<O>]) -> Option<Vec<Entry<O>>> {
        self.ways.get(way).map(|way| self.changed(way, entries))
    }

    /// The trace without these entries, with the PSNs of their connection behind them moved down, so that the next one takes the place of
    /// the first that is gone. `None` if they are not all of one connection, or if no PSN would move.
    pub fn closed_up<O: Words>(&self, entries: &[Entry<O>], gone: Range<usize>) -> Option<Vec<Entry<O>>> {
        let psn = self.fields.iter().find(|field| field.value == Value::Psn)?;
        let of = |entry: &Entry<O>| entry.event.as_op().copied();
        let first = of(&entries[gone.start])?;
        let is_of_it = |op: &O| op.connection() == first.connection();
        if !entries[gone.clone()].iter().all(|entry| of(entry).is_some_and(|op| is_of_it(&op))) {
            return None;
        }
        let next = entries[gone.end..].iter().find_map(|entry| of(entry).filter(is_of_it))?;
        let by = next.get(psn.place).wrapping_sub(first.get(psn.place)) & psn.last;
        if by == 0 || by > MOST_CLOSED_UP {
            return None;
        }
        let mut entries = entries.to_vec();
        entries.drain(gone.clone());
        for entry in &mut entries[gone.start..] {
            let Event::Op(op) = &mut entry.event else { continue };
            if !is_of_it(op) {
                continue;
            }
            for field in self.fields.iter().filter(|field| field.value == Value::Psn) {
                op.set(field.place, op.get(field.place).wrapping_sub(by) & field.last);
            }
            self.move_bitmap(op, by);
        }
        Some(entries)
    }

    /// Moves what a bitmap says down by so many PSNs: its bits, or its base by one segment more and its bits up, if no bit is lost then.
    fn move_bitmap<O: Words>(&self, op: &mut O, by: u64) {
        let of = |value: Value| self.fields.iter().find(|field| field.value == value);
        let (Some(base), Some(bitmap)) = (of(Value::SegmentBase), of(Value::Bitmap)) else { return };
        let (segment, bits) = (u64::from(SEGMENT), op.get(bitmap.place));
        let (mut down, within) = (by / segment * segment, by % segment);
        let up = segment - within;
        if u64::from(bits.trailing_zeros()) < within && u64::from(bits.leading_zeros()) >= up {
            down += segment;
            op.set(bitmap.place, bits << up);
        } else {
            op.set(bitmap.place, bits >> within);
        }
        op.set(base.place, op.get(base.place).wrapping_sub(down) & base.last);
    }

    fn all_ways(&self) -> Vec<Way> {
        let places = |wanted: &dyn Fn(&Known) -> bool| -> Vec<usize> {
            self.fields.iter().filter(|field| wanted(field)).map(|field| field.place).collect()
        };
        let operand = |field: &Known| field.place != CONNECTION;
        let moves = |value| matches!(value, Value::Psn | Value::SegmentBase);
        let mut ways = vec![
            Way::Become(places(&|field| operand(field) && !moves(field.value)), 0),
            Way::Quiet,
            Way::Become(places(&|field| matches!(field.value, Value::Now | Value::Timestamp)), 0),
            Way::Become(
                places(&|field| matches!(field.value, Value::Now | Value::Timestamp | Value::Limit)),
                0,
            ),
            Way::TimesFromFirst,
            Way::MovePsns(PsnStep::First),
            Way::MovePsns(PsnStep::FirstOf(512)),
            Way::MovePsns(PsnStep::FirstOf(64)),
            Way::MovePsns(PsnStep::LowestOf(64)),
            Way::MovePsns(PsnStep::BelowFirst),
            Way::MovePsns(PsnStep::By(64)),
            Way::MovePsns(PsnStep::By(1)),
        ];
        for field in self.fields.iter().filter(|field| operand(field)) {
            match field.value {
                Value::Now => ways.push(Way::CountOps(field.place, 0)),
                Value::Limit => {
                    ways.extend([0, 1, field.last].map(|value| Way::Become(vec![field.place], value)));
                }
                Value::Number => {
                    ways.extend([0, 1].map(|value| Way::Become(vec![field.place], value)));
                    ways.push(Way::CountOps(field.place, 1));
                }
                _ => {}
            }
            if field.used_by != 0 {
                ways.push(Way::ClearUnused(field.place));
            }
        }
        ways
    }

    fn changed<O: Words>(&self, way: &Way, entries: &[Entry<O>]) -> Vec<Entry<O>> {
        let mut entries = entries.to_vec();
        let known = |place: usize| *self.fields.iter().find(|field| field.place == place).expect("a field");
        let of = |value: Value| self.fields.iter().filter(move |field| field.value == value);
        let ops = || entries.iter().filter_map(|entry| entry.event.as_op());
        let psn = of(Value::Psn).next();
        let psns = |ops: &mut dyn Iterator<Item = &O>| -> Vec<u64> {
            psn.map_or(Vec::new(), |field| ops.map(|op| op.get(field.place)).collect())
        };
        let all = psns(&mut ops());
        let (first, lowest) = (all.first().copied().unwrap_or(0), all.iter().min().copied().unwrap_or(0));
        let now = of(Value::Now).next().copied();
        let start = now.map_or(0, |field| ops().next().map_or(0, |op| op.get(field.place)));
        let mut index = 0;
        for entry in &mut entries {
            let Event::Op(op) = &mut entry.event else { continue };
            match way {
                Way::Become(places, value) => {
                    places.iter().for_each(|&place| op.set(place, (*value).min(known(place).last)));
                }
                Way::Quiet => {
                    of(Value::Limit).for_each(|field| op.set(field.place, field.last));
                    of(Value::Now).chain(of(Value::Timestamp)).for_each(|field| op.set(field.place, 0));
                }
                Way::TimesFromFirst => {
                    for field in of(Value::Now).chain(of(Value::Timestamp)) {
                        op.set(field.place, op.get(field.place).wrapping_sub(start) & field.last);
                    }
                }
                Way::MovePsns(step) => {
                    let by = match step {
                        PsnStep::First => first,
                        PsnStep::FirstOf(multiple) => first & !(multiple - 1),
                        PsnStep::LowestOf(multiple) => lowest & !(multiple - 1),
                        PsnStep::BelowFirst => {
                            u64::from(segment_base(first as u32)).saturating_sub(SEGMENT.into())
                        }
                        PsnStep::By(psns) => *psns,
                    };
                    for field in of(Value::Psn).chain(of(Value::SegmentBase)) {
                        op.set(field.place, op.get(field.place).wrapping_sub(by) & field.last);
                    }
                }
                Way::CountOps(place, from) => op.set(*place, (from + index) & known(*place).last),
                Way::ClearUnused(place) => {
                    if known(*place).used_by >> op.code() & 1 == 0 {
                        op.set(*place, 0);
                    }
                }
            }
            index += 1;
        }
        entries
    }
}

fn bits(value: u64) -> u64 {
    u64::from(64 - value.leading_zeros())
}
