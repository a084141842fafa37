//! What both Flowcut cores make of round-trip times: the sample of an ACK ([`Rtt`]), its moving average ([`Average`]), the smallest one of
//! a class of paths ([`Minimum`]), and whether the average is far above it ([`Heat`]).

mod average;
mod heat;
mod minimum;
mod sample;

pub use average::Average;
pub use heat::Heat;
pub use minimum::Minimum;
pub use sample::Rtt;
