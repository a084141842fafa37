//! A command line that is not understood, in one sentence.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use respray_fabric::request::Choice;
use respray_fabric::topology::named;
use respray_fabric::workload::Workload;
use respray_files::quote::{self, Quoted};
use respray_hdl::catalogue::NAMES;
use respray_hdl::config::KEYS;
use respray_synth::device::{CARDS, ECP5, ICE40};

use crate::output::{self, Results};

/// Says what is wrong of a command line, whose words are those behind the name of the program, or shows the help or the version that was
/// asked for.
pub fn refuse(error: &Error, command: &Command, words: &[String]) -> ExitCode {
    if error.use_stderr() {
        let sentence = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let _ = error.print();
                return ExitCode::from(2);
            }
            _ => sentence(error, of_words(command, words)),
        };
        output::say(&sentence);
        return ExitCode::from(2);
    }
    match Results::text(error.render().to_string()).hand_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(not_written) => {
            output::say(&not_written);
            ExitCode::from(2)
        }
    }
}

fn sentence(error: &Error, command: &Command) -> String {
    let context = |kind| error.get(kind).map(texts).unwrap_or_default();
    let first = |kind| context(kind).into_iter().next().unwrap_or_default();
    // `--core <CORE>` is called `--core`
    let name = |argument: &str| argument.split(' ').next().unwrap_or_default().to_string();
    let argument = name(&first(ContextKind::InvalidArg));
    let said = match error.kind() {
        ErrorKind::InvalidValue if first(ContextKind::InvalidValue).is_empty() => {
            format!("{argument} needs a value{}", allowed(&context(ContextKind::ValidValue)))
        }
        ErrorKind::InvalidValue => {
            let value = first(ContextKind::InvalidValue);
            let allowed = allowed(&context(ContextKind::ValidValue));
            format!("{argument} is `{}`{allowed}", Quoted(&value))
        }
        ErrorKind::ValueValidation => {
            let value = first(ContextKind::InvalidValue);
            let why = std::error::Error::source(error).map(|why| why.to_string()).unwrap_or_default();
            let why = match why.starts_with("allowed") {
                true => format!("; {why}"),
                false => format!(": {why}"),
            };
            format!("{argument} is `{}`{why}", Quoted(&value))
        }
        ErrorKind::TooManyValues => {
            let value = first(ContextKind::InvalidValue);
            format!("{argument} takes no value, and is given `{}`", Quoted(&value))
        }
        ErrorKind::UnknownArgument => {
            let near = match first(ContextKind::SuggestedArg) {
                near if near.is_empty() => meant(&argument, command),
                near => Some(near),
            };
            let near = near.map(|near| format!("; there is `{near}`")).unwrap_or_default();
            format!("`{}` is not understood{near}", Quoted(&argument))
        }
        ErrorKind::InvalidSubcommand => {
            let given = first(ContextKind::InvalidSubcommand);
            let near = context(ContextKind::SuggestedSubcommand);
            let near =
                if near.is_empty() { String::new() } else { format!("; there is `{}`", near.join("`, `")) };
            format!("there is no command `{}`{near}; `respray --help` lists them", Quoted(&given))
        }
        ErrorKind::MissingRequiredArgument => {
            format!("needed, and not given: {}", context(ContextKind::InvalidArg).join(", "))
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<String> =
                context(ContextKind::PriorArg).iter().map(|other| name(other)).collect();
            match others.is_empty() || others.contains(&argument) {
                true => format!("{argument} may be given once"),
                false => format!("{argument} does not go with {}", others.join(", ")),
            }
        }
        ErrorKind::InvalidUtf8 => not_utf8(std::env::args_os()),
        kind => kind.as_str().map_or_else(|| error.to_string(), str::to_string),
    };
    quote::one_line(&said)
}

/// The subcommand that the words of a command line name.
fn of_words<'a>(command: &'a Command, words: &[String]) -> &'a Command {
    let below = words.first().and_then(|word| command.find_subcommand(word));
    below.map_or(command, |below| of_words(below, &words[1..]))
}

/// The option of a subcommand that a word without one is a value of, with the word.
fn meant(word: &str, command: &Command) -> Option<String> {
    if word.starts_with('-') {
        return None;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let is_key = word
        .split_once('=')
        .is_some_and(|(key, _)| key.starts_with("fabric.") || KEYS.iter().any(|known| known.name == key));
    let of_options: [(&str, bool); 12] = [
        ("set", is_key),
        ("core", NAMES.contains(&word)),
        (
            "target",
            CARDS.iter().map(|card| card.name).chain([ECP5.name, ICE40.name]).any(|name| name == word),
        ),
        ("selector", Choice::parse(word).is_ok()),
        ("topology", named().iter().any(|(name, _)| *name == word)),
        ("workload", Workload::parse(word, "".as_ref()).is_ok()),
        ("traffic", ends(&[".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz"])),
        ("ops", ends(&[".csv", ".csv.gz"])),
        ("verilog", ends(&[".v", ".sv"])),
        ("config", ends(&[".toml"])),
        ("json", ends(&[".json"])),
        ("html", ends(&[".html"])),
    ];
    let has = |option: &str| command.get_arguments().any(|arg| arg.get_long() == Some(option));
    let named =
        of_options.into_iter().find(|(option, is_of)| *is_of && has(option)).map(|(option, _)| option);
    let of_menu = || {
        let takes = |value: &clap::builder::PossibleValue| !value.is_hide_set() && value.matches(word, false);
        let mut options = command.get_opts().filter(|option| option.get_possible_values().iter().any(takes));
        options.next().and_then(|option| option.get_long())
    };
    named.or_else(of_menu).map(|option| format!("--{option} {}", Quoted(word)))
}

/// Which of the arguments is not UTF-8, and what stands before it.
fn not_utf8(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut before = arguments.next().unwrap_or_default();
    for argument in arguments {
        if argument.to_str().is_none() {
            let shown = argument.to_string_lossy().into_owned();
            return match before.to_str().filter(|before| before.starts_with("--")) {
                Some(option) => {
                    format!("{option} is `{}`, which is not UTF-8; allowed: a value in UTF-8", Quoted(&shown))
                }
                None => format!("`{}` is not UTF-8; allowed: arguments in UTF-8", Quoted(&shown)),
            };
        }
        before = argument;
    }
    "an argument is not UTF-8; allowed: arguments in UTF-8".to_string()
}

fn allowed(values: &[String]) -> String {
    if values.is_empty() { String::new() } else { format!("; allowed: {}", values.join(", ")) }
}

fn texts(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::String(text) => vec![text.clone()],
        ContextValue::Strings(texts) => texts.clone(),
        ContextValue::StyledStr(text) => vec![text.to_string()],
        ContextValue::StyledStrs(texts) => texts.iter().map(ToString::to_string).collect(),
        ContextValue::Number(number) => vec![number.to_string()],
        _ => Vec::new(),
    }
}
