//! What the pipelines of the path selectors share. It is generic over the word of state that a selector keeps for each
//! connection, and over what its update stage wants to know of an op.
//!
//! ```text
//!  op ──► read ──────► forward ─────► update ──────► write ──────► fetch ──────► result
//!   │      │            │  ▲           │   ▲          │
//!   ▼      │            ▼  │           ▼   │          │
//!  control RAM word ─► newest state ─► next state ────┤
//!   ▲                  of connection     ▲            │
//!   └──────────────────────────────────  │  ──────────┘ written back by every op
//!                          random EVs ───┘
//! ```
//!
//! An op a cycle, for any order of connections. [`Ops`] carries ops along, [`Hazards`] finds those that share a connection,
//! [`Newest`] forwards the states of those, [`Renewed`] such as many ops leave as they are, [`Late`] such as are whole a stage later;
//! [`Draws`] makes random EVs, [`Results`] leads to the outputs; [`Pipeline`] is most of them with the wires between, [`Stateless`] what
//! is left of it without a state. [`Since`] stands beside a pipeline, and says whether something happened to a connection long ago. A
//! selector is a top block that holds these and its own combinational update; the macro `selector!` gives it its ports.
//!
//! With parity, [`Guard`] finds words of the control RAM in which a bit flipped, and [`WordParity`] those of any memory.
//!
//! A selector whose state is too wide for that takes one op at a time: [`Walk`] takes the place of the pipeline. [`Searched`] finds
//! words with a flipped bit among those that it searches.

pub mod ahead;
pub mod draws;
pub mod guard;
pub mod late;
pub mod newest;
pub mod ops;
pub mod pipeline;
pub mod renewed;
pub mod results;
pub mod round_trip;
pub mod searched;
pub mod since;
pub mod stateless;
pub(crate) mod top;
pub mod walk;
pub mod word_address;
pub mod word_parity;

pub use ahead::{Ahead, Hazards};
pub use draws::Draws;
pub use guard::Guard;
pub use late::Late;
pub use newest::Newest;
pub use ops::Ops;
pub use pipeline::Pipeline;
pub use renewed::Renewed;
pub use results::{EvOnItsWay, EventOnItsWay, Results};
pub use searched::Searched;
pub use since::Since;
pub use stateless::Stateless;
pub use walk::Walk;
pub use word_address::WordAddress;
pub use word_parity::WordParity;

/// Clock edges from the one that takes an op to the one at which its result can be sampled.
pub const LATENCY_CYCLES: u32 = 6;
