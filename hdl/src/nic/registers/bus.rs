//! The AXI4-Lite side: one access at a time.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Takes an access, holds it while it is done, and answers it.
///
/// Address and data of a write come in any order and wait here. `take` asks for the next access: it begins in the cycle after,
/// unless none waits or one is not yet answered. Of a read and a write that both wait, the one of the kind that was not last goes
/// first. All outputs of the bus are registers.
#[block]
pub struct Bus {
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub awaddr: Signal<In, Bits<12>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub araddr: Signal<In, Bits<12>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    /// Of both answers: 0 OKAY, 2 SLVERR.
    pub resp: Signal<Out, Bits<2>>,

    /// An access may begin.
    pub take: Signal<In, Bit>,
    /// An access is being done: these hold until it is answered.
    pub is_active: Signal<Out, Bit>,
    pub is_write: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<12>>,
    pub value: Signal<Out, Bits<32>>,
    /// All four bytes are written.
    pub is_whole: Signal<Out, Bit>,
    /// It is done, or refused.
    pub finish: Signal<In, Bit>,
    pub is_refused: Signal<In, Bit>,
    /// What a read gives.
    pub data: Signal<In, Bits<32>>,

    #[reset = false]
    has_address: Reg<Bit>,
    #[reset = false]
    takes_address: Reg<Bit>,
    write_address: Reg<Bits<12>>,
    #[reset = false]
    has_value: Reg<Bit>,
    #[reset = false]
    takes_value: Reg<Bit>,
    write_value: Reg<Bits<32>>,
    has_all_bytes: Reg<Bit>,
    #[reset = false]
    takes_read: Reg<Bit>,
    #[reset = false]
    active: Reg<Bit>,
    #[reset = false]
    writes: Reg<Bit>,
    at: Reg<Bits<12>>,
    #[reset = false]
    answers_write: Reg<Bit>,
    #[reset = false]
    answers_read: Reg<Bit>,
    answer: Reg<Bits<32>>,
    error: Reg<Bit>,
}

#[block]
impl Bus {
    fn update(&mut self) {
        comment!("module bus: AXI4-Lite, one access at a time");
        comment!("Address and data of a write wait until it is answered.");
        let ends_write = self.finish && self.writes;
        if self.awvalid && self.takes_address {
            self.has_address = true;
            self.write_address = self.awaddr;
        }
        if self.wvalid && self.takes_value {
            self.has_value = true;
            self.write_value = self.wdata;
            self.has_all_bytes = self.wstrb.all();
        }
        self.takes_address = !(self.has_address || (self.awvalid && self.takes_address));
        self.takes_value = !(self.has_value || (self.wvalid && self.takes_value));
        if ends_write {
            self.has_address = false;
            self.has_value = false;
        }

        comment!("Begin. What is read is taken only now.");
        let may_begin = self.take && !self.active && !self.answers_write && !self.answers_read;
        let write_waits = self.has_address && self.has_value;
        let begins_write = may_begin && write_waits && !(self.arvalid && self.writes);
        let begins_read = may_begin && self.arvalid && (self.writes || !write_waits);
        self.takes_read = begins_read;
        if begins_write {
            self.active = true;
            self.writes = true;
            self.at = self.write_address;
        }
        if begins_read {
            self.active = true;
            self.writes = false;
            self.at = self.araddr;
        }

        comment!("Answer. A read that is refused gives 0.");
        if self.bready {
            self.answers_write = false;
        }
        if self.rready {
            self.answers_read = false;
        }
        if self.finish {
            self.active = false;
            self.answers_write = self.writes;
            self.answers_read = !self.writes;
            self.error = self.is_refused;
            self.answer = self.data;
            if self.is_refused {
                self.answer = 0;
            }
        }

        self.awready = self.takes_address;
        self.wready = self.takes_value;
        self.bvalid = self.answers_write;
        self.arready = self.takes_read;
        self.rvalid = self.answers_read;
        self.rdata = self.answer;
        self.resp = 0;
        if self.error {
            self.resp = 2;
        }
        self.is_active = self.active;
        self.is_write = self.writes;
        self.address = self.at;
        self.value = self.write_value;
        self.is_whole = self.has_all_bytes;
    }
}
