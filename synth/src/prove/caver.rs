//! What is proved of `caver`.

use super::{Claim, Fault, Method, Proof, Rules};

/// Routes that stay, and that come from nowhere but from ACKs and first packets.
pub const PROOF: Proof = Proof {
    core: "caver",
    block: None,
    sets: &["caver.destinations=64", "caver.ports=16", "caver.flows=1024"],
    rules,
    method: Method::Unbounded(12),
    fault_edges: 6..50,
    shortened: &[
        ("clears <= clears & !(&place);", "clears <= clears & !(&place[1:0]);"),
        ("assume (is_begun || rst);", "assume ((is_begun || rst) && one < 10'd4 && dst < 6'd4);"),
    ],
    claims: &[
        Claim {
            rule: "found_as_left",
            source: "C8",
            says: "Where an op, or a visit of the walker, is decided, it has found its flow entry and its path entry as all ops before it left them; \
                   ops of other entries change nothing of these.",
            fault: Fault::Shown(
                "waits = {waits[5:1], takes & (same_flow | same_path)};",
                "waits = {waits[5:1], 1'b0};",
            ),
        },
        Claim {
            rule: "route_stays",
            source: "C1",
            says: "A packet of kind `same` is of the flow whose first packet got the entry, and leaves by the route, or by the port of the FIB, as \
                   that first packet did.",
            fault: Fault::Shown(
                "written_flow_route = known_flow_lives ?",
                "written_flow_route = known_flow_lives & !known_path_lives ?",
            ),
        },
        Claim {
            rule: "stores_no_route",
            source: "C7",
            says: "A packet of kind `collided` or `bad_route` and a refused ACK write neither table.",
            fault: Fault::Shown(
                "wire is_first = op_kind_data & op_from_host & !op_to_host;",
                "wire is_first = op_kind_data & !op_to_host;",
            ),
        },
    ],
};

fn rules() -> Rules {
    let mut rules = Rules::of("", include_str!("caver.v").to_string())
        .watching("flow_ram", "flow_ram", "one", "flow_word")
        .watching("path_ram", "path_ram", "dst", "path_word");
    for (seen, of_interlock) in [
        ("is_live", "live"),
        ("waits_of_flow", "flow_0"),
        ("waits_of_path", "path_0"),
        ("waits_of_place", "places_0"),
        ("waits_of_dst", "dsts_0"),
    ] {
        rules.joins.push((seen.to_string(), format!("interlock.{of_interlock}")));
    }
    rules
}
