/// What happened in a run. Packets are first transmissions unless it is said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Packets that left.
    pub sent: u64,
    /// Packets that arrived, in order or not.
    pub delivered: u64,
    /// Data packets that a path lost, retransmissions among them.
    pub lost: u64,
    /// NIC: retransmissions and probes.
    pub retransmitted: u64,
    /// Packets that arrived after a later one of their flow, though no `order_risk` stood between the two.
    pub out_of_order: u64,
    /// Packets that arrived after later ones of their flow, an `order_risk` between.
    pub excused: u64,
    /// Outcomes with `order_risk`.
    pub order_risks: u64,
    /// Flowcuts that began.
    pub flowcuts: u64,
    /// Drains that began (`drain_started`, `xoff`).
    pub drains: u64,
    /// Drains that ended with all acknowledged (`drain_done`; `xon` of an ACK).
    pub drains_done: u64,
    /// NIC: drains that a timeout ended.
    pub drains_given_up: u64,
    /// Packets that were told to wait, each time that they were; switch: packets that a pause held back.
    pub waits: u64,
    /// ACKs that arrived.
    pub acks: u64,
    /// ACKs that were lost.
    pub acks_lost: u64,
    /// ACKs that the end refused.
    pub refused: u64,
    /// NIC: timeouts.
    pub timeouts: u64,
    /// Switch: packets whose uplink had gone down.
    pub forced: u64,
    /// Switch: packets that found no uplink, and did not leave.
    pub no_route: u64,
    /// Switch: packets that came in spite of XOFF, or before it was heeded.
    pub unheeded: u64,
    /// Switch: silent buckets that were emptied.
    pub cleared: u64,
    /// Outcomes that contradict what the network knows: F1, F2, F4, F6 of the contract.
    pub contradictions: u64,
    /// Bytes that, by ops and outcomes, are still on their way when all is quiet. A leak, unless it is 0.
    pub in_flight: u64,
    /// Flows.
    pub flows: u32,
    /// Switch: flows whose bucket has another flow.
    pub flows_with_company: u32,
    /// Ticks until all was quiet.
    pub ticks: u64,
}

impl Report {
    /// Share of flows whose bucket has another flow, for a reader.
    pub fn collisions(&self) -> f64 {
        f64::from(self.flows_with_company) / f64::from(self.flows.max(1))
    }
}
