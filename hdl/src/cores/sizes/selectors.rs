//! Widths of the engines that choose paths, in a NIC and in a switch.

use super::address;

/// Widths of the entropy cache.
#[derive(Clone, Copy, Debug)]
pub struct RepsSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Number of a slot in the ring of cached EVs.
    pub slot: usize,
    /// A time.
    pub time: usize,
    /// Difference of two times.
    pub time_difference: usize,
}

impl RepsSizes {
    /// Of the keys `connections`, `reps.depth` and `selector.time_bits`.
    pub const fn of(connections: u32, depth: u32, time_bits: u32) -> Self {
        let time = time_bits as usize;
        RepsSizes { conn: address(connections), slot: address(depth), time, time_difference: time + 1 }
    }
}

/// Widths of a path selector that has no sizes of its own.
#[derive(Clone, Copy, Debug)]
pub struct SelectorSizes {
    /// Number of a connection.
    pub conn: usize,
    /// How many wait in a list, from 0 to all.
    pub places: usize,
}

impl SelectorSizes {
    /// Of the key `connections`.
    pub const fn of(connections: u32) -> Self {
        let conn = address(connections);
        SelectorSizes { conn, places: conn + 1 }
    }
}

/// Widths of a core that works on one op at a time, with several words a connection in a memory.
#[derive(Clone, Copy, Debug)]
pub struct WordSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Address of one of at most four words of each connection.
    pub address_of_four: usize,
    /// Address of one of at most eight.
    pub address_of_eight: usize,
    /// Address of one of at most sixteen, and of at most 64.
    pub address_of_sixteen: usize,
    pub address_of_sixty_four: usize,
}

impl WordSizes {
    /// Of the key `connections`.
    pub const fn of(connections: u32) -> Self {
        let conn = address(connections);
        WordSizes {
            conn,
            address_of_four: conn + 2,
            address_of_eight: conn + 3,
            address_of_sixteen: conn + 4,
            address_of_sixty_four: conn + 6,
        }
    }
}

/// Widths of a path selector with times.
#[derive(Clone, Copy, Debug)]
pub struct TimedSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Number of one of two times of a connection.
    pub time_key: usize,
    /// A time.
    pub time: usize,
}

impl TimedSizes {
    /// Of the keys `connections` and `selector.time_bits`.
    pub const fn of(connections: u32, time_bits: u32) -> Self {
        let conn = address(connections);
        TimedSizes { conn, time_key: conn + 1, time: time_bits as usize }
    }
}

/// Widths of Flowcut in a NIC.
#[derive(Clone, Copy, Debug)]
pub struct FlowcutSizes {
    /// Number of a connection.
    pub conn: usize,
    /// A time.
    pub time: usize,
    /// Sum of two times.
    pub two_times: usize,
    /// Average of times, in 32nds.
    pub average: usize,
    /// Such a sum times a ratio of 6 bits, with a sign.
    pub product: usize,
}

impl FlowcutSizes {
    /// Of the keys `connections` and `flowcut.time_bits`.
    pub const fn of(connections: u32, time_bits: u32) -> Self {
        let time = time_bits as usize;
        FlowcutSizes {
            conn: address(connections),
            time,
            two_times: time + 1,
            average: time + 5,
            product: time + 8,
        }
    }
}

/// Widths of Flowcut in a switch.
#[derive(Clone, Copy, Debug)]
pub struct FlowcutSwitchSizes {
    /// Number of a bucket.
    pub bucket: usize,
    /// A bit for each uplink.
    pub uplinks: usize,
    /// Number of an uplink.
    pub port: usize,
}

impl FlowcutSwitchSizes {
    /// Of the keys `flowcut_switch.buckets` and `flowcut_switch.uplinks`.
    pub const fn of(buckets: u32, uplinks: u32) -> Self {
        FlowcutSwitchSizes { bucket: address(buckets), uplinks: uplinks as usize, port: address(uplinks) }
    }
}

/// Widths of CAVER in a switch.
#[derive(Clone, Copy, Debug)]
pub struct CaverSizes {
    /// Number of a destination.
    pub dst: usize,
    /// Place in the flow table.
    pub flow: usize,
    /// Number of a port.
    pub port: usize,
    /// A bit for each port.
    pub ports: usize,
    /// Place in the larger table.
    pub walk: usize,
    /// One of the four uplinks of a destination that have a memory in common.
    pub tail: usize,
}

impl CaverSizes {
    /// Of the keys `caver.destinations`, `caver.flows` and `caver.ports`.
    pub const fn of(destinations: u32, flows: u32, ports: u32) -> Self {
        let (dst, flow) = (address(destinations), address(flows));
        CaverSizes {
            dst,
            flow,
            port: address(ports),
            ports: ports as usize,
            walk: if dst > flow { dst } else { flow },
            tail: dst + 2,
        }
    }
}

/// Widths of oblivious packet spraying in an order.
#[derive(Clone, Copy, Debug)]
pub struct OpsSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Number of a path.
    pub path: usize,
}

impl OpsSizes {
    /// Of the keys `connections` and `ops.paths`.
    pub const fn of(connections: u32, paths: u32) -> Self {
        OpsSizes { conn: address(connections), path: address(paths) }
    }
}
