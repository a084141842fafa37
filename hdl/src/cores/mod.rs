//! The cores: one folder and one word each.

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
pub mod prefix;
pub mod reps;
pub mod rewrite;
pub mod rewrite_rx;
pub mod rewrite_tx;
pub mod sack_rx;
pub mod sack_tx;
pub mod selector;
pub mod shim;
pub mod shim_pop;
pub mod shim_push;
pub mod sizes;
pub mod strack;
pub mod strack_cc;
pub mod subflows;

use rust_hdl::prelude::Block;
use thiserror::Error;

use crate::config::{self, Config};
use crate::contract::Contract;
use crate::emit::{EmitError, EmitOptions, verilog};
use crate::engine::Engine;
use crate::join::JoinError;
use crate::manifest::{Generated, Manifest};
use prefix::Prefix;

/// A core that is given out: every output port of it stands in lockstep with a golden model.
pub struct Core {
    /// Its one word.
    pub name: &'static str,
    /// What it is and does.
    pub about: &'static str,
    /// Configuration keys that change it.
    pub keys: &'static [&'static str],
    /// What it promises, if it takes ops; packets stream through the others.
    pub contract: Option<&'static Contract>,
    /// The structures among which a key chooses, if each of them is measured: the key, and its values.
    pub structures: Option<(&'static str, &'static [&'static str])>,
    /// It is one of the cores that make up a NIC under the default configuration.
    pub is_of_nic: bool,
    make: Make,
}

/// How a core is made.
#[derive(Clone, Copy)]
enum Make {
    /// By its engine, which its contract describes.
    Ops(fn(&Config) -> Result<Box<dyn Engine>, GenerateError>),
    /// By its parts.
    Frames(fn(&Config) -> Result<Parts, GenerateError>),
}

/// What a core is generated from.
struct Parts {
    block: Box<dyn Block>,
    manifest: Manifest,
    /// The comment at the head of the Verilog.
    header: String,
}

/// Lists the cores, a line each, in the order in which they are generated.
macro_rules! cores {
    ($($takes:ident $core:ident $(of $nic:ident)? $(by $key:literal: $($structure:literal),+)?;)+) => {
        /// Names of the cores.
        pub const CORES: &[&str] = &[$(stringify!($core)),+];

        /// The cores.
        pub static REGISTRY: &[Core] = &[$(Core {
            name: stringify!($core),
            about: cores!(@$takes $core about),
            keys: cores!(@$takes $core keys),
            contract: cores!(@$takes $core contract),
            structures: cores!(@structures $($key: $($structure),+)?),
            is_of_nic: cores!(@of $($nic)?),
            make: cores!(@$takes $core make),
        }),+];
    };
    (@ops $core:ident about) => { $core::CONTRACT.about };
    (@ops $core:ident keys) => { $core::CONTRACT.keys };
    (@ops $core:ident contract) => { Some(&$core::CONTRACT) };
    (@frames $core:ident about) => { $core::ABOUT };
    (@frames $core:ident keys) => { $core::KEYS };
    (@frames $core:ident contract) => { None };
    (@ops $core:ident make) => { Make::Ops($core::engine) };
    (@frames $core:ident make) => { Make::Frames($core::parts) };
    (@of) => { false };
    (@of nic) => { true };
    (@structures) => { None };
    (@structures $key:literal: $($structure:literal),+) => { Some(($key, &[$($structure),+])) };
}

cores! {
    ops reps of nic;
    ops sack_rx of nic by "sack.engine": "small", "fast";
    ops sack_tx of nic by "sack.engine": "small", "fast";
    frames rewrite_tx of nic;
    frames rewrite_rx of nic;
    ops ops;
    ops ecmp;
    ops subflows;
    ops mprdma;
    ops flowlet by "flowlet.since": "send", "ack";
    ops plb;
    ops strack;
    ops bitmap;
    ops mixed;
    ops strack_cc;
    ops flowcut;
    ops flowcut_switch;
    ops caver by "caver.table": "single", "per_port";
    frames shim_push;
    frames shim_pop;
}

/// Why a core could not be generated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    #[error("there is no core `{name}`; the cores are {}", known.join(", "))]
    Unknown { name: String, known: &'static [&'static str] },
    #[error("core `{core}`: `{key}` is {value}; allowed: {}", config::key(key).allowed)]
    OffMenu { core: &'static str, key: &'static str, value: u32 },
    #[error("`protect` is parity, which `{name}` does not have; allowed: none, or of the cores {}", with_parity().join(", "))]
    Unprotected { name: &'static str },
    #[error(
        "`protect` is parity, which `{name}` does not have with `sack.engine` = fast; allowed: none, or `sack.engine` = small"
    )]
    UnprotectedEngine { name: &'static str },
    #[error(
        "`protect` is parity, which `{name}` does not have with `sack.acks` = uet; allowed: none, or `sack.acks` = strack"
    )]
    UnprotectedAcks { name: &'static str },
    #[error(
        "`uet.crc` is on, which `{name}` does not have; allowed: off, or of the cores rewrite_rx, rewrite_tx"
    )]
    NoTrailer { name: &'static str },
    #[error(transparent)]
    Emit(#[from] EmitError),
    #[error(transparent)]
    Join(#[from] JoinError),
}

/// Verilog and manifest of `core` as `config` describes it. The same input gives the same bytes.
pub fn generate(core: &str, config: &Config) -> Result<Generated, GenerateError> {
    generate_named(core, config, &Prefix::default())
}

/// As [`generate`], with `prefix` before the names of all modules.
pub fn generate_named(core: &str, config: &Config, prefix: &Prefix) -> Result<Generated, GenerateError> {
    let core = find(core).ok_or_else(|| GenerateError::Unknown { name: core.to_string(), known: CORES })?;
    core.check(config)?;
    match (core.make, core.contract_in(config)) {
        (Make::Ops(engine), Some(contract)) => {
            // the engine refuses sizes off the menu, with which the contract cannot reckon
            let engine = engine(config)?;
            emitted(engine.block(), contract.manifest(config), &contract.header(config), prefix)
        }
        (Make::Ops(_), None) => unreachable!("a core that takes ops has a contract"),
        (Make::Frames(parts), _) => {
            let Parts { block, manifest, header } = parts(config)?;
            emitted(block.as_ref(), manifest, &header, prefix)
        }
    }
}

/// The core whose top block is `block`, with `prefix` before the names of its modules.
fn emitted(
    block: &dyn Block,
    manifest: Manifest,
    header: &str,
    prefix: &Prefix,
) -> Result<Generated, GenerateError> {
    let manifest = manifest.renamed(|module| prefix.name(module));
    let options = EmitOptions { module: &manifest.module, header, ports: &manifest.ports };
    Ok(Generated { verilog: verilog(block, &options)?, manifest })
}

/// The engine of a core that takes ops, for rust-hdl's own simulation; `None` for other cores.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(core: &str, config: &Config) -> Option<Result<Box<dyn Engine>, GenerateError>> {
    let core = find(core)?;
    match core.make {
        Make::Ops(engine) => Some(core.check(config).and_then(|()| engine(config))),
        Make::Frames(_) => None,
    }
}

impl Core {
    /// What it promises in a configuration, if it takes ops: another contract than [`Core::contract`] where other ops are.
    pub fn contract_in(&self, config: &Config) -> Option<&'static Contract> {
        match self.name {
            name if name == sack_rx::CONTRACT.core => Some(sack_rx::contract_in(config)),
            name if name == sack_tx::CONTRACT.core => Some(sack_tx::contract_in(config)),
            _ => self.contract,
        }
    }

    /// Refuses a configuration that asks for parity of a core that does not have it.
    fn check(&self, config: &Config) -> Result<(), GenerateError> {
        match config.has_parity() && !self.keys.contains(&"protect") {
            true => Err(GenerateError::Unprotected { name: self.name }),
            false => Ok(()),
        }
    }
}

/// The cores whose words can have parity.
pub fn with_parity() -> Vec<&'static str> {
    REGISTRY.iter().filter(|core| core.keys.contains(&"protect")).map(|core| core.name).collect()
}

/// The core of that name.
pub fn find(core: &str) -> Option<&'static Core> {
    REGISTRY.iter().find(|known| known.name == core)
}
