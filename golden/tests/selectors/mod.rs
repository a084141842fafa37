//! The golden models of the other selectors.

mod histories;
mod oracle;
mod properties;
mod walking;
