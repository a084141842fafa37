//! What the attribute `block` needs of the fields of a block: registers, wires, parts, and ports that are several signals.

use rust_hdl::core::direction::Direction;
use rust_hdl::prelude::*;

use super::{Array, Optional, Word};

/// A register. With `#[reset = 0]` above it it has a reset; else it keeps its contents then.
pub type Reg<T> = DFF<T>;

/// A part of a block, which is given the block's clock and reset if it has such ports. Of a register they are its clock and that it
/// holds.
pub trait Part {
    fn clocked(&mut self, clk: Clock, rst: bool);
    /// Marks what `clocked` drives.
    fn claim_clock(&mut self);
}

impl<T: Synth> Part for DFF<T> {
    fn clocked(&mut self, clk: Clock, _: bool) {
        self.clock.next = clk;
        self.d.next = self.q.val();
    }

    fn claim_clock(&mut self) {
        self.clock.connect();
        self.d.connect();
    }
}

impl<B: Part, const N: usize> Part for Array<B, N> {
    fn clocked(&mut self, clk: Clock, rst: bool) {
        self.iter_mut().for_each(|part| part.clocked(clk, rst));
    }

    fn claim_clock(&mut self) {
        self.iter_mut().for_each(Part::claim_clock);
    }
}

impl<B: Part, const N: usize> Part for [B; N] {
    fn clocked(&mut self, clk: Clock, rst: bool) {
        self.iter_mut().for_each(|part| part.clocked(clk, rst));
    }

    fn claim_clock(&mut self) {
        self.iter_mut().for_each(Part::claim_clock);
    }
}

impl<B: Part> Part for Optional<B> {
    fn clocked(&mut self, clk: Clock, rst: bool) {
        if self.is_there() {
            (**self).clocked(clk, rst);
        }
    }

    fn claim_clock(&mut self) {
        if self.is_there() {
            (**self).claim_clock();
        }
    }
}

/// The bits of a number, cut or with zeros above, as many as are wanted where it stands.
pub fn resize<const N: usize, const M: usize>(value: Bits<M>) -> Bits<N> {
    bit_cast::<N, M>(value)
}

/// A direction, and the one against it.
pub trait Way: Direction {
    type Back: Way;

    /// What is read of a signal of this direction.
    fn seen<T: Synth>(signal: &Signal<Self, T>) -> T;
}

impl Way for In {
    type Back = Out;

    fn seen<T: Synth>(signal: &Signal<Self, T>) -> T {
        signal.val()
    }
}

impl Way for Out {
    type Back = In;

    fn seen<T: Synth>(signal: &Signal<Self, T>) -> T {
        signal.val()
    }
}

impl Way for Local {
    type Back = Local;

    fn seen<T: Synth>(signal: &Signal<Self, T>) -> T {
        signal.val()
    }
}

/// A port that a port of the type `S` can drive as a whole. Fields that go back are driven in the other direction.
pub trait Join<S> {
    fn drive(&mut self, source: &mut S);
    /// Marks what `drive` drives.
    fn claim(&mut self, source: &mut S);
}

/// `source` drives `sink`.
pub fn join<A: Join<B>, B>(sink: &mut A, source: &mut B) {
    sink.drive(source);
}

impl<A: Way, B: Way, T: Synth> Join<Signal<B, T>> for Signal<A, T> {
    fn drive(&mut self, source: &mut Signal<B, T>) {
        self.next = B::seen(source);
    }

    fn claim(&mut self, _: &mut Signal<B, T>) {
        self.connect();
    }
}

/// What is assigned: of a signal its next value, of all else itself.
pub trait Place {
    type Is: ?Sized;
    fn place(&mut self) -> &mut Self::Is;
}

impl<D: Way, T: Synth> Place for Signal<D, T> {
    type Is = T;

    fn place(&mut self) -> &mut T {
        &mut self.next
    }
}

impl<W: Word> Place for W {
    type Is = W;

    fn place(&mut self) -> &mut W {
        self
    }
}

/// Declares a port of several signals: of each whether it goes `ahead`, in the direction of the port, or `back`, and `flat` where it
/// goes ahead and has no name in the Verilog but those of its own fields.
#[macro_export]
macro_rules! bundle {
    (
        $(#[$about:meta])*
        pub struct $name:ident / $values:ident<$D:ident $(| $T:ident: $bound:ident)? $(, const $N:ident: usize)*> {
            $($(#[$field_about:meta])* pub $field:ident: $way:ident $kind:ty),+ $(,)?
        }
    ) => {
        $(#[$about])*
        pub struct $name<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> {
            $($(#[$field_about])* pub $field: Signal<$crate::bundle!(@way $way $D), $kind>),+
        }

        /// Values of these signals.
        #[derive(Clone, Copy, Debug)]
        pub struct $values<$($T: $bound,)? $(const $N: usize),*> {
            $(pub $field: $kind),+
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> $name<$D $(, $T)? $(, $N)*> {
            /// What the signals are.
            pub fn val(&self) -> $values<$($T,)? $($N),*> {
                $values { $($field: $crate::prims::Way::seen(&self.$field)),+ }
            }
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> Default for $name<$D $(, $T)? $(, $N)*> {
            fn default() -> Self {
                Self { $($field: Default::default()),+ }
            }
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> Logic for $name<$D $(, $T)? $(, $N)*> {
            fn update(&mut self) {}
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> Block for $name<$D $(, $T)? $(, $N)*> {
            fn connect_all(&mut self) {
                $(self.$field.connect_all();)+
            }

            fn update_all(&mut self) {
                $(self.$field.update_all();)+
            }

            fn has_changed(&self) -> bool {
                $(self.$field.has_changed())||+
            }

            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_start_namespace(name, self);
                $(self.$field.accept($crate::bundle!(@name $way $field), probe);)+
                probe.visit_end_namespace(name, self);
            }
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> $crate::prims::Part for $name<$D $(, $T)? $(, $N)*> {
            fn clocked(&mut self, _: Clock, _: bool) {}

            fn claim_clock(&mut self) {}
        }

        impl<$D: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*> $crate::prims::Place for $name<$D $(, $T)? $(, $N)*> {
            type Is = Self;

            fn place(&mut self) -> &mut Self {
                self
            }
        }

        impl<$D: $crate::prims::Way, Source: $crate::prims::Way $(, $T: $bound)? $(, const $N: usize)*>
            $crate::prims::Join<$name<Source $(, $T)? $(, $N)*>> for $name<$D $(, $T)? $(, $N)*>
        {
            fn drive(&mut self, source: &mut $name<Source $(, $T)? $(, $N)*>) {
                $($crate::bundle!(@join $way self source $field drive);)+
            }

            fn claim(&mut self, source: &mut $name<Source $(, $T)? $(, $N)*>) {
                $($crate::bundle!(@join $way self source $field claim);)+
            }
        }
    };
    (@way back $D:ident) => { <$D as $crate::prims::Way>::Back };
    (@way $way:ident $D:ident) => { $D };
    (@name flat $field:ident) => { concat!(stringify!($field), "=") };
    (@name $way:ident $field:ident) => { stringify!($field) };
    (@join back $self:ident $source:ident $field:ident $verb:ident) => {
        $crate::prims::Join::$verb(&mut $source.$field, &mut $self.$field)
    };
    (@join $way:ident $self:ident $source:ident $field:ident $verb:ident) => {
        $crate::prims::Join::$verb(&mut $self.$field, &mut $source.$field)
    };
}

bundle! {
    /// A stream: an item is taken at an edge with `valid` and `ready`.
    pub struct Stream / StreamValues<D | T: Synth> {
        pub valid: ahead bool,
        pub ready: back bool,
        pub item: flat T,
    }
}

bundle! {
    /// An AXI-Stream of `BITS` bits and `BYTES` bytes.
    pub struct Axis / AxisValues<D, const BITS: usize, const BYTES: usize> {
        pub tdata: ahead Bits<BITS>,
        pub tkeep: ahead Bits<BYTES>,
        pub tvalid: ahead bool,
        pub tlast: ahead bool,
        pub tready: back bool,
    }
}

bundle! {
    /// The same with a bit beside the last beat.
    pub struct AxisUser / AxisUserValues<D, const BITS: usize, const BYTES: usize> {
        pub tdata: ahead Bits<BITS>,
        pub tkeep: ahead Bits<BYTES>,
        pub tvalid: ahead bool,
        pub tlast: ahead bool,
        pub tuser: ahead Bits<1>,
        pub tready: back bool,
    }
}
