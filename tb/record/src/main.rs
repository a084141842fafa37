//! `respray-record [-o DIR] [SCENARIO…]`: makes recordings.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use respray_record::{Recipe, page};

/// Records sprayed traffic between network namespaces (needs root).
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Directory of the recordings.
    #[arg(short, default_value = "tb/recordings")]
    out: PathBuf,
    /// Which to make; all if none is named: steady, slow-path, path-failure, losses, overload.
    scenarios: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut recipes = Vec::new();
    for name in &arguments.scenarios {
        match Recipe::by_name(name) {
            Some(recipe) => recipes.push(recipe),
            None => {
                eprintln!("scenario `{name}` is not known; there are {}", Recipe::names());
                return ExitCode::from(2);
            }
        }
    }
    if recipes.is_empty() {
        recipes = Recipe::all();
    }
    for recipe in recipes {
        match recipe.make(&arguments.out) {
            Ok(said) => println!("{said}"),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    }
    match page::update(&arguments.out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
