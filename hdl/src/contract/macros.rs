//! The macro that declares a contract together with its ops and results.

/// Declares the [`Contract`](crate::contract::Contract) of a core, with a struct for its ops and one for what it shows.
///
/// Each field of an op and of the settings is said as `name: type = field;`, where `type` holds the widest port that the
/// menu allows and `field` is made by [`bits`](crate::contract::bits), [`flag`](crate::contract::flag) or
/// [`sized`](crate::contract::sized). An op's field `psn` stands at the port `op_psn`; settings and outputs have the names of
/// their ports. An output of type `bool` is promised in every cycle, an `Option` only where it is given.
#[macro_export]
macro_rules! contract {
    (
        $(#[$about:meta])*
        $vis:vis const $contract:ident;
        $(#[$op_about:meta])*
        ops $op_struct:ident {
            $($op_heading:literal { $($(#[$op_field_about:meta])* $op:ident: $op_type:ty = $op_field:expr;)+ })+
        }
        settings $settings_heading:literal {
            $($(#[$setting_about:meta])* $setting:ident: $setting_type:ty = $setting_field:expr;)*
        }
        $(#[$shown_about:meta])*
        shown $shown_struct:ident {
            $($shown_heading:literal { $($(#[$shown_field_about:meta])* $shown:ident: $shown_type:ty = $shown_field:expr;)+ })+
        }
        classes $class:ident { $($class_name:ident),+ $(,)? }
        $($key:ident: $value:expr),+ $(,)?
    ) => {
        $(#[$about])*
        $vis const $contract: $crate::contract::Contract = $crate::contract::Contract {
            ops: &[$($crate::contract::Group {
                heading: $op_heading,
                fields: &[$($op_field.named(concat!("op_", stringify!($op)), stringify!($op))),+],
            }),+],
            settings: $crate::contract::Group {
                heading: $settings_heading,
                fields: &[$($setting_field.at(stringify!($setting))),*],
            },
            shown: &[$($crate::contract::Group {
                heading: $shown_heading,
                fields: &[$($shown_field.at(stringify!($shown))),+],
            }),+],
            classes: &[$(stringify!($class_name)),+],
            $($key: $value),+
        };

        $(#[$op_about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $op_struct {
            $($($(#[$op_field_about])* pub $op: $op_type,)+)+
            $($(#[$setting_about])* pub $setting: $setting_type,)*
        }

        impl $crate::contract::Words for $op_struct {
            #[inline(always)]
            fn get(&self, place: usize) -> u64 {
                let words = [
                    $($($crate::contract::Scalar::word(self.$op),)+)+
                    $($crate::contract::Scalar::word(self.$setting),)*
                ];
                words[place]
            }

            #[inline]
            fn set(&mut self, place: usize, value: u64) {
                let mut at = 0..;
                $($(if at.next() == Some(place) {
                    self.$op = $crate::contract::Scalar::of(value);
                })+)+
                $(if at.next() == Some(place) {
                    self.$setting = $crate::contract::Scalar::of(value);
                })*
            }

            #[inline(always)]
            fn each(&self, mut heard: impl FnMut(usize, u64)) {
                let mut at = 0;
                $($(heard(at, $crate::contract::Scalar::word(self.$op)); at += 1;)+)+
                $(heard(at, $crate::contract::Scalar::word(self.$setting)); at += 1;)*
                let _ = at;
            }
        }

        $(#[$shown_about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $shown_struct {
            $($($(#[$shown_field_about])* pub $shown: $shown_type,)+)+
        }

        impl $crate::contract::Shown for $shown_struct {
            #[inline(always)]
            fn each(&self, mut heard: impl FnMut(usize, u64, bool)) {
                let mut at = 0;
                $($({
                    let (word, is_promised) = $crate::contract::ShownValue::shown(self.$shown);
                    heard(at, word, is_promised);
                    at += 1;
                })+)+
                let _ = at;
            }

            #[inline(always)]
            fn seen(mut word: impl FnMut(usize) -> u64) -> Self {
                let mut at = 0..;
                let mut next = || word(at.next().unwrap_or(0));
                $shown_struct { $($($shown: $crate::contract::ShownValue::seen(next()),)+)+ }
            }
        }

        $crate::prims::paste! {
            /// Classes of op that take the same number of cycles, in the order of the contract.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            $vis enum $class { $([<$class_name:camel>]),+ }
        }
    };
}
