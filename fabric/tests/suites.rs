//! Many runs in parts: whatever part is killed, lost or run twice.

use std::fs;
use std::path::{Path, PathBuf};

use respray_fabric::FabricError;
use respray_fabric::request::Unit;
use respray_fabric::results::Finished;
use respray_fabric::suite::{self, Part, is_done, keep, of_part, others, plan};

const SUITE: &str = r#"
[[run]]
name = "tornado"
bytes = 100000
selectors = ["reps", "ops", "ecmp"]
seeds = 10
engine = "golden"

[[run]]
name = "incast"
workload = "incast:8"
bytes = 100000
selectors = ["reps:uet", "ops", "ecmp"]
seeds = 10
engine = "golden"
"#;

struct Folder {
    folder: tempfile::TempDir,
    suite: PathBuf,
    units: Vec<Unit>,
}

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let suite = folder.path().join("suite.toml");
        fs::write(&suite, SUITE).unwrap();
        let units = plan(&suite).unwrap();
        Folder { folder, suite, units }
    }

    fn part(&self, name: &str, part: &str, most: usize) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(&path).unwrap();
        let part: Part = part.parse().unwrap();
        let left = of_part(&self.units, part).into_iter().filter(|unit| !is_done(&path, unit).unwrap());
        for unit in left.take(most) {
            let (record, _, outcome) = unit.run(Path::new("."), &mut |_, _| {}).unwrap();
            keep(&path, unit, &Finished::of(&record, &outcome)).unwrap();
        }
        path
    }
}

/// The lines of all runs.
fn merge(suite: &Path, units: &[Unit], folders: &[PathBuf]) -> Result<String, FabricError> {
    Ok(suite::merge(suite, units, folders)?.into_iter().map(|run| run.line).collect())
}

#[test]
fn four_parts_one_of_them_killed_and_resumed_merge_to_the_bytes_of_one_run() {
    let folder = Folder::new();
    assert_eq!(folder.units.len(), 60);
    let whole = folder.part("whole", "1/1", 60);
    let whole = merge(&folder.suite, &folder.units, &[whole]).unwrap();
    assert_eq!(whole.lines().count(), 60);
    let mut parts: Vec<PathBuf> =
        [1, 2, 4].map(|part| folder.part(&format!("part{part}"), &format!("{part}/4"), 60)).to_vec();
    // the third part was killed behind four of its runs
    parts.push(folder.part("part3", "3/4", 4));
    let missing = merge(&folder.suite, &folder.units, &parts).unwrap_err().to_string();
    assert!(missing.contains("11 of 60 runs are missing, the first is `tornado ops 9`"), "{missing}");
    folder.part("part3", "3/4", 60);
    assert_eq!(merge(&folder.suite, &folder.units, &parts).unwrap(), whole);
    // a part that was run twice
    let twice = folder.part("again", "2/4", 60);
    let doubled = merge(&folder.suite, &folder.units, &[parts, vec![twice]].concat()).unwrap_err();
    let doubled = doubled.to_string();
    assert!(
        doubled.contains("the run `tornado reps 2` is in") && doubled.ends_with("each run once"),
        "{doubled}"
    );
}

#[test]
fn what_is_kept_of_a_run_is_what_the_run_gave() {
    let folder = Folder::new();
    let kept = folder.part("part", "1/1", 60);
    let merged = suite::merge(&folder.suite, &folder.units, &[kept]).unwrap();
    for (unit, kept) in folder.units.iter().zip(&merged) {
        let (record, _, outcome) = unit.run(Path::new("."), &mut |_, _| {}).unwrap();
        assert_eq!(kept.line, record.line());
        assert_eq!((&kept.flows, &kept.depths), (&outcome.flows, &outcome.depths));
        assert_eq!(kept.record.event_hash, record.event_hash);
    }
}

#[test]
fn broken_results_and_those_under_the_name_of_another_run_are_refused() {
    let folder = Folder::new();
    let part = folder.part("part", "1/60", 1);
    let file = |unit: &Unit| part.join(format!("run_{}.json", unit.hash()));
    let [first, second] = [0, 1].map(|place| file(&folder.units[place]));
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, &text[..text.len() / 2]).unwrap();
    let broken = is_done(&part, &folder.units[0]).unwrap_err().to_string();
    assert!(broken.contains(".json: it is no result of a run"), "{broken}");
    fs::write(&second, text).unwrap();
    let other = is_done(&part, &folder.units[1]).unwrap_err().to_string();
    assert!(other.contains("it is the run `tornado reps 1` under the name of another one"), "{other}");
    fs::write(&folder.suite, format!("{SUITE}\n[[run]]\nname = \"tornado\"\n")).unwrap();
    let twice = plan(&folder.suite).unwrap_err().to_string();
    assert!(twice.contains("two runs are called `tornado reps 1`"), "{twice}");
}

#[test]
fn a_suite_that_grows_keeps_what_it_has_and_another_suite_takes_nothing_of_it() {
    let folder = Folder::new();
    let kept = folder.part("kept", "1/1", 60);
    // more seeds and one selector more
    let more = SUITE.replace("seeds = 10", "seeds = 11").replace("\"ecmp\"", "\"ecmp\", \"plb\"");
    fs::write(&folder.suite, more).unwrap();
    let more = plan(&folder.suite).unwrap();
    let left = more.iter().filter(|unit| !is_done(&kept, unit).unwrap()).count();
    assert_eq!((more.len(), left), (2 * 4 * 11, 2 * (3 + 11)));
    assert_eq!(others(&kept, &more).unwrap(), Vec::<String>::new());
    // a byte more in each message
    fs::write(&folder.suite, SUITE.replace("100000", "100001")).unwrap();
    let other = plan(&folder.suite).unwrap();
    assert!(other.iter().all(|unit| !is_done(&kept, unit).unwrap()));
    assert_eq!(others(&kept, &other).unwrap().len(), 60);
    let missing = merge(&folder.suite, &other, &[kept]).unwrap_err().to_string();
    assert!(missing.contains("60 of 60 runs are missing, the first is `tornado reps 1` ("), "{missing}");
    assert!(
        missing.contains(".json is of another scenario, of other files or of another version)"),
        "{missing}"
    );
}

#[test]
fn a_result_of_another_build_is_told_and_not_taken() {
    let folder = Folder::new();
    let kept = folder.part("kept", "1/1", 60);
    let unit = &folder.units[0];
    let (hash, hash_before) = (unit.hash(), unit.hash_of_build("1111111111111111"));
    assert_ne!(hash, hash_before);
    let [now, before] = [&hash, &hash_before].map(|hash| kept.join(format!("run_{hash}.json")));
    // as an older build would have written it
    let build = respray_fabric::build::hash();
    let text = fs::read_to_string(&now).unwrap();
    assert_eq!(text.matches(build).count(), 1, "the build stands in the record");
    fs::write(&before, text.replace(build, "1111111111111111").replace(&hash, &hash_before)).unwrap();
    fs::remove_file(now).unwrap();
    assert!(!is_done(&kept, unit).unwrap());
    let missing = merge(&folder.suite, &folder.units, &[kept]).unwrap_err().to_string();
    let told = format!("is of another build, with the hash 1111111111111111 in place of {build})");
    assert!(missing.contains("1 of 60 runs are missing, the first is `tornado reps 1`"), "{missing}");
    assert!(missing.contains(&told), "{missing}");
}

/// Each line is another input of a run, and what is to be another one in it.
#[test]
fn a_run_is_another_one_where_anything_changes_that_its_result_follows_from() {
    let folder = Folder::new();
    let at = folder.folder.path();
    let verilog = respray_hdl::cores::generate("reps", &Default::default()).unwrap().verilog;
    let flows = "id,src,dst,bytes,start_ns\n1,0,9,50000,0\n";
    fs::write(at.join("mine.v"), &verilog).unwrap();
    fs::write(at.join("flows.csv"), flows).unwrap();
    fs::write(at.join("nic.toml"), "").unwrap();
    let suite = "[[run]]\nname = \"a\"\nworkload = \"flows.csv\"\nconfig = \"nic.toml\"\nselectors = [\"reps=mine.v\"]\n";
    let hash = || {
        fs::write(&folder.suite, suite).unwrap();
        let units = plan(&folder.suite).unwrap();
        assert_eq!(units.len(), 1);
        (units[0].hash(), units[0].maker.verilog_hash().unwrap())
    };
    let first = hash();
    assert_eq!(first, hash());
    for (file, before, after) in [
        ("mine.v", verilog.as_str(), verilog.replace("assign recycle = send & ", "assign recycle = 1'b0 & ")),
        ("flows.csv", flows, flows.replace("50000", "50001")),
        ("nic.toml", "", "[reps]\ndepth = 16\n".to_string()),
    ] {
        assert_ne!(before, after, "{file}");
        fs::write(at.join(file), &after).unwrap();
        let changed = hash();
        assert_ne!(changed.0, first.0, "{file}");
        assert_eq!(changed.1 != first.1, file == "mine.v", "{file}");
        fs::write(at.join(file), before).unwrap();
    }
    // a comment changes nothing
    fs::write(at.join("mine.v"), format!("// mine\n{verilog}")).unwrap();
    assert_eq!(hash(), first);
}

#[test]
fn the_hash_of_the_build_is_that_of_the_sources_as_they_stand_here() {
    fn texts(path: &Path, all: &mut Vec<(PathBuf, String)>) {
        match path.is_dir() {
            true => fs::read_dir(path).unwrap().for_each(|entry| texts(&entry.unwrap().path(), all)),
            false => all.push((path.to_path_buf(), fs::read_to_string(path).unwrap())),
        }
    }
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut text = String::new();
    for (path, least) in
        [("fabric/src", 30), ("golden/src", 30), ("cosim/src/cores", 10), ("cosim/src/path_selector.rs", 1)]
    {
        let mut all = Vec::new();
        texts(&project.join(path), &mut all);
        assert!(all.len() >= least, "{path} has {} files", all.len());
        all.sort();
        text.extend(all.into_iter().map(|(_, text)| text));
    }
    assert_eq!(respray_fabric::build::hash(), respray_files::made_from::hash(&text));
}
