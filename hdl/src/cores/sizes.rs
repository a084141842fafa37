//! From the sizes of a configuration to the widths of a core.
//!
//! rust-hdl's widths are types, so an engine is compiled once for each combination of the menus that it takes.
//! [`by_sizes!`] makes the `match` that chooses one of them. The menus themselves stand in [`config::KEYS`], and how a width follows
//! from them stands here, so that a core only lists the widths that it takes.

use rust_hdl::prelude::Block;

use super::GenerateError;
use super::rewrite::Geometry;
use crate::config::{self, Allowed, Config};
use crate::engine::Engine;

pub(crate) const CONNECTIONS: [u32; 6] = menu("connections");
pub(crate) const DEPTH: [u32; 4] = menu("reps.depth");
pub(crate) const TIME_BITS: [u32; 2] = menu("selector.time_bits");
pub(crate) const FLOWCUT_TIME_BITS: [u32; 2] = menu("flowcut.time_bits");
pub(crate) const BUCKETS: [u32; 4] = menu("flowcut_switch.buckets");
pub(crate) const UPLINKS: [u32; 4] = menu("flowcut_switch.uplinks");
pub(crate) const DESTINATIONS: [u32; 4] = menu("caver.destinations");
pub(crate) const FLOWS: [u32; 3] = menu("caver.flows");
pub(crate) const PORTS: [u32; 3] = menu("caver.ports");
pub(crate) const PATHS: [u32; 13] = menu("ops.paths");
pub(crate) const WINDOW: [u32; 4] = menu("sack.window");
pub(crate) const PSN_BITS: [u32; 2] = menu("sack.psn_bits");
pub(crate) const BUS_BITS: [u32; 4] = menu("bus_bits");
pub(crate) const PARK: [u32; 4] = menu("nic.park");

/// Widths of the entropy cache.
#[derive(Clone, Copy, Debug)]
pub struct RepsSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Number of a slot in the ring of cached EVs.
    pub slot: usize,
    /// A time.
    pub time: usize,
    /// A time without its lowest byte, which is stored apart.
    pub time_high: usize,
    /// Difference of two times.
    pub time_difference: usize,
}

impl RepsSizes {
    /// Of the keys `connections`, `reps.depth` and `selector.time_bits`.
    pub const fn of(connections: u32, depth: u32, time_bits: u32) -> Self {
        let time = time_bits as usize;
        RepsSizes {
            conn: address(connections),
            slot: address(depth),
            time,
            time_high: time - 8,
            time_difference: time + 1,
        }
    }
}

/// Widths of a path selector that has no sizes of its own.
#[derive(Clone, Copy, Debug)]
pub struct SelectorSizes {
    /// Number of a connection.
    pub conn: usize,
}

impl SelectorSizes {
    /// Of the key `connections`.
    pub const fn of(connections: u32) -> Self {
        SelectorSizes { conn: address(connections) }
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

/// Widths of the registers of a NIC.
#[derive(Clone, Copy, Debug)]
pub struct RegisterSizes {
    /// A time of the selector.
    pub time: usize,
    /// The same before it is shifted by less than 4.
    pub time_coarse: usize,
    /// The clock cycles that it is made of.
    pub cycles: usize,
}

impl RegisterSizes {
    /// Of the key `selector.time_bits`.
    pub const fn of(time_bits: u32) -> Self {
        let time = time_bits as usize;
        RegisterSizes { time, time_coarse: time + 3, cycles: time + 16 }
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

/// Widths of both SACK engines. A segment is the 64 packets that one SACK can tell of.
#[derive(Clone, Copy, Debug)]
pub struct SackSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Place of a packet in the window.
    pub place: usize,
    /// The same with the bit that says in which lap around the window.
    pub lapped_place: usize,
    /// Count of packets, 0 to the window.
    pub packets: usize,
    /// Difference of two such counts.
    pub packets_difference: usize,
    /// Count of segments, 0 to those of the window.
    pub segments: usize,
    /// Flags of the segments after the first; one that stays clear where the window is a single segment.
    pub later_segments: usize,
    /// Count of 16-bit words, 0 to those of the window.
    pub words: usize,
    /// Count of 32-bit words, 0 to those of the window.
    pub wide_words: usize,
    /// Address of a packet in the bitmaps of all connections.
    pub bit_address: usize,
    /// Address of a segment in the bitmaps of all connections.
    pub segment_address: usize,
    /// Address of a 16-bit word in the bitmaps of all connections.
    pub word_address: usize,
    /// Address of a 32-bit word in the bitmaps of all connections.
    pub wide_word_address: usize,
    /// Address of one of the four 16-bit words of byte counts of each connection.
    pub bytes_address: usize,
    /// Address of one of the two times of each connection.
    pub time_address: usize,
    /// A PSN.
    pub psn: usize,
    /// Number of a segment: a PSN without its place in the segment.
    pub segment_number: usize,
    /// Difference of two such numbers without its sign.
    pub segment_number_magnitude: usize,
}

impl SackSizes {
    /// Of the keys `connections`, `sack.window` and `sack.psn_bits`.
    pub const fn of(connections: u32, window: u32, psn_bits: u32) -> Self {
        let (conn, place, psn) = (address(connections), address(window), psn_bits as usize);
        let segments = window as usize / 64;
        SackSizes {
            conn,
            place,
            lapped_place: place + 1,
            packets: place + 1,
            packets_difference: place + 2,
            segments: place - 5,
            later_segments: if segments > 1 { segments - 1 } else { 1 },
            words: place - 3,
            wide_words: place - 4,
            bit_address: conn + place,
            segment_address: conn + place - 6,
            word_address: conn + place - 4,
            wide_word_address: conn + place - 5,
            bytes_address: conn + 2,
            time_address: conn + 1,
            psn,
            segment_number: psn - 6,
            segment_number_magnitude: psn - 7,
        }
    }
}

/// The sizes that both SACK engines have, for the head of their Verilog. That PSNs have the usual width is not said there.
pub(super) fn of_sack(config: &Config) -> String {
    let config::Sack { window, psn_bits, .. } = config.sack;
    let sizes = format!("connections = {}, sack.window = {window}", config.connections);
    match psn_bits == config::Sack::default().psn_bits {
        true => sizes,
        false => format!("{sizes}, sack.psn_bits = {psn_bits}"),
    }
}

/// Widths of the header rewriters.
#[derive(Clone, Copy, Debug)]
pub struct BusSizes {
    /// The data of a beat.
    pub data: usize,
    /// Bytes of a beat.
    pub bytes: usize,
    /// 32-bit steps of a beat.
    pub steps: usize,
    /// Number of a beat, which stays at [`Geometry::last_beat`].
    pub beat_number: usize,
    /// What else is kept of a beat in the rewriter of the sender: `tkeep` with `tlast` in place of its lowest bit, and `tuser`.
    pub keep_and_user: usize,
    /// A whole beat: data, `tkeep` and `tuser`.
    pub beat: usize,
    /// Beats that hold the first 36 bytes of a frame when its first beat leaves them, and that beat: what the shims look at.
    pub window: usize,
}

impl BusSizes {
    /// Of the key `bus_bits`.
    pub const fn of(bus_bits: u32) -> Self {
        let data = bus_bits as usize;
        let Geometry { bytes, steps, last_beat, .. } = Geometry::new(data);
        let bytes = bytes as usize;
        BusSizes {
            data,
            bytes,
            steps: steps as usize,
            beat_number: (last_beat + 1).trailing_zeros() as usize,
            keep_and_user: bytes + 1,
            beat: data + bytes + 1,
            window: super::shim::window(bytes),
        }
    }
}

/// Widths of the memory of what each connection sent last, in lines of 512 bits behind a bus that is no wider.
#[derive(Clone, Copy, Debug)]
pub struct PeerSizes {
    /// The data of a beat.
    pub data: usize,
    /// Number of a connection.
    pub conn: usize,
    /// Address of a beat in the lines of all connections.
    pub beat_address: usize,
    /// Count of beats, 0 to those of a line.
    pub beats: usize,
}

impl PeerSizes {
    /// Of the keys `bus_bits` and `connections`.
    pub const fn of(bus_bits: u32, connections: u32) -> Self {
        let (conn, beat) = (address(connections), address(512 / bus_bits));
        PeerSizes { data: bus_bits as usize, conn, beat_address: conn + beat, beats: beat + 1 }
    }
}

/// Widths of a list of connections in the block that joins the cores.
#[derive(Clone, Copy, Debug)]
pub struct ListSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Count of connections, 0 to all.
    pub places: usize,
    /// A PSN.
    pub psn: usize,
}

impl ListSizes {
    /// Of the keys `connections` and `sack.psn_bits`.
    pub const fn of(connections: u32, psn_bits: u32) -> Self {
        let conn = address(connections);
        ListSizes { conn, places: conn + 1, psn: psn_bits as usize }
    }
}

/// Widths of the places of parked frames.
#[derive(Clone, Copy, Debug)]
pub struct ParkSizes {
    /// The data of a beat.
    pub data: usize,
    /// Its bytes.
    pub bytes: usize,
    /// Number of a beat in its place.
    pub beat: usize,
    /// Address of a beat in all places.
    pub address: usize,
}

impl ParkSizes {
    /// Of the keys `bus_bits` and `nic.park`.
    pub const fn of(bus_bits: u32, park: u32) -> Self {
        let beat = address(place_beats(bus_bits));
        ParkSizes {
            data: bus_bits as usize,
            bytes: bus_bits as usize / 8,
            beat,
            address: beat + address(park),
        }
    }
}

/// Bytes and beats of a place for a packet that is parked, at most.
const MOST_PLACE_BYTES: u32 = 8192;
const MOST_PLACE_BEATS: u32 = 512;

/// Beats of such a place on a bus.
pub const fn place_beats(bus_bits: u32) -> u32 {
    let beats = MOST_PLACE_BYTES / (bus_bits / 8);
    if beats < MOST_PLACE_BEATS { beats } else { MOST_PLACE_BEATS }
}

/// Width of a number below `count`, which is a power of two.
const fn address(count: u32) -> usize {
    assert!(count.is_power_of_two());
    count.trailing_zeros() as usize
}

/// The menu of a key. That it has `N` values, as many as [`by_sizes!`] has branches for the key, is checked by the compiler.
const fn menu<const N: usize>(key: &str) -> [u32; N] {
    let Allowed::Menu(values) = config::key(key).allowed else { panic!("the key has no menu") };
    assert!(values.len() == N, "by_sizes! has as many branches for a key as its menu has values");
    let mut menu = [0; N];
    let mut position = 0;
    while position < N {
        menu[position] = values[position];
        position += 1;
    }
    menu
}

/// Where `value` stands in the `menu` of `key`.
pub(crate) fn position(
    core: &'static str,
    key: &'static str,
    menu: &[u32],
    value: u32,
) -> Result<usize, GenerateError> {
    let position = menu.iter().position(|&known| known == value);
    position.ok_or(GenerateError::OffMenu { core, key, value })
}

/// An engine on the heap, made in a stack frame of its own: one of all sizes together would be many times as large.
pub(crate) fn boxed<B: Block + 'static>(make: impl FnOnce() -> B) -> Box<dyn Block> {
    Box::new(make())
}

/// The same for the engine of a core that takes ops.
pub(super) fn boxed_engine<E: Engine + 'static>(make: impl FnOnce() -> E) -> Box<dyn Engine> {
    Box::new(make())
}

/// The engine whose sizes are those of a configuration.
///
/// `by_sizes!("sack_tx", config, S: SackSizes(connections, sack.window) => boxed(Engine::<{ S.conn }, { S.place }>::new))` is that
/// expression with the constant `S` for the values of the two keys in `config`. A value off its menu is returned as
/// [`GenerateError::OffMenu`].
macro_rules! by_sizes {
    ($core:literal, $config:ident, $name:ident: $sizes:ident($($keys:tt)+) => $engine:expr) => {
        by_sizes!(@choose $core $config ($name: $sizes => $engine) [] $($keys)+)
    };

    // One branch for each position in the menu of the first key that is left.
    (@choose $core:literal $config:ident $then:tt $chosen:tt connections $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (connections) CONNECTIONS (0 1 2 3 4 5) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt reps.depth $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (reps.depth) DEPTH (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt selector.time_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (selector.time_bits) TIME_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut.time_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut.time_bits) FLOWCUT_TIME_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut_switch.buckets $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut_switch.buckets) BUCKETS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut_switch.uplinks $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut_switch.uplinks) UPLINKS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.destinations $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.destinations) DESTINATIONS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.flows $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.flows) FLOWS (0 1 2) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.ports $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.ports) PORTS (0 1 2) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt ops.paths $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (ops.paths) PATHS (0 1 2 3 4 5 6 7 8 9 10 11 12) $then $chosen
            [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt sack.window $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (sack.window) WINDOW (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt sack.psn_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (sack.psn_bits) PSN_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt nic.park $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (nic.park) PARK (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt bus_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (bus_bits) BUS_BITS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@branches $core:literal $config:ident ($($field:ident).+) $menu:ident ($($position:literal)+)
        $then:tt $chosen:tt $rest:tt
    ) => {
        match $crate::cores::sizes::position(
            $core,
            stringify!($($field).+),
            &$crate::cores::sizes::$menu,
            $config.$($field).+,
        )? {
            $($position => by_sizes!(@chosen $core $config $then $chosen ($menu[$position]) $rest),)+
            _ => unreachable!("a position is within its menu"),
        }
    };
    (@chosen $core:literal $config:ident $then:tt [$($chosen:tt)*] $value:tt [$($rest:tt)*]) => {
        by_sizes!(@choose $core $config $then [$($chosen)* $value] $($rest)*)
    };

    // Every key has its value.
    (@choose $core:literal $config:ident ($name:ident: $sizes:ident => $engine:expr)
        [$(($menu:ident[$position:literal]))+]
    ) => {{
        const $name: $sizes = $sizes::of($($crate::cores::sizes::$menu[$position]),+);
        $engine
    }};
}
pub(crate) use by_sizes;
