//! The AXI4-Lite side: one access at a time.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Takes an access, holds it while it is done, and answers it.
///
/// Address and data of a write come in any order and wait here. `take` asks for the next access: it begins in the cycle after,
/// unless none waits or one is not yet answered. Of a read and a write that both wait, the one of the kind that was not last goes
/// first. All outputs of the bus are registers.
#[derive(LogicBlock, Default)]
pub struct Bus {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
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

    has_address: DFF<Bit>,
    takes_address: DFF<Bit>,
    write_address: DFF<Bits<12>>,
    has_value: DFF<Bit>,
    takes_value: DFF<Bit>,
    write_value: DFF<Bits<32>>,
    has_all_bytes: DFF<Bit>,
    takes_read: DFF<Bit>,
    active: DFF<Bit>,
    writes: DFF<Bit>,
    at: DFF<Bits<12>>,
    answers_write: DFF<Bit>,
    answers_read: DFF<Bit>,
    answer: DFF<Bits<32>>,
    error: DFF<Bit>,
    may_begin: Signal<Local, Bit>,
    write_waits: Signal<Local, Bit>,
    begins_write: Signal<Local, Bit>,
    begins_read: Signal<Local, Bit>,
    ends_write: Signal<Local, Bit>,
}

impl Logic for Bus {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module bus: AXI4-Lite, one access at a time");
        dff_setup!(self, clk, has_address, takes_address, write_address, has_value, takes_value);
        dff_setup!(self, clk, write_value, has_all_bytes, takes_read, active, writes, at);
        dff_setup!(self, clk, answers_write, answers_read, answer, error);
        comment!("Address and data of a write wait until it is answered.");
        self.ends_write.next = self.finish.val() && self.writes.q.val();
        if self.awvalid.val() && self.takes_address.q.val() {
            self.has_address.d.next = true;
            self.write_address.d.next = self.awaddr.val();
        }
        if self.wvalid.val() && self.takes_value.q.val() {
            self.has_value.d.next = true;
            self.write_value.d.next = self.wdata.val();
            self.has_all_bytes.d.next = self.wstrb.val().all();
        }
        self.takes_address.d.next =
            !(self.has_address.q.val() || (self.awvalid.val() && self.takes_address.q.val()));
        self.takes_value.d.next =
            !(self.has_value.q.val() || (self.wvalid.val() && self.takes_value.q.val()));
        if self.ends_write.val() {
            self.has_address.d.next = false;
            self.has_value.d.next = false;
        }

        comment!("Begin. What is read is taken only now.");
        self.may_begin.next = self.take.val()
            && !self.active.q.val()
            && !self.answers_write.q.val()
            && !self.answers_read.q.val();
        self.write_waits.next = self.has_address.q.val() && self.has_value.q.val();
        self.begins_write.next =
            self.may_begin.val() && self.write_waits.val() && !(self.arvalid.val() && self.writes.q.val());
        self.begins_read.next =
            self.may_begin.val() && self.arvalid.val() && (self.writes.q.val() || !self.write_waits.val());
        self.takes_read.d.next = self.begins_read.val();
        if self.begins_write.val() {
            self.active.d.next = true;
            self.writes.d.next = true;
            self.at.d.next = self.write_address.q.val();
        }
        if self.begins_read.val() {
            self.active.d.next = true;
            self.writes.d.next = false;
            self.at.d.next = self.araddr.val();
        }

        comment!("Answer. A read that is refused gives 0.");
        if self.bready.val() {
            self.answers_write.d.next = false;
        }
        if self.rready.val() {
            self.answers_read.d.next = false;
        }
        if self.finish.val() {
            self.active.d.next = false;
            self.answers_write.d.next = self.writes.q.val();
            self.answers_read.d.next = !self.writes.q.val();
            self.error.d.next = self.is_refused.val();
            self.answer.d.next = self.data.val();
            if self.is_refused.val() {
                self.answer.d.next = bits::<32>(0);
            }
        }

        self.awready.next = self.takes_address.q.val();
        self.wready.next = self.takes_value.q.val();
        self.bvalid.next = self.answers_write.q.val();
        self.arready.next = self.takes_read.q.val();
        self.rvalid.next = self.answers_read.q.val();
        self.rdata.next = self.answer.q.val();
        self.resp.next = bits::<2>(0);
        if self.error.q.val() {
            self.resp.next = bits::<2>(2);
        }
        self.is_active.next = self.active.q.val();
        self.is_write.next = self.writes.q.val();
        self.address.next = self.at.q.val();
        self.value.next = self.write_value.q.val();
        self.is_whole.next = self.has_all_bytes.q.val();
        if self.rst.val() {
            self.has_address.d.next = false;
            self.takes_address.d.next = false;
            self.has_value.d.next = false;
            self.takes_value.d.next = false;
            self.takes_read.d.next = false;
            self.active.d.next = false;
            self.writes.d.next = false;
            self.answers_write.d.next = false;
            self.answers_read.d.next = false;
        }
    }
}
