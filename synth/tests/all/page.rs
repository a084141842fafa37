//! The HTML page: a row for all there is, and nothing from elsewhere.

use crate::common::{FINDER_PORTS, bench, engine, generated};
use respray_hdl::config::Config;
use respray_hdl::cores;
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
        sweep_targets: vec!["u50".parse().unwrap()],
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

/// In place of each core a parity, of the packet bus where the core has one: so it is placed in a second.
fn parity(core: &str, config: &Config) -> Result<Generated, String> {
    let real = cores::generate(core, config).map_err(|error| error.to_string())?;
    let bus = real.manifest.ports.iter().find(|port| port.name == "s_axis_tdata");
    let (input, width) = bus.map_or(("op_bits", 8), |port| ("s_axis_tdata", port.width));
    let verilog = format!(
        "module {core} (input clk, input [{}:0] {input}, output reg res_valid);\n\
         always @(posedge clk) res_valid <= ^{input};\nendmodule\n",
        width - 1
    );
    Ok(generated(&verilog, core, &[("clk", 1, false), (input, width, false), ("res_valid", 1, true)]))
}

#[test]
fn the_page_says_at_which_bus_a_core_was_placed_that_has_one() {
    let targets = ["u50", "ecp5"].map(|name| name.parse::<Target>().unwrap()).to_vec();
    let request = Request {
        instances: instances(&["reps", "rewrite_tx"], &Config::default()),
        sweep_targets: targets[..1].to_vec(),
        targets,
        sweeps: vec![parse_sweep("bus_bits=64,512").unwrap()],
    };
    let report = measure(&bench(), &request, &parity, &|_, _, _| {}).unwrap();
    let html = Page { report: &report, differences: None, runs: vec![], recordings: vec![] }.html().unwrap();
    for core in report.cores.iter().map(|core| core.label.as_str()) {
        for target in ["u50", "ecp5"] {
            let row = format!("data-core=\"{core}\" data-target=\"{target}\"");
            assert_eq!(html.matches(&row).count(), 1, "{row}");
        }
        let is_rewriter = core.starts_with("rewrite");
        assert_eq!(html.contains(&format!("<td>{core}, 64 bits</td>")), is_rewriter, "{core}");
        assert_eq!(html.contains(&format!("data-sweep=\"{core} by bus_bits\"")), is_rewriter, "{core}");
    }
    assert_eq!(html.matches("<h4>ecp5 <small>bus of 64 bits</small></h4>").count(), 1);
}
