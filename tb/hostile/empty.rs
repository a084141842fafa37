//! Runs in which nothing would be compared are no passes.

use super::common::{names, respray, stderr, stdout, words};

#[test]
fn a_run_of_nothing_is_refused() {
    for (line, said) in [
        ("cosim --core reps --random 0", "--random is `0`"),
        ("cosim --core rewrite_tx --random 0", "--random is `0`"),
        ("cosim --core reps --random 3 --shard 2/7", "part 2 of 7 has no cycle of a campaign of 3"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = respray(folder.path(), &words(line));
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains(said), "{line}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{line}");
    }
}

#[test]
fn a_run_that_ends_before_anything_reaches_the_core_says_so() {
    for line in
        ["cosim --core reps --random 3 --json run.json", "cosim --core rewrite_rx --random 1 --json run.json"]
    {
        let folder = tempfile::tempdir().unwrap();
        let output = respray(folder.path(), &words(line));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stdout(&output));
        assert!(stdout(&output).contains("EMPTY"), "{line}: {}", stdout(&output));
        assert!(stderr(&output).contains("the run shows nothing"), "{line}: {}", stderr(&output));
        let json = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
        assert!(json.contains("\"result\": \"empty\""), "{json}");
        assert_eq!(names(folder.path()), ["run.json"]);
    }
}
