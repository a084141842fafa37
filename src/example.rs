//! The self-test of a board, for `respray generate --example` and `respray report --example`.

use std::path::{Path, PathBuf};

use respray_files::output::{check_writable, write_all};
use respray_hdl::examples::ecpix5::{Length, generate};
use respray_synth::Bench;
use respray_synth::example::{self, Measured};

use crate::args::{ExitStatus, Refusal};
use crate::output::{Results, one_standard_output};

/// Names of the examples.
pub const NAMES: [&str; 1] = [example::NAME];

/// Writes the Verilog and the constraint file into `folder`.
pub fn write(folder: &Path) -> Result<ExitStatus, Refusal> {
    let files = example::files(&generate(Length::BOARD)?).into_iter();
    let files: Vec<(PathBuf, Vec<u8>)> =
        files.map(|(name, text)| (folder.join(name), text.into_bytes())).collect();
    write_all(&files)?;
    let line = |(path, bytes): &(PathBuf, Vec<u8>)| format!("{} ({} bytes)\n", path.display(), bytes.len());
    Results::text(files.iter().map(line).collect::<String>()).hand_out()?;
    Ok(ExitStatus::Success)
}

/// Files that a measurement is written to, where they are asked for.
pub struct Outputs<'a> {
    pub json: Option<&'a Path>,
    pub markdown: Option<&'a Path>,
    pub bitstream: Option<&'a Path>,
}

/// Places and routes the self-test, and says what it takes and how fast it is.
pub fn measure(bench: &Bench, outputs: &Outputs) -> Result<ExitStatus, Refusal> {
    let Outputs { json, markdown, bitstream } = *outputs;
    one_standard_output(&[("--json", json), ("--markdown", markdown), ("--bitstream", bitstream)])?;
    [json, markdown, bitstream].into_iter().flatten().try_for_each(check_writable)?;
    if bitstream.is_some() {
        // minutes of place and route come last
        bench.tools.ecppack()?;
    }
    let measured: Measured = example::measure(bench, &generate(Length::BOARD)?)?;
    if let Some(path) = bitstream {
        write_all(&[(path.to_path_buf(), measured.bitstream(bench)?)])?;
    }
    let meets = measured.meets_clock();
    let fails = if meets { "" } else { "FAILS: the median does not meet the clock of the board\n" };
    let results = Results::text(format!("{}{fails}", measured.text()));
    results.json(json, &measured).file(markdown, || measured.markdown()).hand_out()?;
    Ok(if meets { ExitStatus::Success } else { ExitStatus::Mismatch })
}
