//! How the fields of ops and results become words of ports, and back.

use std::fmt::Debug;

/// A value that a port of up to 64 bits carries.
pub trait Scalar: Copy {
    /// As a word; what lies beyond the port's width is 0.
    fn word(self) -> u64;

    /// From a word, whose bits beyond the type are dropped.
    fn of(word: u64) -> Self;
}

macro_rules! scalar {
    ($($type:ty),+) => {$(
        impl Scalar for $type {
            #[inline(always)]
            fn word(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn of(word: u64) -> Self {
                word as $type
            }
        }
    )+};
}

scalar!(u8, u16, u32, u64);

impl Scalar for bool {
    #[inline(always)]
    fn word(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn of(word: u64) -> Self {
        word & 1 != 0
    }
}

/// What a port shows, as far as it is promised.
pub trait ShownValue: Copy {
    /// The word of the port, and whether it is promised.
    fn shown(self) -> (u64, bool);

    /// From what the port shows.
    fn seen(word: u64) -> Self;
}

/// A port that is promised in every cycle.
impl ShownValue for bool {
    #[inline(always)]
    fn shown(self) -> (u64, bool) {
        (self.into(), true)
    }

    #[inline(always)]
    fn seen(word: u64) -> Self {
        word & 1 != 0
    }
}

/// A port that means something at times only: `None` where it is not promised.
impl<T: Scalar> ShownValue for Option<T> {
    #[inline(always)]
    fn shown(self) -> (u64, bool) {
        (self.map_or(0, T::word), self.is_some())
    }

    #[inline(always)]
    fn seen(word: u64) -> Self {
        Some(T::of(word))
    }
}

/// An op as it stands at the ports: the words of its fields in the order of the contract, which begins with the kind of op
/// and its connection.
pub trait Words: Copy + Default + PartialEq + Debug + Send + Sync + 'static {
    /// The word of one field.
    fn get(&self, place: usize) -> u64;

    /// Sets the word of one field; bits beyond the field's type are dropped.
    fn set(&mut self, place: usize, value: u64);

    /// Hears the place and the word of every field, in order.
    fn each(&self, heard: impl FnMut(usize, u64));

    /// Code of the kind of op.
    #[inline(always)]
    fn code(&self) -> u8 {
        self.get(0) as u8
    }

    /// Its connection.
    #[inline(always)]
    fn connection(&self) -> u32 {
        self.get(1) as u32
    }
}

/// What the outputs show of an op: the words of its fields in the order of the contract.
pub trait Shown: Copy + Default + PartialEq + Debug + Send + Sync + 'static {
    /// Hears of every field its place, its word and whether it is promised.
    fn each(&self, heard: impl FnMut(usize, u64, bool));

    /// From the words that the ports show.
    fn seen(word: impl FnMut(usize) -> u64) -> Self;
}
