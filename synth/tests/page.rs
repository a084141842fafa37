//! The HTML page: a row for all there is, and nothing from elsewhere.

mod common;

use common::{FINDER_PORTS, bench, engine, generated};
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_synth::device::Target;
use respray_synth::html::{Page, Recording, Run};
use respray_synth::report::{Request, instances, measure, parse_sweep};

/// The engine grows with `connections`, the finder with nothing.
fn make(core: &str, config: &Config) -> Result<Generated, String> {
    match core {
        "finder" => Ok(generated(include_str!("common/first_zero.v"), "finder", &FINDER_PORTS)),
        _ => {
            let top = config.connection_bits() - 1;
            let mut grown = engine(|verilog| {
                verilog
                    .replace("[0:255]", &format!("[0:{}]", config.connections - 1))
                    .replace("[7:0]", &format!("[{top}:0]"))
                    .replace("{8'd0, conn}", &format!("{{{}'d0, conn}}", 15 - top))
            });
            grown.manifest.ports[3].width = top + 1;
            Ok(grown)
        }
    }
}

#[test]
fn the_page_has_every_core_target_run_recording_and_sweep_and_needs_nothing_else() {
    let request = Request {
        instances: instances(&["engine", "finder"], &Config::default()),
        targets: Target::all(),
        sweeps: vec![parse_sweep("connections=64,1024").unwrap()],
        sweep_targets: Target::all(),
    };
    let report = measure(&bench(), &request, &make, &|_, _, _| {}).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("reps_steady.json");
    std::fs::write(
        &json,
        r#"{"core":"reps","cycles":900,"ops":8,"mismatches":0,"cycles_per_second":2e6,"result":"pass"}"#,
    )
    .unwrap();
    let recording = |name: &str| Recording {
        name: name.into(),
        says: "a <path> goes down".into(),
        acks: (0..100).map(|i| (i * 1_000_000, i as u16 * 600, i % 9 == 0)).collect(),
        timeouts: vec![50_000_000],
    };
    let page = Page {
        report: &report,
        differences: None,
        runs: vec![Run::read(&json).unwrap()],
        recordings: vec![recording("steady"), recording("slow-path")],
    };
    let html = page.html().unwrap();
    for core in ["engine", "finder"] {
        for target in Target::all() {
            let row = format!("data-core=\"{core}\" data-target=\"{target}\"");
            assert_eq!(html.matches(&row).count(), 1, "{row}");
        }
    }
    for row in ["data-run=\"reps_steady\"", "data-recording=\"steady\"", "data-recording=\"slow-path\""] {
        assert_eq!(html.matches(row).count(), 1, "{row}");
    }
    assert!(html.contains("data-sweep=\"engine by connections\""));
    assert!(!html.contains("data-sweep=\"finder"), "a core that the key does not change has no sweep");
    assert!(html.contains("a &lt;path&gt; goes down"));
    for foreign in ["http://", "https://", "<script", "@import", "src="] {
        let rest = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(foreign), "{foreign}");
    }
}
