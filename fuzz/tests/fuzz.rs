//! Each target with the corpus and with inputs made of it.
//!
//! `make test` runs a bounded number of them; `make fuzz` goes on for as long as `BOLERO_RANDOM_TEST_TIME_MS` says.

mod layouts;

use std::path::{Path, PathBuf};

use respray_fuzz::{Input, Packets, READERS, Reader};

/// Inputs of a quick run. A time that is asked for is all that bounds a long one.
const QUICK: usize = 1500;
const QUICK_OF_PACKETS: usize = 100;

fn inputs(quick: usize) -> usize {
    let has_time = std::env::var_os("BOLERO_RANDOM_TEST_TIME_MS").is_some();
    if has_time { usize::MAX } else { quick }
}

/// The files of a corpus, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn reader(name: &str) -> &'static Reader {
    READERS.iter().find(|reader| reader.name == name).expect("there is such a reader")
}

/// Reads bytes, which must be taken or refused with a sentence that names the file.
fn read(reader: &Reader, folder: &Path, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(reader.file);
    std::fs::write(&path, bytes).unwrap();
    let result = (reader.read)(&path);
    if let Err(error) = &result {
        assert!(!error.is_empty() && !error.contains('\n'), "`{error}` is no sentence of one line");
    }
    result
}

macro_rules! readers {
    ($($name:ident),+ $(,)?) => {
        $(#[test]
        fn $name() {
            let (reader, corpus) = (reader(stringify!($name)), corpus(stringify!($name)));
            let folder = tempfile::tempdir().unwrap();
            bolero::check!().with_iterations(inputs(QUICK)).with_type::<Input>().for_each(|input| {
                let _ = read(reader, folder.path(), &input.of(&corpus));
            });
        })+

        #[test]
        fn each_reader_is_fuzzed() {
            let fuzzed = [$(stringify!($name)),+];
            assert_eq!(READERS.iter().map(|reader| reader.name).collect::<Vec<_>>(), fuzzed);
        }
    };
}

readers!(capture, ops, config, manifest, baseline, frames, stimulus, log);

/// At least one file of each corpus is taken by its reader: inputs made of files that are refused at once would show nothing.
#[test]
fn a_file_of_each_corpus_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    for reader in READERS {
        let read: Vec<Result<(), String>> =
            corpus(reader.name).iter().map(|bytes| read(reader, folder.path(), bytes)).collect();
        let is_taken = read.iter().any(Result::is_ok);
        assert!(is_taken, "{}: {read:?}", reader.name);
    }
}

/// Packets of the corpus, each behind what a core is asked for it.
fn packets() -> (Vec<Vec<u8>>, Vec<u8>) {
    let packets = corpus("packet");
    let asked = packets.iter().map(|packet| [&[0x34, 0x12, 7, 0, 1, 1, 0, 31], &packet[..]].concat());
    (asked.collect(), packets[0].clone())
}

#[test]
fn packet() {
    let ((corpus, whole), cores) = (packets(), Packets::new(|verilog| verilog));
    bolero::check!().with_iterations(inputs(QUICK_OF_PACKETS)).with_type::<Input>().for_each(|input| {
        cores.pass(&input.of(&corpus), &whole);
    });
}

/// A core that forgets whether a packet has a checksum differs on a packet that has one.
#[test]
fn a_core_with_a_fault_is_found() {
    let (corpus, whole) = packets();
    let fault = ("plan_is_summed <= checksum != 16'd0;", "plan_is_summed <= 1'b0;");
    let cores = Packets::new(|verilog| verilog.replace(fault.0, fault.1));
    let is_found = |bytes: &Vec<u8>| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cores.pass(bytes, &whole))).is_err()
    };
    assert!(corpus.iter().any(is_found), "`{}` is generated differently, or nothing sees it", fault.0);
}
