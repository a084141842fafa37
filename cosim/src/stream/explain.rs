//! Says in words what is wrong with the outputs of a cycle.

use super::core::StreamCore;
use super::layout::{EVENTS, Layout, META_VALID, READY};
use super::report::Difference;
use super::rules::{Rules, Sample};
use super::run::Listeners;
use super::witness::{Beat, Due, Now, Record, Witness};

/// Looks for the first difference in one cycle.
pub struct Explainer<'a, 'b> {
    pub core: &'a dyn StreamCore,
    pub layout: &'a Layout,
    /// Outputs of the cycle before, and of this one.
    pub before: &'a [u64],
    pub seen: &'a [u64],
    pub listeners: &'a mut Listeners<'b>,
}

type Checked = Result<(), Box<Difference>>;

impl Explainer<'_, '_> {
    fn control(&self) -> u32 {
        self.layout.control(self.seen)
    }

    /// About the frame at the output, or the next one there.
    fn wrong(&self, now: Now, port: &str, expected: &str, seen: &str) -> Checked {
        Err(difference(now.cycle, port, expected.into(), seen.into(), now.frame))
    }
}

fn difference(cycle: u64, port: &str, expected: String, seen: String, frame: Option<u64>) -> Box<Difference> {
    Box::new(Difference { cycle, port: port.into(), expected, seen, frame, beat: None })
}

impl Witness for Explainer<'_, '_> {
    type Error = Box<Difference>;

    fn edge(&mut self, _: &[u64], _: bool) {}

    fn ready(&mut self, now: Now, expected: bool, behind_reset: bool) -> Checked {
        let ready = self.control() & READY != 0;
        if ready == expected {
            return Ok(());
        }
        let why = match (expected, behind_reset) {
            (true, _) => "high: there is room",
            (false, false) => "low: the core is full",
            (false, true) => "low behind a reset",
        };
        self.wrong(now, "s_axis_tready", why, if ready { "high" } else { "low" })
    }

    fn events(&mut self, now: Now, due: Option<&Due<u64>>) -> Checked {
        let ports = &self.core.ports().events;
        let (expected, seen) = (due.map_or(0, |due| due.value), u64::from(self.control() >> EVENTS));
        if seen == expected {
            return Ok(());
        }
        let names = |events: u64| {
            let pulsing = ports.iter().enumerate().filter(|(bit, _)| events >> bit & 1 == 1);
            let names: Vec<&str> = pulsing.map(|(_, (name, _))| *name).collect();
            if names.is_empty() { "no event".to_string() } else { names.join(" and ") }
        };
        let first = (seen ^ expected).trailing_zeros() as usize;
        let frame = due.map(|due| due.number);
        Err(difference(now.cycle, ports[first].0, names(expected), names(seen), frame))
    }

    fn beat(&mut self, now: Now, beat: Option<Beat<'_>>, is_held: bool) -> Checked {
        let mut rules = Rules::new(8 * self.layout.bus_words);
        let held = self.layout.sample(self.before, false);
        let sample = self.layout.sample(self.seen, true);
        let as_before = if is_held { rules.check(&held) } else { Ok(()) };
        if let Err(broken) = as_before.and_then(|()| rules.check(&sample)) {
            let port = format!("m_axis_{}", broken.signal);
            return self.wrong(now, &port, broken.expected, broken.seen);
        }
        let Some(beat) = beat else {
            return match sample.valid {
                true => self.wrong(now, "m_axis_tvalid", "low: no beat is due", "high"),
                false => Ok(()),
            };
        };
        if !sample.valid {
            return self.wrong(now, "m_axis_tvalid", "high: a beat is due", "low");
        }
        let found = wrong_beat(&beat, &sample).map(|(port, expected, seen)| {
            let found = difference(now.cycle, port, expected, seen, Some(beat.number));
            Box::new(Difference { beat: Some(beat.at), ..*found })
        });
        found.map_or(Ok(()), Err)
    }

    fn left(&mut self, number: u64, data: Option<Vec<u8>>) {
        if let (Some(frame), Some(data)) = (&mut self.listeners.frame, data) {
            frame(number, &data);
        }
    }

    fn record(&mut self, now: Now, record: Option<&Record>, _: bool) -> Checked {
        let valid = self.control() & META_VALID != 0;
        let Some(due) = record else {
            return if valid {
                self.wrong(now, "meta_valid", "low: no record is due", "high")
            } else {
                Ok(())
            };
        };
        let wrong =
            |port: &str, expected, seen| Err(difference(now.cycle, port, expected, seen, Some(due.number)));
        if !valid {
            return wrong("meta_valid", "high: a record is due".into(), "low".into());
        }
        for (field, (port, width)) in self.core.ports().record.iter().enumerate() {
            let (expected, seen) = (due.value[field], self.layout.field(self.seen, field));
            if expected != seen {
                let digits = width.div_ceil(4) as usize;
                let literal = |value: u64| format!("{width}'h{value:0digits$x}");
                return wrong(port, literal(expected), literal(seen));
            }
        }
        Ok(())
    }
}

/// Port, expected and seen of what is wrong with a beat.
fn wrong_beat(beat: &Beat<'_>, sample: &Sample<'_>) -> Option<(&'static str, String, String)> {
    let Beat { keep, last, user, .. } = *beat;
    if sample.keep != keep || sample.last != last {
        let words = |keep: u64, last: bool| {
            format!("{} bytes{}", keep.count_ones(), if last { ", the last beat" } else { "" })
        };
        let port = if sample.keep != keep { "m_axis_tkeep" } else { "m_axis_tlast" };
        return Some((port, words(keep, last), words(sample.keep, sample.last)));
    }
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (expected, seen) = (bytes(beat.data), bytes(sample.data));
    let wrong: Vec<usize> = (0..keep.count_ones() as usize).filter(|at| expected[*at] != seen[*at]).collect();
    let Some((first, last)) = wrong.first().zip(wrong.last()) else {
        return (sample.user != user).then(|| ("m_axis_tuser", user.to_string(), sample.user.to_string()));
    };
    let hex = |bytes: &[u8]| {
        let text: Vec<String> = bytes[*first..=*last].iter().map(|byte| format!("{byte:02x}")).collect();
        let from = beat.at * expected.len();
        if first == last {
            format!("{} at byte {}", text[0], from + first)
        } else {
            format!("{} at bytes {} to {}", text.join(" "), from + first, from + last)
        }
    };
    Some(("m_axis_tdata", hex(&expected), hex(&seen)))
}
