//! One connection as the network knows it, and what its scoreboard must show. Packets are counted from 0; PSNs only
//! appear where the engines are spoken to.

use std::collections::BTreeSet;

use super::{Network, TxOutput};
use crate::psn::{PsnSpace, SEGMENT};
use crate::sack_rx::Sack;
use crate::sack_tx::{MIN_OOO, Rule};

/// What the network knows of a packet.
#[derive(Clone, Default)]
pub struct Packet {
    pub transmissions: u32,
    /// Copies on their way.
    pub flying: u32,
    pub received: bool,
    /// Dropped, and neither received nor found lost since.
    pub missing: bool,
    /// A SACK that the scoreboard took said that it was received.
    pub reported: bool,
}

/// One connection.
pub struct Flow {
    pub psns: PsnSpace,
    pub first_psn: u32,
    pub packets: Vec<Packet>,
    /// Packets sent for the first time; all below `una` are acknowledged.
    pub next: u32,
    pub una: u32,
    /// One past the highest packet that was reported, or `una`.
    pub high: u32,
    pub in_recovery: bool,
    /// By which the last recovery was entered.
    pub rule: Rule,
    /// One past the last packet held for lost, or sent before the probe.
    pub rec_end: u32,
    pub handed_out: BTreeSet<u32>,
    /// A probe was asked for, and no SACK taken since.
    pub probe_out: bool,
    /// Tick at which EPSN last moved, or the timeout struck, or the first packet went.
    pub progress: u64,
    /// Tick at which a SACK was last taken, or a probe asked for, or the first packet went.
    pub heard: u64,
    /// Tick at which EPSN last moved.
    pub moved: u64,
    /// Timeouts since then.
    pub timeouts: u8,
    pub first_sent_bytes: u64,
    /// By the newest SACK that the scoreboard took.
    pub newest_bytes: u64,
    pub received: u32,
    pub received_bytes: u64,
    pub highest_arrived: Option<u32>,
    /// The receiver's fault has struck.
    pub restarted: bool,
}

/// Payload of a packet: sizes differ, so that a byte count tells which packets it counts.
pub fn bytes(index: u32) -> u16 {
    (index.wrapping_mul(2_654_435_761) >> 19) as u16 % 4096 + 1
}

/// What is expected of a SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub old: bool,
    pub acked: u16,
    pub loss: Option<Rule>,
    pub left: bool,
}

impl Flow {
    pub fn new(psns: PsnSpace, first_psn: u32, packets: u32) -> Self {
        Flow {
            psns,
            first_psn,
            packets: vec![Packet::default(); packets as usize],
            next: 0,
            una: 0,
            high: 0,
            in_recovery: false,
            rule: Rule::Ooo,
            rec_end: 0,
            handed_out: BTreeSet::new(),
            probe_out: false,
            progress: 0,
            heard: 0,
            moved: 0,
            timeouts: 0,
            first_sent_bytes: 0,
            newest_bytes: 0,
            received: 0,
            received_bytes: 0,
            highest_arrived: None,
            restarted: false,
        }
    }

    pub fn psn(&self, index: u32) -> u32 {
        self.psns.add(self.first_psn, index)
    }

    pub fn index(&self, psn: u32) -> u32 {
        self.psns.distance(self.first_psn, psn)
    }

    pub fn is_done(&self) -> bool {
        self.una == self.packets.len() as u32
    }

    fn unreported(&self, from: u32, to: u32) -> usize {
        let range = from.min(to) as usize..to as usize;
        self.packets[range].iter().filter(|packet| !packet.reported).count()
    }

    /// Packets sent, not known to be received, and not claimed for retransmission.
    pub fn in_flight(&self) -> usize {
        let claimed = match self.in_recovery {
            true => {
                let next = self.handed_out.last().map_or(self.una, |last| self.una.max(last + 1));
                self.unreported(next, self.rec_end.max(next))
            }
            false => 0,
        };
        self.unreported(self.una, self.next) - claimed
    }

    /// The packet that a retransmission must be of.
    pub fn to_retransmit(&self) -> Option<u32> {
        let next = self.handed_out.last().map_or(self.una, |last| self.una.max(last + 1));
        (next..self.rec_end).find(|&index| self.in_recovery && !self.packets[index as usize].reported)
    }

    /// A packet goes for the first time.
    pub fn sent(&mut self, now: u64) {
        if self.una == self.next {
            (self.progress, self.heard) = (now, now);
        }
        self.first_sent_bytes += u64::from(bytes(self.next));
        self.next += 1;
    }

    /// Whether a timeout is right now, and whether it should have struck before.
    pub fn timeout(&self, now: u64, network: &Network) -> bool {
        self.una != self.next && now - self.progress >= u64::from(self.rto(network))
    }

    /// The RTO in ticks, doubled by each timeout in a row: the longest of those allowed that has 16 bits.
    pub fn rto(&self, network: &Network) -> u16 {
        let doublings = (0..=self.timeouts.min(network.rto_backoff_max)).rev();
        let longest = doublings
            .map(|doublings| u32::from(network.rto) << doublings)
            .find_map(|rto| rto.try_into().ok());
        longest.unwrap_or(network.rto)
    }

    /// Whether it is right to ask for a probe.
    pub fn probe_due(&self, now: u64, probe_timeout: u16) -> bool {
        self.una != self.next && now - self.heard >= u64::from(probe_timeout)
    }

    /// The scoreboard asks for a probe.
    pub fn probed(&mut self, now: u64) {
        self.heard = now;
        self.probe_out = true;
        if !self.in_recovery {
            self.rec_end = self.next;
        }
    }

    /// The scoreboard infers loss: everything unacknowledged below `end` is held for lost. Returns how many packets are.
    pub fn recovery(&mut self, rule: Rule, end: u32) -> u32 {
        self.in_recovery = true;
        self.rule = rule;
        self.rec_end = end;
        self.handed_out.clear();
        let mut found = 0;
        for packet in &mut self.packets[self.una as usize..end as usize] {
            if packet.missing && packet.flying == 0 {
                found += 1;
                packet.missing = false;
            }
        }
        found
    }

    /// The timeout struck.
    pub fn timed_out(&mut self, now: u64) -> u32 {
        (self.progress, self.heard) = (now, now);
        self.timeouts = self.timeouts.saturating_add(1);
        self.probe_out = false;
        self.recovery(Rule::Timeout, self.next)
    }

    /// A SACK reaches the scoreboard, a probe's after `rtt` ticks: what is to come of it. Entering recovery is left to the
    /// caller. `Err`: it says what is not so.
    pub fn sack(
        &mut self,
        sack: &Sack,
        rtt: u64,
        now: u64,
        cwnd: u16,
        probe_rtt: u16,
    ) -> Result<Effect, String> {
        let epsn = self.index(sack.epsn);
        if epsn >= self.psns.half() || epsn < self.una {
            return Ok(Effect { old: true, ..Effect::default() });
        }
        // PSNs below the first one read 1, too
        let psns = self.psns;
        let in_segment = (0..SEGMENT).filter(|i| sack.bitmap >> i & 1 == 1).map(|i| psns.add(sack.base, i));
        let in_segment = in_segment.map(|psn| self.index(psn)).filter(|&index| index < psns.half());
        let told: Vec<u32> = (self.una..epsn).chain(in_segment).collect();
        let mut effect = Effect::default();
        for index in told {
            let packet = self.packets.get_mut(index as usize).filter(|packet| packet.received);
            let Some(packet) = packet else {
                return Err(format!("packet {index} is acknowledged, but was not received"));
            };
            effect.acked += u16::from(!packet.reported);
            packet.reported = true;
            self.high = self.high.max(index + 1);
        }
        if epsn != self.una {
            (self.progress, self.moved, self.timeouts) = (now, now, 0);
        }
        self.una = epsn;
        self.high = self.high.max(epsn);
        self.heard = now;
        self.newest_bytes = self.newest_bytes.max(self.received_bytes_of(sack));
        if self.in_recovery && epsn >= self.rec_end {
            self.in_recovery = false;
            effect.left = true;
        }
        let before_probe = self.rec_end.max(self.high);
        let many = sack.ooo > cwnd && sack.ooo > MIN_OOO;
        if sack.probe && self.probe_out && rtt <= u64::from(probe_rtt) && before_probe != epsn {
            effect.loss = Some(Rule::Probe);
        } else if !self.in_recovery && many && self.high != epsn {
            effect.loss = Some(Rule::Ooo);
        }
        self.probe_out = false;
        Ok(effect)
    }

    /// Where a recovery that a SACK brings about ends.
    pub fn end_of(&self, rule: Rule) -> u32 {
        match rule {
            Rule::Ooo => self.high,
            Rule::Probe => self.rec_end.max(self.high),
            Rule::Timeout => self.next,
        }
    }

    /// The SACK's byte count, unwrapped: at most what was received by now.
    fn received_bytes_of(&self, sack: &Sack) -> u64 {
        let less = u64::from((self.received_bytes as u32).wrapping_sub(sack.bytes_recvd));
        self.received_bytes.saturating_sub(less)
    }

    /// What every result must show of the connection.
    pub fn check(&self, shown: &TxOutput) -> Result<(), String> {
        let in_flight = self.in_flight();
        if usize::from(shown.in_flight) != in_flight {
            return Err(format!("{} packets are in flight, not {}", in_flight, shown.in_flight));
        }
        let bytes = self.first_sent_bytes - self.newest_bytes;
        if u64::from(shown.bytes_in_flight) != bytes {
            return Err(format!("{bytes} bytes are in flight, not {}", shown.bytes_in_flight));
        }
        if shown.in_recovery != self.in_recovery {
            return Err(format!("in recovery is {}, not {}", self.in_recovery, shown.in_recovery));
        }
        Ok(())
    }
}
