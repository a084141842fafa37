//! The build that a result is of: the model of the network and the golden models in it.

use std::sync::LazyLock;

use respray_files::made_from;

/// The version of respray.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The sources of this crate, of the golden models, and of what gives a selector its ops, a file each.
const SOURCES: &[&str] = &include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The hash of these sources without comments and empty lines, 16 hexadecimal digits. Two builds with one hash give the
/// same results for the same Verilog.
pub fn hash() -> &'static str {
    static HASH: LazyLock<String> = LazyLock::new(|| made_from::hash(&SOURCES.concat()));
    &HASH
}
