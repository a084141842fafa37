//! A command line that is not understood, in one sentence.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use respray_files::quote::{self, Quoted};

use crate::output::{self, Results};

/// Says what is wrong, or shows the help or the version that was asked for.
pub fn refuse(error: &Error) -> ExitCode {
    if error.use_stderr() {
        let sentence = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let _ = error.print();
                return ExitCode::from(2);
            }
            _ => sentence(error),
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

fn sentence(error: &Error) -> String {
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
            let why = std::error::Error::source(error).map_or_else(String::new, |why| format!(": {why}"));
            format!("{argument} is `{}`{why}", Quoted(&value))
        }
        ErrorKind::TooManyValues => {
            let value = first(ContextKind::InvalidValue);
            format!("{argument} takes no value, and is given `{}`", Quoted(&value))
        }
        ErrorKind::UnknownArgument => {
            let near = first(ContextKind::SuggestedArg);
            let near = if near.is_empty() { String::new() } else { format!("; there is `{near}`") };
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

/// Which of the arguments is not UTF-8, and what stands before it.
fn not_utf8(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut before = arguments.next().unwrap_or_default();
    for argument in arguments {
        if argument.to_str().is_none() {
            let shown = argument.to_string_lossy().into_owned();
            return match before.to_str().filter(|before| before.starts_with("--")) {
                Some(option) => format!("{option} is `{}`, which is not UTF-8; allowed: a value in UTF-8", Quoted(&shown)),
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
