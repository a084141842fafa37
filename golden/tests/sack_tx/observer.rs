//! What an observer outside can know of a scoreboard, with absolute PSNs and with the counts kept by increments.

use std::collections::BTreeSet;

use respray_golden::psn::{PsnSpace, segment_base};
use respray_golden::sack_tx::{Connection, Inputs, Op, OpKind, Outcome, Rule, SackFields, Status};

pub type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

/// What an observer knows of one connection, PSNs counted from `init`.
#[derive(Clone, Debug)]
struct Observed {
    psns: PsnSpace,
    first: u32,
    una: u64,
    nxt: u64,
    acked: BTreeSet<u64>,
    /// Range of the recovery and what of it was handed out since it was entered.
    recovery: Option<(u64, BTreeSet<u64>)>,
    /// Bytes sent, and bytes in flight; the counts as hardware keeps them.
    bytes: u64,
    bytes_flight: u64,
    unacked: u64,
    claimed: u64,
    /// What was sent when the probe that is out was asked for.
    probe: Option<u64>,
    progress: u16,
    heard: u16,
    /// Timeouts since EPSN moved, without an end.
    timeouts: u32,
}

impl Observed {
    fn new(psns: PsnSpace, psn: u32, now: u16) -> Self {
        Observed {
            psns,
            first: psn,
            una: 0,
            nxt: 0,
            acked: BTreeSet::new(),
            recovery: None,
            bytes: 0,
            bytes_flight: 0,
            unacked: 0,
            claimed: 0,
            probe: None,
            progress: now,
            heard: now,
            timeouts: 0,
        }
    }

    /// `una` as a PSN.
    fn una_psn(&self) -> u32 {
        self.psns.add(self.first, self.una as u32)
    }

    /// The PSN nearest to `una`, counted from `init`; None below that.
    fn count(&self, psn: u32) -> Option<u64> {
        let (psns, una) = (self.psns, self.una_psn());
        if psns.is_below(psn, una) {
            self.una.checked_sub(psns.distance(psn, una).into())
        } else {
            Some(self.una + u64::from(psns.distance(una, psn)))
        }
    }

    fn high(&self) -> u64 {
        self.acked.last().map_or(self.una, |&p| self.una.max(p + 1))
    }

    /// One past the highest PSN received above EPSN, or EPSN where there is none. What an earlier SACK said of EPSN itself does not count:
    /// EPSN is what the receiver lacks.
    fn high_above_epsn(&self) -> u64 {
        self.acked.range(self.una + 1..).last().map_or(self.una, |&p| p + 1)
    }

    fn open(&self, from: u64, to: u64) -> u64 {
        (from..to).filter(|p| !self.acked.contains(p)).count() as u64
    }

    /// By the contract: claimed = unacked - (snd_nxt - end).
    fn enter(&mut self, end: u64) {
        self.claimed = self.unacked - (self.nxt - end);
        self.recovery = Some((end, BTreeSet::new()));
    }

    fn check_op(&mut self, op: &Op, o: &Outcome, window: u64) -> Verdict {
        match op.kind {
            OpKind::Init { .. } => Ok(()),
            OpKind::Sent { psn, bytes } => self.sent(psn, bytes, op.inputs.now, o, window),
            OpKind::Sack(sack) => self.sack(&sack, &op.inputs, o, window),
            OpKind::NextRtx => self.next_rtx(o),
            OpKind::Read | OpKind::Close => self.read(o),
            OpKind::Visit => self.visit(&op.inputs, o),
        }
    }

    fn sent(&mut self, psn: u32, bytes: u16, now: u16, o: &Outcome, window: u64) -> Verdict {
        let status = match self.count(psn) {
            Some(p) if p == self.nxt && p - self.una == window => Status::WindowFull,
            Some(p) if p == self.nxt => Status::Ok,
            Some(p) if p > self.nxt => Status::Gap,
            _ => Status::Again,
        };
        ensure(o.status == Some(status), "a packet is the next one, sent before, or refused")?;
        if status == Status::Ok {
            if self.una == self.nxt {
                (self.progress, self.heard) = (now, now);
            }
            self.nxt += 1;
            self.unacked += 1;
            self.bytes += u64::from(bytes);
            self.bytes_flight += u64::from(bytes);
        }
        Ok(())
    }

    fn sack_status(&self, sack: &SackFields, window: u64) -> Status {
        let Some(epsn) = self.count(sack.epsn).filter(|&p| p >= self.una) else { return Status::Old };
        let segments = self.psns.distance(segment_base(self.una_psn()), sack.base) / 64;
        if epsn > self.nxt {
            Status::NeverSent
        } else if !sack.base.is_multiple_of(64) || u64::from(segments) > window / 64 {
            Status::BadBase
        } else if (0..64)
            .any(|i| sack.bitmap >> i & 1 == 1 && self.count(self.psns.add(sack.base, i)) >= Some(self.nxt))
        {
            Status::Beyond
        } else if (0..64).any(|i| sack.bitmap >> i & 1 == 1 && self.psns.add(sack.base, i) == sack.epsn) {
            Status::Contradicts
        } else {
            Status::Ok
        }
    }

    fn sack(&mut self, sack: &SackFields, inputs: &Inputs, o: &Outcome, window: u64) -> Verdict {
        let status = self.sack_status(sack, window);
        ensure(o.status == Some(status), "a SACK is taken or refused for what it says")?;
        if status != Status::Ok {
            return Ok(());
        }
        let epsn = self.count(sack.epsn).expect("not old");
        let una = self.una;
        let told: BTreeSet<u64> = (una..epsn)
            .chain(
                (0..64)
                    .filter(|i| sack.bitmap >> i & 1 == 1)
                    .filter_map(|i| self.count(self.psns.add(sack.base, i))),
            )
            .filter(|&p| p >= una && !self.acked.contains(&p))
            .collect();
        ensure(usize::from(o.acked) == told.len(), "newly acknowledged PSNs")?;
        self.unacked -= told.len() as u64;
        if let Some((end, handed_out)) = &self.recovery {
            let next = handed_out.last().map_or(0, |p| p + 1);
            self.claimed -= told.iter().filter(|&&p| p >= next && p < *end).count() as u64;
        }
        self.acked.extend(told);
        if epsn != una {
            self.una = epsn;
            self.progress = inputs.now;
            self.timeouts = 0;
        }
        self.heard = inputs.now;
        let reported = u64::from((self.bytes as u32).wrapping_sub(sack.bytes_recvd));
        let before = self.bytes_flight;
        self.bytes_flight = before.min(reported);
        let fallen = (before - self.bytes_flight).min((1 << 20) - 1);
        ensure(o.acked_bytes.map(u64::from) == Some(fallen), "newly acknowledged bytes")?;

        let leaves = self.recovery.as_ref().is_some_and(|(end, _)| epsn >= *end);
        ensure(o.recovery_left == leaves, "recovery is left when its range is acknowledged")?;
        let recovery_end = self.recovery.as_ref().map(|(end, _)| *end);
        if leaves {
            self.recovery = None;
        }
        let rtt = inputs.now.wrapping_sub(sack.timestamp);
        ensure(o.rtt == Some(rtt), "a SACK that is taken measures a round-trip time")?;
        let before_probe =
            self.probe.take().map(|sent| recovery_end.unwrap_or(sent).max(self.high_above_epsn()));
        let proves = before_probe.filter(|&end| sack.probe && rtt <= inputs.probe_rtt && end > self.una);
        let many = sack.ooo > inputs.cwnd_packets.max(5);
        let loss = if let Some(end) = proves {
            self.enter(end);
            Some(Rule::Probe)
        } else if self.recovery.is_none() && many && self.high_above_epsn() > self.una {
            self.enter(self.high_above_epsn());
            Some(Rule::Ooo)
        } else {
            None
        };
        ensure(o.loss == loss, "loss is inferred by rule 1 or 2, and only then")
    }

    fn next_rtx(&mut self, o: &Outcome) -> Verdict {
        let lowest = self.recovery.as_ref().and_then(|(end, handed_out)| {
            let next = handed_out.last().map_or(self.una, |p| self.una.max(p + 1));
            (next..*end).find(|p| !self.acked.contains(p))
        });
        let status = if lowest.is_some() { Status::Ok } else { Status::Nothing };
        ensure(o.status == Some(status), "a PSN is handed out while one is lost")?;
        ensure(o.psn.and_then(|p| self.count(p)) == lowest, "the lowest lost PSN that was not handed out")?;
        if let (Some(psn), Some((_, handed_out))) = (lowest, &mut self.recovery) {
            handed_out.insert(psn);
            self.claimed -= 1;
        }
        Ok(())
    }

    fn read(&self, o: &Outcome) -> Verdict {
        ensure(o.status == Some(Status::Ok), "an initialised connection can be read")?;
        let bounds = [o.psn, o.snd_nxt].map(|psn| psn.and_then(|p| self.count(p)));
        ensure(bounds == [Some(self.una), Some(self.nxt)], "read shows what is outstanding")
    }

    fn visit(&mut self, inputs: &Inputs, o: &Outcome) -> Verdict {
        let waits = self.una != self.nxt;
        // each timeout in a row doubles the RTO, and the longest that 16 bits hold is as long as it gets
        let doublings = self.timeouts.min(inputs.rto_backoff_max.into());
        let rtos = (0..=doublings).map(|doublings| u64::from(inputs.rto) << doublings);
        let rto = rtos.filter(|rto| *rto <= u16::MAX.into()).max().unwrap_or(0);
        let timeout = waits && u64::from(inputs.now.wrapping_sub(self.progress)) >= rto;
        let probe = waits && !timeout && inputs.now.wrapping_sub(self.heard) >= inputs.probe_timeout;
        ensure(o.loss == timeout.then_some(Rule::Timeout), "everything is lost after the timeout")?;
        ensure(o.probe_due == probe, "a probe is asked for when no SACK was heard")?;
        ensure(
            !probe || o.psn.and_then(|p| self.count(p)) == Some(self.una),
            "a probe asks for EPSN's segment",
        )?;
        if timeout {
            self.enter(self.nxt);
            (self.progress, self.heard, self.probe) = (inputs.now, inputs.now, None);
            self.timeouts += 1;
        }
        if probe {
            self.heard = inputs.now;
            self.probe = Some(self.nxt);
        }
        Ok(())
    }
}

pub struct Checker {
    window: u64,
    psns: PsnSpace,
    observed: Vec<Option<Observed>>,
}

impl Checker {
    pub fn new(connections: usize, window: u32, psns: PsnSpace) -> Self {
        Checker { window: window.into(), psns, observed: vec![None; connections] }
    }

    /// Whether an op of a connection shows what it must; the first rule that it breaks.
    pub fn check(&mut self, op: &Op, o: &Outcome, before: &Connection, after: &Connection) -> Verdict {
        let slot = &mut self.observed[usize::from(op.conn)];
        if let OpKind::Init { psn } = op.kind {
            *slot = Some(Observed::new(self.psns, psn, op.inputs.now));
        }
        let has_result = !matches!(op.kind, OpKind::Init { .. } | OpKind::Visit);
        ensure(o.status.is_some() == has_result, "all but init and visits have results")?;
        let measures = matches!(op.kind, OpKind::Sack(_)) && o.status == Some(Status::Ok);
        ensure(o.rtt.is_some() == measures, "only a SACK that is taken measures a round-trip time")?;
        ensure(o.acked_bytes.is_some() == measures, "only a SACK that is taken acknowledges bytes")?;
        let Some(seen) = slot else {
            ensure(o.status.is_none_or(|s| s == Status::Uninitialised), "never initialised: refused")?;
            return ensure(before == after && o.loss.is_none() && !o.probe_due, "and unchanged");
        };
        seen.check_op(op, o, self.window)?;
        if op.kind == OpKind::Close {
            *slot = None;
            return ensure(
                *after == Connection::default(),
                "a connection that is closed is as never initialised",
            );
        }
        let taken = o.status.is_none_or(|s| s == Status::Ok) && op.kind != OpKind::Read;
        ensure(
            taken || o.status == Some(Status::Nothing) || before == after,
            "what is refused or reads changes nothing",
        )?;
        ensure(
            seen.unacked == seen.open(seen.una, seen.nxt),
            "unacked by increments is unacked by definition",
        )?;
        let claimed = seen.recovery.as_ref().map_or(0, |(end, handed_out)| {
            seen.open(handed_out.last().map_or(seen.una, |p| seen.una.max(p + 1)), *end)
        });
        ensure(seen.claimed == claimed, "claimed by increments is claimed by definition")?;
        ensure(
            u64::from(o.in_flight) == seen.unacked - seen.claimed,
            "in flight = sent - received - claimed",
        )?;
        ensure(u64::from(o.in_flight_bytes) == seen.bytes_flight, "bytes in flight = sent - received")?;
        ensure(o.in_recovery == seen.recovery.is_some(), "in recovery")?;
        ensure(seen.count(after.high) == Some(seen.high()), "high is one past the highest PSN received")
    }
}
