//! Order, packet by packet: what the two Flowcut cores promise, and that it is lost with each of their guards.

mod nic;
mod switch;

use respray_golden::order::{Fabric, Traffic};

/// A network that loses and delays, and whose ACKs overtake each other.
fn rough() -> Fabric {
    Fabric { data_loss_ppm: 20_000, ack_loss_ppm: 200_000, ..Fabric::default() }
}

fn traffic(packets: u64) -> Traffic {
    Traffic { packets, ..Traffic::default() }
}
