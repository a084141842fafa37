//! Waves, as a reader of FST sees them.

use std::collections::BTreeMap;
use std::io::Cursor;

use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalValue};
use respray_cosim::verilator::CYCLE_NS;

/// An FST, read.
pub struct Waves {
    /// Times of the first and the last values in nanoseconds, and the exponent of the unit.
    pub window: (u64, u64, i8),
    /// Full names with their widths, and the signal of each.
    pub signals: BTreeMap<String, (u32, usize)>,
    /// Signal, time and value of each change.
    pub changes: Vec<(usize, u64, String)>,
}

impl Waves {
    pub fn read(fst: Vec<u8>) -> Waves {
        let mut reader = FstReader::open(Cursor::new(fst)).unwrap();
        let header = reader.get_header();
        let (mut scopes, mut signals) = (Vec::new(), BTreeMap::new());
        let entry = |entry| match entry {
            FstHierarchyEntry::Scope { name, .. } => scopes.push(name),
            FstHierarchyEntry::UpScope => {
                scopes.pop().unwrap();
            }
            FstHierarchyEntry::Var { name, length, handle, .. } => {
                let name = [&scopes[..], &[name]].concat().join(".");
                assert_eq!(signals.insert(name, (length, handle.get_index())), None, "a name stands once");
            }
            other => panic!("{other:?}"),
        };
        reader.read_hierarchy(entry).unwrap();
        assert!(scopes.is_empty());
        let mut changes = Vec::new();
        reader
            .read_signals(&FstFilter::all(), |time, signal, value| {
                let value = match value {
                    FstSignalValue::String(text) => String::from_utf8(text.to_vec()).unwrap(),
                    FstSignalValue::Real(value) => value.to_string(),
                };
                changes.push((signal.get_index(), time, value));
                Ok::<(), ()>(())
            })
            .unwrap();
        let window = (header.start_time, header.end_time, header.timescale_exponent);
        Waves { window, signals, changes }
    }

    /// Times and values of the signal `name`.
    pub fn of(&self, name: &str) -> Vec<(u64, &str)> {
        let (_, signal) = self.signals[name];
        let of_signal = self.changes.iter().filter(|(of, ..)| *of == signal);
        of_signal.map(|(_, time, value)| (*time, value.as_str())).collect()
    }

    /// The value of the signal `name` at a time. One that has none yet is unknown.
    pub fn at(&self, name: &str, time: u64) -> &str {
        let changes = self.of(name);
        changes.iter().rev().find(|(changed, _)| *changed <= time).map_or("x", |(_, value)| value)
    }
}

/// A difference in waves.
pub struct Marked<'a> {
    pub cycle: u64,
    /// The output that differs, and its bits.
    pub port: &'a str,
    pub width: u32,
}

impl Marked<'_> {
    /// Holds that the waves mark this cycle alone, that the port stands beside what was expected of it, and that the two differ
    /// in this cycle and in none before; returns both as bits, expected first.
    pub fn check(&self, waves: &Waves) -> [String; 2] {
        let Marked { cycle, port, width } = *self;
        let range = if width == 1 { String::new() } else { format!(" [{}:0]", width - 1) };
        let (seen, expected) =
            (format!("lockstep.{port}{range}"), format!("lockstep.{port}_expected{range}"));
        assert_eq!(
            waves.signals[&seen],
            waves.signals[&format!("TOP.{port}{range}")],
            "it is the port itself"
        );
        let rise = |cycle: u64| cycle * CYCLE_NS - CYCLE_NS / 2;
        let first = waves.window.0 / CYCLE_NS;
        let marks = [(first * CYCLE_NS, "0"), (rise(cycle), "1"), (rise(cycle + 1), "0")];
        assert_eq!(waves.of("lockstep.difference"), marks);
        let differs = |of: u64| {
            let time = of * CYCLE_NS;
            assert_eq!(waves.at("lockstep.cycle [63:0]", time), format!("{of:064b}"));
            let bits = waves.at(&expected, time).chars().zip(waves.at(&seen, time).chars());
            bits.into_iter().any(|(expected, seen)| expected != 'x' && expected != seen)
        };
        assert_eq!((first..=cycle).find(|of| differs(*of)), Some(cycle));
        let time = cycle * CYCLE_NS;
        [&expected, &seen].map(|name| waves.at(name, time).to_string())
    }
}
