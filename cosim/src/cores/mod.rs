//! The cores that take ops: of each, its golden model behind its contract, its random ops, and what it makes of a capture.

pub mod bitmap;
pub mod caver;
pub mod ecmp;
pub mod flowcut;
pub mod flowcut_switch;
pub mod flowlet;
pub mod mixed;
pub mod mprdma;
pub mod ops;
pub mod plb;
pub mod reps;
pub mod sack_rx;
pub mod sack_tx;
pub mod selector;
pub mod strack;
pub mod strack_cc;
pub mod subflows;
pub mod upsets;

use respray_hdl::config::Config;
use respray_hdl::contract::Contract;

use crate::lockstep::op_core::OpCore;
use crate::lockstep::{Compiled, compile_runs};

/// What is done with a core that is known by its name alone.
pub trait Visitor {
    type Output;

    /// Does it.
    fn visit<C: Compiled + 'static>(self) -> Self::Output;
}

/// Lists the cores, a line each.
macro_rules! cores {
    ($($core:ty),+ $(,)?) => {
        /// What each of them promises.
        pub const CONTRACTS: &[&Contract] = &[$(<$core as OpCore>::CONTRACT),+];

        /// Their names.
        pub const CORES: &[&str] = &[$(<$core as OpCore>::CONTRACT.core),+];

        /// Hands the core of that name to `visitor`; `None` if there is no such core.
        pub fn visit<V: Visitor>(core: &str, visitor: V) -> Option<V::Output> {
            $(if core == <$core as OpCore>::CONTRACT.core {
                return Some(visitor.visit::<$core>());
            })+
            None
        }

        $(compile_runs!($core);)+
    };
}

cores! {
    reps::RepsCore,
    sack_rx::SackRxCore,
    sack_tx::SackTxCore,
    ops::OpsCore,
    ecmp::EcmpCore,
    subflows::SubflowsCore,
    mprdma::MprdmaCore,
    flowlet::FlowletCore,
    plb::PlbCore,
    strack::StrackCore,
    bitmap::BitmapCore,
    mixed::MixedCore,
    strack_cc::StrackCcCore,
    flowcut::FlowcutCore,
    flowcut_switch::FlowcutSwitchCore,
    caver::CaverCore,
}

compile_runs!(sack_rx::uet::UetRxCore);
compile_runs!(sack_tx::uet::UetTxCore);

/// Contracts that hold in the place of one of [`CONTRACTS`] in some configurations, and what these are called.
pub const OTHER_CONTRACTS: &[(&Contract, &str)] = &[
    (<sack_rx::uet::UetRxCore as OpCore>::CONTRACT, "`sack_rx` with `sack.acks` = uet"),
    (<sack_tx::uet::UetTxCore as OpCore>::CONTRACT, "`sack_tx` with `sack.acks` = uet"),
];

/// As [`visit`], of the core as it is in a configuration: some ops and results are others there.
pub fn visit_in<V: Visitor>(core: &str, config: &Config, visitor: V) -> Option<V::Output> {
    let is = |of: &Contract| core == of.core && config.has_uet_acks();
    if is(<sack_rx::SackRxCore as OpCore>::CONTRACT) {
        return Some(visitor.visit::<sack_rx::uet::UetRxCore>());
    }
    if is(<sack_tx::SackTxCore as OpCore>::CONTRACT) {
        return Some(visitor.visit::<sack_tx::uet::UetTxCore>());
    }
    visit(core, visitor)
}
