//! Prints the Verilog of one core, or of the block `nic`, without anything that does not make it:
//! `cargo run --profile checks -p respray-hdl --example verilog -- ecmp connections=16 > build/ecmp.v`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use respray_hdl::catalogue::{NAMES, generate};
use respray_hdl::config::Config;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        eprintln!("no core is named; allowed: {}", NAMES.join(", "));
        return ExitCode::from(2);
    };
    let sets: Vec<String> = arguments.collect();
    let made = Config::load(None, &sets).map_err(|error| error.to_string());
    let made = made.and_then(|config| generate(&name, &config).map_err(|error| error.to_string()));
    let written = made.and_then(|core| {
        io::stdout().write_all(core.verilog.as_bytes()).map_err(|error| format!("standard output: {error}"))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
