//! Numbers of the command line: an option says once what it takes, and its help, its completions and its refusals follow.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use respray_files::range::{Real, Whole};

/// Reads a number, or what holds one.
type Read<T> = Arc<dyn Fn(&str) -> Option<T> + Send + Sync>;

/// The parser of an option that takes a number, or a text with numbers in it.
#[derive(Clone)]
pub struct Number<T> {
    /// What is allowed, for help and sentences. The texts are few and stay for the life of the process.
    allowed: &'static str,
    read: Read<T>,
}

impl<T: Clone + Send + Sync + 'static> Number<T> {
    pub fn new(
        allowed: impl Into<String>,
        read: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
    ) -> Number<T> {
        Number { allowed: allowed.into().leak(), read: Arc::new(read) }
    }
}

/// Whole numbers of a range, as whatever type holds them.
pub fn within<T: TryFrom<u64> + Clone + Send + Sync + 'static>(range: Whole) -> Number<T> {
    Number::new(range.to_string(), move |text| T::try_from(range.read(text)?).ok())
}

/// Whole numbers from the first to the second.
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync + 'static>(least: u64, most: u64) -> Number<T> {
    within(Whole::new(least, most))
}

/// A part of many, up to so many of them.
pub fn part<T: std::str::FromStr + Clone + Send + Sync + 'static>(most: u64) -> Number<T> {
    Number::new(format!("I/N with I from 1 to N, and N up to {most}"), |text| text.parse().ok())
}

/// Real numbers of a range.
pub fn real(range: Real) -> Number<f64> {
    Number::new(range.to_string(), move |text| range.read(text))
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Number<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let Number { allowed, read } = self.clone();
        let read = move |text: &str| read(text).ok_or_else(|| format!("allowed: {allowed}"));
        read.parse_ref(command, arg, value)
    }

    /// One hidden value, by which [`allowed`] finds what is allowed.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(std::iter::once(PossibleValue::new(self.allowed).hide(true))))
    }
}

/// What an option takes that has a [`Number`].
pub fn allowed(arg: &Arg) -> Option<String> {
    match arg.get_possible_values().as_slice() {
        [only] if only.is_hide_set() => Some(only.get_name().to_string()),
        _ => None,
    }
}

/// `command` and what is below it, with what is allowed in the help of each option that takes a number.
pub fn in_helps(command: Command) -> Command {
    let command = command.mut_args(|arg| match allowed(&arg) {
        None => arg,
        Some(allowed) => {
            let help = arg.get_help().map(|help| format!("{help} ")).unwrap_or_default();
            // `-1` is refused as a value, and not taken for an option
            arg.help(format!("{help}[allowed: {allowed}]"))
                .hide_possible_values(true)
                .allow_negative_numbers(true)
        }
    });
    command.mut_subcommands(in_helps)
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;
    use std::path::PathBuf;

    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// Options with texts of their own, in which numbers may stand: whose tests go through them.
    const TEXTS: [(&str, &str); 19] = [
        ("config", "a file"),
        ("set", "keys: hdl/tests/tables/numbers.rs, and fabric/tests/bounds.rs"),
        ("sweep", "keys, at several values"),
        ("beside", "keys, which are planned with all others: fabric/tests/bounds.rs"),
        ("knob", "cosim/tests/stimulus/numbers.rs"),
        ("fail", "fabric/tests/bounds.rs"),
        ("topology", "a name, or a file: fabric/tests/bounds.rs"),
        ("workload", "fabric/tests/bounds.rs"),
        ("selector", "names"),
        ("watch", "a name"),
        ("only", "names"),
        ("core", "names"),
        ("target", "names"),
        ("sweep-target", "names"),
        ("local", "an address"),
        ("prefix", "a name"),
        ("name", "a name"),
        ("scenarios", "names"),
        ("join", "files"),
    ];

    /// Each option or argument below a command, with the words of its subcommand.
    fn arguments(command: &Command, words: &[String]) -> Vec<(Vec<String>, Arg)> {
        let own = command.get_arguments().filter(|arg| arg.get_action().takes_values());
        let mut found: Vec<_> = own.map(|arg| (words.to_vec(), arg.clone())).collect();
        for below in command.get_subcommands() {
            let words = [words, &[below.get_name().to_string()]].concat();
            found.extend(arguments(below, &words));
        }
        found
    }

    fn name(arg: &Arg) -> String {
        arg.get_long().map_or_else(|| arg.get_id().to_string(), str::to_string)
    }

    #[test]
    fn every_option_is_a_file_a_word_of_a_menu_a_number_with_its_range_or_a_text_that_is_tested_elsewhere() {
        let mut wrong = Vec::new();
        let mut numbers = 0;
        for (words, arg) in arguments(&Cli::command(), &[]) {
            let is_file = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            let is_of_menu = arg.get_possible_values().iter().any(|value| !value.is_hide_set());
            let is_text = TEXTS.iter().any(|(text, _)| *text == name(&arg));
            let is_number = allowed(&arg).is_some();
            numbers += u32::from(is_number);
            if u32::from(is_file) + u32::from(is_of_menu) + u32::from(is_number) == 0 && !is_text {
                wrong.push(format!("{} --{}", words.join(" "), name(&arg)));
            }
        }
        assert!(wrong.is_empty(), "without a range, or a row in the table above: {wrong:#?}");
        assert!(numbers > 50, "{numbers}");
    }

    /// A text below or above a range of whole numbers, and each that is no number of the range.
    fn beyond(allowed: &str, is_real: bool) -> Vec<String> {
        let mut texts: Vec<String> =
            ["", "x", "nan", "inf", "1e400", "-1", "0x"].iter().map(|text| text.to_string()).collect();
        let Some((least, most)) = allowed.split_once(" to ") else { return texts };
        if let (Ok(least), Ok(most)) = (least.parse::<u64>(), most.parse::<u64>()) {
            texts.extend(["1e6", "1.5"].iter().filter(|_| !is_real).map(|text| text.to_string()));
            texts.push((u128::from(most) + 1).to_string());
            texts.extend(least.checked_sub(1).map(|below| below.to_string()));
        }
        texts
    }

    #[test]
    fn each_number_is_taken_at_its_ends_and_refused_beyond_with_what_is_allowed() {
        for (words, arg) in arguments(&crate::command_line(), &[]) {
            let Some(allowed) = allowed(&arg) else { continue };
            let (place, name) = (words.join(" "), name(&arg));
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("[allowed: {allowed}]")), "{place} --{name}: {help}");
            let parser = arg.get_value_parser().clone();
            let command = Command::new("one")
                .arg(Arg::new("one").long("one").value_parser(parser).allow_negative_numbers(true));
            let parse = |text: &str| command.clone().try_get_matches_from(["one", "--one", text]);
            let is_real = arg.get_value_parser().type_id() == TypeId::of::<f64>();
            for text in beyond(&allowed, is_real) {
                let error = parse(&text).err().unwrap_or_else(|| panic!("{place} --{name} takes `{text}`"));
                let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                assert_eq!(why, format!("allowed: {allowed}"), "{place} --{name} {text}");
            }
            if let Some((least, most)) = allowed.split_once(" to ") {
                let is_number = |end: &str| end.parse::<f64>().is_ok();
                let ends = [least.trim_start_matches("above "), most.trim_start_matches("below ")];
                for end in
                    [least, most].into_iter().filter(|end| ends.into_iter().all(is_number) && is_number(end))
                {
                    assert!(parse(end).is_ok(), "{place} --{name} refuses {end}");
                }
            }
        }
    }

    #[test]
    fn an_option_without_a_range_is_found() {
        let plain = Arg::new("plain").long("plain").value_parser(clap::value_parser!(u64));
        assert_eq!(allowed(&plain), None);
        let menu = Arg::new("menu").long("menu").value_parser(["a", "b"]);
        assert_eq!(allowed(&menu), None);
        let number = Arg::new("number").long("number").value_parser(whole::<u64>(1, 9));
        assert_eq!(allowed(&number), Some("1 to 9".to_string()));
    }
}
