//! What is around a block: who takes and who gives.

/// What is around the block in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// The receivers take a beat, and the host an event.
    pub tx_out_ready: bool,
    pub rx_out_ready: bool,
    pub event_ready: bool,
    /// The senders offer no further beat.
    pub tx_in_pauses: bool,
    pub rx_in_pauses: bool,
}

impl Around {
    /// Everything is taken at once, and given without a gap.
    pub const FREE: Around = Around {
        tx_out_ready: true,
        rx_out_ready: true,
        event_ready: true,
        tx_in_pauses: false,
        rx_in_pauses: false,
    };
    /// The streams that can be held: nothing goes on there.
    pub const STREAMS: [&'static str; 5] = ["tx_out", "rx_out", "event", "tx_in", "rx_in"];

    /// Those that are.
    pub fn held(self) -> impl Iterator<Item = &'static str> {
        let held =
            [!self.tx_out_ready, !self.rx_out_ready, !self.event_ready, self.tx_in_pauses, self.rx_in_pauses];
        Around::STREAMS.into_iter().zip(held).filter_map(|(stream, is_held)| is_held.then_some(stream))
    }

    /// The same, and one more stream held; `None` if there is none of that name.
    pub fn holding(self, stream: &str) -> Option<Around> {
        Some(match Around::STREAMS.iter().position(|name| *name == stream)? {
            0 => Around { tx_out_ready: false, ..self },
            1 => Around { rx_out_ready: false, ..self },
            2 => Around { event_ready: false, ..self },
            3 => Around { tx_in_pauses: true, ..self },
            _ => Around { rx_in_pauses: true, ..self },
        })
    }
}
