//! A run of the block, from what it is asked for to the report.

use respray_hdl::config::Config;

use super::bench::Bench;
use super::error::NicError;
use super::options::{Feed, Frames, NicOptions};
use super::pair::Stop;
use super::report::NicReport;
use super::{plan, random, replay, run};
use crate::interrupt;
use crate::lockstep::Progress;

/// Runs the block on what it is given, in lockstep with the golden one. A difference is a report, not an error.
///
/// Two of them run as a pair up to the last message. Of a capture the frames of the local side go into `tx_in`, but for its ACKs and
/// probes, which the block makes itself; all others into `rx_in`. A capture beside which a log stands is replayed by that, tick by tick,
/// unless a speedup or a local address is given: what comes out is compared with what was recorded, too. Random traffic comes in rounds,
/// each on a block that was just powered up.
///
/// # Errors
/// If there is no run.
pub fn cosim(
    config: &Config,
    options: &NicOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<NicReport, NicError> {
    options.check()?;
    if config.has_uet_acks() {
        check_feed(&options.own.feed)?;
    }
    // a signal ends it early
    let _heed = interrupt::Heed::new();
    match &options.own.feed {
        Feed::Pair(of) => {
            let setup = run::setup(config, of, options.own.seed)?;
            let mut bench = Bench::new(config, options, run::cycles(&setup, of.bytes), progress)?;
            let (outcome, figures) = run::pair(&mut bench, of, &setup, progress)?;
            bench.finish_files()?;
            Ok(NicReport { run: outcome.report(&bench, Stop::to_string), pair: Some(figures) })
        }
        Feed::Frames(frames) => {
            let plan = plan::plan(config, frames)?;
            plan.check(options)?;
            let mut bench = Bench::new(config, options, plan.what.cycles(), progress)?;
            let outcome = replay::replay(&mut bench, plan, progress)?;
            bench.finish_files()?;
            Ok(NicReport { run: outcome.report(&bench, Stop::of_one), pair: None })
        }
        Feed::Random { cycles } => {
            let mut bench = Bench::new(config, options, *cycles, progress)?;
            let (outcome, round) = random::random(&mut bench, *cycles, progress)?;
            bench.finish_files()?;
            let say = |stop: &Stop| format!("{round}, {}", stop.of_one());
            Ok(NicReport { run: outcome.report(&bench, say), pair: None })
        }
    }
}

/// A block of Ultra Ethernet takes pairs, random traffic and lists of frames: captures do not say who the peers are.
fn check_feed(feed: &Feed) -> Result<(), NicError> {
    let (option, value) = match feed {
        Feed::Frames(Frames::Capture(replay)) => ("--traffic", replay.path.display().to_string()),
        Feed::Pair(_) | Feed::Frames(Frames::List(_)) | Feed::Random { .. } => return Ok(()),
    };
    let allowed =
        "--pair, --random or --frames with `sack.acks` = uet, whose peers no capture names".to_string();
    Err(NicError::Option { option, value, allowed })
}
