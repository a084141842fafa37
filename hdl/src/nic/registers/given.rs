//! What an access gives to the memory, and the results of the command `read`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::table::{Register, find};
use crate::comment;
use crate::prims::Param;

/// Keeps the results of the last command `read`, and gives a word of 32 bits: what is read from elsewhere than the memory, or what
/// is written.
///
/// It is taken at the edge of a cycle with `takes`, from three clock cycles after `word` on. A choice among all words at once would
/// be deep and wide: here three choices follow each other, with registers in between.
#[derive(LogicBlock, Default)]
pub struct Given {
    pub clk: Signal<In, Clock>,
    /// Number of the register.
    pub word: Signal<In, Bits<8>>,
    pub is_high_half: Signal<In, Bit>,
    /// It is written, and what is given is to be kept.
    pub is_kept: Signal<In, Bit>,
    pub takes: Signal<In, Bit>,
    pub reset: Signal<In, Bits<32>>,
    pub written: Signal<In, Bits<32>>,
    pub high: Signal<In, Bits<32>>,
    pub cycles_low: Signal<In, Bits<32>>,
    pub events_waiting: Signal<In, Bits<16>>,
    /// The results are those of the inputs; or 0.
    pub has_result: Signal<In, Bit>,
    pub forgets: Signal<In, Bit>,
    pub result_status: Signal<In, Bits<3>>,
    pub result_snd_una: Signal<In, Bits<32>>,
    pub result_snd_nxt: Signal<In, Bits<32>>,
    pub result_in_flight: Signal<In, Bits<10>>,
    pub result_bytes_in_flight: Signal<In, Bits<32>>,
    pub result_in_recovery: Signal<In, Bits<1>>,
    /// What is read is not in the memory; the cycle after `word`.
    pub is_beside: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<32>>,

    status: DFF<Bits<3>>,
    snd_una: DFF<Bits<32>>,
    snd_nxt: DFF<Bits<32>>,
    in_flight: DFF<Bits<10>>,
    bytes_in_flight: DFF<Bits<32>>,
    in_recovery: DFF<Bits<1>>,

    is_beside_held: DFF<Bit>,
    /// Which of each choice, by number.
    narrow_choice: DFF<Bits<3>>,
    wide_choice: DFF<Bits<2>>,
    value_choice: DFF<Bits<2>>,
    narrow: DFF<Bits<32>>,
    wide: DFF<Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    given: DFF<Bits<32>>,

    time_low_at: Param<Bits<8>>,
    time_high_at: Param<Bits<8>>,
    status_at: Param<Bits<8>>,
    snd_una_at: Param<Bits<8>>,
    snd_nxt_at: Param<Bits<8>>,
    in_flight_at: Param<Bits<8>>,
    bytes_in_flight_at: Param<Bits<8>>,
    in_recovery_at: Param<Bits<8>>,
    events_waiting_at: Param<Bits<8>>,
}

impl Given {
    /// For a table of registers.
    pub fn new(table: &[Register]) -> Self {
        let word = |name: &str| Param::new(find(table, name).word().into());
        Self {
            time_low_at: word("time_low"),
            time_high_at: word("time_high"),
            status_at: word("result_status"),
            snd_una_at: word("result_snd_una"),
            snd_nxt_at: word("result_snd_nxt"),
            in_flight_at: word("result_in_flight"),
            bytes_in_flight_at: word("result_bytes_in_flight"),
            in_recovery_at: word("result_in_recovery"),
            events_waiting_at: word("events_waiting"),
            ..Default::default()
        }
    }
}

impl Logic for Given {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module given: what an access gives to the memory, and results");
        dff_setup!(self, clk, status, snd_una, snd_nxt, in_flight, bytes_in_flight, in_recovery);
        dff_setup!(self, clk, is_beside_held, narrow_choice, wide_choice, value_choice, narrow, wide, given);
        comment!("Results.");
        if self.has_result.val() {
            self.status.d.next = self.result_status.val();
            self.snd_una.d.next = self.result_snd_una.val();
            self.snd_nxt.d.next = self.result_snd_nxt.val();
            self.in_flight.d.next = self.result_in_flight.val();
            self.bytes_in_flight.d.next = self.result_bytes_in_flight.val();
            self.in_recovery.d.next = self.result_in_recovery.val();
        }
        comment!("Of a connection that is not open the engine shows PSNs of before.");
        if self.has_result.val() && (self.result_status.val() != 0) {
            self.snd_una.d.next = bits::<32>(0);
            self.snd_nxt.d.next = bits::<32>(0);
        }
        if self.forgets.val() {
            self.status.d.next = bits::<3>(0);
            self.snd_una.d.next = bits::<32>(0);
            self.snd_nxt.d.next = bits::<32>(0);
            self.in_flight.d.next = bits::<10>(0);
            self.bytes_in_flight.d.next = bits::<32>(0);
            self.in_recovery.d.next = bits::<1>(0);
        }

        comment!("Which of each choice. The first of all is 0 where the memory has the register.");
        self.is_beside_held.d.next = true;
        self.narrow_choice.d.next = bits::<3>(0);
        self.wide_choice.d.next = bits::<2>(0);
        self.value_choice.d.next = bits::<2>(0);
        if self.is_high_half.val() || (self.word.val() == self.time_high_at.val()) {
            self.value_choice.d.next = bits::<2>(1);
        } else if self.word.val() == self.time_low_at.val() {
            self.value_choice.d.next = bits::<2>(2);
        } else if self.word.val() == self.snd_una_at.val() {
            self.wide_choice.d.next = bits::<2>(1);
        } else if self.word.val() == self.snd_nxt_at.val() {
            self.wide_choice.d.next = bits::<2>(2);
        } else if self.word.val() == self.bytes_in_flight_at.val() {
            self.wide_choice.d.next = bits::<2>(3);
        } else if self.word.val() == self.status_at.val() {
            self.narrow_choice.d.next = bits::<3>(1);
        } else if self.word.val() == self.in_flight_at.val() {
            self.narrow_choice.d.next = bits::<3>(2);
        } else if self.word.val() == self.in_recovery_at.val() {
            self.narrow_choice.d.next = bits::<3>(3);
        } else if self.word.val() == self.events_waiting_at.val() {
            self.narrow_choice.d.next = bits::<3>(4);
        } else {
            self.is_beside_held.d.next = false;
        }
        if self.is_kept.val() {
            self.value_choice.d.next = bits::<2>(3);
        }
        self.is_beside.next = self.is_beside_held.q.val();

        comment!("The choices, the narrow results first.");
        self.narrow.d.next = self.reset.val();
        if self.narrow_choice.q.val() == 1 {
            self.narrow.d.next = bit_cast::<32, 3>(self.status.q.val());
        } else if self.narrow_choice.q.val() == 2 {
            self.narrow.d.next = bit_cast::<32, 10>(self.in_flight.q.val());
        } else if self.narrow_choice.q.val() == 3 {
            self.narrow.d.next = bit_cast::<32, 1>(self.in_recovery.q.val());
        } else if self.narrow_choice.q.val() == 4 {
            self.narrow.d.next = bit_cast::<32, 16>(self.events_waiting.val());
        }
        if self.wide_choice.q.val().get_bit(1) {
            self.wide.d.next = self.snd_nxt.q.val();
            if self.wide_choice.q.val().get_bit(0) {
                self.wide.d.next = self.bytes_in_flight.q.val();
            }
        } else {
            self.wide.d.next = self.narrow.q.val();
            if self.wide_choice.q.val().get_bit(0) {
                self.wide.d.next = self.snd_una.q.val();
            }
        }
        self.chosen.next = self.wide.q.val();
        if self.value_choice.q.val().get_bit(1) {
            self.chosen.next = self.cycles_low.val();
            if self.value_choice.q.val().get_bit(0) {
                self.chosen.next = self.written.val();
            }
        } else if self.value_choice.q.val().get_bit(0) {
            self.chosen.next = self.high.val();
        }
        if self.takes.val() {
            self.given.d.next = self.chosen.val();
        }
        self.value.next = self.given.q.val();
    }
}
