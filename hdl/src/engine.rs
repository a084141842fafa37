//! A core's engine in rust-hdl's own simulation, driven and read by the names of its ports.

use rust_hdl::prelude::*;

use crate::prims::Word;

/// Rounds of updates after which a design that still changes has a combinational loop.
const MOST_ROUNDS: usize = 50;

/// The top block of a core.
pub trait Engine: Block {
    /// The block, for the Verilog backend.
    fn block(&self) -> &dyn Block;

    /// Sets the clock.
    fn set_clock(&mut self, is_high: bool);

    /// Sets every other input to the word that `of` gives for its port.
    fn drive(&mut self, of: &mut dyn FnMut(&'static str) -> u64);

    /// Says the word of every output.
    fn show(&self, heard: &mut dyn FnMut(&'static str, u64));

    /// One clock cycle: drives the inputs, lets the logic settle, says the outputs, then gives the edge.
    ///
    /// # Panics
    /// If the logic does not settle, and without the feature `simulation`.
    fn cycle(&mut self, of: &mut dyn FnMut(&'static str) -> u64, heard: &mut dyn FnMut(&'static str, u64)) {
        self.set_clock(false);
        self.drive(of);
        self.settle();
        self.show(heard);
        self.set_clock(true);
        self.settle();
    }

    /// Updates until nothing changes.
    ///
    /// # Panics
    /// If that does not come to an end, and without the feature `simulation`.
    fn settle(&mut self) {
        if !crate::SIMULATES {
            panic!("respray-hdl is built without the feature `simulation`");
        }
        let settles = (0..MOST_ROUNDS).any(|_| {
            self.update_all();
            !self.has_changed()
        });
        assert!(settles, "the design has a combinational loop");
    }
}

/// The value of a port of up to 64 bits.
pub trait PortValue: Word {
    /// From a word, of which only the port's bits count.
    fn of_word(word: u64) -> Self;
}

impl PortValue for bool {
    fn of_word(word: u64) -> Self {
        word & 1 != 0
    }
}

impl<const N: usize> PortValue for Bits<N> {
    fn of_word(word: u64) -> Self {
        (word & (u64::MAX >> (64 - N))).into()
    }
}

/// Declares the top block of a core: a struct that begins with its ports, `clk` the first of them, and after a semicolon goes on with
/// its parts. It is given [`Engine`](crate::engine::Engine).
///
/// The last port may be an event that only some configurations have: `optional pub state_lost,`.
#[macro_export]
macro_rules! engine {
    (
        $(#[$about:meta])*
        pub struct $name:ident<$(const $size:ident: usize),+ $(,)?> {
            pub clk: Signal<In, Clock>,
            $(pub $port:ident: Signal<$direction:ident, $port_type:ty>,)+
            $(optional pub $event:ident,)?
            ;
            $($(#[$part_about:meta])* $part:ident: $part_type:ty),+ $(,)?
        }
    ) => {
        $(#[$about])*
        pub struct $name<$(const $size: usize),+> {
            pub clk: Signal<In, Clock>,
            $(pub $port: Signal<$direction, $port_type>,)+
            $(pub $event: $crate::prims::Optional<Signal<Out, bool>>,)?
            $($(#[$part_about])* $part: $part_type),+
        }

        impl<$(const $size: usize),+> $crate::engine::Engine for $name<$($size),+> {
            fn block(&self) -> &dyn Block {
                self
            }

            fn set_clock(&mut self, is_high: bool) {
                self.clk.next = Clock { clk: is_high };
            }

            fn drive(&mut self, of: &mut dyn FnMut(&'static str) -> u64) {
                if $crate::SIMULATES {
                    $($crate::engine!(@drive $direction self $port $port_type, of);)+
                }
            }

            fn show(&self, heard: &mut dyn FnMut(&'static str, u64)) {
                if $crate::SIMULATES {
                    $($crate::engine!(@show $direction self $port heard);)+
                    $(if self.$event.is_there() {
                        heard(stringify!($event), self.$event.val().into());
                    })?
                }
            }
        }
    };
    (@drive In $self:ident $port:ident $type:ty, $of:ident) => {
        $self.$port.next = <$type as $crate::engine::PortValue>::of_word($of(stringify!($port)));
    };
    (@drive Out $($rest:tt)*) => {};
    (@show Out $self:ident $port:ident $heard:ident) => {
        $heard(stringify!($port), $crate::prims::Word::number($self.$port.val()) as u64);
    };
    (@show In $($rest:tt)*) => {};
}
