//! `ecpix5_conductor`: does the steps of the self-test on the registers of the block, and says how it ended.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::rom::Rom;
use crate::comment;
use crate::prims::Param;

/// Executes the [`script`](super::script), a step at a time, over AXI4-Lite.
///
/// One of `passed`, `timed_out`, `disagrees` and `found_wrong` rises in the end and stays; until then `running` is high.
#[derive(LogicBlock, Default)]
pub struct Conductor {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub m_axil_awaddr: Signal<Out, Bits<12>>,
    pub m_axil_awvalid: Signal<Out, bool>,
    pub m_axil_awready: Signal<In, bool>,
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    pub m_axil_wstrb: Signal<Out, Bits<4>>,
    pub m_axil_wvalid: Signal<Out, bool>,
    pub m_axil_wready: Signal<In, bool>,
    pub m_axil_bresp: Signal<In, Bits<2>>,
    pub m_axil_bvalid: Signal<In, bool>,
    pub m_axil_bready: Signal<Out, bool>,
    pub m_axil_araddr: Signal<Out, Bits<12>>,
    pub m_axil_arvalid: Signal<Out, bool>,
    pub m_axil_arready: Signal<In, bool>,
    pub m_axil_rdata: Signal<In, Bits<32>>,
    pub m_axil_rresp: Signal<In, Bits<2>>,
    pub m_axil_rvalid: Signal<In, bool>,
    pub m_axil_rready: Signal<Out, bool>,
    /// The generator may send, from now on.
    pub run: Signal<Out, bool>,
    /// Everything is acknowledged.
    pub is_done: Signal<In, bool>,
    /// A packet arrived that is not as it was sent, or arrived twice.
    pub is_wrong: Signal<In, bool>,
    /// Numbers of the self-test's own, see [`Own`](super::script::Own).
    pub frames: Signal<In, Bits<32>>,
    pub dropped: Signal<In, Bits<32>>,
    pub spoiled: Signal<In, Bits<32>>,
    pub marked: Signal<In, Bits<32>>,
    pub taken: Signal<In, Bits<32>>,
    pub running: Signal<Out, bool>,
    pub passed: Signal<Out, bool>,
    /// The time ran out.
    pub timed_out: Signal<Out, bool>,
    /// Counters do not agree, or the block refused an access.
    pub disagrees: Signal<Out, bool>,
    pub found_wrong: Signal<Out, bool>,

    rom: Rom,
    step: DFF<Bits<7>>,
    /// The word of `step` is being read, and is there.
    reads_step: DFF<bool>,
    has_step: DFF<bool>,
    operation: Signal<Local, Bits<4>>,
    number: Signal<Local, Bits<32>>,
    connection: DFF<Bits<6>>,
    /// An access is under way.
    awvalid: DFF<bool>,
    wvalid: DFF<bool>,
    arvalid: DFF<bool>,
    waits: DFF<bool>,
    address: DFF<Bits<12>>,
    value: DFF<Bits<32>>,
    sum: DFF<Bits<32>>,
    /// A number waits to be added to the sum, or to be subtracted.
    adds: DFF<bool>,
    subtracts: DFF<bool>,
    term: DFF<Bits<32>>,
    cycles: DFF<Bits<32>>,
    sends: DFF<bool>,
    has_passed: DFF<bool>,
    has_timed_out: DFF<bool>,
    has_disagreed: DFF<bool>,
    has_wrong: DFF<bool>,
    is_over: Signal<Local, bool>,
    is_ended: Signal<Local, bool>,
    elapsed: DFF<Bits<32>>,
    patience: Param<Bits<32>>,
    per_connection: Param<Bits<32>>,
    all: Param<Bits<32>>,
}

impl Conductor {
    /// With the words of the script; the time runs out after `patience` cycles.
    pub fn new(words: Vec<(u64, String)>, patience: u32, per_connection: u32, all: u32) -> Self {
        let mut block = Self {
            rom: Rom::new(words),
            patience: Param::new(u64::from(patience).into()),
            per_connection: Param::new(u64::from(per_connection).into()),
            all: Param::new(u64::from(all).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl Logic for Conductor {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Does the steps of the self-test on the registers of the block, and says how it ended.");
        dff_setup!(
            self, clk, step, reads_step, has_step, connection, awvalid, wvalid, arvalid, waits, address
        );
        dff_setup!(self, clk, value, sum, adds, subtracts, term, cycles, sends, has_passed, has_timed_out);
        dff_setup!(self, clk, has_disagreed, has_wrong, elapsed);
        self.rom.clk.next = self.clk.val();
        self.rom.address.next = self.step.q.val();
        self.operation.next = self.rom.data.val().get_bits::<4>(44);
        self.number.next = self.rom.data.val().get_bits::<32>(0);
        self.is_over.next = self.has_passed.q.val()
            | self.has_timed_out.q.val()
            | self.has_disagreed.q.val()
            | self.has_wrong.q.val();

        comment!("A step is read from the memory, and begins two cycles later.");
        self.reads_step.d.next = false;
        if self.reads_step.q.val() {
            self.has_step.d.next = true;
        }
        self.is_ended.next = false;
        if self.has_step.q.val() & !self.waits.q.val() & !self.adds.q.val() & !self.subtracts.q.val() {
            comment!("Reads and writes of registers.");
            self.address.d.next = self.rom.data.val().get_bits::<12>(32);
            self.value.d.next = self.number.val();
            if self.operation.val() == 1 {
                self.value.d.next = bit_cast::<32, 6>(self.connection.q.val());
            }
            if (self.operation.val() == 0) | (self.operation.val() == 1) {
                self.awvalid.d.next = true;
                self.wvalid.d.next = true;
                self.waits.d.next = true;
            }
            if (self.operation.val() == 5) | (self.operation.val() == 6) {
                self.arvalid.d.next = true;
                self.waits.d.next = true;
            }
            comment!("The next connection, and the loop's first step.");
            if self.operation.val() == 2 {
                self.is_ended.next = true;
                self.connection.d.next = self.connection.q.val() + 1;
            }
            comment!("Traffic, and what it leaves under way.");
            if self.operation.val() == 3 {
                self.sends.d.next = true;
                self.is_ended.next = self.sends.q.val() & self.is_done.val();
            }
            if self.operation.val() == 4 {
                self.cycles.d.next = self.cycles.q.val() + 1;
                self.is_ended.next = self.cycles.q.val() == self.number.val();
            }
            comment!("Numbers of the self-test's own.");
            if (self.operation.val() == 7) | (self.operation.val() == 8) {
                self.adds.d.next = self.operation.val() == 7;
                self.subtracts.d.next = self.operation.val() == 8;
                self.term.d.next = self.per_connection.val();
                if self.number.val() == 1 {
                    self.term.d.next = self.all.val();
                }
                if self.number.val() == 2 {
                    self.term.d.next = self.frames.val();
                }
                if self.number.val() == 3 {
                    self.term.d.next = self.dropped.val();
                }
                if self.number.val() == 4 {
                    self.term.d.next = self.spoiled.val();
                }
                if self.number.val() == 5 {
                    self.term.d.next = self.marked.val();
                }
                if self.number.val() == 6 {
                    self.term.d.next = self.taken.val();
                }
            }
            comment!("Verdicts.");
            if (self.operation.val() == 9) | (self.operation.val() == 10) {
                self.has_disagreed.d.next = (self.sum.q.val() != 0) == (self.operation.val() == 9);
                self.sum.d.next = 0.into();
                self.is_ended.next = true;
            }
            if self.operation.val() == 11 {
                self.has_passed.d.next = true;
            }
        }
        comment!("A term reaches the sum.");
        if self.adds.q.val() {
            self.sum.d.next = self.sum.q.val() + self.term.q.val();
        }
        if self.subtracts.q.val() {
            self.sum.d.next = self.sum.q.val() - self.term.q.val();
        }
        if self.adds.q.val() | self.subtracts.q.val() {
            self.adds.d.next = false;
            self.subtracts.d.next = false;
            self.is_ended.next = true;
        }
        comment!("The bus.");
        if self.awvalid.q.val() & self.m_axil_awready.val() {
            self.awvalid.d.next = false;
        }
        if self.wvalid.q.val() & self.m_axil_wready.val() {
            self.wvalid.d.next = false;
        }
        if self.arvalid.q.val() & self.m_axil_arready.val() {
            self.arvalid.d.next = false;
        }
        if self.waits.q.val() & self.m_axil_bvalid.val() {
            self.waits.d.next = false;
            self.is_ended.next = true;
            self.has_disagreed.d.next = self.m_axil_bresp.val().any();
        }
        if self.waits.q.val() & self.m_axil_rvalid.val() {
            self.waits.d.next = false;
            self.adds.d.next = self.operation.val() == 5;
            self.subtracts.d.next = self.operation.val() == 6;
            self.term.d.next = self.m_axil_rdata.val();
            self.has_disagreed.d.next = self.m_axil_rresp.val().any();
        }
        self.m_axil_awvalid.next = self.awvalid.q.val();
        self.m_axil_awaddr.next = self.address.q.val();
        self.m_axil_wvalid.next = self.wvalid.q.val();
        self.m_axil_wdata.next = self.value.q.val();
        self.m_axil_wstrb.next = 15.into();
        self.m_axil_bready.next = self.waits.q.val();
        self.m_axil_arvalid.next = self.arvalid.q.val();
        self.m_axil_araddr.next = self.address.q.val();
        self.m_axil_rready.next = self.waits.q.val();

        comment!("The step behind it.");
        if self.is_ended.val() {
            self.has_step.d.next = false;
            self.reads_step.d.next = true;
            self.step.d.next = self.step.q.val() + 1;
            self.cycles.d.next = 0.into();
            if (self.operation.val() == 2) & !self.connection.q.val().all() {
                self.step.d.next = self.number.val().get_bits::<7>(0);
            }
        }
        comment!("What ends the test in any step; then nothing goes on.");
        self.elapsed.d.next = self.elapsed.q.val() + 1;
        if self.elapsed.q.val() == self.patience.val() {
            self.has_timed_out.d.next = true;
        }
        if self.is_wrong.val() {
            self.has_wrong.d.next = true;
        }
        if self.is_over.val() {
            self.has_step.d.next = false;
            self.reads_step.d.next = false;
            self.awvalid.d.next = false;
            self.wvalid.d.next = false;
            self.arvalid.d.next = false;
            self.has_passed.d.next = self.has_passed.q.val();
            self.has_timed_out.d.next = self.has_timed_out.q.val();
            self.has_disagreed.d.next = self.has_disagreed.q.val();
            self.has_wrong.d.next = self.has_wrong.q.val();
        }
        self.run.next = self.sends.q.val();
        self.running.next = !self.is_over.val();
        self.passed.next = self.has_passed.q.val();
        self.timed_out.next = self.has_timed_out.q.val();
        self.disagrees.next = self.has_disagreed.q.val();
        self.found_wrong.next = self.has_wrong.q.val();
        if self.rst.val() {
            self.step.d.next = 0.into();
            self.reads_step.d.next = true;
            self.has_step.d.next = false;
            self.connection.d.next = 0.into();
            self.awvalid.d.next = false;
            self.wvalid.d.next = false;
            self.arvalid.d.next = false;
            self.waits.d.next = false;
            self.sum.d.next = 0.into();
            self.adds.d.next = false;
            self.subtracts.d.next = false;
            self.cycles.d.next = 0.into();
            self.sends.d.next = false;
            self.has_passed.d.next = false;
            self.has_timed_out.d.next = false;
            self.has_disagreed.d.next = false;
            self.has_wrong.d.next = false;
            self.elapsed.d.next = 0.into();
        }
    }
}
