//! The queue of beats, and what is written into them as they leave.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::plan::Plan;
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Geometry;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, PatchMemory, QueueMemory};
use crate::wire;

/// Places for what still comes behind the beat with which `ready` falls.
const SPARE_BEATS: u64 = 8;
/// With trailers: edges by which a beat is let out later, until the trailer of a packet that ends in the next beat is known.
pub(super) const LATE: usize = 10;

/// How a packet ends, with trailers.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct End {
    /// The beat with its last byte, by its place in the memory and a bit more, and the byte of that beat.
    pub at: Bits<6>,
    pub index: Bits<6>,
    /// Its trailer, each byte where a lane of the beat has it.
    pub trailer: Bits<32>,
}

/// Beats wait for the plan of their packet; the memory's read port is the output register, and writes the plan's fields on
/// the way.
///
/// A step is 32 bits: an even half and an odd one. EV and timestamp stand in odd halves an odd number of steps apart, one in an even
/// step and one in an odd: so each lane has one value that can stand there, and only the byte enables depend on where.
///
/// The memory has `2^ADDRESS` beats, and `POINTER = ADDRESS + 1` is the width of its pointers.
#[derive(LogicBlock, Default, Part)]
pub struct Outlet<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
    const ADDRESS: usize,
    const POINTER: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Takes a beat. There has to be room.
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<DATA>>,
    /// All but the lowest bit, which is always set.
    pub keep: Signal<In, Bits<BYTES>>,
    pub last: Signal<In, Bit>,
    pub user: Signal<In, Bits<1>>,
    /// A register: falls when all places but [`SPARE_BEATS`] are taken.
    pub ready: Signal<Out, Bit>,
    /// A plan is there in the next cycle.
    pub has_plan_next: Signal<In, Bit>,
    pub plan: Signal<In, Plan<STEPS, BEAT_NUMBER>>,
    pub flow_label_enable: Signal<In, Bit>,
    /// With trailers: the end of the packet is known, if it ends in the beat that leaves or in the next one; where it is.
    pub has_end: Optional<Signal<In, Bit>>,
    pub end: Optional<Signal<In, End>>,
    /// The plan has served its last beat.
    pub is_served: Signal<Out, Bit>,
    /// The output has no beat, or this one leaves.
    pub is_free: Signal<In, Bit>,
    /// A beat goes to the output.
    pub takes: Signal<Out, Bit>,
    pub m_valid: Signal<Out, Bit>,
    pub m_data: Signal<Out, Bits<DATA>>,
    pub m_keep: Signal<Out, Bits<BYTES>>,
    pub m_last: Signal<Out, Bit>,
    pub m_user: Signal<Out, Bits<1>>,

    write_at: DFF<Bits<POINTER>>,
    read_at: DFF<Bits<POINTER>>,
    filled: Signal<Local, Bits<POINTER>>,
    is_ready: DFF<Bit>,
    is_loaded: DFF<Bit>,
    /// A beat and its plan are there. A register, as each lane's write enable hangs on it.
    can_take: DFF<Bit>,
    has_beat_next: Signal<Local, Bit>,
    /// Beats that the memory's output can have in the next cycle, with the one that leaves in this.
    left: Signal<Local, Bits<POINTER>>,
    /// Number of the next beat within its packet, and that number less 1, 2 and 3.
    beat: [DFF<Bits<BEAT_NUMBER>>; 4],
    beats: PatchMemory<DATA, BYTES, ADDRESS>,
    /// `tkeep` with `tlast` in place of its lowest bit, and `tuser`; read ahead, as `tlast` tells when the next plan is due. It is stored
    /// three times: were one bit all there is, all packets behind one that flipped would have the plans of others.
    keeps: QueueMemory<Bits<KEEP_AND_USER>, ADDRESS>,
    /// With trailers: beats that may leave, as the next one of their packet has come, or it has ended; those that count, that edge or
    /// one before; `released` on its way to `left`.
    released: Optional<DFF<Bits<POINTER>>>,
    counted: Optional<DFF<Bits<POINTER>>>,
    late: [Optional<DFF<Bits<POINTER>>>; LATE],
    at_first: Optional<DFF<Bit>>,
    ends_here: Optional<Signal<Local, Bit>>,
    ends_next: Optional<Signal<Local, Bit>>,
    end_lane: Optional<Signal<Local, Bits<5>>>,
    lane_before: Optional<Signal<Local, Bits<5>>>,
    /// Bytes of the trailer in the lane with the last one, and in the lane before it.
    end_low: Optional<Signal<Local, Bits<4>>>,
    end_high: Optional<Signal<Local, Bits<4>>>,
    ending: [Optional<Signal<Local, Bits<4>>>; 16],
    keep_in: Signal<Local, Bits<BYTES>>,
    next_keep: Signal<Local, Bits<KEEP_AND_USER>>,
    is_last: Signal<Local, Bit>,
    keep_held: DFF<Bits<BYTES>>,
    user_held: DFF<Bits<1>>,

    is_beat: Signal<Local, Bits<4>>,
    is_stamp: Signal<Local, Bits<4>>,
    is_sum: Signal<Local, Bits<4>>,
    is_labelled: Signal<Local, Bit>,
    /// By steps: those that can be in this beat, where IP's second byte is, where the value within IP.
    front: Signal<Local, Bits<16>>,
    written: Signal<Local, Bits<16>>,
    second_at: Signal<Local, Bits<16>>,
    ip_at: Signal<Local, Bits<16>>,
    writes_second: [Signal<Local, Bit>; 16],
    writes_ip: [Signal<Local, Bit>; 16],
    writes_odd: [Signal<Local, Bit>; 16],
    writes_even: [Signal<Local, Bit>; 16],
    odd: [Signal<Local, Bits<16>>; 16],
    even: [Signal<Local, Bits<16>>; 16],
    /// As on the wire: the high byte first.
    odd_out: [Signal<Local, Bits<16>>; 16],
    even_out: [Signal<Local, Bits<16>>; 16],
    lane: [Signal<Local, Bits<32>>; 16],
    enables: [Signal<Local, Bits<4>>; 16],
    patch: Signal<Local, Bits<BYTES>>,
    patch_data: Signal<Local, Bits<DATA>>,

    number: [Param<Bits<5>>; 16],
    /// For each lane, whether the field can stand there.
    has_port: [Param<Bit>; 16],
    has_stamp: [Param<Bit>; 16],
    has_sum: [Param<Bit>; 16],
    has_second: [Param<Bit>; 16],
    has_ip: [Param<Bit>; 16],
    /// For each lane, where the source port stands if the field stands there: its lane, and how many beats before, one-hot.
    stamp_lane: [Param<Bits<5>>; 16],
    stamp_beat: [Param<Bits<4>>; 16],
    sum_lane: [Param<Bits<5>>; 16],
    sum_beat: [Param<Bits<4>>; 16],
    /// The steps that a lane stands for, among the first 16.
    steps_of: [Param<Bits<16>>; 16],
    step_beat: [Param<Bits<BEAT_NUMBER>>; 9],
    in_beat: Param<Bits<5>>,
    last_beat: Param<Bits<BEAT_NUMBER>>,
    top: Param<Bits<10>>,
    top_enable: Param<Bits<10>>,
    limit: Param<Bits<POINTER>>,
    at_user: Param<Bits<10>>,
    has_crc: Param<bool>,
}

impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
    const ADDRESS: usize,
    const POINTER: usize,
> Outlet<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER, ADDRESS, POINTER>
{
    /// With the beats in a memory of `kind`, for a profile, with trailers or without.
    ///
    /// # Panics
    /// If `POINTER` is not `ADDRESS + 1`.
    pub fn new(wire: Wire, kind: MemoryKind, has_crc: bool) -> Self {
        assert_eq!(POINTER, ADDRESS + 1, "one bit more than an address, to tell full from empty");
        let stamp = wire::kinds(wire).stamp_steps();
        let geometry = Geometry::new(DATA);
        let flags = |offset: usize| {
            std::array::from_fn(|lane| (8..=20).any(|udp| (udp + offset) % STEPS == lane)).map(Param::new)
        };
        let lane_of = |lane: usize, offset: usize| (lane + 16 - offset) % STEPS;
        let lanes = |offset| std::array::from_fn(|lane| Param::new((lane_of(lane, offset) as u64).into()));
        let beats = |offset| {
            std::array::from_fn(|lane| {
                Param::new((1u64 << ((lane_of(lane, offset) + offset) / STEPS)).into())
            })
        };
        let steps_of =
            |lane: usize| (0..16).filter(|step| step % STEPS == lane).map(|step| 1u64 << step).sum::<u64>();
        let among = |steps: u64| std::array::from_fn(|lane| Param::new(steps_of(lane) & steps != 0));
        Self {
            beats: PatchMemory::new("beat_memory", "beats between the input and the output", kind),
            keeps: QueueMemory::new(
                "keep_memory",
                "tkeep of the beats with tlast in place of bit 0, tuser",
                kind,
            )
            .with_votes(0..1),
            number: std::array::from_fn(|i| Param::new((i as u64).into())),
            has_port: flags(0),
            has_stamp: stamp.map_or([false; 16].map(Param::new), flags),
            has_sum: flags(2),
            has_second: among(0x0038),
            has_ip: among(0x01F0),
            stamp_lane: lanes(stamp.unwrap_or(0)),
            stamp_beat: beats(stamp.unwrap_or(0)),
            sum_lane: lanes(2),
            sum_beat: beats(2),
            steps_of: std::array::from_fn(|lane| Param::new(steps_of(lane).into())),
            step_beat: std::array::from_fn(|step| Param::new((step as u64 / geometry.steps).into())),
            in_beat: Param::new((geometry.steps - 1).into()),
            last_beat: Param::new(geometry.last_beat.into()),
            top: Param::new((DATA as u64 - 32).into()),
            top_enable: Param::new((BYTES as u64 - 4).into()),
            limit: Param::new(((1 << ADDRESS) - SPARE_BEATS).into()),
            at_user: Param::new((BYTES as u64).into()),
            has_end: Optional::new(has_crc, Default::default),
            end: Optional::new(has_crc, Default::default),
            released: Optional::new(has_crc, Default::default),
            counted: Optional::new(has_crc, Default::default),
            late: std::array::from_fn(|_| Optional::new(has_crc, Default::default)),
            at_first: Optional::new(has_crc, Default::default),
            ends_here: Optional::new(has_crc, Default::default),
            ends_next: Optional::new(has_crc, Default::default),
            end_lane: Optional::new(has_crc, Default::default),
            lane_before: Optional::new(has_crc, Default::default),
            end_low: Optional::new(has_crc, Default::default),
            end_high: Optional::new(has_crc, Default::default),
            ending: std::array::from_fn(|_| Optional::new(has_crc, Default::default)),
            has_crc: Param::new(has_crc),
            ..Default::default()
        }
    }
}

impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
    const ADDRESS: usize,
    const POINTER: usize,
> Logic for Outlet<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER, ADDRESS, POINTER>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Holds the beats until their packet has a plan, and writes its fields as they leave.");
        dff_setup!(self, clk, write_at, read_at, can_take, is_ready, is_loaded, keep_held, user_held);
        for k in 0..4 {
            self.beat[k].clock.next = self.clk.val();
            self.beat[k].d.next = self.beat[k].q.val();
        }
        self.beats.clk.next = self.clk.val();
        self.keeps.clk.next = self.clk.val();
        comment!("In.");
        self.beats.write_enable.next = self.push.val();
        self.beats.write_address.next = self.write_at.q.val().get_bits::<ADDRESS>(0);
        self.beats.write_data.next = self.data.val();
        self.keeps.write_enable.next = self.push.val();
        self.keeps.write_address.next = self.write_at.q.val().get_bits::<ADDRESS>(0);
        self.keep_in.next = self.keep.val().replace_bit(0, self.last.val());
        self.keeps.write_data.next = bit_cast::<KEEP_AND_USER, BYTES>(self.keep_in.val())
            | (bit_cast::<KEEP_AND_USER, 1>(self.user.val()) << self.at_user.val());
        self.write_at.d.next = self.write_at.q.val() + self.push.val();
        if self.has_crc.val() {
            comment!(
                "A beat waits for the next one of its packet: the trailer may begin in the one and end in the other."
            );
            self.at_first.clock.next = self.clk.val();
            self.at_first.d.next = self.at_first.q.val();
            self.released.clock.next = self.clk.val();
            self.released.d.next = self.released.q.val();
            self.counted.clock.next = self.clk.val();
            self.counted.d.next = self.counted.q.val();
            if self.push.val() {
                self.at_first.d.next = self.last.val();
                self.counted.d.next = self.write_at.q.val() + self.last.val();
            }
            if self.push.val() || self.at_first.q.val() {
                self.released.d.next = self.write_at.q.val();
            }
            self.filled.next = self.counted.q.val() - self.read_at.q.val();
        } else {
            self.filled.next = self.write_at.q.val() - self.read_at.q.val();
        }
        self.is_ready.d.next = self.filled.val() < self.limit.val();
        self.ready.next = self.is_ready.q.val();
        comment!("Out: when the output is free and the packet has a plan.");
        self.takes.next = self.is_free.val() && self.can_take.q.val();
        self.is_loaded.d.next = self.takes.val() || (self.is_loaded.q.val() && !self.is_free.val());
        self.next_keep.next = self.keeps.read_data.val();
        self.is_last.next = self.next_keep.val().get_bit(0);
        self.is_served.next = self.takes.val() && self.is_last.val();
        self.beats.read_enable.next = self.takes.val();
        self.beats.read_address.next = self.read_at.q.val().get_bits::<ADDRESS>(0);
        self.keeps.read_enable.next = true;
        self.keeps.read_address.next = self.read_at.q.val().get_bits::<ADDRESS>(0);
        if self.has_crc.val() {
            for k in 0..10 {
                self.late[k].clock.next = self.clk.val();
            }
            self.late[0].d.next = self.released.q.val();
            for k in 1..10 {
                self.late[k].d.next = self.late[k - 1].q.val();
            }
            self.left.next = self.late[9].q.val() - self.read_at.q.val();
        } else {
            self.left.next = self.filled.val();
        }
        self.has_beat_next.next = self.left.val().any();
        if self.takes.val() {
            self.has_beat_next.next = (self.left.val() >> 1).any();
            self.read_at.d.next = self.read_at.q.val() + 1;
            self.keeps.read_address.next = self.read_at.q.val().get_bits::<ADDRESS>(0) + 1;
            self.keep_held.d.next = self.next_keep.val().get_bits::<BYTES>(0);
            self.user_held.d.next = self.next_keep.val().get_bits::<1>(self.at_user.val().index());
            self.beat[1].d.next = self.beat[0].q.val();
            self.beat[2].d.next = self.beat[1].q.val();
            self.beat[3].d.next = self.beat[2].q.val();
            if self.beat[0].q.val() != self.last_beat.val() {
                self.beat[0].d.next = self.beat[0].q.val() + 1;
            }
        }
        self.can_take.d.next = self.has_beat_next.val() && self.has_plan_next.val();
        if self.rst.val() || (self.takes.val() && self.is_last.val()) {
            self.beat[0].d.next = bits::<BEAT_NUMBER>(0);
            self.beat[1].d.next = bits::<BEAT_NUMBER>(0) - 1;
            self.beat[2].d.next = bits::<BEAT_NUMBER>(0) - 2;
            self.beat[3].d.next = bits::<BEAT_NUMBER>(0) - 3;
        }
        comment!("Which halves of the beat are written: odd ones with source port and timestamp.");
        self.is_beat.next = bits::<4>(0);
        for k in 0..4 {
            self.is_beat.next = self.is_beat.val().replace_bit(
                k,
                self.plan.val().is_rewritten && (self.beat[k].q.val() == self.plan.val().udp_beat),
            );
        }
        self.is_stamp.next = bits::<4>(0);
        if self.plan.val().is_stamped {
            self.is_stamp.next = self.is_beat.val();
        }
        self.is_sum.next = bits::<4>(0);
        if self.plan.val().is_summed {
            self.is_sum.next = self.is_beat.val();
        }
        comment!("IP's second byte at step 3 to 5; IPv4 checksum or flow label in even halves.");
        self.is_labelled.next = self.flow_label_enable.val() && !self.plan.val().is_ip4;
        self.front.next = bits::<16>(0);
        for s in 3..9 {
            self.front.next =
                self.front.val().replace_bit(s, self.beat[0].q.val() == self.step_beat[s].val());
        }
        self.written.next = bits::<16>(0);
        if self.plan.val().is_rewritten {
            self.written.next = self.front.val();
        }
        self.ip_at.next = bits::<16>(0);
        self.second_at.next = bits::<16>(8) << self.plan.val().tags;
        if self.plan.val().is_ip4 {
            self.ip_at.next = bits::<16>(0x40) << self.plan.val().tags;
        } else if self.is_labelled.val() {
            self.ip_at.next = bits::<16>(0x10) << self.plan.val().tags;
        }
        for i in 0..STEPS {
            self.writes_odd[i].next = (self.has_port[i].val()
                && self.plan.val().udp_lane.get_bit(i)
                && self.is_beat.val().get_bit(0))
                || (self.has_stamp[i].val()
                    && self.plan.val().udp_lane.get_bit(self.stamp_lane[i].val().index())
                    && ((self.is_stamp.val() & self.stamp_beat[i].val()) != bits::<4>(0)));
            self.writes_even[i].next = self.has_sum[i].val()
                && self.plan.val().udp_lane.get_bit(self.sum_lane[i].val().index())
                && ((self.is_sum.val() & self.sum_beat[i].val()) != bits::<4>(0));
            self.writes_second[i].next =
                (self.second_at.val() & self.written.val() & self.steps_of[i].val()) != bits::<16>(0);
            self.writes_ip[i].next =
                (self.ip_at.val() & self.written.val() & self.steps_of[i].val()) != bits::<16>(0);
        }
        if self.has_crc.val() {
            comment!(
                "Where the trailer is: in the lane with the packet's last byte, and in the one before it."
            );
            self.ends_here.next = self.plan.val().is_rewritten
                && self.has_end.val()
                && (self.end.val().at == bit_cast::<6, POINTER>(self.read_at.q.val()));
            self.ends_next.next = self.plan.val().is_rewritten
                && self.has_end.val()
                && (self.end.val().at == bit_cast::<6, POINTER>(self.read_at.q.val()) + 1);
            self.end_lane.next = bit_cast::<5, 4>(self.end.val().index.get_bits::<4>(2));
            self.lane_before.next = self.end_lane.val() - 1;
            self.end_high.next = bits::<4>(0xE) << self.end.val().index.get_bits::<2>(0);
            self.end_low.next = !self.end_high.val();
        }
        comment!("What can be written there: by the beat alone where two values share a lane.");
        self.patch.next = bits::<BYTES>(0);
        self.patch_data.next = bits::<DATA>(0);
        for i in 0..STEPS {
            if self.number[i].val().get_bit(0) {
                self.odd[i].next = self.plan.val().in_odd_steps;
            } else {
                self.odd[i].next = self.plan.val().in_even_steps;
            }
            if self.has_second[i].val()
                && ((self.front.val() & self.steps_of[i].val() & bits::<16>(0x0038)) != bits::<16>(0))
            {
                self.odd[i].next =
                    (self.odd[i].val() & bits::<16>(0xFF00)) | bit_cast::<16, 8>(self.plan.val().second);
            }
            self.even[i].next = self.plan.val().udp_checksum;
            if self.has_ip[i].val()
                && ((self.front.val() & self.steps_of[i].val() & bits::<16>(0x01F0)) != bits::<16>(0))
            {
                self.even[i].next = self.plan.val().in_ip;
            }
            self.even_out[i].next = (self.even[i].val() << 8) | (self.even[i].val() >> 8);
            self.odd_out[i].next = (self.odd[i].val() << 8) | (self.odd[i].val() >> 8);
            self.lane[i].next =
                self.even_out[i].val().get_bits::<32>(0) | (self.odd_out[i].val().get_bits::<32>(0) << 16);
            self.enables[i].next = bits::<4>(0);
            if (self.has_sum[i].val() && self.writes_even[i].val())
                || (self.has_ip[i].val() && self.writes_ip[i].val())
            {
                self.enables[i].next = bits::<4>(3);
            }
            if self.has_second[i].val() && self.writes_second[i].val() {
                self.enables[i].next = self.enables[i].val() | bits::<4>(8);
            }
            if (self.has_port[i].val() || self.has_stamp[i].val()) && self.writes_odd[i].val() {
                self.enables[i].next = self.enables[i].val() | bits::<4>(12);
            }
            if self.has_crc.val() {
                self.ending[i].next = bits::<4>(0);
                if self.ends_here.val() && (self.end_lane.val() == self.number[i].val()) {
                    self.ending[i].next = self.end_low.val();
                }
                if self.ends_here.val() && (self.lane_before.val() == self.number[i].val()) {
                    self.ending[i].next = self.end_high.val();
                }
                if self.ends_next.val()
                    && (self.lane_before.val() == bits::<5>(31))
                    && (self.in_beat.val() == self.number[i].val())
                {
                    self.ending[i].next = self.end_high.val();
                }
                if self.ending[i].val().get_bit(0) {
                    self.lane[i].next = (self.lane[i].val() & bits::<32>(0xFFFF_FF00_u64))
                        | (self.end.val().trailer & bits::<32>(0x0000_00FF_u64));
                }
                if self.ending[i].val().get_bit(1) {
                    self.lane[i].next = (self.lane[i].val() & bits::<32>(0xFFFF_00FF_u64))
                        | (self.end.val().trailer & bits::<32>(0x0000_FF00_u64));
                }
                if self.ending[i].val().get_bit(2) {
                    self.lane[i].next = (self.lane[i].val() & bits::<32>(0xFF00_FFFF_u64))
                        | (self.end.val().trailer & bits::<32>(0x00FF_0000_u64));
                }
                if self.ending[i].val().get_bit(3) {
                    self.lane[i].next = (self.lane[i].val() & bits::<32>(0x00FF_FFFF_u64))
                        | (self.end.val().trailer & bits::<32>(0xFF00_0000_u64));
                }
                self.enables[i].next = self.enables[i].val() | self.ending[i].val();
            }
            self.patch.next = (self.patch.val() >> 4)
                | (self.enables[i].val().get_bits::<BYTES>(0) << self.top_enable.val());
            self.patch_data.next =
                (self.patch_data.val() >> 32) | (self.lane[i].val().get_bits::<DATA>(0) << self.top.val());
        }
        self.beats.patch.next = self.patch.val();
        self.beats.patch_data.next = self.patch_data.val();
        self.m_valid.next = self.is_loaded.q.val();
        self.m_data.next = self.beats.read_data.val();
        self.m_keep.next = self.keep_held.q.val().replace_bit(0, true);
        self.m_last.next = self.keep_held.q.val().get_bit(0);
        self.m_user.next = self.user_held.q.val();
        if self.rst.val() {
            if self.has_crc.val() {
                self.at_first.d.next = true;
                self.released.d.next = bits::<POINTER>(0);
                self.counted.d.next = bits::<POINTER>(0);
                for k in 0..10 {
                    self.late[k].d.next = bits::<POINTER>(0);
                }
            }
            self.write_at.d.next = bits::<POINTER>(0);
            self.read_at.d.next = bits::<POINTER>(0);
            self.can_take.d.next = false;
            self.is_ready.d.next = false;
            self.is_loaded.d.next = false;
            self.keep_held.d.next = bits::<BYTES>(0);
        }
    }
}
