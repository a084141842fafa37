//! Why a netlist was refused.

use thiserror::Error;

use super::Pin;

/// Why a netlist cannot be printed. Pins are named `instance.port`, those of the top `port`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JoinError {
    #[error("`{name}` is no name in Verilog, or a keyword of it")]
    Name { name: String },
    #[error("two ports, wires or instances of the top are named `{name}`; rename an instance")]
    NameClash { name: String },
    #[error("two instances are named `{name}`")]
    TwoInstances { name: String },
    #[error("there is no instance of the name in `{pin}`")]
    UnknownInstance { pin: Pin },
    #[error("`{pin}` is no port")]
    UnknownPort { pin: Pin },
    #[error("`{pin}` cannot be driven; inputs of instances and outputs of the top can")]
    NoSink { pin: Pin },
    #[error("`{pin}` cannot drive; outputs of instances and inputs of the top can")]
    NoSource { pin: Pin },
    #[error("`{pin}` is driven twice")]
    DrivenTwice { pin: Pin },
    #[error("nothing drives `{pin}`")]
    Undriven { pin: Pin },
    #[error("`{pin}` has {expected} bits, and what drives it has {found}")]
    Width { pin: Pin, expected: u32, found: u32 },
    #[error("`{pin}` has no bits [{high}:{low}]; it has {width} bits")]
    Slice { pin: Pin, high: u32, low: u32, width: u32 },
    #[error("what drives `{pin}` is widened to {width} bits, but has {found} already")]
    Narrowed { pin: Pin, width: u32, found: u32 },
    #[error("the number {value} that drives `{pin}` does not fit {width} bits")]
    Constant { pin: Pin, value: u128, width: u32 },
    #[error("bits [{high}:{low}] of `{pin}` go nowhere; connect them, or leave them open")]
    Unread { pin: Pin, high: u32, low: u32 },
    #[error("`{pin}` is left open, but all of it is read")]
    OpenButRead { pin: Pin },
    #[error("`{pin}` is left open twice")]
    OpenTwice { pin: Pin },
    #[error("the Verilog of instance `{instance}` has no module `{module}`")]
    NoModule { instance: String, module: String },
    #[error("two different modules are named `{module}`")]
    TwoModules { module: String },
}
