//! `respray cosim --core nic --pair`: two joined blocks with a network between them.

use crate::runs::{refused, respray, stderr, stdout};

const PAIR: [&str; 5] = ["cosim", "--core", "nic", "--pair", "equal"];

/// Registers that are given are written, stand in the command that runs it again, and make a run longer where the window becomes small.
#[test]
fn registers_of_a_pair_are_written_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let time = |registers: &[&str]| {
        let words = [&PAIR[..], &["--bytes", "20000", "--json", "-"], registers].concat();
        let output = respray(folder.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}{}", stdout(&output), stderr(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let command = report["provenance"].to_string();
        for register in registers.iter().filter(|word| word.contains('=')) {
            assert!(command.contains(&format!("--register {register}")), "{command}");
        }
        report["time_us"].as_f64().expect("a time")
    };
    let few = time(&["--register", "cwnd_packets=3", "--register", "sack_threshold=9000"]);
    assert!(few > 1.5 * time(&[]), "{few} us with a window of three packets");
    for (given, said) in [
        ("cwnd_packets", "--register"),
        ("cwnd_packets=x", "--register"),
        ("other=1", "no setting has this name; allowed: "),
        ("sack_prescale=17", "to 16, not 17"),
    ] {
        refused(folder.path(), &[&PAIR[..], &["--register", given]].concat(), &[said]);
    }
}
