//! Why a design was refused.

use thiserror::Error;

/// Why a design cannot be printed. Every text names the block by its path from the top, e.g. `reps.lookup`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    #[error(
        "{block}: unknown identifier `{name}`; an expression may use signals, constants and enum variants of its block, \
         and loop indices (keep a Rust const in a `Param<T>` field)"
    )]
    UnknownIdentifier { block: String, name: String },
    #[error(
        "{block}: `{signal}` is not assigned on every path, which is a latch; give it a default at the top of `update`"
    )]
    Latch { block: String, signal: String },
    #[error("{block}: nothing drives `{signal}`")]
    Undriven { block: String, signal: String },
    #[error(
        "{block}: the parameter `{name}` has no value; make the block with its constructor, not with its default"
    )]
    NoValue { block: String, name: String },
    #[error("{block}: `{signal}` is an input here and cannot be assigned")]
    InputAssigned { block: String, signal: String },
    #[error(
        "{block}: {what} has {found} bits where {expected} are needed; assign it to a `Signal<Local, _>` of the width meant first"
    )]
    Width { block: String, what: String, found: usize, expected: usize },
    #[error("{block}: the number {value} does not fit {width} bits")]
    Literal { block: String, value: String, width: usize },
    #[error("{block}: bit {index} is outside `{what}`, which has {width} bits")]
    Index { block: String, what: String, index: usize, width: usize },
    #[error(
        "{block}: the width of a signed_bit_cast is only known where it is assigned or meets an operand of known width; \
         assign it to a `Signal<Local, _>` first"
    )]
    SignedCast { block: String },
    #[error("{block}: {signals} depend on themselves without a register between")]
    CombinationalLoop { block: String, signals: String },
    #[error(
        "{block}: `{signal}` is read between two of its assignments by a statement that cannot stand beside them; write it before it is read"
    )]
    Order { block: String, signal: String },
    #[error("{block}: the clock of `{register}` must be an input of the block, passed on unchanged")]
    Clock { block: String, register: String },
    #[error("{block}: `{name}` is a Verilog or SystemVerilog keyword or no Verilog name; rename the field")]
    Name { block: String, name: String },
    #[error("{block}: two signals are both named `{name}` in Verilog; rename one of the fields")]
    NameClash { block: String, name: String },
    #[error("{block}: {what} is not supported by the Verilog backend")]
    Unsupported { block: String, what: String },
    #[error("{block}: no statement follows the comment `{comment}`; move it above what it explains")]
    Comment { block: String, comment: String },
    #[error("{block}: port `{port}` {problem}")]
    Port { block: String, port: String, problem: String },
}
