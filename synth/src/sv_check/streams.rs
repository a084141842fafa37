//! The rules of AXI-Stream and AXI4-Lite at the ports of a core.

use respray_hdl::manifest::{Direction, Port};

use super::{Assertion, Checker};

/// Channels of AXI4-Lite, and what they carry.
const CHANNELS: [(&str, &[&str]); 5] = [
    ("aw", &["addr"]),
    ("w", &["data", "strb"]),
    ("b", &["resp"]),
    ("ar", &["addr"]),
    ("r", &["data", "resp"]),
];

/// Assertions at the ports.
pub fn checker(ports: &[Port]) -> Checker {
    let mut checker = Checker::default();
    let find = |name: &str| ports.iter().find(|port| port.name == name);
    for valid in ports {
        let Some(stream) = valid.name.strip_suffix("_tvalid") else { continue };
        let given = if valid.direction == Direction::Input { "given_" } else { "" };
        let carried: Vec<String> = ["tdata", "tkeep", "tlast", "tuser"]
            .iter()
            .map(|name| format!("{stream}_{name}"))
            .filter(|name| find(name).is_some())
            .collect();
        let ready = format!("{stream}_tready");
        checker.stays(&format!("{given}{stream}_stays"), &valid.name, &ready, &carried);
        let keep = format!("{stream}_tkeep");
        if find(&keep).is_some() {
            let shape =
                format!("{keep}[0] && ({keep} & ({keep} + 1'b1)) == 0 && ({stream}_tlast || (&{keep}))");
            checker.assertions.push(Assertion {
                name: format!("{given}{stream}_shaped"),
                guard: Some(valid.name.clone()),
                condition: shape,
                says: "tkeep is all ones but in a packet's last beat, where it is contiguous from bit 0 and not empty.".into(),
            });
        }
    }
    for valid in ports {
        let Some((bus, channel)) =
            valid.name.strip_suffix("valid").and_then(|name| name.split_once("_axil_"))
        else {
            continue;
        };
        let Some((_, carried)) = CHANNELS.iter().find(|(name, _)| *name == channel) else { continue };
        let given = if valid.direction == Direction::Input { "given_" } else { "" };
        let carried: Vec<String> = carried.iter().map(|name| format!("{bus}_axil_{channel}{name}")).collect();
        let ready = format!("{bus}_axil_{channel}ready");
        checker.stays(&format!("{given}{bus}_axil_{channel}_stays"), &valid.name, &ready, &carried);
    }
    checker
}

impl Checker {
    /// What is offered stays, and stays the same, until it is taken.
    fn stays(&mut self, name: &str, valid: &str, ready: &str, carried: &[String]) {
        let carried = carried.join(", ");
        self.body += &format!(
            "    reg was_{name};\n    reg [$bits({{{carried}}})-1:0] before_{name};\n    always @(posedge clk) begin\n        \
             was_{name} <= {valid} && !{ready} && !rst;\n        before_{name} <= {{{carried}}};\n    end\n\n"
        );
        self.assertions.push(Assertion {
            name: name.to_string(),
            guard: Some(format!("was_{name}")),
            condition: format!("{valid} && {{{carried}}} == before_{name}"),
            says: "What is offered stays, and stays the same, until it is taken.".into(),
        });
    }
}
