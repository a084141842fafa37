//! The top block of a selector: its ports, and the wires from them to its pipeline.

/// Declares a selector's top block. Of its own it says its parts, which are given to `new`, and the wires between them and
/// the update stage of `pipeline`, which is a [`Pipeline`](super::Pipeline), a [`Stateless`](super::Stateless) one, or, with
/// the word `walking` before the parts, a [`Walk`](super::Walk).
///
/// ```text
/// selector! {
///     /// The `ecmp` core. `C = clog2(connections)`.
///     pub struct Ecmp<C> { pipeline: Pipeline<C, Path, bool>, update: Update }
///     #[hdl_gen]
///     fn update(&mut self) { self.pipeline.op.next = self.op_kind.val() == 0; … }
/// }
/// ```
///
/// Behind its parts stand, after `; in`, its own inputs with their types, after `; out` its events, and last
/// `; if has_parity out state_lost` where its words may have parity: that event is there if its pipeline has it. A walking selector that
/// draws has `seed` among its own inputs, as a walk does not draw.
///
/// The attribute stands where it is used, so that its `self` is the one of the wires.
macro_rules! selector {
    ($(#[$about:meta])* pub struct $name:ident<$($width:ident),+> walking { $($body:tt)* } $($rest:tt)*) => {
        $crate::parts::top::selector!(@ [] $(#[$about])* pub struct $name<$($width),+> { $($body)* } $($rest)*);
    };
    ($(#[$about:meta])* pub struct $name:ident<$($width:ident),+> { $($body:tt)* } $($rest:tt)*) => {
        $crate::parts::top::selector!(@ [seed] $(#[$about])* pub struct $name<$($width),+> { $($body)* } $($rest)*);
    };
    (
        @ [$($seed:ident)?]
        $(#[$about:meta])*
        pub struct $name:ident<$($width:ident),+> {
            $($part:ident: $kind:ty),+ $(; in $($input:ident: $input_type:ty),+)? $(; out $($event:ident),+)?
            $(; if $has_parity:ident out $lost:ident)?
        }
        $hash:tt $hdl_gen:tt
        fn update(&mut $self:ident) { $($wires:tt)* }
    ) => {
        $crate::engine! {
        $(#[$about])*
        #[derive(LogicBlock, Default)]
        pub struct $name<$(const $width: usize),+> {
            pub clk: Signal<In, Clock>,
            pub rst: Signal<In, bool>,
            pub op_valid: Signal<In, bool>,
            pub op_ready: Signal<Out, bool>,
            pub op_kind: Signal<In, Bits<3>>,
            pub op_conn: Signal<In, Bits<C>>,
            pub op_ev: Signal<In, Bits<16>>,
            pub op_ecn: Signal<In, bool>,
            $($(pub $input: Signal<In, $input_type>,)+)?
            $(pub $seed: Signal<In, Bits<16>>,)?
            pub res_valid: Signal<Out, bool>,
            pub res_conn: Signal<Out, Bits<C>>,
            pub res_kind: Signal<Out, Bits<2>>,
            pub res_ev: Signal<Out, Bits<16>>,
            $($(pub $event: Signal<Out, bool>,)+)?
            $(optional pub $lost,)?
            ;
            $($part: $kind,)+
            $($has_parity: $crate::prims::Param<bool>)?
        }
        }

        impl<$(const $width: usize),+> $name<$($width),+> {
            /// The engine of these parts.
            #[allow(clippy::too_many_arguments, reason = "a block has as many parts as it has")]
            pub fn new($($part: $kind),+) -> Self {
                let mut engine = Self { $($part,)+ ..Default::default() };
                $(
                    let is_there = engine.pipeline.state_lost.is_there();
                    engine.$lost = $crate::prims::Optional::new(is_there, Default::default);
                    engine.$has_parity = $crate::prims::Param::new(is_there);
                )?
                engine.connect_all();
                engine
            }
        }

        impl<$(const $width: usize),+> Logic for $name<$($width),+> {
            $hash $hdl_gen
            fn update(&mut $self) {
                $self.pipeline.clk.next = $self.clk.val();
                $self.pipeline.rst.next = $self.rst.val();
                $self.pipeline.op_valid.next = $self.op_valid.val();
                $self.pipeline.op_kind.next = $self.op_kind.val();
                $self.pipeline.op_conn.next = $self.op_conn.val();
                $($self.pipeline.$seed.next = $self.$seed.val();)?
                $self.op_ready.next = $self.pipeline.op_ready.val();
                $self.res_valid.next = $self.pipeline.res_valid.val();
                $self.res_conn.next = $self.pipeline.res_conn.val();
                $self.res_kind.next = $self.pipeline.res_kind.val();
                $self.res_ev.next = $self.pipeline.res_ev.val();
                $(if $self.$has_parity.val() {
                    $self.$lost.next = $self.pipeline.state_lost.val();
                })?
                $($wires)*
            }
        }
    };
}
pub(crate) use selector;
