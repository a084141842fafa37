//! Drives blocks written in rust-hdl, and random numbers to drive them with.

use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::emit::{EmitOptions, verilog};
use rust_hdl::prelude::*;

use super::Case;

/// What a port may carry.
pub trait Wire: Synth {
    fn from_number(value: &BigUint) -> Self;
    fn number(self) -> BigUint;
}

impl<const N: usize> Wire for Bits<N> {
    fn from_number(value: &BigUint) -> Self {
        value.clone().into()
    }
    fn number(self) -> BigUint {
        self.into()
    }
}

impl Wire for Bit {
    fn from_number(value: &BigUint) -> Self {
        value.bit(0)
    }
    fn number(self) -> BigUint {
        u8::from(self).into()
    }
}

impl<const N: usize> Wire for Signed<N> {
    fn from_number(value: &BigUint) -> Self {
        signed_cast(value.clone().into())
    }
    fn number(self) -> BigUint {
        self.inner().into()
    }
}

pub fn width<D: Direction, T: Synth>(_: &Signal<D, T>) -> usize {
    T::BITS
}

/// A block whose ports can be driven by number.
pub trait Bench: Block {
    fn inputs(&self) -> Vec<(String, usize)>;
    fn outputs(&self) -> Vec<(String, usize)>;
    fn drive(&mut self, values: &[BigUint]);
    fn sample(&self) -> Vec<BigUint>;
    /// Sets the clock; `false` if it has none.
    fn clock(&mut self, level: bool) -> bool;
}

/// `bench!([const N: usize] Block<N>, clk; a, b -> x, y)`; leave out `clk` where there is no clock.
#[macro_export]
macro_rules! bench {
    ([$($generics:tt)*] $block:ty, $($clk:ident)?; $($input:ident),* -> $($output:ident),*) => {
        impl<$($generics)*> $crate::differential::bench::Bench for $block {
            fn inputs(&self) -> Vec<(String, usize)> {
                vec![$((stringify!($input).to_string(), $crate::differential::bench::width(&self.$input))),*]
            }
            fn outputs(&self) -> Vec<(String, usize)> {
                vec![$((stringify!($output).to_string(), $crate::differential::bench::width(&self.$output))),*]
            }
            fn drive(&mut self, values: &[num_bigint::BigUint]) {
                let mut values = values.iter();
                $(self.$input.next = $crate::differential::bench::Wire::from_number(values.next().unwrap());)*
            }
            fn sample(&self) -> Vec<num_bigint::BigUint> {
                vec![$($crate::differential::bench::Wire::number(self.$output.val())),*]
            }
            #[allow(unused_variables)]
            fn clock(&mut self, level: bool) -> bool {
                $(self.$clk.next = rust_hdl::prelude::Clock { clk: level }; return true;)?
                #[allow(unreachable_code)]
                false
            }
        }
    };
}

/// Emits `block`, and runs `vectors` random vectors through it. In the first `reset` vectors inputs named `rst` are high.
pub fn case<B: Bench>(module: &str, mut block: B, seed: u64, vectors: usize, reset: usize) -> Case {
    let options = EmitOptions { module, ..EmitOptions::default() };
    let text = verilog(&block, &options).unwrap_or_else(|error| panic!("{error}"));
    let (inputs, outputs) = (block.inputs(), block.outputs());
    let mut rng = StdRng::seed_from_u64(seed);
    let mut case = Case {
        module: module.to_string(),
        verilog: text,
        inputs: inputs.clone(),
        outputs,
        clocked: block.clock(false),
        vectors: vec![],
        expected: vec![],
        warmup: reset,
    };
    for number in 0..vectors {
        let mut vector = random_vector(&mut rng, &inputs);
        if let Some(at) = inputs.iter().position(|(name, _)| name == "rst") {
            let on = number < reset || rng.random_range(0..16) == 0;
            vector[at] = u8::from(on).into();
        }
        block.clock(false);
        block.drive(&vector);
        assert!(simulate(&mut block, 50), "{module} does not settle");
        block.clock(true);
        assert!(simulate(&mut block, 50), "{module} does not settle");
        case.expected.push(block.sample());
        case.vectors.push(vector);
    }
    case
}

/// Numbers at the edges as often as any others, and often equal to their neighbour.
pub fn random_vector(rng: &mut StdRng, ports: &[(String, usize)]) -> Vec<BigUint> {
    let mut vector: Vec<BigUint> = vec![];
    for (at, (_, width)) in ports.iter().enumerate() {
        let same = (at > 0 && ports[at - 1].1 == *width && rng.random_range(0..6) == 0)
            .then(|| vector[at - 1].clone());
        vector.push(same.unwrap_or_else(|| random_number(rng, *width)));
    }
    vector
}

pub fn random_number(rng: &mut StdRng, width: usize) -> BigUint {
    let full = (BigUint::from(1u8) << width) - 1u8;
    match rng.random_range(0..8) {
        0 => BigUint::ZERO,
        1 => full,
        2 => BigUint::from(rng.random_range(0..9u8)) & full,
        3 => BigUint::from(1u8) << rng.random_range(0..width),
        4 => full ^ (BigUint::from(1u8) << rng.random_range(0..width)),
        _ => {
            let words: Vec<u32> = (0..width.div_ceil(32)).map(|_| rng.random()).collect();
            BigUint::new(words) & full
        }
    }
}
