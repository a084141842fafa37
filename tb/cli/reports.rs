//! `respray report` in a folder that is not the checkout: refusals come before the measuring, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::runs::{assert_is_refusal, command, names, program, project, stderr, stdout};

/// Runs a report in `at` with a cache of its own, `at/cache`.
fn report(at: &Path, more: &[&str]) -> Output {
    let arguments = [&["report", "--core", "ecmp", "--target", "u50"], more].concat();
    command(at, &arguments).env("RESPRAY_CACHE", at.join("cache")).output().expect("the binary was built")
}

#[test]
fn what_a_report_cannot_read_or_write_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["page", "empty", "runs", "recordings"] {
        fs::create_dir(at.join(name)).unwrap();
    }
    fs::write(at.join("file"), "").unwrap();
    fs::write(at.join("runs/reps.json"), "{}").unwrap();
    fs::write(at.join("recordings/steady.json"), "{}").unwrap();
    fs::write(at.join("recordings/steady.csv.gz"), "").unwrap();
    let before = names(at);
    for (more, said) in [
        (&["--html", "page.html", "--recordings", "none"][..], "none: cannot be read"),
        (&["--html", "page.html", "--recordings", "recordings"], "steady.json: not a recording's settings"),
        (&["--html", "page.html", "--runs", "none"], "none: cannot be read"),
        (&["--html", "page.html", "--runs", "runs"], "reps.json"),
        (&["--html", "page"], "page: cannot be written"),
        (&["--json", "file/figures.json"], "file/figures.json: cannot be written"),
        (&["--clock=-5"], "--clock is `-5`; allowed: 1 to 10000"),
        (&["--check", "--baseline", "none.json"], "none.json: there is no baseline"),
    ] {
        assert_is_refusal(&report(at, more), &[said]);
        assert_eq!(names(at), before, "{more:?} measured something or left a file");
    }
}

#[test]
fn a_placement_is_for_cards_and_without_its_placer_the_estimate_is_by_fan_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let on_ecp5 = command(at, &["report", "--core", "ecmp", "--target", "ecp5", "--place"]).output().unwrap();
    assert_is_refusal(&on_ecp5, &["--place: it is for", "allowed: --target with an Alveo card, u50, u200"]);
    fs::create_dir(at.join("programs")).unwrap();
    let placed = || {
        let report = ["report", "--core", "ecmp", "--target", "u50", "--place", "--json", "figures.json"];
        let mut report = command(at, &report);
        report.env("PATH", at.join("programs")).env("RESPRAY_CACHE", at.join("cache")).output().unwrap()
    };
    let without = placed();
    assert!(without.status.success(), "{}", stderr(&without));
    assert_eq!(
        stderr(&without),
        "respray: warning: nextpnr-generic was not found on the PATH; `apt-get install nextpnr-generic` or `./setup.sh --all` in a checkout of \
         respray installs it; the estimate of the clock is by fan-out\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("figures.json")).unwrap()).unwrap();
    let estimate = &json["cores"][0]["ultrascale"]["figures"]["fmax_estimate"];
    assert!(estimate["nominal_ns"].is_f64() && estimate.get("placed").is_none(), "{estimate}");
    // one that loses all cells
    let lines = "if [ \"$1\" = --version ]; then echo 'nextpnr-generic (Version 0.4)'; else
        echo '{\"modules\":{\"top\":{\"cells\":{}}}}' >placed.json; fi";
    program(&at.join("programs"), "nextpnr-generic", lines);
    let lost = placed();
    assert_is_refusal(&lost, &["placed.json: not what the tool writes: `", "` is lost"]);
}

#[test]
fn a_report_elsewhere_finds_what_it_needs_and_tells_what_it_leaves_out_and_what_is_late() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("captures")).unwrap();
    let of_blocks = [
        "overload-sender.pcap.gz",
        "overload-sender.log.gz",
        "overload-receiver.pcap.gz",
        "overload-receiver.log.gz",
    ];
    for name in ["steady.json", "steady.csv.gz", "steady-sender.pcap.gz"].into_iter().chain(of_blocks) {
        fs::copy(project().join("tb/recordings").join(name), at.join("captures").join(name)).unwrap();
    }
    fs::write(at.join("captures/mine-sender.pcap"), "").unwrap();
    fs::create_dir_all(at.join("out/runs")).unwrap();
    fs::write(at.join("out/runs/reps failure.fst"), "waves").unwrap();
    let late = report(
        at,
        &[
            "--clock",
            "2000",
            "--html",
            "out/page.html",
            "--recordings",
            "captures",
            "--json",
            "out/figures.json",
        ],
    );
    assert_eq!(late.status.code(), Some(1), "{}", stderr(&late));
    let left_out =
        "captures/mine-sender.pcap: left out, because there is no mine.json and no mine.csv.gz beside it";
    assert!(stderr(&late).contains(left_out), "{}", stderr(&late));
    assert!(stdout(&late).contains("FAILS: ecmp on UltraScale+: timing is not met"), "{}", stdout(&late));
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("out/figures.json")).unwrap()).unwrap();
    assert_eq!(json["captures_left_out"], serde_json::json!([left_out]));
    assert_eq!((&json["timing"][0]["met"], &json["timing"][0]["estimated"]), (&false.into(), &true.into()));
    assert!(json["failures"][0].as_str().unwrap().starts_with("ecmp on UltraScale+"), "{json}");
    let page = fs::read_to_string(at.join("out/page.html")).unwrap();
    for part in ["data-recording=\"steady\"", "<a href=\"./runs/reps%20failure.fst\">"] {
        assert!(page.contains(part), "{part}");
    }
    // what the page says is in the JSON too
    assert_eq!(json["page"]["waves"][0]["path"], "runs/reps failure.fst");
    let recordings = json["page"]["recordings"].as_array().expect("the page has recordings");
    let named: Vec<&str> = recordings.iter().filter_map(|recording| recording["name"].as_str()).collect();
    assert_eq!(named, ["overload", "steady"]);
    let timeouts = recordings[0]["timeouts_ns"].as_array().expect("times of timeouts");
    assert!(timeouts.len() >= 4 && timeouts.iter().all(|time| time.as_u64().unwrap() < 1_000_000_000));
    assert!(recordings[0]["path_shares"].is_object(), "the paths of blocks are known");
    for pointer in ["/commit", "/date", "/tools/0", "/configuration/12/key", "/page/targets/0/device"] {
        let said = json.pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {json}")).as_str().unwrap();
        assert!(page.contains(said), "{pointer}: {said}");
    }
    let describe = ["describe", "--always", "--tags", "--dirty"];
    let described = Command::new("git").arg("-C").arg(project()).args(describe).output();
    let commit = match described {
        Ok(described) if described.status.success() && project().join(".git").exists() => {
            String::from_utf8(described.stdout).unwrap()
        }
        _ => "not from a checkout".into(),
    };
    assert_eq!(json["commit"], commit.trim());
    assert_eq!(json["throughput"][0]["cycles"], 1, "an op of ecmp takes a cycle");
    let compared = json["differences"].as_array().expect("the accepted figures are found");
    let figures: Vec<&str> = compared.iter().filter_map(|figure| figure["figure"].as_str()).collect();
    let of_cards = ["lut", "ff", "bram18", "uram", "levels", "bound_ns", "nominal_ns", "wide_ns"];
    assert_eq!(figures, of_cards, "those of UltraScale+");
    let estimate = &json["cores"][0]["ultrascale"]["figures"]["fmax_estimate"];
    let ns = ["bound_ns", "nominal_ns", "wide_ns"].map(|name| estimate[name].as_f64().unwrap());
    assert!(0.3 < ns[0] && ns[0] < ns[1] && ns[1] < ns[2] && ns[2] < 3.0, "{estimate}");
    assert_eq!(estimate["verdict"], "safe", "at the clock of the configuration");
    assert!(estimate["path"].as_array().is_some_and(|path| path.len() >= 2), "{estimate}");
    assert!(page.contains("An estimate, ±20%"), "the page says what it shows");
    assert_eq!(names(at), ["cache", "captures", "out"], "runs are kept in the cache, not here");
    let kept = names(&at.join("cache"));
    assert!(!kept.is_empty() && kept.iter().all(|name| name.starts_with("synth-")), "{kept:?}");
    let met = report(at, &["--clock", "100"]);
    assert!(met.status.success(), "{}", stdout(&met));
    // neither safe nor out of reach: more than the bound of ecmp, and less than what it takes with wide wires
    let mhz = (1000.0 / ns[1]).to_string();
    let doubtful = report(at, &["--clock", &mhz, "--json", "out/doubtful.json"]);
    assert!(doubtful.status.success(), "{}", stdout(&doubtful));
    let warning = format!("ecmp on UltraScale+: timing is doubtful at {mhz} MHz");
    assert!(stdout(&doubtful).contains(&format!("WARNING: {warning}")), "{}", stdout(&doubtful));
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("out/doubtful.json")).unwrap()).unwrap();
    assert!(json["warnings"][0].as_str().unwrap().starts_with(&warning), "{}", json["warnings"]);
    assert_eq!(
        (&json["failures"], &json["timing"][0]["verdict"]),
        (&serde_json::json!([]), &"doubtful".into())
    );
    let cleared = command(at, &["cache", "clear"]).env("RESPRAY_CACHE", at.join("cache")).output().unwrap();
    assert!(cleared.status.success() && names(&at.join("cache")).is_empty(), "{}", stdout(&cleared));
}
