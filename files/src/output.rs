//! Every file that respray writes: it is whole under its name or it is not there.
//!
//! A regular file is written under a temporary name beside its own, synced and renamed. A device, a FIFO and standard
//! output (`-`) take the bytes as they come, because a rename would put a file in their place. Of a link, the file that
//! it leads to is written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use crate::unfinished::{Unfinished, remove_unfinished};
use nix::errno::Errno;
use nix::unistd::{AccessFlags, access};
use tempfile::NamedTempFile;
use thiserror::Error;

/// What begins the name of every temporary file.
pub const PREFIX: &str = ".respray-";
/// Links that may lead to a file, one after the other, as in Linux.
const LINKS: usize = 40;

/// Why a file could not be written.
#[derive(Debug, Error)]
#[error("{}: cannot be written: {source}", shown(path))]
pub struct OutputError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// `-` is standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

fn shown(path: &Path) -> std::path::Display<'_> {
    if is_standard_output(path) { Path::new("standard output").display() } else { path.display() }
}

/// A file that is being written. One that is dropped before [`Output::finish`] leaves nothing, unless its bytes went to a
/// device.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Staged(Staged),
    Through(BufWriter<File>),
    StandardOutput(BufWriter<StandardOutput>),
}

/// A temporary file, and the name that it gets.
#[derive(Debug)]
struct Staged {
    file: BufWriter<NamedTempFile>,
    place: PathBuf,
    _unfinished: Unfinished,
}

impl Output {
    /// Begins to write `path`. Folders that are missing are made.
    ///
    /// # Errors
    /// [`OutputError`] if nothing can be written there.
    pub fn create(path: &Path) -> Result<Output, OutputError> {
        let sink = sink(path).map_err(|source| OutputError { path: path.to_path_buf(), source })?;
        Ok(Output { path: path.to_path_buf(), sink })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// [`OutputError`] if the last of it cannot be written.
    pub fn finish(self) -> Result<(), OutputError> {
        let done = match self.sink {
            Sink::Staged(staged) => staged.finish(),
            Sink::Through(mut file) => file.flush(),
            Sink::StandardOutput(mut standard) => standard.flush(),
        };
        done.map_err(|source| OutputError { path: self.path, source })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Staged(staged) => staged.file.write(bytes),
            Sink::Through(file) => file.write(bytes),
            Sink::StandardOutput(standard) => standard.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Staged(staged) => staged.file.flush(),
            Sink::Through(file) => file.flush(),
            Sink::StandardOutput(standard) => standard.flush(),
        }
    }
}

impl Staged {
    fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.place).map_err(|error| error.error)?;
        Ok(())
    }
}

fn sink(path: &Path) -> io::Result<Sink> {
    if is_standard_output(path) {
        return Ok(Sink::StandardOutput(BufWriter::new(StandardOutput)));
    }
    let place = without_links(path)?;
    let old = match std::fs::metadata(&place) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match &old {
        Some(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Some(old) if !old.is_file() => {
            let file = OpenOptions::new().write(true).open(&place)?;
            return Ok(Sink::Through(BufWriter::new(file)));
        }
        _ => {}
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    // The file is opened here, because an error of `tempfile` would name the temporary file.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let file = tempfile::Builder::new().prefix(PREFIX).make_in(folder.unwrap_or(Path::new(".")), open)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    let unfinished = Unfinished::new(file.path());
    Ok(Sink::Staged(Staged { file: BufWriter::new(file), place, _unfinished: unfinished }))
}

/// The file that `path` leads to; it need not be there.
fn without_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..LINKS {
        match std::fs::read_link(&place) {
            Ok(to) => place = place.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(Errno::ELOOP.into())
}

/// Refuses a file that could not be written, before the work that makes it: its name is that of a folder, or the first folder
/// above it that is there cannot be written to. What is missing above it is not made yet.
///
/// # Errors
/// [`OutputError`].
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    let error = |source| OutputError { path: path.to_path_buf(), source };
    if is_standard_output(path) {
        return Ok(());
    }
    let place = without_links(path).map_err(error)?;
    match std::fs::metadata(&place) {
        Ok(there) if there.is_dir() => return Err(error(io::ErrorKind::IsADirectory.into())),
        Ok(there) if !there.is_file() => return Ok(()),
        Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(error(source)),
        _ => {}
    }
    let above = place.ancestors().skip(1);
    let above = above.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = above.into_iter().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|errno| error(errno.into()))
}

/// `path` or, where something has that name, the first of `NAME_2.EXTENSION`, `NAME_3.EXTENSION` and so on that nothing has.
pub fn unused(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    let named = |number: u32| match number {
        1 => path.to_path_buf(),
        _ => path.with_file_name(format!("{stem}_{number}{}", extension.as_deref().unwrap_or_default())),
    };
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    (1..).map(named).find(is_free).expect("a folder has fewer files than there are numbers")
}

/// The same, and an empty file has the name from now on, so that nobody else is given it.
///
/// # Errors
/// [`OutputError`] if nothing can be written there.
pub fn claim(path: &Path) -> Result<PathBuf, OutputError> {
    loop {
        let free = unused(path);
        match OpenOptions::new().write(true).create_new(true).open(&free) {
            Ok(_) => return Ok(free),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(OutputError { path: free, source }),
        }
    }
}

/// Writes a file in one go.
///
/// # Errors
/// [`OutputError`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let mut output = Output::create(path)?;
    output.write_all(bytes).map_err(|source| OutputError { path: path.to_path_buf(), source })?;
    output.finish()
}

/// Writes all of `files` or, where the bytes of one find no room, none. Folders that are missing are made.
///
/// # Errors
/// [`OutputError`] of the first that cannot be written.
pub fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), OutputError> {
    let mut outputs = Vec::new();
    for (path, bytes) in files {
        let error = |source| OutputError { path: path.clone(), source };
        let mut output = Output::create(path)?;
        output.write_all(bytes).and_then(|()| output.flush()).map_err(error)?;
        outputs.push(output);
    }
    outputs.into_iter().try_for_each(Output::finish)
}

/// Standard output: what the process had as such when it began, even where Verilog prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardOutput;

static CLAIMED: OnceLock<File> = OnceLock::new();

/// From here on whatever else prints to standard output, such as `$display` of a model, goes to standard error, and only
/// [`StandardOutput`] leads to where standard output led.
///
/// # Errors
/// If there is no file descriptor to be had.
pub fn claim_standard_output() -> io::Result<()> {
    let own = nix::unistd::dup(io::stdout())?;
    nix::unistd::dup2_stdout(io::stderr())?;
    let _ = CLAIMED.set(File::from(own));
    Ok(())
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match CLAIMED.get() {
            Some(mut own) => own.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match CLAIMED.get() {
            Some(mut own) => own.flush(),
            None => io::stdout().flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_not_finished_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(output);
        assert_eq!(
            (names(folder.path()), std::fs::read(&path).unwrap()),
            (vec!["a".into()], b"old".to_vec())
        );
        write(&path, b"new").unwrap();
        assert_eq!(
            (names(folder.path()), std::fs::read(&path).unwrap()),
            (vec!["a".into()], b"new".to_vec())
        );
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("far")).unwrap();
        for (link, to) in [("a", "b"), ("b", "far/c"), ("loop", "loop")] {
            symlink(to, folder.path().join(link)).unwrap();
        }
        write(&folder.path().join("a"), b"new").unwrap();
        assert_eq!(std::fs::read(folder.path().join("far/c")).unwrap(), b"new");
        for link in ["a", "b"] {
            assert!(folder.path().join(link).symlink_metadata().unwrap().is_symlink());
        }
        let said = write(&folder.path().join("loop"), b"new").unwrap_err().to_string();
        assert!(said.contains("loop: cannot be written: "), "{said}");
    }

    #[test]
    fn a_fifo_takes_the_bytes_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || std::fs::read(path).unwrap()
        });
        write_all(&[(path.clone(), b"through".to_vec())]).unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(std::fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["fifo"]);
    }

    #[test]
    fn a_missing_folder_is_made_and_a_file_in_its_place_is_told() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("none/here/a"), b"new").unwrap();
        assert_eq!(std::fs::read(folder.path().join("none/here/a")).unwrap(), b"new");
        let said = write(&folder.path().join("none/here/a/b"), b"new").unwrap_err().to_string();
        assert!(said.ends_with("a/b: cannot be written: Not a directory (os error 20)"), "{said}");
    }

    #[test]
    fn what_could_not_be_written_is_refused_before_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        for name in ["file", "new", "none/here/a", "folder/a"] {
            check_writable(&at(name)).unwrap();
        }
        check_writable(Path::new("-")).unwrap();
        check_writable(Path::new("beside")).unwrap();
        for (name, why) in
            [("folder", "is a directory"), ("file/a", "Not a directory"), ("file/none/a", "Not a directory")]
        {
            let said = check_writable(&at(name)).unwrap_err().to_string();
            assert!(said.contains(&format!("{name}: cannot be written: ")) && said.contains(why), "{said}");
        }
        assert_eq!(names(folder.path()), ["file", "folder"]);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(unused(&at("a_failure.csv")), at("a_failure.csv"));
        let claimed: Vec<PathBuf> = (0..3).map(|_| claim(&at("a_failure.csv")).unwrap()).collect();
        assert_eq!(claimed, [at("a_failure.csv"), at("a_failure_2.csv"), at("a_failure_3.csv")]);
        symlink("nowhere", at("b")).unwrap();
        assert_eq!(unused(&at("b")), at("b_2"));
        assert!(claim(&at("none/a")).is_err());
    }

    #[test]
    fn of_files_that_do_not_all_fit_none_is_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("taken")).unwrap();
        let files = ["a", "taken"].map(|name| (folder.path().join(name), b"x".to_vec()));
        let said = write_all(&files).unwrap_err().to_string();
        assert!(said.ends_with("taken: cannot be written: is a directory"), "{said}");
        assert_eq!(names(folder.path()), ["taken"]);
    }
}
