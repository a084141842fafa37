//! The window in real numbers: 004 Algorithms 1, 2 and 4 as they are printed, with times that do not wrap.

use respray_golden::strack_cc::{Action, Connection, Op, Settings};

/// 2^-16.
pub const UNIT: f64 = 1.0 / 65536.0;

/// State of one connection: packets, ticks and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Real {
    pub cwnd: f64,
    pub base_rtt: f64,
    pub avg_delay: f64,
    last_decrease: f64,
    last_fair: f64,
    /// When the period began, if one did.
    cleared: Option<f64>,
    rx_count: f64,
    /// Of a whole period.
    achieved: Option<f64>,
}

/// An ACK as the algorithms see it.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    pub ecn: bool,
    pub probe: bool,
    pub bytes: u32,
    /// In ticks.
    pub rtt: f64,
    /// In ticks.
    pub now: f64,
}

impl Real {
    pub fn new(settings: &Settings, now: f64) -> Self {
        Real {
            cwnd: most_cwnd(settings),
            base_rtt: settings.net_base_rtt.into(),
            avg_delay: 0.0,
            last_decrease: now,
            last_fair: now,
            cleared: None,
            rx_count: 0.0,
            achieved: None,
        }
    }

    /// What the engine knows at `now`. Its times lie less than 2^16 ticks back, as far as it can tell.
    pub fn of(c: &Connection, now: u16) -> Self {
        let time = |then: u16| f64::from(now) - f64::from(now.wrapping_sub(then));
        Real {
            cwnd: f64::from(c.cwnd) * UNIT,
            base_rtt: c.base_rtt.into(),
            avg_delay: f64::from(c.avg8) / 8.0,
            last_decrease: time(c.cut_at),
            last_fair: time(c.fair_at),
            cleared: c.counting.then(|| time(c.since)),
            rx_count: c.rx.into(),
            achieved: c.measured.then(|| c.achieved.into()),
        }
    }

    /// The whole of Algorithm 1; which branch Algorithm 4 took, and whether it was an increase for fairness, too.
    pub fn ack(&mut self, ack: &Ack, settings: &Settings) -> (Action, bool) {
        let delay = self.measure(ack, settings);
        self.average(delay);
        self.adjust(ack, delay, settings)
    }

    /// A1:5-8 and Algorithm 2; gives the queuing delay.
    pub fn measure(&mut self, ack: &Ack, settings: &Settings) -> f64 {
        if ack.rtt >= settings.min_base_rtt.into() && ack.rtt < self.base_rtt {
            self.base_rtt = ack.rtt;
        }
        self.rx_count += if ack.probe { 0.0 } else { ack.bytes.into() };
        match self.cleared {
            None => self.cleared = Some(ack.now),
            Some(cleared) if ack.now - cleared > self.base_rtt + f64::from(settings.target_qdelay) => {
                self.achieved = Some(self.rx_count);
                self.rx_count = 0.0;
                self.cleared = Some(ack.now);
            }
            Some(_) => (),
        }
        ack.rtt - self.base_rtt
    }

    /// A4:5.
    pub fn average(&mut self, delay: f64) {
        self.avg_delay = self.avg_delay * (1.0 - 0.125) + 0.125 * delay;
    }

    /// Algorithm 4 without its line 5.
    pub fn adjust(&mut self, ack: &Ack, delay: f64, settings: &Settings) -> (Action, bool) {
        let (target_qdelay, target_qhigh) =
            (f64::from(settings.target_qdelay), f64::from(settings.target_qhigh));
        let max_cwnd = most_cwnd(settings);
        let mtu = f64::from(1_u32 << settings.mtu_log2);
        let can_decrease = ack.now - self.last_decrease > self.base_rtt;
        let can_fairness_shuffle = ack.now - self.last_fair > self.base_rtt;
        let mut action = Action::Hold;
        if !ack.ecn && delay > target_qhigh {
            self.cwnd += f64::from(settings.beta) / 256.0 / self.cwnd;
            action = Action::Additive;
        } else if !ack.ecn && delay < target_qdelay {
            let gain = f64::from(settings.alpha) / 262_144.0 * (target_qdelay - delay);
            self.cwnd += gain.min(256.0) / self.cwnd;
            action = Action::Proportional;
        } else if can_decrease && self.avg_delay > target_qdelay {
            let low = self.achieved.filter(|achieved| achieved / mtu < max_cwnd / 8.0);
            if let Some(achieved) = low
                && delay > target_qhigh
            {
                self.cwnd = self.cwnd.min(achieved / mtu);
                self.last_decrease = ack.now;
                action = Action::Achieved;
            } else if delay > target_qdelay {
                let above = (self.avg_delay - target_qdelay) / self.avg_delay;
                self.cwnd *= (1.0 - f64::from(settings.gamma) * UNIT * above).max(0.5);
                self.last_decrease = ack.now;
                action = Action::Multiplicative;
            }
        }
        if can_fairness_shuffle {
            self.cwnd += f64::from(settings.eta) / 4096.0;
            self.last_fair = ack.now;
        }
        self.cwnd = self.cwnd.min(max_cwnd).max(1.0);
        (action, can_fairness_shuffle)
    }

    /// Times of the latest decrease, the latest increase for fairness and the beginning of the period, in this order.
    pub fn times(&self) -> (f64, f64, Option<f64>) {
        (self.last_decrease, self.last_fair, self.cleared)
    }

    /// Bytes of the period and, if there was one, of the latest whole period.
    pub fn bytes(&self) -> (f64, Option<f64>) {
        (self.rx_count, self.achieved)
    }
}

/// The largest window in packets.
pub fn most_cwnd(settings: &Settings) -> f64 {
    settings.max_cwnd.max(1).into()
}

/// How an op of the engine reads.
pub fn ack_of(op: &Op) -> Ack {
    let rtt = op.now.wrapping_sub(op.timestamp).into();
    Ack { ecn: op.ecn, probe: op.probe, bytes: op.bytes, rtt, now: op.now.into() }
}
