//! Options for what a driver sets at the inputs of the cores, made of the cores' contracts.

use std::sync::LazyLock;

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use respray_cosim::cores::{CONTRACTS, OTHER_CONTRACTS};
use respray_hdl::config::Config;

use crate::number;

/// The settings that are given.
#[derive(Clone, Debug, Default)]
pub struct DriverSettings(Vec<(&'static str, u64)>);

/// One option; cores that have a setting of the same name share it.
struct Setting {
    name: &'static str,
    unit: &'static str,
    help: String,
}

impl DriverSettings {
    /// Those that are given, as the command line spells them.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }
}

/// Every setting of every core.
static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(settings);

fn settings() -> Vec<Setting> {
    let config = Config::default();
    let mut settings: Vec<Setting> = Vec::new();
    let usual = CONTRACTS.iter().map(|contract| (*contract, format!("`{}`", contract.core)));
    let others = OTHER_CONTRACTS.iter().map(|(contract, name)| (*contract, name.to_string()));
    for (contract, core) in usual.chain(others) {
        for (_, field, setting) in contract.driver_settings() {
            let recorded = if setting.is_recorded { ", the recording's" } else { "" };
            let default = setting.default.of(&config);
            let help = format!(
                "{core}: {}, 0 to {} by default [default: the op trace's{recorded}, or {default}]",
                setting.help,
                field.last(&config)
            );
            let name = spelt(field.name);
            match settings.iter_mut().find(|known| known.name == name) {
                Some(known) => known.help += &format!("; {help}"),
                None => settings.push(Setting { name, unit: setting.unit, help }),
            }
        }
    }
    settings
}

/// As the command line spells a setting: `freeze-timeout`. The texts are few and stay for the life of the process.
fn spelt(name: &str) -> &'static str {
    name.replace('_', "-").leak()
}

impl Args for DriverSettings {
    fn augment_args(command: Command) -> Command {
        SETTINGS.iter().fold(command, |command, Setting { name, unit, help }| {
            command.arg(
                Arg::new(*name)
                    .long(*name)
                    .value_name(*unit)
                    .value_parser(number::Number::new("a whole number that the core's port holds", |text| {
                        text.parse::<u64>().ok()
                    }))
                    .help(help.as_str())
                    .help_heading("Settings of a core, for ops without their own"),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DriverSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |setting: &Setting| Some((setting.name, *matches.get_one::<u64>(setting.name)?));
        Ok(DriverSettings(SETTINGS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
