//! Where the path selector lets packets wait: who asks it when, and where the frames are meanwhile.
//!
//! ```text
//!  decisions ─► Asking ─┬─ grants ─► sender ─► Store ─┬──────────────────────► outlet
//!   ACKs ──────►   ▲    ├─ which are parked ─► │ ▲    │ frames that pass          ▲
//!                  │    └─ releases ─────────► │ │    └► places ─► rewrite_tx ─► ─┘
//!              selector                        └─┴─ a place is free ─► Asking
//! ```
//!
//! A packet that is parked leaves the sender like any other, with an EV that means nothing, and its frame goes into its place. When its
//! connection may send, it is read again, and a second `rewrite_tx` writes the EV and the time with which it leaves.

mod asking;
mod store;
mod words;

pub use asking::{Asking, MOST_BYTES};
pub use store::Store;

/// Room in a place for all headers above the payload.
pub const HEADER_BYTES: u32 = 128;
