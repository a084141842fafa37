//! The entropy cache's golden model.

mod oracle;
mod properties;
