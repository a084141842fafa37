//! A block whose counts begin with large numbers, so that carries go through all of them soon, which otherwise takes hours.

/// What the counts of a block begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// The count of clock cycles at power-up.
    pub cycle: u64,
    /// Each counter behind `rst`.
    pub count: u64,
}

impl Begun {
    /// The count of cycles carries through all its quarters after 2^13 cycles, a counter through all its parts at its 24th pulse.
    pub const FAR: Begun = Begun { cycle: (1 << 48) - (1 << 13), count: (1 << 41) - 24 };

    /// The Verilog of the block, changed so that its counts begin so.
    ///
    /// # Panics
    /// If that does not say once what each count begins with.
    pub fn verilog(self, verilog: &str) -> String {
        let mut changed = verilog.to_string();
        for (low, high, first) in [("FIRST_LOW", "FIRST_HIGH", self.count), ("low", "high", self.cycle)] {
            for (half, value) in [(low, first as u32), (high, (first >> 32) as u32)] {
                let begins = format!(" {half} = 32'd0;");
                assert_eq!(changed.matches(&begins).count(), 1, "{begins}");
                changed = changed.replace(&begins, &format!(" {half} = 32'd{value};"));
            }
        }
        changed
    }
}
