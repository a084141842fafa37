//! What a report was made from, and when.

use respray_hdl::config::{Config, KEYS};
use serde::Serialize;

/// The generator, its configuration and the day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Origin {
    /// Version of respray.
    pub version: &'static str,
    /// The commit of the checkout as `git describe` names it, or that there is none.
    pub commit: String,
    /// Day of the report (UTC), as in 2026-11-22.
    pub date: String,
    /// Every key, in the order in which documents list them.
    pub configuration: Vec<Setting>,
}

/// One key of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    pub key: &'static str,
    pub value: String,
    /// Whether the value is the default.
    pub is_default: bool,
    /// What the key means, one phrase.
    pub meaning: &'static str,
}

impl Origin {
    /// Of a report that is made `date` from `commit` under `config`.
    pub fn new(config: &Config, commit: String, date: String) -> Origin {
        let standard = Config::default();
        let setting = |key: &'static str, meaning| {
            let [value, default] = [config, &standard].map(|config| config.value(key).unwrap_or_default());
            Setting { key, is_default: value == default, value, meaning }
        };
        let configuration = KEYS.iter().map(|key| setting(key.name, key.meaning)).collect();
        Origin { version: env!("CARGO_PKG_VERSION"), commit, date, configuration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_value_and_those_that_were_set_are_told_from_the_defaults() {
        let config = Config::default().with("reps.depth=16").unwrap();
        let origin = Origin::new(&config, "v1-2-g0f".into(), "2026-11-22".into());
        assert_eq!(origin.configuration.len(), KEYS.len());
        assert!(origin.configuration.iter().all(|setting| setting.value != "null"), "{origin:?}");
        let set: Vec<(&str, &str)> = origin
            .configuration
            .iter()
            .filter(|setting| !setting.is_default)
            .map(|setting| (setting.key, setting.value.as_str()))
            .collect();
        assert_eq!(set, [("reps.depth", "16")]);
    }
}
