//! Every number of a knob and of a setting at its least, its greatest, one beyond, and where it is none.

use respray_cosim::cores::{CORES, Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::given::settings;
use respray_cosim::traffic::random::{KnobError, Knobs};
use respray_hdl::config::Config;

/// What is no number, and what is none of any knob.
const NONE: [&str; 8] = ["", "x", "-1", "1e400", "nan", "inf", "18446744073709551616", "0x1"];

/// Ops that are drawn with a knob at one of its ends.
const OPS: usize = 2000;

struct KnobsOf;

impl Visitor for KnobsOf {
    type Output = usize;

    fn visit<C: Compiled + 'static>(self) -> usize {
        let config = Config::default();
        let connections = C::CONTRACT.connections(&config);
        for &knob in C::Knobs::NAMES {
            let set = |value: &str| {
                let mut knobs = C::Knobs::new(connections);
                knobs.set(&format!("{knob}={value}"), connections).map(|()| knobs)
            };
            let Err(KnobError::Value { allowed, .. }) = set("x") else { panic!("{knob} takes a word") };
            let (least, most) = allowed.split_once(" to ").unwrap_or_else(|| panic!("{knob}: {allowed}"));
            for end in [least, most] {
                let knobs = set(end).unwrap_or_else(|error| panic!("{}: {error}", C::CONTRACT.core));
                assert_eq!(C::random(1, &knobs, &config).take(OPS).count(), OPS, "{knob}={end}");
            }
            let beyond = most.parse::<u64>().map(|most| (u128::from(most) + 1).to_string());
            let below = least.parse::<i64>().map(|least| (least - 1).to_string());
            let numbers = [beyond.ok(), below.ok()].into_iter().flatten();
            for value in NONE.iter().map(|value| value.to_string()).chain(numbers) {
                let refused = KnobError::Value { knob, value: value.clone(), allowed: allowed.clone() };
                assert_eq!(set(&value).err(), Some(refused));
            }
        }
        C::Knobs::NAMES.len()
    }
}

#[test]
fn knobs() {
    let knobs: usize = CORES.iter().map(|core| visit(core, KnobsOf).expect("it is a core")).sum();
    assert!(knobs > 60, "{knobs}");
}

struct SettingsOf;

impl Visitor for SettingsOf {
    type Output = usize;

    fn visit<C: Compiled + 'static>(self) -> usize {
        let config = Config::default();
        let mut count = 0;
        for (_, field, _) in C::CONTRACT.driver_settings() {
            let option: &'static str = field.name.replace('_', "-").leak();
            let last = field.last(&config);
            let set = |value: u64| settings::<C>([(option, value)], &config);
            for value in [0, last] {
                assert_eq!(set(value).unwrap().get(field.name), Some(value));
            }
            for value in [last + 1, u64::MAX] {
                let said = set(value).unwrap_err().to_string();
                assert_eq!(said, format!("`{option}` is {value}; allowed: 0 to {last}"));
            }
            count += 1;
        }
        count
    }
}

#[test]
fn settings_of_a_driver() {
    let settings: usize = CORES.iter().map(|core| visit(core, SettingsOf).expect("it is a core")).sum();
    assert!(settings > 15, "{settings}");
}
