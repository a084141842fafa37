//! Says in words what is wrong with the outputs of a cycle.

use super::layout::Layout;
use super::outcome::Listeners;
use super::report::Difference;
use super::rules::{Rules, Sample};
use super::stream_core::{Ports, StreamCore};
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
    fn ports(&self) -> &Ports {
        self.core.ports()
    }

    /// So many outputs of one bit, from this one of [`Layout::control`] on.
    fn bits(&self, first: u32, count: u32) -> u64 {
        self.layout.control(self.seen) >> first & !(u64::MAX << count)
    }
}

/// About the frame at the lane's output, or the next one there.
fn wrong(now: Now, port: String, expected: &str, seen: &str) -> Checked {
    Err(difference(now.cycle, &port, expected.into(), seen.into(), now.frame))
}

fn difference(cycle: u64, port: &str, expected: String, seen: String, frame: Option<u64>) -> Box<Difference> {
    Box::new(Difference { cycle, port: port.into(), expected, seen, frame, beat: None })
}

impl Witness for Explainer<'_, '_> {
    type Error = Box<Difference>;

    fn edge(&mut self, _: &[u64], _: bool) {}

    fn ready(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        expected: bool,
        behind_reset: bool,
    ) -> Checked {
        let ready = self.bits(self.layout.inputs[lane].ready, 1) == 1;
        if ready == expected {
            return Ok(());
        }
        let why = match (expected, behind_reset) {
            (true, _) => "high: there is room",
            (false, false) => "low: the core is full",
            (false, true) => "low behind a reset",
        };
        let port = format!("{}_tready", self.ports().inputs[lane].prefix);
        wrong(now(), port, why, if ready { "high" } else { "low" })
    }

    fn events(&mut self, lane: usize, now: impl FnOnce() -> Now, due: Option<&Due<u64>>) -> Checked {
        let ports = &self.ports().inputs[lane].events;
        let columns = &self.layout.inputs[lane];
        let seen = self.bits(columns.events, columns.event_count);
        let expected = due.map_or(0, |due| due.value);
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
        Err(difference(now().cycle, ports[first].0, names(expected), names(seen), frame))
    }

    fn beat(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        beat: Option<Beat<'_>>,
        is_held: bool,
    ) -> Checked {
        let (output, prefix) = (&self.layout.outputs[lane], self.ports().outputs[lane].prefix);
        let mut rules = Rules::new(8 * self.layout.bus_words);
        let held = output.sample(self.before, false);
        let sample = output.sample(self.seen, true);
        let as_before = if is_held { rules.check(&held) } else { Ok(()) };
        if let Err(broken) = as_before.and_then(|()| rules.check(&sample)) {
            return wrong(now(), format!("{prefix}_{}", broken.signal), broken.expected, broken.seen);
        }
        let valid = || format!("{prefix}_tvalid");
        let Some(beat) = beat else {
            return match sample.valid {
                true => wrong(now(), valid(), "low: no beat is due", "high"),
                false => Ok(()),
            };
        };
        if !sample.valid {
            return wrong(now(), valid(), "high: a beat is due", "low");
        }
        let found = wrong_beat(&beat, &sample).map(|(signal, expected, seen)| {
            let port = format!("{prefix}_{signal}");
            let found = difference(now().cycle, &port, expected, seen, Some(beat.number));
            Box::new(Difference { beat: Some(beat.at), ..*found })
        });
        found.map_or(Ok(()), Err)
    }

    fn left(&mut self, number: u64, data: Option<Vec<u8>>) {
        if let (Some(frame), Some(data)) = (&mut self.listeners.frame, data) {
            frame(number, &data);
        }
    }

    fn record(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        record: Option<&Record>,
        _: bool,
    ) -> Checked {
        let (columns, ports) = (&self.layout.records[lane], &self.ports().records[lane]);
        let is_valid = self.bits(columns.valid, 1) == 1;
        let valid = format!("{}_valid", ports.prefix);
        let Some(due) = record else {
            return if is_valid { wrong(now(), valid, "low: no record is due", "high") } else { Ok(()) };
        };
        let cycle = now().cycle;
        let about =
            |port: &str, expected, seen| Err(difference(cycle, port, expected, seen, Some(due.number)));
        if !is_valid {
            return about(&valid, "high: a record is due".into(), "low".into());
        }
        for (field, (port, width)) in ports.fields.iter().enumerate() {
            let (expected, seen) = (due.value[field], columns.field(self.seen, field));
            if expected != seen {
                let digits = width.div_ceil(4) as usize;
                let literal = |value: u64| format!("{width}'h{value:0digits$x}");
                return about(port, literal(expected), literal(seen));
            }
        }
        Ok(())
    }

    fn told(&mut self) {}
}

/// Signal, expected and seen of what is wrong with a beat.
fn wrong_beat(beat: &Beat<'_>, sample: &Sample<'_>) -> Option<(&'static str, String, String)> {
    let Beat { keep, last, user, .. } = *beat;
    if sample.keep != keep || sample.last != last {
        let words = |keep: u64, last: bool| {
            format!("{} bytes{}", keep.count_ones(), if last { ", the last beat" } else { "" })
        };
        let port = if sample.keep != keep { "tkeep" } else { "tlast" };
        return Some((port, words(keep, last), words(sample.keep, sample.last)));
    }
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (expected, seen) = (bytes(beat.data), bytes(sample.data));
    let wrong: Vec<usize> = (0..expected.len()).filter(|at| expected[*at] != seen[*at]).collect();
    let Some((first, last)) = wrong.first().zip(wrong.last()) else {
        return (sample.user != user).then(|| ("tuser", user.to_string(), sample.user.to_string()));
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
    Some(("tdata", hex(&expected), hex(&seen)))
}
