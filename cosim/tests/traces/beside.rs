//! What stands beside an op trace: `NAME.settings.csv`.

use std::path::Path;

use respray_cosim::cores::strack_cc::StrackCcCore;
use respray_cosim::traffic::optrace::Beside;
use respray_hdl::config::Found;

use super::*;

/// A trace of one op in `t.csv` of a folder, with this text beside it.
fn folder(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("t.csv"), "now,op,conn\n1,init,3\n").unwrap();
    std::fs::write(dir.path().join("t.settings.csv"), text).unwrap();
    dir
}

fn read(path: &Path, config: &Config) -> Result<OpTrace<<StrackCcCore as OpCore>::Op>, String> {
    OpTrace::read(path, StrackCcCore::CONTRACT, config).map_err(|error| error.to_string())
}

#[test]
fn settings_beside_a_trace_hold_where_the_trace_gives_none() {
    let dir = folder("name,value\nconnections,64\nalpha,7\n# a comment\nseed,9\nmax_cwnd,20\n");
    let path = dir.path().join("t.csv");
    let trace = read(&path, &Config::default()).unwrap();
    assert_eq!(trace.seed, Some(9));
    assert_eq!(trace.settings, Settings::default().with("alpha", 7).with("max_cwnd", 20));
    std::fs::write(&path, "# respray: alpha=8 seed=1\nnow,op,conn\n1,init,3\n").unwrap();
    let trace = read(&path, &Config::default()).unwrap();
    assert_eq!((trace.seed, trace.settings.get("alpha")), (Some(1), Some(8)), "the trace's own go before");
    let keys = Beside::read(&path, StrackCcCore::CONTRACT).unwrap().keys;
    let place = format!("{}:2", dir.path().join("t.settings.csv").display());
    assert_eq!(keys, [Found { place, key: "connections".into(), value: "64".into() }]);
}

#[test]
fn a_gzipped_trace_has_the_same_file_beside_it_and_one_without_has_none() {
    let dir = folder("name,value\nbeta,3\n");
    let gzipped = dir.path().join("t.csv.gz");
    let other = dir.path().join("u.csv");
    let trace = read(&dir.path().join("t.csv"), &Config::default()).unwrap();
    trace.write(StrackCcCore::CONTRACT, &other).unwrap();
    OpTrace { settings: Settings::default(), ..trace }.write(StrackCcCore::CONTRACT, &gzipped).unwrap();
    assert_eq!(read(&gzipped, &Config::default()).unwrap().settings.get("beta"), Some(3));
    std::fs::write(&other, "now,op,conn\n1,init,3\n").unwrap();
    assert_eq!(read(&other, &Config::default()).unwrap().settings, Settings::default());
}

#[test]
fn what_does_not_do_beside_a_trace_is_refused_with_its_line() {
    for (text, said) in [
        ("", "t.settings.csv:1: `the first line` is ``; allowed: name,value"),
        ("name;value\n", "t.settings.csv:1: `the first line` is `name;value`; allowed: name,value"),
        ("name,value\nalpha\n", "t.settings.csv:2: not a line of name,value"),
        ("name,value\nalpha,1\nalpha,1\n", "t.settings.csv:3: `name` is `alpha`; allowed: each name once"),
        (
            "name,value\nselector.ev_bits,1\nreps.ev_bits,1\n",
            "t.settings.csv:3: `name` is `reps.ev_bits`; allowed: each name once",
        ),
        (
            "name,value\nalpa,1\n",
            "t.settings.csv:2: `name` is `alpa`; allowed: connections, selector.ev_base, ",
        ),
        ("name,value\nnow,1\n", "t.settings.csv:2: `name` is `now`; allowed: "),
        ("name,value\n\nalpha,65536\n", "t.settings.csv:3: `alpha` is `65536`; allowed: 0 to 65535"),
        ("name,value\nmax_cwnd,-1\n", "t.settings.csv:2: `max_cwnd` is `-1`; allowed: 0 to 1023"),
        ("name,value\nseed,65536\n", "t.settings.csv:2: `seed` is `65536`; allowed: 0 to 65535"),
        ("name,value\nalpha,\n", "t.settings.csv:2: `alpha` is ``; allowed: 0 to 65535"),
    ] {
        let dir = folder(text);
        let error = read(&dir.path().join("t.csv"), &Config::default()).unwrap_err();
        assert!(error.contains(said), "{text:?}: {error}");
    }
}

#[test]
fn a_time_beside_the_clock_is_for_the_reader_alone() {
    let line = |columns: &str, line: &str| parse::<StrackCcCore>(&format!("{columns}\n{line}\n"));
    let plain = line("now,op,conn", "5,init,1").unwrap();
    assert_eq!(line("time_ns,op,conn,now", "99999999999,init,1,5").unwrap(), plain);
    let error = line("time_ns,op,conn,now", "soon,init,1,5").unwrap_err();
    assert!(error.contains("t.csv:2: `time_ns` is `soon`; allowed: 0 to "), "{error}");
    let error = line("time_ns,op,conn", "5,init,1").unwrap_err();
    assert!(error.contains("no column `now`"), "{error}");
}
