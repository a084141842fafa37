//! What cannot be run is refused with one sentence that says what is allowed.

use std::fs;

use respray_fabric::request::Request;
use respray_fabric::topology::Topology;

use crate::small;

fn refusal(request: &Request) -> String {
    let sentence = request.plan().err().unwrap_or_else(|| panic!("{request:?} is taken")).to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}

fn with(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = small();
    change(&mut request);
    request
}

#[test]
fn each_bad_request_gets_one_sentence() {
    let fail = |text: &str| with(|request| request.fail = vec![text.into()]);
    let set = |text: &str| with(|request| request.set = vec![text.into()]);
    for (request, said) in [
        (with(|request| request.topology = "t5".into()), "topology t5: allowed: t128x2, "),
        (with(|request| request.workload = "tornado:0".into()), "workload tornado:0: allowed: tornado, "),
        (with(|request| request.workload = "tornado:129".into()), "it has 129 hosts; allowed: 1 to 128"),
        (with(|request| request.workload = "incast:65".into()), "it has 65 hosts; allowed: 1 to 64"),
        (with(|request| request.workload = "trace:101".into()), "workload trace:101: allowed"),
        (with(|request| request.bytes = Some(0)), "the size of a message is 0; allowed: 1 or more"),
        (with(|request| request.seeds = 0), "the number of seeds is 0; allowed: 1 to 1000"),
        (with(|request| request.selectors = vec!["best".into()]), "path selector best; allowed: reps, "),
        (with(|request| request.watch = Some("tor99".into())), "the switch to watch is tor99; allowed"),
        (fail("tor0.up9=down@1us..2us"), "`tor0.up9` is neither a port, a link, a switch"),
        (fail("tor0.up1=down@2us..1us"), "it ends before it begins"),
        (fail("tor0.up1=down@soon"), "`soon` is no time; allowed: a number with ns, us, ms or s"),
        (fail("tor0.up1=rate=2"), "`rate` is `2`; allowed: above 0 to 1"),
        (fail("tor0.up1"), "failure tor0.up1: allowed: TARGET=down@"),
        (fail("101%=p=0.1"), "the share is `101%`; allowed: above 0 to 100"),
        (set("fabric.packet_bytes=9"), "`fabric.packet_bytes` is 9; allowed: 65 to 65535"),
        (set("fabric.full=burn"), "`fabric.full` is burn; allowed: trim or drop"),
        (set("fabric.queue=9"), "`fabric.queue` is no parameter; allowed: ack_bytes, "),
        (set("fabric.bdp_packets=300"), "`fabric.bdp_packets` is 300; allowed: 1 to 255"),
        (set("reps.depth=9"), "reps.depth"),
        (with(|request| request.workload = "alltoall:4".into()), "the workload has"),
    ] {
        // all pairs of 1024 hosts are more than an engine has connections
        let request = match request.workload.as_str() {
            "alltoall:4" => Request { topology: "t1024x2".into(), bytes: Some(1), ..request },
            _ => request,
        };
        let sentence = refusal(&request);
        assert!(sentence.contains(said), "{sentence}");
    }
    let twice = ["tor0.up1=down@1us..20us:data", "tor0=down@5us"].map(String::from).to_vec();
    let sentence = refusal(&with(|request| request.fail = twice));
    assert!(sentence.contains("on the same port at the same time"), "{sentence}");
}

#[test]
fn files_of_flows_permutations_and_topologies_are_held_to_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let head = "id,src,dst,bytes,start_ns,after_id\n";
    for (lines, said) in [
        ("1,0,200,5,0,\n", ":2: `dst` is 200; allowed: 0 to 127"),
        ("1,3,3,5,0,\n", ":2: `src` and `dst` are both 3"),
        ("1,0,1,0,0,\n", ":2: `bytes` is 0"),
        ("1,0,1,5,9,\n2,0,1,5,3,\n", ":3: `start_ns` is 3; allowed: 9 or more, in order"),
        ("1,0,1,5,0,\n1,0,2,5,0,\n", ":3: `id` 1 stands there twice"),
        ("1,0,1,5,0,7\n", ":2: `after_id` is 7; allowed: the `id` of a line above"),
        ("1,0,1\n", "it has not as many fields"),
        ("a,0,1,5,0,\n", ":2: it is no flow"),
        ("", "it has no flow"),
    ] {
        let path = write("flows.csv", &format!("{head}{lines}"));
        let sentence = refusal(&with(|request| request.workload = path.display().to_string()));
        assert!(sentence.contains(said), "{lines:?}: {sentence}");
    }
    let missing = with(|request| request.workload = "nowhere.csv".into());
    assert!(refusal(&missing).contains("nowhere.csv: cannot be read"));
    for (row, said) in [
        ("3,1,1 2\n", ":2: it has 2 destinations; allowed: 3"),
        ("3,1,1 2 1\n", ":2: host 1 stands there twice"),
        ("3,1,0 2 1\n", ":2: host 0 sends to 0"),
        ("3,1,1 2 0\n", "no permutation of 128 hosts with seed 1"),
        ("x\n", ":2: it is no permutation"),
    ] {
        let path = write("permutations.csv", &format!("nodes,seed,dst\n{row}"));
        let request = with(|request| {
            request.workload = "permutation".into();
            request.permutations = Some(path);
        });
        let sentence = refusal(&request);
        assert!(sentence.contains(said), "{row:?}: {sentence}");
    }
    let right = "hosts = 16\n[tor]\ndown = 4\nup = 2\n[t1]\ndown = 4\n";
    for (text, said) in [
        ("hosts = [", "line 1: "),
        ("hosts = 16", "missing field `tor`"),
        (&right.replace("hosts = 16", "hosts = 15"), "`hosts` is 15; allowed: a multiple"),
        (&right.replace("[t1]\ndown = 4", "[t1]\ndown = 5"), "`t1.down` is 5; allowed: 4"),
        (&right.replace("hosts = 16", "hosts = 16\nhost = 1"), "unknown field `host`"),
        (&format!("{right}up = 2\n"), "`t1.up` is 2 with 1 pods"),
        (&format!("{right}[host_links]\ngbps = 0.0\n"), "`host_links.gbps` is 0; allowed"),
    ] {
        let path = write("tree.toml", text);
        let sentence = refusal(&with(|request| request.topology = path.display().to_string()));
        assert!(sentence.contains(said), "{text:?}: {sentence}");
    }
    let path = write("tree.toml", right);
    let tree = Topology::load(&path.display().to_string()).unwrap();
    assert_eq!((tree.tors(), tree.t1s(), tree.tiers()), (4, 2, 2));
}
