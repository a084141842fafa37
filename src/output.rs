//! Files that are whole or absent, and the progress bar.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use respray_cosim::lockstep::Progress;
use serde::Serialize;
use tempfile::NamedTempFile;
use thiserror::Error;

/// Why a file could not be written.
#[derive(Debug, Error)]
#[error("{}: cannot be written: {source}", path.display())]
pub struct WriteError {
    path: PathBuf,
    source: std::io::Error,
}

/// Writes all of `files` or, where one of them fails, none: each goes to a temporary name first.
pub fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), WriteError> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        let error = |source| WriteError { path: path.clone(), source };
        if is_device(path) {
            std::fs::write(path, bytes).map_err(error)?;
            continue;
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory).map_err(error)?;
        let mut file = NamedTempFile::new_in(directory).map_err(error)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(error)?;
        readable_by_all(&file).map_err(error)?;
        staged.push((file, path));
    }
    for (file, path) in staged {
        file.persist(path).map_err(|error| WriteError { path: path.clone(), source: error.error })?;
    }
    Ok(())
}

/// Writes `value` as JSON to `path`, or to standard output where `path` is `-`.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), crate::args::Refusal> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    if path == Path::new("-") {
        print!("{text}");
        return Ok(());
    }
    Ok(write_all(&[(path.to_path_buf(), text.into_bytes())])?)
}

/// Tells on standard error what of the input was passed over.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| eprintln!("respray: warning: {warning}"));
}

/// A bar over `total` units on a terminal, and none in a pipe.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template(&style).expect("the template is constant but for the unit"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Shows on a bar what a run is at.
pub fn show(bar: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Building => bar.set_message("building the model"),
        Progress::Running { done, of } => {
            bar.set_length(of);
            bar.set_position(done);
            bar.set_message("");
        }
        Progress::Shrinking => bar.set_message("shrinking"),
        Progress::Recording => bar.set_message("recording waves"),
    }
}

/// A pipe or a device takes bytes; a rename would put a file in its place.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Temporary files are private; what respray writes is read by other tools and users.
fn readable_by_all(file: &NamedTempFile) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}
