//! What a memory stores and what addresses it: plain bits, or a struct of them.

use std::ops::BitOr;

use rust_hdl::prelude::*;

/// A value that memories can store, be addressed by, and garble. Of several words of which all but one are zero, an OR is that one.
pub trait Word: Synth + BitOr<Output = Self> {
    /// Every bit inverted: what a memory gives in simulation where it promises nothing.
    fn inverted(self) -> Self;

    /// The value as a number, first field of a struct in the lowest bits.
    ///
    /// # Panics
    /// From `2^128` on.
    fn number(self) -> u128;
}

impl<const N: usize> Word for Bits<N> {
    fn inverted(self) -> Self {
        !self
    }

    fn number(self) -> u128 {
        if N <= 128 {
            return self.to_u128();
        }
        (0..N).filter(|bit| self.get_bit(*bit)).fold(0, |sum, bit| sum | joined(&[(0, bit), (1, 1)]))
    }
}

impl Word for bool {
    fn inverted(self) -> Self {
        !self
    }

    fn number(self) -> u128 {
        self.into()
    }
}

/// The number of parts one above the other, each with its width, the lowest first.
///
/// # Panics
/// From `2^128` on.
#[doc(hidden)]
pub fn joined(parts: &[(u128, usize)]) -> u128 {
    parts.iter().rev().fold(0, |sum, (part, bits)| {
        assert!(
            sum == 0 || (sum.leading_zeros() as usize) >= *bits,
            "a number of more than 128 bits is not asked for"
        );
        if sum == 0 { *part } else { sum << bits | part }
    })
}

/// Declares a struct of signals that pipeline registers, ports and memories carry whole.
///
/// It is rust-hdl's `LogicStruct` (first field in the lowest bits, one level of `.val().field` and `.next.field`), but
/// takes const generics, and gives [`Word`]. A field with `@flat` before it, itself such a struct, has no name in the Verilog but
/// those of its own fields.
#[macro_export]
macro_rules! signal_struct {
    (@flat) => { "=" };
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$(const $width:ident: usize),+>)? {
            $($(#[$field_about:meta])* $(@$flat:ident)? $field_vis:vis $field:ident: $kind:ty),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        $vis struct $name $(<$(const $width: usize),+>)? {
            $($(#[$field_about])* $field_vis $field: $kind),+
        }

        impl $(<$(const $width: usize),+>)? ::rust_hdl::prelude::Synth for $name $(<$($width),+>)? {
            const BITS: usize = 0 $(+ <$kind as ::rust_hdl::prelude::Synth>::BITS)+;

            fn descriptor() -> ::rust_hdl::prelude::TypeDescriptor {
                ::rust_hdl::prelude::TypeDescriptor {
                    name: stringify!($name).to_string(),
                    kind: ::rust_hdl::prelude::TypeKind::Composite(vec![$(Box::new(
                        ::rust_hdl::prelude::TypeField {
                            fieldname: concat!(stringify!($field) $(, $crate::signal_struct!(@$flat))?).to_string(),
                            kind: <$kind as ::rust_hdl::prelude::Synth>::descriptor(),
                        }
                    )),+]),
                }
            }

            fn vcd(self) -> ::rust_hdl::prelude::VCDValue {
                ::rust_hdl::prelude::VCDValue::Composite(vec![$(Box::new(self.$field.vcd())),+])
            }

            fn verilog(self) -> ::rust_hdl::prelude::VerilogLiteral {
                $crate::prims::Word::number(self).into()
            }
        }

        impl $(<$(const $width: usize),+>)? ::std::ops::BitOr for $name $(<$($width),+>)? {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self { $($field: self.$field | other.$field),+ }
            }
        }

        impl $(<$(const $width: usize),+>)? $crate::prims::Word for $name $(<$($width),+>)? {
            fn inverted(self) -> Self {
                Self { $($field: $crate::prims::Word::inverted(self.$field)),+ }
            }

            fn number(self) -> u128 {
                $crate::prims::joined(&[$(
                    ($crate::prims::Word::number(self.$field), <$kind as ::rust_hdl::prelude::Synth>::BITS)
                ),+])
            }
        }
    };
}
