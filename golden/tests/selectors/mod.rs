//! The golden models of the other selectors.

mod oracle;
mod properties;
