//! `ecpix5_conductor`: does the steps of the self-test on the registers of the block, and says how it ended.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::rom::Rom;
use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Executes the [`script`](super::script), a step at a time, over AXI4-Lite.
///
/// One of `passed`, `timed_out`, `disagrees` and `found_wrong` rises in the end and stays; until then `running` is high.
#[block]
pub struct Conductor {
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
    #[reset = 0]
    step: Reg<Bits<7>>,
    /// The word of `step` is being read, and is there.
    #[reset = true]
    reads_step: Reg<bool>,
    #[reset = false]
    has_step: Reg<bool>,
    #[reset = 0]
    connection: Reg<Bits<6>>,
    /// An access is under way.
    #[reset = false]
    awvalid: Reg<bool>,
    #[reset = false]
    wvalid: Reg<bool>,
    #[reset = false]
    arvalid: Reg<bool>,
    #[reset = false]
    waits: Reg<bool>,
    address: Reg<Bits<12>>,
    value: Reg<Bits<32>>,
    #[reset = 0]
    sum: Reg<Bits<32>>,
    /// A number waits to be added to the sum, or to be subtracted.
    #[reset = false]
    adds: Reg<bool>,
    #[reset = false]
    subtracts: Reg<bool>,
    term: Reg<Bits<32>>,
    #[reset = 0]
    cycles: Reg<Bits<32>>,
    #[reset = false]
    sends: Reg<bool>,
    #[reset = false]
    has_passed: Reg<bool>,
    #[reset = false]
    has_timed_out: Reg<bool>,
    #[reset = false]
    has_disagreed: Reg<bool>,
    #[reset = false]
    has_wrong: Reg<bool>,
    #[reset = 0]
    elapsed: Reg<Bits<32>>,
    patience: Param<Bits<32>>,
    per_connection: Param<Bits<32>>,
    all: Param<Bits<32>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("Does the steps of the self-test on the registers of the block, and says how it ended.");
        self.rom.address = self.step;
        let operation = self.rom.data.get_bits::<4>(44);
        let number = self.rom.data.get_bits::<32>(0);
        let is_over = self.has_passed | self.has_timed_out | self.has_disagreed | self.has_wrong;

        comment!("A step is read from the memory, and begins two cycles later.");
        self.reads_step = false;
        if self.reads_step {
            self.has_step = true;
        }
        let mut is_ended = false;
        if self.has_step & !self.waits & !self.adds & !self.subtracts {
            comment!("Reads and writes of registers.");
            self.address = self.rom.data.get_bits::<12>(32);
            self.value = number;
            if operation == 1 {
                self.value = resize(self.connection);
            }
            if (operation == 0) | (operation == 1) {
                self.awvalid = true;
                self.wvalid = true;
                self.waits = true;
            }
            if (operation == 5) | (operation == 6) {
                self.arvalid = true;
                self.waits = true;
            }
            comment!("The next connection, and the loop's first step.");
            if operation == 2 {
                is_ended = true;
                self.connection = self.connection + 1;
            }
            comment!("Traffic, and what it leaves under way.");
            if operation == 3 {
                self.sends = true;
                is_ended = self.sends & self.is_done;
            }
            if operation == 4 {
                self.cycles = self.cycles + 1;
                is_ended = self.cycles == number;
            }
            comment!("Numbers of the self-test's own.");
            if (operation == 7) | (operation == 8) {
                self.adds = operation == 7;
                self.subtracts = operation == 8;
                self.term = self.per_connection;
                if number == 1 {
                    self.term = self.all;
                }
                if number == 2 {
                    self.term = self.frames;
                }
                if number == 3 {
                    self.term = self.dropped;
                }
                if number == 4 {
                    self.term = self.spoiled;
                }
                if number == 5 {
                    self.term = self.marked;
                }
                if number == 6 {
                    self.term = self.taken;
                }
            }
            comment!("Verdicts.");
            if (operation == 9) | (operation == 10) {
                self.has_disagreed = (self.sum != 0) == (operation == 9);
                self.sum = 0;
                is_ended = true;
            }
            if operation == 11 {
                self.has_passed = true;
            }
        }
        comment!("A term reaches the sum.");
        if self.adds {
            self.sum = self.sum + self.term;
        }
        if self.subtracts {
            self.sum = self.sum - self.term;
        }
        if self.adds | self.subtracts {
            self.adds = false;
            self.subtracts = false;
            is_ended = true;
        }
        comment!("The bus.");
        if self.awvalid & self.m_axil_awready {
            self.awvalid = false;
        }
        if self.wvalid & self.m_axil_wready {
            self.wvalid = false;
        }
        if self.arvalid & self.m_axil_arready {
            self.arvalid = false;
        }
        if self.waits & self.m_axil_bvalid {
            self.waits = false;
            is_ended = true;
            self.has_disagreed = self.m_axil_bresp.any();
        }
        if self.waits & self.m_axil_rvalid {
            self.waits = false;
            self.adds = operation == 5;
            self.subtracts = operation == 6;
            self.term = self.m_axil_rdata;
            self.has_disagreed = self.m_axil_rresp.any();
        }
        self.m_axil_awvalid = self.awvalid;
        self.m_axil_awaddr = self.address;
        self.m_axil_wvalid = self.wvalid;
        self.m_axil_wdata = self.value;
        self.m_axil_wstrb = 15;
        self.m_axil_bready = self.waits;
        self.m_axil_arvalid = self.arvalid;
        self.m_axil_araddr = self.address;
        self.m_axil_rready = self.waits;

        comment!("The step behind it.");
        if is_ended {
            self.has_step = false;
            self.reads_step = true;
            self.step = self.step + 1;
            self.cycles = 0;
            if (operation == 2) & !self.connection.all() {
                self.step = number.get_bits::<7>(0);
            }
        }
        comment!("What ends the test in any step; then nothing goes on.");
        self.elapsed = self.elapsed + 1;
        if self.elapsed == self.patience {
            self.has_timed_out = true;
        }
        if self.is_wrong {
            self.has_wrong = true;
        }
        if is_over {
            self.has_step = false;
            self.reads_step = false;
            self.awvalid = false;
            self.wvalid = false;
            self.arvalid = false;
            self.has_passed = self.has_passed;
            self.has_timed_out = self.has_timed_out;
            self.has_disagreed = self.has_disagreed;
            self.has_wrong = self.has_wrong;
        }
        self.run = self.sends;
        self.running = !is_over;
        self.passed = self.has_passed;
        self.timed_out = self.has_timed_out;
        self.disagrees = self.has_disagreed;
        self.found_wrong = self.has_wrong;
    }
}
