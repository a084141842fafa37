//! The points of each core.

use respray_hdl::config::Config;
use respray_hdl::cores;
use respray_hdl::manifest::{Direction, Generated};
use respray_hdl::nic::top::NAME;
use respray_synth::prove::put_at_end;

use super::Beyond;
use super::codes::CODES;
use super::nic;
use super::point::Point;
use super::states::STATES;

/// Outputs of one bit that are never high in the default configuration, and why.
const NEVER_HIGH: &[(&str, &str, &str)] =
    &[("rewrite_rx", "meta_retransmit", "Packets of STrack do not say whether they are retransmissions.")];

/// The points of a generated core, and those that nothing can hit in its configuration.
pub fn of(generated: &Generated) -> (Vec<Point>, Vec<Beyond>) {
    let manifest = &generated.manifest;
    let (core, config) = (manifest.module.as_str(), &manifest.config);
    let (mut points, mut beyond) = (Vec::new(), Vec::new());
    let top = |name: String, when: String, means: String| Point { name, module: String::new(), when, means };
    let contract = cores::find(core).and_then(|found| found.contract_in(config));
    if let Some(contract) = contract {
        for (code, kind) in contract.kinds.iter().enumerate() {
            let when = format!("op_valid && op_ready && op_kind == {code}");
            points.push(top(format!("op_{kind}"), when, format!("An op `{kind}` is taken.")));
        }
    }
    let bits = manifest.ports.iter().filter(|port| port.direction == Direction::Output && port.width == 1);
    for port in bits {
        let name = format!("{}_high", port.name);
        match NEVER_HIGH.iter().find(|(of, output, _)| (*of, *output) == (core, &port.name)) {
            Some((.., why)) => beyond.push(Beyond { point: name, why: why.to_string() }),
            None => points.push(top(name, port.name.clone(), format!("`{}`: {}.", port.name, port.meaning))),
        }
    }
    let listed = listed(core, config);
    let codes = CODES.iter().filter(|codes| codes.core == listed);
    points.extend(codes.flat_map(|codes| codes.points("")));
    for state in STATES.iter().filter(|state| state.core == listed) {
        points.push(Point {
            name: state.name.to_string(),
            module: state.module.to_string(),
            when: sized(state.when, config),
            means: sized(state.means, config),
        });
    }
    if core == NAME {
        let (more, more_beyond) = nic::of(config);
        points.extend(more);
        beyond.extend(more_beyond);
    }
    (points, beyond)
}

/// What the lists call a core: one that takes other ops in a configuration has points of its own there.
fn listed(core: &str, config: &Config) -> String {
    let is_usual = cores::find(core).is_none_or(|found| {
        found.contract.map(|usual| usual.kinds) == found.contract_in(config).map(|here| here.kinds)
    });
    match config.value("sack.acks") {
        Some(acks) if !is_usual => format!("{core} {acks}"),
        _ => core.to_string(),
    }
}

/// A text about a window with the packets of it and of nearly all of it.
fn sized(text: &str, config: &Config) -> String {
    let window = config.sack.window;
    text.replace("{window}", &window.to_string()).replace("{most}", &(window / 16 * 15).to_string())
}

/// The Verilog of a core with its points, each at the end of its module.
///
/// # Panics
/// If there is no module of that name: an error of the list of points.
pub fn beside(core: &str, verilog: &str, points: &[Point]) -> String {
    let mut verilog = verilog.to_string();
    for point in points {
        let property = format!("    {}: cover property (@(posedge clk) {});\n", point.label(), point.when);
        put_at_end(&mut verilog, core, &point.module, &property);
    }
    verilog
}
