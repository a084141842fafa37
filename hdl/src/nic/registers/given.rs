//! What an access gives to the memory, and the results of the command `read`.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::register::{Holder, Register, find};
use super::typed::RESULT_NACK;
use crate::comment;
use crate::prims::{Optional, Param, Reg, resize};

/// Keeps the results of the last command `read`, and gives a word of 32 bits: what is read from elsewhere than the memory, or what
/// is written.
///
/// It is taken at the edge of a cycle with `takes`, from three clock cycles after `word` on. A choice among all words at once would
/// be deep and wide: here three choices follow each other, with registers in between.
#[block(no_reset)]
pub struct Given {
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
    /// Where the host grants frames.
    pub credit_state: Optional<Signal<In, Bits<32>>>,
    /// The results are those of the inputs, in the last cycle of these; or 0.
    pub follows_result: Signal<In, Bit>,
    pub forgets: Signal<In, Bit>,
    pub result_status: Signal<In, Bits<3>>,
    pub result_snd_una: Signal<In, Bits<32>>,
    pub result_snd_nxt: Signal<In, Bits<32>>,
    pub result_in_flight: Signal<In, Bits<10>>,
    pub result_bytes_in_flight: Signal<In, Bits<32>>,
    pub result_in_recovery: Signal<In, Bits<1>>,
    // Of Ultra Ethernet: the results are those of `accept`.
    pub has_accepted: Optional<Signal<In, Bit>>,
    pub accept_status: Optional<Signal<In, Bits<3>>>,
    pub accept_nack: Optional<Signal<In, Bits<8>>>,
    /// What is read is not in the memory; the cycle after `word`.
    pub is_beside: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<32>>,

    status: Reg<Bits<3>>,
    snd_una: Reg<Bits<32>>,
    snd_nxt: Reg<Bits<32>>,
    in_flight: Reg<Bits<10>>,
    bytes_in_flight: Reg<Bits<32>>,
    in_recovery: Reg<Bits<1>>,
    nack: Optional<Reg<Bits<8>>>,

    is_beside_held: Reg<Bit>,
    /// Which of each choice, by number.
    narrow_choice: Reg<Bits<3>>,
    wide_choice: Reg<Bits<2>>,
    value_choice: Reg<Bits<2>>,
    narrow: Reg<Bits<32>>,
    wide: Reg<Bits<32>>,
    given: Reg<Bits<32>>,

    time_low_at: Param<Bits<8>>,
    time_high_at: Param<Bits<8>>,
    status_at: Param<Bits<8>>,
    snd_una_at: Param<Bits<8>>,
    snd_nxt_at: Param<Bits<8>>,
    in_flight_at: Param<Bits<8>>,
    bytes_in_flight_at: Param<Bits<8>>,
    in_recovery_at: Param<Bits<8>>,
    events_waiting_at: Param<Bits<8>>,
    credit_state_at: Param<Bits<8>>,
    has_credit: Param<bool>,
    nack_at: Param<Bits<8>>,
    has_types: Param<bool>,
}

#[block]
impl Given {
    /// For a table of registers.
    pub fn new(table: &[Register]) -> Self {
        let word = |name: &str| Param::new(find(table, name).word().into());
        let credit_state = table.iter().find(|register| register.holder == Holder::CreditState);
        let nack = table.iter().find(|register| register.name == RESULT_NACK);
        let has_types = nack.is_some();
        Self {
            has_accepted: Optional::new(has_types, Default::default),
            accept_status: Optional::new(has_types, Default::default),
            accept_nack: Optional::new(has_types, Default::default),
            nack: Optional::new(has_types, Default::default),
            nack_at: Param::new(nack.map_or(0, Register::word).into()),
            has_types: Param::new(has_types),
            credit_state: Optional::new(credit_state.is_some(), Default::default),
            credit_state_at: Param::new(credit_state.map_or(0, Register::word).into()),
            has_credit: Param::new(credit_state.is_some()),
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

    fn update(&mut self) {
        comment!("module given: what an access gives to the memory, and results");
        comment!("Results.");
        if self.follows_result {
            self.status = self.result_status;
            self.snd_una = self.result_snd_una;
            self.snd_nxt = self.result_snd_nxt;
            self.in_flight = self.result_in_flight;
            self.bytes_in_flight = self.result_bytes_in_flight;
            self.in_recovery = self.result_in_recovery;
        }
        if self.has_types {
            if self.follows_result {
                self.nack = 0;
            }
            if self.has_accepted {
                self.status = self.accept_status;
                self.snd_una = 0;
                self.snd_nxt = 0;
                self.in_flight = 0;
                self.bytes_in_flight = 0;
                self.in_recovery = 0;
                self.nack = self.accept_nack;
            }
            if self.forgets {
                self.nack = 0;
            }
        }
        if self.forgets {
            self.status = 0;
            self.snd_una = 0;
            self.snd_nxt = 0;
            self.in_flight = 0;
            self.bytes_in_flight = 0;
            self.in_recovery = 0;
        }

        comment!("Which of each choice. The first of all is 0 where the memory has the register.");
        self.is_beside_held = true;
        self.narrow_choice = 0;
        self.wide_choice = 0;
        self.value_choice = 0;
        if self.is_high_half || (self.word == self.time_high_at) {
            self.value_choice = 1;
        } else if self.word == self.time_low_at {
            self.value_choice = 2;
        } else if self.word == self.snd_una_at {
            self.wide_choice = 1;
        } else if self.word == self.snd_nxt_at {
            self.wide_choice = 2;
        } else if self.word == self.bytes_in_flight_at {
            self.wide_choice = 3;
        } else if self.word == self.status_at {
            self.narrow_choice = 1;
        } else if self.word == self.in_flight_at {
            self.narrow_choice = 2;
        } else if self.word == self.in_recovery_at {
            self.narrow_choice = 3;
        } else if self.word == self.events_waiting_at {
            self.narrow_choice = 4;
        } else {
            self.is_beside_held = false;
        }
        if self.has_credit {
            if self.word == self.credit_state_at {
                self.narrow_choice = 5;
                self.is_beside_held = true;
            }
        }
        if self.has_types {
            if self.word == self.nack_at {
                self.narrow_choice = 6;
                self.is_beside_held = true;
            }
        }
        if self.is_kept {
            self.value_choice = 3;
        }
        self.is_beside = self.is_beside_held;

        comment!("The choices, the narrow results first.");
        self.narrow = self.reset;
        if self.narrow_choice == 1 {
            self.narrow = resize(self.status);
        } else if self.narrow_choice == 2 {
            self.narrow = resize(self.in_flight);
        } else if self.narrow_choice == 3 {
            self.narrow = resize(self.in_recovery);
        } else if self.narrow_choice == 4 {
            self.narrow = resize(self.events_waiting);
        }
        if self.has_credit {
            if self.narrow_choice == 5 {
                self.narrow = self.credit_state;
            }
        }
        if self.has_types {
            if self.narrow_choice == 6 {
                self.narrow = resize(self.nack);
            }
        }
        comment!("Of a connection that is not open the engine shows PSNs of before.");
        let is_open = self.status == 0;
        if self.wide_choice.get_bit(1) {
            self.wide = 0;
            if self.wide_choice.get_bit(0) {
                self.wide = self.bytes_in_flight;
            } else if is_open {
                self.wide = self.snd_nxt;
            }
        } else {
            self.wide = self.narrow;
            if self.wide_choice.get_bit(0) {
                self.wide = 0;
                if is_open {
                    self.wide = self.snd_una;
                }
            }
        }
        let mut chosen = self.wide;
        if self.value_choice.get_bit(1) {
            chosen = self.cycles_low;
            if self.value_choice.get_bit(0) {
                chosen = self.written;
            }
        } else if self.value_choice.get_bit(0) {
            chosen = self.high;
        }
        if self.takes {
            self.given = chosen;
        }
        self.value = self.given;
    }
}
