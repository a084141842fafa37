//! The memory of a queue: 32 words, written at one address and read at another.

use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;

/// 32 words, one write port, one read port, one clock.
///
/// `read_data` is loaded at the edge at which `read_enable` is high, and holds otherwise. Words hold nothing of use before
/// they are written, and a queue never reads the word that it is writing: what it would get is not promised.
#[derive(LogicBlock)]
pub struct QueueMemory<T: Synth> {
    pub clk: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<5>>,
    pub write_data: Signal<In, T>,
    pub read_enable: Signal<In, Bit>,
    pub read_address: Signal<In, Bits<5>>,
    pub read_data: Signal<Out, T>,
    _name: &'static str,
    _about: &'static str,
    _kind: MemoryKind,
    _words: Vec<T>,
}

impl<T: Synth> QueueMemory<T> {
    /// Its module is called `name` and described as `about`.
    pub fn new(name: &'static str, about: &'static str, kind: MemoryKind) -> Self {
        QueueMemory {
            clk: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_enable: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            _name: name,
            _about: about,
            _kind: kind,
            _words: vec![T::default(); 32],
        }
    }
}

impl<T: Synth> Logic for QueueMemory<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            if self.read_enable.val() {
                self.read_data.next = self._words[self.read_address.val().index()];
            }
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let style = match self._kind {
            MemoryKind::Block => "block",
            MemoryKind::Ultra => "ultra",
            MemoryKind::Distributed => "distributed",
        };
        Verilog::Custom(format!(
            "// module {name}: {about}
(* ram_style = \"{style}\" *)
reg [{msb}:0] words [0:31];

always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
    if (read_enable) read_data <= words[read_address];
end
",
            name = self._name,
            about = self._about,
            msb = T::BITS - 1,
        ))
    }
}

/// 32 words, one write port, one read port whose word comes with the address, in the cycle after it was written at the earliest.
#[derive(LogicBlock)]
pub struct DirectMemory<T: Synth> {
    pub clk: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<5>>,
    pub write_data: Signal<In, T>,
    pub read_address: Signal<In, Bits<5>>,
    pub read_data: Signal<Out, T>,
    _name: &'static str,
    _about: &'static str,
    _words: Vec<T>,
}

impl<T: Synth> DirectMemory<T> {
    /// Its module is called `name` and described as `about`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        DirectMemory {
            clk: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            _name: name,
            _about: about,
            _words: vec![T::default(); 32],
        }
    }
}

impl<T: Synth> Logic for DirectMemory<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// module {name}: {about}
(* ram_style = \"distributed\" *)
reg [{msb}:0] words [0:31];

assign read_data = words[read_address];

always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
end
",
            name = self._name,
            about = self._about,
            msb = T::BITS - 1,
        ))
    }
}
