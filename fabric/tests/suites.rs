//! Many runs in parts: whatever part is killed, lost or run twice.

use std::fs;
use std::path::{Path, PathBuf};

use respray_fabric::request::Unit;
use respray_fabric::suite::{Part, is_done, keep, merge, of_part, plan};

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
        let left = of_part(&self.units, part)
            .into_iter()
            .filter(|(place, unit)| !is_done(&path, *place, unit).unwrap());
        for (place, unit) in left.take(most) {
            let (record, ..) = unit.run(Path::new("."), &mut |_, _| {}).unwrap();
            keep(&path, place, unit, record.line()).unwrap();
        }
        path
    }
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
fn results_of_another_suite_or_broken_ones_are_refused() {
    let folder = Folder::new();
    let part = folder.part("part", "1/60", 1);
    let kept = part.join("run_00000.json");
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, &text[..text.len() / 2]).unwrap();
    let broken = is_done(&part, 0, &folder.units[0]).unwrap_err().to_string();
    assert!(broken.contains("run_00000.json: it is no result of a run"), "{broken}");
    fs::write(&kept, text).unwrap();
    fs::write(&folder.suite, SUITE.replace("100000", "100001")).unwrap();
    let other = plan(&folder.suite).unwrap();
    let other = is_done(&part, 0, &other[0]).unwrap_err().to_string();
    assert!(other.contains("of another suite or version"), "{other}");
    fs::write(&folder.suite, format!("{SUITE}\n[[run]]\nname = \"tornado\"\n")).unwrap();
    let twice = plan(&folder.suite).unwrap_err().to_string();
    assert!(twice.contains("two runs are called `tornado reps 1`"), "{twice}");
}
