//! The block: its ports, the settings behind them, and the times.

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use super::control::Control;
use super::register::{Holder, Register, find};
use super::rows::rows;
use super::table::{CLOSE_DRAINS, RSS_PORT_BASE};
use super::ticks::Ticks;
use crate::comment;
use crate::prims::{FreeRunning, Optional, Param, paste};

/// Declares the block for selectors with these settings and events: a setting with its bits, an event with the number of its counter.
/// `words`, `ranges` and `counts` are the sizes of [`Control`].
macro_rules! block {
    (
        [
            $(#[$about:meta])*
            $block:ident: $ranges:tt ranges;
            settings { $($own:ident $own_width:tt;)* }
            events { $($event_number:tt $event:ident;)* }
            frames { $($frame:ident $frame_width:tt;)* }
            peers { $($peer:ident $peer_width:tt;)* }
            typed { $($typed:ident $typed_width:tt;)* }
            counted { $($typed_number:tt $typed_counter:ident;)* }
        ]
        settings { $($name:ident $width:tt $reset:tt $allowed:tt $meaning:tt;)* }
        operands { $($operand:ident $bits:tt $value:tt $range:tt $operand_meaning:tt;)* }
        counters { $($number:tt $counter:ident $counted:tt;)* }
        refused { $refused:tt $refusals:ident $counted_refusals:tt; }
    ) => { paste! {
        $(#[$about])*
        ///
        /// `T` is the width of a selector's time, `M = T + 3`, `W = T + 16`. `N` and `K` are sizes of [`Control`]: words and counters.
        #[derive(LogicBlock, Default)]
        pub struct $block<const T: usize, const M: usize, const W: usize, const N: usize, const K: usize> {
            pub clk: Signal<In, Clock>,
            pub rst: Signal<In, Bit>,
            pub s_axil_awvalid: Signal<In, Bit>,
            pub s_axil_awready: Signal<Out, Bit>,
            pub s_axil_awaddr: Signal<In, Bits<12>>,
            pub s_axil_wvalid: Signal<In, Bit>,
            pub s_axil_wready: Signal<Out, Bit>,
            pub s_axil_wdata: Signal<In, Bits<32>>,
            pub s_axil_wstrb: Signal<In, Bits<4>>,
            pub s_axil_bvalid: Signal<Out, Bit>,
            pub s_axil_bready: Signal<In, Bit>,
            pub s_axil_bresp: Signal<Out, Bits<2>>,
            pub s_axil_arvalid: Signal<In, Bit>,
            pub s_axil_arready: Signal<Out, Bit>,
            pub s_axil_araddr: Signal<In, Bits<12>>,
            pub s_axil_rvalid: Signal<Out, Bit>,
            pub s_axil_rready: Signal<In, Bit>,
            pub s_axil_rdata: Signal<Out, Bits<32>>,
            pub s_axil_rresp: Signal<Out, Bits<2>>,
            $(pub $name: Signal<Out, Bits<$width>>,)*
            $(pub $own: Signal<Out, Bits<$own_width>>,)*
            pub command_valid: Signal<Out, Bit>,
            pub command_ready: Signal<In, Bit>,
            pub command_code: Signal<Out, Bits<4>>,
            $(pub $operand: Signal<Out, Bits<$bits>>,)*
            pub result_status: Signal<In, Bits<3>>,
            pub result_snd_una: Signal<In, Bits<32>>,
            pub result_snd_nxt: Signal<In, Bits<32>>,
            pub result_in_flight: Signal<In, Bits<10>>,
            pub result_bytes_in_flight: Signal<In, Bits<32>>,
            pub result_in_recovery: Signal<In, Bits<1>>,
            pub events_waiting: Signal<In, Bits<16>>,
            pub grant_valid: Optional<Signal<Out, Bit>>,
            pub grant: Optional<Signal<Out, Bits<16>>>,
            pub credit_state: Optional<Signal<In, Bits<32>>>,
            pub rss_port_base: Optional<Signal<Out, Bits<16>>>,
            pub close_drains: Optional<Signal<Out, Bits<1>>>,
            $(pub $frame: Optional<Signal<Out, Bits<$frame_width>>>,)*
            $(pub $peer: Optional<Signal<Out, Bits<$peer_width>>>,)*
            pub peer_valid: Optional<Signal<Out, Bit>>,
            pub peer_ready: Optional<Signal<In, Bit>>,
            pub peer_conn: Optional<Signal<Out, Bits<24>>>,
            pub accept_valid: Optional<Signal<Out, Bit>>,
            pub accept_ready: Optional<Signal<In, Bit>>,
            pub accept_conn: Optional<Signal<Out, Bits<24>>>,
            pub accept_status: Optional<Signal<In, Bits<3>>>,
            pub accept_nack: Optional<Signal<In, Bits<8>>>,
            $(pub [<count_ $counter>]: Signal<In, Bit>,)*
            $(pub [<count_ $event>]: Signal<In, Bit>,)*
            $(pub $typed: Optional<Signal<Out, Bits<$typed_width>>>,)*
            pub event_enable_high: Optional<Signal<Out, Bits<7>>>,
            $(pub [<count_ $typed_counter>]: Optional<Signal<In, Bit>>,)*
            pub count_rx_no_credit: Optional<Signal<In, Bit>>,
            pub count_rx_credit_refused: Optional<Signal<In, Bit>>,
            pub count_rx_other_address: Optional<Signal<In, Bit>>,
            pub count_acks_other_address: Optional<Signal<In, Bit>>,
            pub wire_time: Signal<Out, Bits<16>>,
            pub sack_time: Signal<Out, Bits<16>>,
            pub selector_time: Signal<Out, Bits<T>>,

            control: Control<N, $ranges, K>,
            cycle_count: FreeRunning,
            wire_ticks: Ticks<16, 19, 32>,
            sack_ticks: Ticks<16, 19, 32>,
            selector_ticks: Ticks<T, M, W>,

            cycles_low: Signal<Local, Bits<32>>,
            cycles_high: Signal<Local, Bits<32>>,
            cycles: Signal<Local, Bits<64>>,
            applies: Signal<Local, Bit>,
            number: Signal<Local, Bits<8>>,
            value: Signal<Local, Bits<32>>,
            pulses: Signal<Local, Bits<K>>,
            $([<$name _held>]: DFF<Bits<$width>>,)*
            $([<$own _held>]: DFF<Bits<$own_width>>,)*
            $([<$operand _held>]: DFF<Bits<$bits>>,)*

            $([<$name _at>]: Param<Bits<8>>, [<$name _reset>]: Param<Bits<$width>>,)*
            $([<$own _at>]: Param<Bits<8>>, [<$own _reset>]: Param<Bits<$own_width>>,)*
            $([<$operand _at>]: Param<Bits<8>>,)*
            /// A selector with times of 16 bits has those of the wire.
            follows_wire: Param<Bit>,
            /// Data goes to the host with ports of connections.
            has_ports: Param<Bit>,
            rss_port_base_held: Optional<DFF<Bits<16>>>,
            rss_port_base_at: Param<Bits<8>>,
            rss_port_base_reset: Param<Bits<16>>,
            /// The host hears of closes.
            is_graceful: Param<Bit>,
            close_drains_held: Optional<DFF<Bits<1>>>,
            close_drains_at: Param<Bits<8>>,
            /// Events go to the host in frames.
            has_frames: Param<Bit>,
            $(
                [<$frame _held>]: Optional<DFF<Bits<$frame_width>>>,
                [<$frame _at>]: Param<Bits<8>>,
                [<$frame _reset>]: Param<Bits<$frame_width>>,
            )*
            /// The host says who the peers are.
            has_peers: Param<Bit>,
            $(
                [<$peer _held>]: Optional<DFF<Bits<$peer_width>>>,
                [<$peer _at>]: Param<Bits<8>>,
            )*
            /// The block is that of Ultra Ethernet.
            has_types: Param<Bit>,
            event_enable_high_held: Optional<DFF<Bits<7>>>,
            $(
                [<$typed _held>]: Optional<DFF<Bits<$typed_width>>>,
                [<$typed _at>]: Param<Bits<8>>,
                [<$typed _reset>]: Param<Bits<$typed_width>>,
            )*
            $([<$typed_counter _bit>]: Param<Bits<K>>,)*
            /// The bits of its counters among the pulses.
            other_address: Param<Bits<K>>,
            acks_other_address: Param<Bits<K>>,
            /// The host grants frames.
            has_credit: Param<Bit>,
            rx_credit_at: Param<Bits<8>>,
            /// The bits of its counters among the pulses.
            no_credit: Param<Bits<K>>,
            credit_refused: Param<Bits<K>>,
        }

        impl<const T: usize, const M: usize, const W: usize, const N: usize, const K: usize> $block<T, M, W, N, K> {
            /// For a table of registers.
            ///
            /// # Panics
            /// If the table has other settings or counters than the block.
            pub fn new(table: &[Register]) -> Self {
                let word = |name: &str| Param::new(find(table, name).word().into());
                let reset = |name: &str| u64::from(find(table, name).reset);
                let rx_credit = table.iter().find(|register| register.holder == Holder::Grant);
                let has_credit = rx_credit.is_some();
                let rss_port_base = table.iter().find(|register| register.name == RSS_PORT_BASE);
                let has_ports = rss_port_base.is_some();
                let close_drains = table.iter().find(|register| register.name == CLOSE_DRAINS);
                let is_graceful = close_drains.is_some();
                let of_frames = |name: &str| table.iter().find(|register| register.name == name);
                let has_frames = [$(of_frames(stringify!($frame)).is_some()),*].contains(&true);
                let mut counters = vec![
                    $((stringify!($counter), $number),)*
                    (stringify!($refusals), $refused),
                    $((stringify!($event), $event_number),)*
                ];
                let has_peers = table.iter().any(|register| register.holder == Holder::PeerEntry);
                // those of peers are the last ones, behind those of credit
                let of_credit = K.saturating_sub(if has_peers { 4 } else { 2 });
                if has_credit {
                    counters.extend([("rx_no_credit", of_credit), ("rx_credit_refused", of_credit + 1)]);
                }
                if has_peers {
                    counters.extend([("rx_other_address", K - 2), ("acks_other_address", K - 1)]);
                }
                let has_types = of_frames("ack_type").is_some();
                let of_types = if has_types { K - super::typed::TYPED_COUNTERS.len() } else { 0 };
                if has_types {
                    counters.extend([$((stringify!($typed_counter), of_types + $typed_number)),*]);
                }
                check_counters::<K>(table, &counters);
                let mut block = Self {
                    control: Control::new(table),
                    cycle_count: FreeRunning::new("cycle_count"),
                    wire_ticks: Ticks::new(),
                    sack_ticks: Ticks::new(),
                    selector_ticks: Ticks::new(),
                    $(
                        [<$name _at>]: word(stringify!($name)),
                        // of one that has more bits somewhere, the lower ones
                        [<$name _reset>]: Param::new((reset(stringify!($name)) & u64::MAX >> (64 - $width)).into()),
                    )*
                    $(
                        [<$own _at>]: word(stringify!($own)),
                        [<$own _reset>]: Param::new(reset(stringify!($own)).into()),
                    )*
                    $([<$operand _at>]: word(stringify!($operand)),)*
                    follows_wire: Param::new(T == 16),
                    grant_valid: Optional::new(has_credit, Default::default),
                    grant: Optional::new(has_credit, Default::default),
                    credit_state: Optional::new(has_credit, Default::default),
                    count_rx_no_credit: Optional::new(has_credit, Default::default),
                    count_rx_credit_refused: Optional::new(has_credit, Default::default),
                    rss_port_base: Optional::new(has_ports, Default::default),
                    rss_port_base_held: Optional::new(has_ports, Default::default),
                    rss_port_base_at: Param::new(rss_port_base.map_or(0, Register::word).into()),
                    rss_port_base_reset: Param::new(rss_port_base.map_or(0, |one| u64::from(one.reset)).into()),
                    has_ports: Param::new(has_ports),
                    close_drains: Optional::new(is_graceful, Default::default),
                    close_drains_held: Optional::new(is_graceful, Default::default),
                    close_drains_at: Param::new(close_drains.map_or(0, Register::word).into()),
                    is_graceful: Param::new(is_graceful),
                    $(
                        $frame: Optional::new(has_frames, Default::default),
                        [<$frame _held>]: Optional::new(has_frames, Default::default),
                        [<$frame _at>]: Param::new(of_frames(stringify!($frame)).map_or(0, Register::word).into()),
                        [<$frame _reset>]: Param::new(of_frames(stringify!($frame)).map_or(0, |one| u64::from(one.reset)).into()),
                    )*
                    has_types: Param::new(has_types),
                    event_enable_high: Optional::new(has_types, Default::default),
                    event_enable_high_held: Optional::new(has_types, Default::default),
                    $(
                        $typed: Optional::new(has_types, Default::default),
                        [<$typed _held>]: Optional::new(has_types, Default::default),
                        [<$typed _at>]: Param::new(of_frames(stringify!($typed)).map_or(0, Register::word).into()),
                        [<$typed _reset>]: Param::new(of_frames(stringify!($typed)).map_or(0, |one| u64::from(one.reset)).into()),
                    )*
                    $(
                        [<count_ $typed_counter>]: Optional::new(has_types, Default::default),
                        [<$typed_counter _bit>]: Param::new((1u64 << (of_types + $typed_number)).into()),
                    )*
                    has_frames: Param::new(has_frames),
                    has_credit: Param::new(has_credit),
                    $(
                        $peer: Optional::new(has_peers, Default::default),
                        [<$peer _held>]: Optional::new(has_peers, Default::default),
                        [<$peer _at>]: Param::new(of_frames(stringify!($peer)).map_or(0, Register::word).into()),
                    )*
                    peer_valid: Optional::new(has_peers, Default::default),
                    peer_ready: Optional::new(has_peers, Default::default),
                    peer_conn: Optional::new(has_peers, Default::default),
                    accept_valid: Optional::new(has_types, Default::default),
                    accept_ready: Optional::new(has_types, Default::default),
                    accept_conn: Optional::new(has_types, Default::default),
                    accept_status: Optional::new(has_types, Default::default),
                    accept_nack: Optional::new(has_types, Default::default),
                    count_rx_other_address: Optional::new(has_peers, Default::default),
                    count_acks_other_address: Optional::new(has_peers, Default::default),
                    has_peers: Param::new(has_peers),
                    other_address: Param::new((1u64 << (K - 2)).into()),
                    acks_other_address: Param::new((1u64 << (K - 1)).into()),
                    no_credit: Param::new((1u64 << of_credit).into()),
                    credit_refused: Param::new((2u64 << of_credit).into()),
                    rx_credit_at: Param::new(rx_credit.map_or(0, Register::word).into()),
                    ..Default::default()
                };
                block.connect_all();
                block
            }
        }

        impl<const T: usize, const M: usize, const W: usize, const N: usize, const K: usize> Logic for $block<T, M, W, N, K> {
            #[hdl_gen]
            fn update(&mut self) {
                $(dff_setup!(self, clk, [<$name _held>]);)*
                $(dff_setup!(self, clk, [<$own _held>]);)*
                $(dff_setup!(self, clk, [<$operand _held>]);)*
                self.control.clk.next = self.clk.val();
                self.control.rst.next = self.rst.val();
                self.cycle_count.clk.next = self.clk.val();

                comment!("The bus.");
                self.control.awvalid.next = self.s_axil_awvalid.val();
                self.control.awaddr.next = self.s_axil_awaddr.val();
                self.control.wvalid.next = self.s_axil_wvalid.val();
                self.control.wdata.next = self.s_axil_wdata.val();
                self.control.wstrb.next = self.s_axil_wstrb.val();
                self.control.bready.next = self.s_axil_bready.val();
                self.control.arvalid.next = self.s_axil_arvalid.val();
                self.control.araddr.next = self.s_axil_araddr.val();
                self.control.rready.next = self.s_axil_rready.val();
                self.s_axil_awready.next = self.control.awready.val();
                self.s_axil_wready.next = self.control.wready.val();
                self.s_axil_bvalid.next = self.control.bvalid.val();
                self.s_axil_bresp.next = self.control.resp.val();
                self.s_axil_arready.next = self.control.arready.val();
                self.s_axil_rvalid.next = self.control.rvalid.val();
                self.s_axil_rdata.next = self.control.rdata.val();
                self.s_axil_rresp.next = self.control.resp.val();

                comment!("Commands.");
                self.command_valid.next = self.control.command_valid.val();
                self.control.command_ready.next = self.command_ready.val();
                self.command_code.next = self.control.command_code.val();
                self.control.result_status.next = self.result_status.val();
                self.control.result_snd_una.next = self.result_snd_una.val();
                self.control.result_snd_nxt.next = self.result_snd_nxt.val();
                self.control.result_in_flight.next = self.result_in_flight.val();
                self.control.result_bytes_in_flight.next = self.result_bytes_in_flight.val();
                self.control.result_in_recovery.next = self.result_in_recovery.val();
                self.control.events_waiting.next = self.events_waiting.val();
                if self.has_credit.val() {
                    self.control.credit_state.next = self.credit_state.val();
                }

                comment!("Settings and operands: written by an access, the rest is as rst leaves it.");
                self.applies.next = self.control.applies.val();
                self.number.next = self.control.number.val();
                self.value.next = self.control.value.val();
                $(
                    if self.applies.val() && (self.number.val() == self.[<$name _at>].val()) {
                        self.[<$name _held>].d.next = self.value.val().get_bits::<$width>(0);
                    }
                    if self.rst.val() {
                        self.[<$name _held>].d.next = self.[<$name _reset>].val();
                    }
                    self.$name.next = self.[<$name _held>].q.val();
                )*
                $(
                    if self.applies.val() && (self.number.val() == self.[<$own _at>].val()) {
                        self.[<$own _held>].d.next = self.value.val().get_bits::<$own_width>(0);
                    }
                    if self.rst.val() {
                        self.[<$own _held>].d.next = self.[<$own _reset>].val();
                    }
                    self.$own.next = self.[<$own _held>].q.val();
                )*
                $(
                    if self.applies.val() && (self.number.val() == self.[<$operand _at>].val()) {
                        self.[<$operand _held>].d.next = self.value.val().get_bits::<$bits>(0);
                    }
                    if self.rst.val() {
                        self.[<$operand _held>].d.next = bits::<$bits>(0);
                    }
                    self.$operand.next = self.[<$operand _held>].q.val();
                )*

                if self.has_ports.val() {
                    dff_setup!(self, clk, rss_port_base_held);
                    if self.applies.val() && (self.number.val() == self.rss_port_base_at.val()) {
                        self.rss_port_base_held.d.next = self.value.val().get_bits::<16>(0);
                    }
                    if self.rst.val() {
                        self.rss_port_base_held.d.next = self.rss_port_base_reset.val();
                    }
                    self.rss_port_base.next = self.rss_port_base_held.q.val();
                }

                if self.is_graceful.val() {
                    dff_setup!(self, clk, close_drains_held);
                    if self.applies.val() && (self.number.val() == self.close_drains_at.val()) {
                        self.close_drains_held.d.next = self.value.val().get_bits::<1>(0);
                    }
                    if self.rst.val() {
                        self.close_drains_held.d.next = bits::<1>(0);
                    }
                    self.close_drains.next = self.close_drains_held.q.val();
                }

                if self.has_frames.val() {
                    $(
                        dff_setup!(self, clk, [<$frame _held>]);
                        if self.applies.val() && (self.number.val() == self.[<$frame _at>].val()) {
                            self.[<$frame _held>].d.next = self.value.val().get_bits::<$frame_width>(0);
                        }
                        if self.rst.val() {
                            self.[<$frame _held>].d.next = self.[<$frame _reset>].val();
                        }
                        self.$frame.next = self.[<$frame _held>].q.val();
                    )*
                }

                if self.has_types.val() {
                    $(
                        dff_setup!(self, clk, [<$typed _held>]);
                        if self.applies.val() && (self.number.val() == self.[<$typed _at>].val()) {
                            self.[<$typed _held>].d.next = self.value.val().get_bits::<$typed_width>(0);
                        }
                        if self.rst.val() {
                            self.[<$typed _held>].d.next = self.[<$typed _reset>].val();
                        }
                        self.$typed.next = self.[<$typed _held>].q.val();
                    )*
                    dff_setup!(self, clk, event_enable_high_held);
                    if self.applies.val() && (self.number.val() == self.event_enable_at.val()) {
                        self.event_enable_high_held.d.next = self.value.val().get_bits::<7>(15);
                    }
                    if self.rst.val() {
                        self.event_enable_high_held.d.next = bits::<7>(0x7f);
                    }
                    self.event_enable_high.next = self.event_enable_high_held.q.val();
                    self.accept_valid.next = self.control.accept_valid.val();
                    self.control.accept_ready.next = self.accept_ready.val();
                    self.accept_conn.next = self.value.val().get_bits::<24>(0);
                    self.control.accept_status.next = self.accept_status.val();
                    self.control.accept_nack.next = self.accept_nack.val();
                }

                if self.has_credit.val() {
                    comment!("A grant is kept by who counts frames.");
                    self.grant_valid.next = self.applies.val() && (self.number.val() == self.rx_credit_at.val());
                    self.grant.next = self.value.val().get_bits::<16>(0);
                }

                if self.has_peers.val() {
                    comment!("What the host says of a peer, until it is an entry.");
                    $(
                        dff_setup!(self, clk, [<$peer _held>]);
                        if self.applies.val() && (self.number.val() == self.[<$peer _at>].val()) {
                            self.[<$peer _held>].d.next = self.value.val().get_bits::<$peer_width>(0);
                        }
                        if self.rst.val() {
                            self.[<$peer _held>].d.next = bits::<$peer_width>(0);
                        }
                        self.$peer.next = self.[<$peer _held>].q.val();
                    )*
                    self.peer_valid.next = self.control.peer_valid.val();
                    self.control.peer_ready.next = self.peer_ready.val();
                    self.peer_conn.next = self.value.val().get_bits::<24>(0);
                }

                comment!("Counters.");
                self.pulses.next = bits::<K>(0);
                $(self.pulses.next = self.pulses.val().replace_bit($number, self.[<count_ $counter>].val());)*
                self.pulses.next = self.pulses.val().replace_bit($refused, self.control.refusal.val());
                $(self.pulses.next = self.pulses.val().replace_bit($event_number, self.[<count_ $event>].val());)*
                if self.has_credit.val() {
                    if self.count_rx_no_credit.val() {
                        self.pulses.next = self.pulses.val() | self.no_credit.val();
                    }
                    if self.count_rx_credit_refused.val() {
                        self.pulses.next = self.pulses.val() | self.credit_refused.val();
                    }
                }
                if self.has_peers.val() {
                    if self.count_rx_other_address.val() {
                        self.pulses.next = self.pulses.val() | self.other_address.val();
                    }
                    if self.count_acks_other_address.val() {
                        self.pulses.next = self.pulses.val() | self.acks_other_address.val();
                    }
                }
                if self.has_types.val() {
                    $(
                        if self.[<count_ $typed_counter>].val() {
                            self.pulses.next = self.pulses.val() | self.[<$typed_counter _bit>].val();
                        }
                    )*
                }
                self.control.pulses.next = self.pulses.val();

                comment!("Times, three cycles behind the count of cycles.");
                self.cycles_low.next = self.cycle_count.low.val();
                self.cycles_high.next = self.cycle_count.high.val();
                self.control.cycles_low.next = self.cycles_low.val();
                self.control.cycles_high.next = self.cycles_high.val();
                self.cycles.next = bit_cast::<64, 32>(self.cycles_low.val())
                    | (bit_cast::<64, 32>(self.cycles_high.val()) << 32);
                self.control.wire_prescale.next = self.wire_prescale_held.q.val();
                self.control.sack_prescale.next = self.sack_prescale_held.q.val();
                self.wire_ticks.clk.next = self.clk.val();
                self.wire_ticks.cycles.next = self.cycles_low.val();
                self.wire_ticks.prescale.next = self.wire_prescale_held.q.val();
                self.wire_time.next = self.wire_ticks.ticks.val();
                self.sack_ticks.clk.next = self.clk.val();
                self.sack_ticks.cycles.next = self.cycles_low.val();
                self.sack_ticks.prescale.next = self.sack_prescale_held.q.val();
                self.sack_time.next = self.sack_ticks.ticks.val();
                self.selector_ticks.clk.next = self.clk.val();
                self.selector_ticks.cycles.next = self.cycles.val().get_bits::<W>(0);
                self.selector_ticks.prescale.next = self.selector_prescale_held.q.val();
                if self.follows_wire.val() {
                    self.selector_ticks.prescale.next = self.wire_prescale_held.q.val();
                }
                self.selector_time.next = self.selector_ticks.ticks.val();
            }
        }
    } };
}

/// Checks that a table has these counters, each at its number, and no others.
///
/// # Panics
/// If it has not.
fn check_counters<const K: usize>(table: &[Register], counters: &[(&str, usize)]) {
    let lows = table.iter().filter(|register| register.holder == Holder::Counter);
    let names: Vec<&str> = lows.map(|register| register.name.trim_end_matches("_low")).collect();
    assert!(
        names.len() == K && counters.len() == K,
        "{K} counters, not {} and {}",
        names.len(),
        counters.len()
    );
    for (name, number) in counters {
        assert_eq!(names[*number], *name, "counter {number}");
    }
}

/// Adds what every block can have to what is of one, and gives both to `rows!`.
macro_rules! rows_with_shared {
    ($($block:tt)*) => {
        rows!(block!
            $($block)*
            frames { event_mac_high 16; event_mac_low 32; event_type 16; event_batch 6; event_ticks 16; }
            peers {
                peer_number 24;
                peer_flags 3;
                peer_address_0 32;
                peer_address_1 32;
                peer_address_2 32;
                peer_address_3 32;
            }
            typed {
                ack_type 4;
                ack_response 1;
                ack_gen_trigger 16;
                ack_gen_min 12;
                ack_on_ecn 1;
                nominal_extra 8;
                dscp_control 6;
                dscp_trimmed 6;
                dscp_trimmed_last 6;
                default_mpr 8;
                probe 1;
                loss_rules 2;
                max_rto_retx 4;
                rx_acks 2;
                sack_cack_align 2;
                command_mode 2;
                command_peer 16;
                command_bytes 16;
                command_flags 3;
            }
            counted {
                0 rx_unbound;
                1 rx_other_peer;
                2 rx_trimmed;
                3 rx_trimmed_other;
                4 rx_control;
                5 rx_nacks;
                6 rx_nacks_bad;
                7 tx_nacks;
                8 ack_requests;
                9 dead;
            }
        );
    };
}

/// A block for these selectors where the host says the window, and one for where `strack_cc` does, with its settings. The numbers of words
/// and of counters of each stand beside it, under its name: those where the host grants no frames.
macro_rules! blocks {
    (
        $(#[$about:meta])*
        $plain:ident, $windowed:ident: $words:literal words, $ranges:tt ranges, $counts:tt counts;
        settings { $($own:tt)* }
        events { $($events:tt)* }
    ) => {
        sizes! { $plain: $words words, $counts counts; $windowed: { $words + 10 } words, $counts counts; }

        rows_with_shared!(
            $(#[$about])*
            $plain: $ranges ranges;
            settings { $($own)* }
            events { $($events)* }
        );

        rows_with_shared!(
            $(#[$about])*
            ///
            /// And those of the window.
            $windowed: $ranges ranges;
            settings {
                $($own)*
                net_base_rtt 16;
                min_base_rtt 16;
                target_qdelay 16;
                target_qhigh 16;
                alpha 16;
                beta 16;
                eta 16;
                gamma 16;
                max_cwnd 10;
                mtu_log2 4;
            }
            events { $($events)* }
        );
    };
}

/// Names the sizes of blocks.
macro_rules! sizes {
    ($($block:ident: $words:tt words, $counts:tt counts;)*) => { paste! {
        $(
            #[doc = concat!("Words and counters of [`", stringify!($block), "`], where the host grants no frames.")]
            pub const [<$block:snake:upper>]: (usize, usize) = ($words, $counts);
        )*
    } };
}

blocks! {
    /// The registers beside the entropy cache, which has two settings and four events.
    OfReps, OfRepsWithWindow: 31 words, 6 ranges, 37 counts;
    settings { freeze_timeout T; bdp_packets 8; }
    events { 33 ev_cached; 34 ev_dropped; 35 freeze_entered; 36 freeze_left; }
}

blocks! {
    /// The registers beside a selector without settings and events.
    OfPlain, OfPlainWithWindow: 29 words, 5 ranges, 33 counts;
    settings {}
    events {}
}

blocks! {
    /// The registers beside `subflows`.
    OfSubflows, OfSubflowsWithWindow: 30 words, 6 ranges, 33 counts;
    settings { subflow_count 5; }
    events {}
}

blocks! {
    /// The registers beside `flowlet`.
    OfFlowlet, OfFlowletWithWindow: 31 words, 6 ranges, 34 counts;
    settings { gap T; hold T; }
    events { 33 path_moved; }
}

blocks! {
    /// The registers beside `plb`.
    OfPlb, OfPlbWithWindow: 33 words, 6 ranges, 35 counts;
    settings { round_ticks T; selector_rto T; mark_threshold 8; congested_rounds 4; }
    events { 33 path_moved; 34 round_congested; }
}

blocks! {
    /// The registers beside `strack`.
    OfStrack, OfStrackWithWindow: 29 words, 5 ranges, 37 counts;
    settings {}
    events { 33 path_marked; 34 path_unmarked; 35 mark_forgiven; 36 all_marked; }
}

blocks! {
    /// The registers beside `bitmap` and `mixed`.
    OfBitmap, OfBitmapWithWindow: 29 words, 5 ranges, 36 counts;
    settings {}
    events { 33 path_penalised; 34 path_forgiven; 35 gave_up; }
}

blocks! {
    /// The registers beside `flowcut`, with what the block says of ACKs and commands, and the counters of parked packets.
    OfFlowcut, OfFlowcutWithWindow: 37 words, 5 ranges, 40 counts;
    settings {
        rtt_floor T;
        ratio 6;
        selector_alpha 3;
        hold 1;
        timeout_reroutes 1;
        ack_serial T;
        command_class 4;
        command_rtt T;
    }
    events {
        33 drain_started;
        34 drain_done;
        35 drain_given_up;
        36 order_risk;
        37 ack_refused;
        38 tx_parked;
        39 tx_held;
    }
}
