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

/// The flows of a file, which have sizes of their own.
fn flows_of(path: &std::path::Path) -> Request {
    with(|request| {
        request.workload = path.display().to_string();
        request.bytes = None;
    })
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
        (with(|request| request.bytes = Some(0)), "the size of a message is 0; allowed: 1 to 1000000000000"),
        (with(|request| request.seeds = 0), "the number of seeds is 0; allowed: 1 to 1000"),
        (with(|request| request.selectors = vec!["best".into()]), "path selector best; allowed: reps, "),
        (
            with(|request| request.watch = vec!["tor0".into(), "tor0.up8".into()]),
            "the port to watch is tor0.up8; allowed: tor0 to tor15 with .down0 to .down7 and .up0 to .up7, t1_0 to t1_7 with .down0 to .down15, \
             and host0.nic to host127.nic; a switch by itself is its ports upwards",
        ),
        (
            with(|request| request.selectors = vec!["reps=mine.v".into()]),
            "path selector reps=mine.v; allowed: the engine rtl or both with a file of Verilog",
        ),
        (
            with(|request| request.selectors = vec!["adaptive=mine.v".into()]),
            "path selector adaptive=mine.v; allowed: reps, ",
        ),
        (
            fail("tor0.up9=down@1us..2us"),
            "`tor0.up9` is neither a port, a link, a switch nor a share of the ToRs' up-links; allowed: tor0 to tor15 with .down0 to .down7 \
             and .up0 to .up7, t1_0 to t1_7 with .down0 to .down15, and host0.nic to host127.nic; `link:` before a port",
        ),
        (fail("tor16=down"), "allowed: tor0 to tor15 with "),
        (fail("tor0.up1=down@2us..1us"), "it ends before it begins"),
        (fail("tor0.up1=down@soon"), "`soon` is no time; allowed: a number with ns, us, ms or s"),
        (fail("tor0.up1=rate=2"), "`rate` is `2`; allowed: 0.001 to 1"),
        (fail("tor0.up1"), "failure tor0.up1: allowed: TARGET=down@"),
        (fail("101%=p=0.1"), "the share is `101%`; allowed: above 0 to 100"),
        (set("fabric.packet_bytes=9"), "`fabric.packet_bytes` is 9; allowed: 65 to 65535"),
        (set("fabric.full=burn"), "`fabric.full` is burn; allowed: trim or drop"),
        (set("fabric.queue=9"), "`fabric.queue` is no parameter; allowed: packet_bytes, "),
        (set("fabric.bdp_packets=300"), "`fabric.bdp_packets` is 300; allowed: 0 to 255"),
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
        ("1,0,200,5,0,\n", ":2: `dst` is `200`; allowed: a whole number of 0 to 127"),
        ("1,-1,2,5,0,\n", ":2: `src` is `-1`; allowed: a whole number of 0 to 127"),
        ("1,0,2,1e6,0,\n", ":2: `bytes` is `1e6`; allowed: a whole number of 1 to 1000000000000"),
        (
            "1,0,2,5,18446744073709551615,\n",
            ":2: `start_ns` is `18446744073709551615`; allowed: a whole number of 0 to 3600000000000",
        ),
        ("1,3,3,5,0,\n", ":2: `src` and `dst` are both 3"),
        ("1,0,1,0,0,\n", ":2: `bytes` is `0`; allowed: a whole number of 1 to "),
        ("1,0,1,5,9,\n2,0,1,5,3,\n", ":3: `start_ns` is 3; allowed: 9 or more, in order"),
        ("1,0,1,5,0,\n1,0,2,5,0,\n", ":3: `id` 1 stands there twice"),
        ("1,0,1,5,0,7\n", ":2: `after_id` is 7; allowed: the `id` of a line above"),
        ("1,0,1\n", ":2: it has 3 fields; allowed: 6, as many as the first line"),
        ("a,0,1,5,0,\n", ":2: `id` is `a`; allowed: a whole number of 0 to 18446744073709551615"),
        ("1,0,1,5,0,x\n", ":2: `after_id` is `x`; allowed: a whole number"),
        ("# a note\n\n1,0,1,5,0,\n1,0,2,5,0,\n", ":5: `id` 1 stands there twice"),
        ("", "it has no flow"),
    ] {
        let path = write("flows.csv", &format!("{head}{lines}"));
        let sentence = refusal(&flows_of(&path));
        assert!(sentence.contains(said), "{lines:?}: {sentence}");
    }
    for (text, said) in [
        (
            "1,0,1,5,0,\n",
            ":1: the first line is to name the columns, and `1` is none of them, or there twice; allowed: id,src,dst,",
        ),
        (
            "id,src,dst,bytes\n1,0,1,5\n",
            ":1: the first line has no column `start_ns`; allowed: id,src,dst,bytes,start_ns",
        ),
    ] {
        let path = write("flows.csv", text);
        let sentence = refusal(&flows_of(&path));
        assert!(sentence.contains(said), "{text:?}: {sentence}");
    }
    assert!(refusal(&flows_of("nowhere.csv".as_ref())).contains("nowhere.csv: cannot be read"));
    for (row, said) in [
        ("3,1,1 2\n", ":2: it has 2 destinations; allowed: 3"),
        ("3,1,1 2 1\n", ":2: host 1 stands there twice"),
        ("3,1,1 2 3\n", ":2: `destination of host 2` is `3`; allowed: a whole number of 0 to 2"),
        ("1e3,1,1 2 1\n", ":2: `nodes` is `1e3`; allowed: a whole number of 2 to 65536"),
        ("3,-1,1 2 0\n", ":2: `seed` is `-1`; allowed: a whole number of 0 to "),
        ("3,1,1 2 0\n\n# again\n3,1,2 0 1\n", ":5: a permutation of 3 hosts with seed 1 stands above"),
        ("3,1,0 2 1\n", ":2: host 0 sends to 0"),
        ("3,1,1 2 0\n", "no permutation of 128 hosts with seed 1"),
        ("x\n", ":2: it has 1 fields, and is no permutation; allowed: a CSV file"),
        (
            "",
            "it has no permutation of 128 hosts with seed 1; allowed: a file with permutations of 128 hosts",
        ),
        (
            "HEADLESS3,1,1 2 0\n",
            ":1: the first line is `3,1,1 2 0`, which names no columns; allowed: a CSV file, gzipped or not",
        ),
    ] {
        let text = row.strip_prefix("HEADLESS").map_or(format!("nodes,seed,dst\n{row}"), str::to_string);
        let path = write("permutations.csv", &text);
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
        (&format!("{right}[host_links]\ngbps = 0.0\n"), "`host_links.gbps` is 0.0; allowed: 0.001 to 100000"),
        (
            &format!("{right}[tor_links]\ngbps = 1e-12\n"),
            "`tor_links.gbps` is 0.000000000001; allowed: 0.001 to 100000",
        ),
    ] {
        let path = write("tree.toml", text);
        let sentence = refusal(&with(|request| request.topology = path.display().to_string()));
        assert!(sentence.contains(said), "{text:?}: {sentence}");
    }
    write("tree.toml", right);
    let tree = Topology::load("tree.toml", folder.path()).unwrap();
    assert_eq!((tree.tors(), tree.t1s(), tree.tiers()), (4, 2, 2));
}

#[test]
fn what_the_workload_would_not_heed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any.csv");
    fs::write(&path, "nodes,seed,dst\n").unwrap();
    let permuted = |workload: &str| {
        with(|request| {
            request.workload = workload.into();
            request.permutations = Some(path.clone());
        })
    };
    for workload in ["tornado:8", "incast:8", "ring"] {
        let said = format!(
            "`permutations` does not go with the workload {workload}: they are of the workload permutation"
        );
        assert_eq!(refusal(&permuted(workload)), said);
    }
    let sized = with(|request| request.workload = "trace:50".into());
    assert!(
        refusal(&sized)
            .starts_with("`bytes` does not go with the workload trace:50: its messages have sizes")
    );
}

#[test]
fn a_suite_seeks_its_files_in_its_own_folder_and_they_may_be_packed_and_have_comments() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("far");
    fs::create_dir(&at).unwrap();
    let pack = |name: &str, text: &str| {
        let mut packed =
            flate2::write::GzEncoder::new(fs::File::create(at.join(name)).unwrap(), Default::default());
        std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        packed.finish().unwrap();
    };
    pack("flows.csv.gz", "# made by hand\nid,src,dst,bytes,start_ns\n\n1,0,9,5000,0\n# and\n2,1,9,6000,7\n");
    pack("permutations.csv.gz", "# made by hand\nnodes,seed,dst\n\n4,1,1 0 3 2\n");
    fs::write(at.join("tree.toml"), "hosts = 4\n[tor]\ndown = 2\nup = 2\n[t1]\ndown = 2\n").unwrap();
    fs::write(at.join("nic.toml"), "connections = 64\n").unwrap();
    let run = "engine = \"golden\"\nselectors = [\"ops\"]\nconfig = \"nic.toml\"\n";
    let suite = format!(
        "[[run]]\nname = \"a\"\nworkload = \"flows.csv.gz\"\n{run}[[run]]\nname = \"b\"\ntopology = \"tree.toml\"\n\
         workload = \"permutation\"\npermutations = \"permutations.csv.gz\"\nbytes = 9\n{run}"
    );
    fs::write(at.join("suite.toml"), suite).unwrap();
    let units = respray_fabric::suite::plan(&at.join("suite.toml")).unwrap();
    let sizes: Vec<Vec<u64>> =
        units.iter().map(|unit| unit.scenario.flows.flows.iter().map(|flow| flow.bytes).collect()).collect();
    assert_eq!(sizes, [vec![5000, 6000], vec![9; 4]]);
    let destinations: Vec<u32> = units[1].scenario.flows.flows.iter().map(|flow| flow.destination).collect();
    assert_eq!((destinations, units[0].config.connections), (vec![1, 0, 3, 2], 64));
    fs::write(at.join("suite.toml"), "[[run]]\nname = \"a\"\nworkload = \"none.csv\"\n").unwrap();
    let sentence = respray_fabric::suite::plan(&at.join("suite.toml")).unwrap_err().to_string();
    assert!(
        sentence.starts_with(&format!("{}: cannot be read", at.join("none.csv").display())),
        "{sentence}"
    );
}
