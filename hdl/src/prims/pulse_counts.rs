//! Many pulses, each counted in a few flip-flops until somebody looks.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

/// Pulses after which a count begins anew.
const PERIOD: usize = 63;

/// `N` counts of pulses modulo 63, of which any number may advance at one edge; `N` is 33 to 64.
///
/// - `count` is that of the pulses of number `number`, two clock edges after `number`: all pulses are in it that came before the
///   edge at which `number` was taken. A number of `N` or more gives nothing of use.
/// - Whoever looks at least every 62 cycles learns from the difference of two looks how many pulses came between them.
/// - A count is kept as a shift register with feedback, which takes one LUT. The output turns its state into a number.
#[derive(LogicBlock, Default, Part)]
pub struct PulseCounts<const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Sets all counts to 0.
    pub rst: Signal<In, bool>,
    pub pulses: Signal<In, Bits<N>>,
    pub number: Signal<In, Bits<6>>,
    pub count: Signal<Out, Bits<6>>,
    _name: Option<&'static str>,
    _counts: Vec<usize>,
    _selected: usize,
}

impl<const N: usize> PulseCounts<N> {
    /// Its module is called `name`.
    ///
    /// # Panics
    /// If a number of six bits is not what tells `N` counts apart.
    pub fn new(name: &'static str) -> Self {
        assert!(N > 32 && N <= 64, "{name}: {N} counts have no numbers of 6 bits");
        Self { _name: Some(name), _counts: vec![0; N], ..Default::default() }
    }
}

/// The state of a shift register after one more pulse.
fn shifted(state: usize) -> usize {
    let feedback = !(state >> 5 ^ state >> 4) & 1;
    state << 1 & 0x3f | feedback
}

/// For each bit of a count, the states in which it is set: bit s for state s.
fn order() -> [u64; 6] {
    let mut order = [0u64; 6];
    let mut state = 0;
    for count in 0..PERIOD {
        for (bit, states) in order.iter_mut().enumerate() {
            *states |= (count as u64 >> bit & 1) << state;
        }
        state = shifted(state);
    }
    let is_even = order.iter().all(|states| states.count_ones() == 31);
    assert!(state == 0 && is_even, "the shift register goes through all its states but one");
    order
}

impl<const N: usize> Logic for PulseCounts<N> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.count.next = (self._selected as u64).into();
            self._selected = self._counts.get(self.number.val().index()).copied().unwrap_or(0);
            let (rst, pulses) = (self.rst.val(), self.pulses.val());
            for (number, count) in self._counts.iter_mut().enumerate() {
                let next = (*count + usize::from(pulses.get_bit(number))) % PERIOD;
                *count = if rst { 0 } else { next };
            }
        }
    }

    fn connect(&mut self) {
        self.count.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(name) = self._name else { return Verilog::Empty };
        let order = order();
        Verilog::Custom(format!(
            "// module {name}: counts of pulses modulo {PERIOD}
// Each is a shift register of six bits with feedback, bit i of state_0 to state_5.
reg [{msb}:0] state_0, state_1, state_2, state_3, state_4, state_5;
reg [5:0] selected;

integer i;
always @(posedge clk)
    for (i = 0; i < {N}; i = i + 1)
        if (rst) begin
            state_0[i] <= 1'b0;
            state_1[i] <= 1'b0;
            state_2[i] <= 1'b0;
            state_3[i] <= 1'b0;
            state_4[i] <= 1'b0;
            state_5[i] <= 1'b0;
        end else if (pulses[i]) begin
            state_0[i] <= ~(state_5[i] ^ state_4[i]);
            state_1[i] <= state_0[i];
            state_2[i] <= state_1[i];
            state_3[i] <= state_2[i];
            state_4[i] <= state_3[i];
            state_5[i] <= state_4[i];
        end

// Bit s of ORDER_k is bit k of the number of pulses that lead to state s.
localparam [63:0] ORDER_0 = 64'h{:016x};
localparam [63:0] ORDER_1 = 64'h{:016x};
localparam [63:0] ORDER_2 = 64'h{:016x};
localparam [63:0] ORDER_3 = 64'h{:016x};
localparam [63:0] ORDER_4 = 64'h{:016x};
localparam [63:0] ORDER_5 = 64'h{:016x};

always @(posedge clk) begin
    selected <= {{state_5[number], state_4[number], state_3[number],
                  state_2[number], state_1[number], state_0[number]}};
    count <= {{ORDER_5[selected], ORDER_4[selected], ORDER_3[selected],
              ORDER_2[selected], ORDER_1[selected], ORDER_0[selected]}};
end
",
            order[0],
            order[1],
            order[2],
            order[3],
            order[4],
            order[5],
            msb = N - 1,
        ))
    }
}
