//! A number of the configuration, as a field of a block.

use rust_hdl::core::signal::get_signal_id;
use rust_hdl::prelude::*;

/// A value that is fixed when its block is made: rust-hdl's `Constant`, but with a `Default`.
///
/// It lets a block derive `Default` and name only its parameters in its constructor:
///
/// ```
/// use respray_hdl::prims::Param;
/// use rust_hdl::prelude::*;
///
/// #[derive(LogicBlock, Default)]
/// struct Scale {
///     pub given: Signal<In, Bits<8>>,
///     pub scaled: Signal<Out, Bits<8>>,
///     shift: Param<Bits<8>>,
/// }
///
/// impl Scale {
///     fn new(shift: u64) -> Self {
///         Self { shift: Param::new(shift.into()), ..Default::default() }
///     }
/// }
///
/// impl Logic for Scale {
///     #[hdl_gen]
///     fn update(&mut self) {
///         self.scaled.next = self.given.val() << self.shift.val();
///     }
/// }
/// # let mut scale = Scale::new(3);
/// # scale.given.next = 5.into();
/// # assert!(simulate(&mut scale, 10));
/// # assert_eq!(scale.scaled.val(), bits::<8>(40));
/// ```
///
/// A parameter at its default has no value. A design with one is a mistake, as somebody made the block without its constructor:
/// the Verilog backend refuses it with the name of the parameter, and the simulation stops at it.
#[derive(Clone, Copy, Debug)]
pub struct Param<T: Synth> {
    value: Option<T>,
    id: usize,
}

impl<T: Synth> Param<T> {
    /// The parameter with its value.
    pub fn new(value: T) -> Self {
        Param { value: Some(value), ..Default::default() }
    }

    /// Its value, also within `update`.
    ///
    /// # Panics
    /// If it was not given one.
    pub fn val(&self) -> T {
        self.value.expect("a parameter has no value: its block was made without its constructor")
    }
}

impl<T: Synth> Default for Param<T> {
    fn default() -> Self {
        Param { value: None, id: get_signal_id() }
    }
}

impl<T: Synth> Logic for Param<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Atom for Param<T> {
    fn bits(&self) -> usize {
        T::BITS
    }

    /// Whether it has a value.
    fn connected(&self) -> bool {
        self.value.is_some()
    }

    fn changed(&self) -> bool {
        false
    }

    fn kind(&self) -> AtomKind {
        AtomKind::Constant
    }

    fn descriptor(&self) -> TypeDescriptor {
        T::descriptor()
    }

    fn vcd(&self) -> VCDValue {
        self.val().vcd()
    }

    /// Its value; that of the type's default without one, so that a probe can reach the name of the parameter.
    fn verilog(&self) -> VerilogLiteral {
        self.value.unwrap_or_default().verilog()
    }

    fn id(&self) -> usize {
        self.id
    }

    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}

impl<T: Synth> Block for Param<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}
