//! What a log says, done again by a golden block.

use respray_cosim::nic::{Logged, Step, golden, input_cycle};
use respray_golden::hosts::Port;
use respray_golden::nic::Nic;
use respray_hdl::config::Config;

/// What left a block in a tick: frames, and the rest in its order.
type Outputs = (Vec<Vec<u8>>, Vec<Step>);

/// Gives a golden block what a log says and holds it to what came out.
///
/// # Errors
/// The first tick in which something else comes out.
pub fn does_again(logged: &Logged, config: &Config) -> Result<Nic, String> {
    let mut nic = Nic::new(golden(config));
    logged.log.writes.iter().for_each(|(name, value)| nic.write_register(name, *value));
    let prescale = logged.log.prescale().expect("a log without it is refused");
    let (mut came, mut left) = (logged.came.iter(), logged.left.iter());
    for steps in logged.log.steps.chunk_by(|(tick, _), (next, _)| tick == next) {
        let tick = steps[0].0;
        nic.advance(input_cycle(tick, prescale));
        let (mut seen, mut expected) = (Outputs::default(), Outputs::default());
        bring_out(&mut nic, &mut seen);
        for (_, step) in steps {
            match step {
                Step::Host(frame) => {
                    nic.offer(frame.clone()).map_err(|_| format!("tick {tick}: tx_in pauses"))?
                }
                Step::Came => nic.receive(came.next().expect("as many as in the log").clone(), false),
                Step::Left => expected.0.extend(left.next().cloned()),
                other => expected.1.push(other.clone()),
            }
        }
        bring_out(&mut nic, &mut seen);
        // an event and a frame for the host have no order between them
        for (_, others) in [&mut seen, &mut expected] {
            others.sort_by_key(|step| matches!(step, Step::Delivered(_)));
        }
        if seen != expected {
            return Err(format!("tick {tick}: {seen:?}, but recorded: {expected:?}"));
        }
    }
    Ok(nic)
}

fn bring_out(nic: &mut Nic, (left, others): &mut Outputs) {
    left.extend(std::iter::from_fn(|| nic.transmit()).map(|transmitted| transmitted.frame));
    others
        .extend(std::iter::from_fn(|| nic.deliver()).map(|delivery| Step::Delivered(delivery.status_code())));
    others.extend(std::iter::from_fn(|| nic.event()).map(Step::Event));
}
