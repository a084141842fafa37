//! The HTML page: a row for all there is, and nothing from elsewhere.

use crate::common::{FINDER_PORTS, bench, engine, generated};
use crate::page_rules::broken;
use respray_hdl::config::{Config, KEYS};
use respray_hdl::cores;
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Generated;
use respray_synth::baseline::{Compared, Difference};
use respray_synth::browser::Browser;
use respray_synth::device::Target;
use respray_synth::figures::Accepted;
use respray_synth::html::{Page, Recording, Run, Wave};
use respray_synth::report::{
    Earlier, LONG_BYTES, Origin, Report, Request, Throughput, instances, measure, parse_sweep,
};

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
        place: false,
        sweeps: vec![parse_sweep("connections=64,1024").unwrap()],
        sweep_targets: vec!["u50".parse().unwrap()],
    };
    let mut report = measure(&bench(), &request, &make, &|_, _, _| {}).unwrap();
    report.throughput = speeds();
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("reps_steady.json");
    std::fs::write(
        &json,
        r#"{"core":"reps","cycles":900,"ops":8,"sends":4,"replay":0,"thaws":0,"mismatches":0,"cycles_per_second":2e6,
            "result":"pass","wave":"out/w/a b.fst"}"#,
    )
    .unwrap();
    let recording = |name: &str| Recording {
        name: name.into(),
        says: "a <path> goes down".into(),
        sends: (0..100).map(|i| (i * 1_000_000, (i % 4) as u16)).collect(),
        paths: if name == "steady" { (0..4).map(|path| vec![path]).collect() } else { Vec::new() },
        acks: (0..100).map(|i| (i * 1_000_000, i as u16 * 600, i % 9 == 0)).collect(),
        timeouts: vec![50_000_000],
    };
    let (origin, compared) = (origin(), none());
    let page = Page {
        runs: &[Run::read(&json).unwrap()],
        recordings: &[recording("steady"), recording("slow-path")],
        waves: &[Wave { path: "w/a b.fst".into(), bytes: 3000 }],
        ..plain(&report, &origin, &compared)
    };
    let html = page.html().unwrap();
    assert_eq!(broken(&html), [""; 0]);
    for core in ["engine", "finder"] {
        for target in Target::all() {
            let row = format!("data-core=\"{core}\" data-target=\"{target}\"");
            assert_eq!(html.matches(&row).count(), 1, "{row}");
        }
    }
    for row in ["data-run=\"reps_steady\"", "data-recording=\"steady\"", "data-recording=\"slow-path\""] {
        assert_eq!(html.matches(row).count(), 1, "{row}");
    }
    assert_eq!(html.matches("<a href=\"./w/a%20b.fst\">").count(), 2, "the run's waves, and all of them");
    assert!(html.contains(
        "<summary>1 count, 2 counters that stayed 0</summary>sends 4; stayed 0: replay, thaws</details>"
    ));
    for path in ["path 0", "path 1", "path 2", "path 3"] {
        let named = html.matches(&format!("<span>{path}</span>")).count();
        assert_eq!(named, 1, "one recording says where its packets went");
    }
    for key in KEYS {
        assert_eq!(html.matches(&format!("data-key=\"{}\"", key.name)).count(), 1, "{}", key.name);
    }
    assert!(
        html.contains("commit v1-2-g0f") && html.contains("2026-11-22") && html.contains(&report.tools[0])
    );
    for core in ["engine", "finder"] {
        assert_eq!(html.matches(&format!("data-speed=\"{core}\"")).count(), 1, "{core}");
    }
    // templates escape the slash
    let plain = html.replace("&#x2f;", "/");
    assert!(plain.contains("<b>≥ 25 Gb/s</b>"), "the slowest core on the first device");
    let lane = |gbps: &str| {
        let before = plain.split(&format!(">{gbps} Gb/s</span>")).next().unwrap();
        let length = before.rsplit("left:").next().unwrap().split('%').next().unwrap();
        length.parse::<f64>().unwrap()
    };
    // on a scale of factors, four times as fast is as much farther everywhere
    let farther = [lane("100") - lane("25.0"), lane("1600") - lane("400")];
    assert!(farther[0] > 0.0 && (farther[0] - farther[1]).abs() < 0.2, "{farther:?}");
    assert!(html.contains("data-sweep=\"engine by connections\""));
    assert!(!html.contains("data-sweep=\"finder"), "a core that the key does not change has no sweep");
    assert!(html.contains("a &lt;path&gt; goes down"));
    assert_rules_are_seen_to_break(&html);
    // with every device there is, the table of the cores is at its widest
    if let Some(browser) = Browser::find() {
        for look in browser.look(&[("report", &html)]).unwrap() {
            assert_eq!(look.faults, [""; 0], "at {} pixels", look.width);
        }
    }
    for foreign in ["http://", "https://", "<script", "@import", "src="] {
        let rest = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(foreign), "{foreign}");
    }
}

/// Packets of 4096 bytes a second: of one core on three devices, and of another, whose two ops differ, on one.
fn speeds() -> Vec<Throughput> {
    let row = |label: &str, device: &str, gbits_per_second: f64, packet: &str| Throughput {
        label: label.into(),
        device: device.into(),
        clock_mhz: 200.0,
        measured: device != "UltraScale+",
        packet: packet.into(),
        packet_bytes: LONG_BYTES,
        cycles: Cycles { base: 1, growth: Default::default() },
        packets_per_second: gbits_per_second * 1e9 / f64::from(8 * LONG_BYTES),
        gbits_per_second,
    };
    vec![
        row("engine", "UltraScale+", 1600.0, "a send"),
        row("engine", "ecp5", 400.0, "a send"),
        row("engine", "ice40", 100.0, "a send"),
        row("finder", "UltraScale+", 800.0, "`quick`"),
        row("finder", "UltraScale+", 25.0, "`slow`"),
    ]
}

/// A fault for each rule.
fn assert_rules_are_seen_to_break(html: &str) {
    for (from, to, said) in [
        (" id=\"targets\"", "", "#targets leads nowhere"),
        (" id=\"target-u50\"", " id=\"target-u200\"", "2 places are #target-u200"),
        ("class=\"fill\" style=\"width:", "class=\"fill\" style=\"width:0%;", "a bar of 0%"),
        ("<div class=\"scroll\"><table>", "<div class=\"card\"><table>", "a table stands in <div"),
        ("<th scope=\"col\">run", "<th>run", "a head without its scope"),
        ("<svg class=\"path\" viewBox", "<svg width=\"10\" viewbox", "a drawing of fixed width"),
        ("<desc>Rust HDL", "<p>Rust HDL", "a drawing without title and description"),
        ("minmax(min(330px, 100%)", "minmax(400px", "minmax(400px, 1fr)) is wider than a screen"),
        (".panel { min-width: 0", ".panel { min-width: 391px", "min-width: 391px is wider"),
        ("<path d=\"M117 114H137\"/>", "<path d=\"M117 130H262V30\"/>", "an arrow crosses"),
    ] {
        assert!(html.contains(from), "{from}");
        let found = broken(&html.replace(from, to)).join("\n");
        assert!(found.contains(said), "{said} is not in: {found}");
    }
}

fn origin() -> Origin {
    Origin::new(&Config::default(), "v1-2-g0f".into(), "2026-11-22".into())
}

fn none() -> Compared {
    Compared::NotCompared("there are no accepted figures".into())
}

/// A page of figures alone.
fn plain<'a>(report: &'a Report, origin: &'a Origin, compared: &'a Compared) -> Page<'a> {
    Page { origin, report, compared, gate: false, runs: &[], recordings: &[], waves: &[] }
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
#[ignore = "half a minute of synthesis where nothing is cached: `make test-long`"]
fn the_page_says_at_which_bus_a_core_was_placed_that_has_one() {
    let mut targets = Target::all();
    targets.pop();
    let request = Request {
        instances: instances(&["reps", "rewrite_tx"], &Config::default()),
        sweep_targets: targets[..1].to_vec(),
        targets,
        place: false,
        sweeps: vec![parse_sweep("bus_bits=64,512").unwrap()],
    };
    let report = measure(&bench(), &request, &parity, &|_, _, _| {}).unwrap();
    let (origin, compared) = (origin(), none());
    let page = plain(&report, &origin, &compared);
    let html = page.html().unwrap();
    assert_eq!(broken(&html), [""; 0]);
    let cores = serde_json::to_value(page.view()).unwrap()["cores"].clone();
    for core in cores.as_array().unwrap() {
        let devices = core["devices"].as_array().unwrap();
        assert_eq!(devices.len(), 2, "five equal cards are one, and the ECP5");
        assert_eq!(devices[0]["targets"].as_array().unwrap().len(), 5);
    }
    assert_eq!(html.matches("data-bar=\"LUT\"").count(), report.cores.len(), "a bar for all cards of a core");
    for core in report.cores.iter().map(|core| core.label.as_str()) {
        for target in ["u50", "ecp5"] {
            let row = format!("data-core=\"{core}\" data-target=\"{target}\"");
            assert_eq!(html.matches(&row).count(), 1, "{row}");
        }
        let is_rewriter = core.starts_with("rewrite");
        assert_eq!(html.contains(&format!("<th scope=\"row\">{core}, 64 bits</th>")), is_rewriter, "{core}");
        assert_eq!(html.contains(&format!("data-sweep=\"{core} by bus_bits\"")), is_rewriter, "{core}");
    }
    assert_eq!(html.matches("bus of 64 bits</small>").count(), 1, "that of the rewriter");
}

/// A report of nothing.
fn empty() -> Report {
    Report {
        tools: Vec::new(),
        targets: Vec::new(),
        cores: Vec::new(),
        accepted: Vec::new(),
        claim: None,
        sweeps: Vec::new(),
        throughput: Vec::new(),
        timing: Vec::new(),
    }
}

#[test]
fn the_whole_block_is_shown_as_it_was_accepted() {
    let figures =
        [("lut", 6286.0), ("ff", 15039.0), ("bram18", 177.0), ("bound_ns", 1.85), ("wide_ns", 2.82)];
    let of = |device: &str| Earlier {
        label: "nic".into(),
        device: device.into(),
        accepted: Accepted {
            made_from: String::new(),
            measured_on: "2026-11-22".into(),
            figures: figures.map(|(name, value)| (name.to_string(), value)).into(),
            slowest_path: None,
        },
    };
    let html =
        |accepted: Vec<Earlier>| plain(&Report { accepted, ..empty() }, &origin(), &none()).html().unwrap();
    let shown = html(vec![of("xcup")]);
    assert!(
        shown.contains("<b>6\u{202f}286 LUTs</b><span>the whole block nic, as accepted on 2026-11-22"),
        "{shown}"
    );
    assert!(
        shown.contains(
            "15\u{202f}039 flip-flops, 177 block RAMs of 18 Kbit; 322.265625 MHz is safe by estimate"
        )
    );
    assert!(!html(vec![of("ecp5")]).contains("whole block"));
}

#[test]
fn a_figure_that_changed_since_it_was_accepted_is_shown_with_what_it_was() {
    let report = empty();
    let page = |differences: Vec<Difference>, gate: bool| {
        let (origin, compared) = (origin(), Compared::Differences(differences));
        Page { gate, ..plain(&report, &origin, &compared) }.html().unwrap()
    };
    let of = |figure: &str, now: f64, more_is_better: bool| {
        Difference::new(["reps", "xcup", figure], 200.0, now, more_is_better)
    };
    let changed =
        page(vec![of("lut", 190.0, false), of("ff", 210.0, false), of("levels", 200.0, false)], false);
    let row = |figure: &str, now: &str, percent: &str, class: &str, trend: &str, verdict: &str| {
        let verdict_class = if verdict == "FAILS" { "bad-text" } else { "" };
        format!(
            "<th scope=\"row\">reps</th><td class=\"\">xcup</td><td class=\"\">{figure}</td><td class=\"number\">200</td>\
             <td class=\"number\">{now}</td><td class=\"number\">{percent}</td><td class=\"{class}\">{trend}</td>\
             <td class=\"{verdict_class}\">{verdict}</td>"
        )
    };
    for row in [
        row("lut", "190", "-5.0", "good", "better", "passes"),
        row("ff", "210", "+5.0", "bad-text", "worse", "FAILS"),
    ] {
        assert!(changed.contains(&row), "{row} is not in {changed}");
    }
    assert!(!changed.contains("levels</td>"), "what did not change is not shown");
    assert!(changed.contains("<b>2</b><span>figures changed since they were accepted"));
    assert!(!changed.contains("gate on accepted"), "a gate that was not asked for has no verdict");
    assert!(page(vec![of("ff", 210.0, false)], true).contains("<b>1 fail</b><span>gate on accepted"));
    assert!(page(vec![of("levels", 200.0, false)], false).contains("None of 1 figures changed."));
    let (origin, compared) = (origin(), none());
    let html = plain(&report, &origin, &compared).html().unwrap();
    assert!(html.contains("Not compared: there are no accepted figures."));
}
