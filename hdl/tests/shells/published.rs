//! Parameters and ports as a shell publishes them, and what stands in for the shell around a wrapper.

use respray_hdl::shells::Wrapper;

/// Which way a port goes, seen from the module that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
}

/// A port: its width is an expression of the parameters.
pub struct Port {
    pub direction: Direction,
    pub width: String,
    pub name: String,
}

/// A module as a shell publishes it.
pub struct Published {
    pub name: String,
    pub parameters: Vec<(String, String)>,
    pub ports: Vec<Port>,
}

impl Published {
    /// From a table: lines of three fields with tabs between them, and comments.
    pub fn read(name: &str, table: &str) -> Published {
        let mut published = Published { name: name.to_string(), parameters: vec![], ports: vec![] };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let port =
                |direction| Port { direction, width: fields[1].to_string(), name: fields[2].to_string() };
            match fields[0] {
                "parameter" => published.parameters.push((fields[1].to_string(), fields[2].to_string())),
                "in" => published.ports.push(port(Direction::Input)),
                "out" => published.ports.push(port(Direction::Output)),
                other => panic!("{name}: a line begins with {other}"),
            }
        }
        published
    }

    fn parameters(&self) -> String {
        let one = |(name, value): &(String, String)| format!("    parameter {name} = {value}");
        self.parameters.iter().map(one).collect::<Vec<_>>().join(",\n")
    }

    fn ports(&self) -> String {
        let one = |port: &Port| {
            let direction = if port.direction == Direction::Input { "input" } else { "output" };
            let range = if port.width == "1" { String::new() } else { format!("[{}-1:0] ", port.width) };
            format!("    {direction} wire {range}{}", port.name)
        };
        self.ports.iter().map(one).collect::<Vec<_>>().join(",\n")
    }

    /// A wire that reads parameters and inputs of which nobody else need know.
    fn reads(&self, inputs: &[&str]) -> String {
        let parameters = self.parameters.iter().map(|(name, _)| format!("{name} == 0"));
        let all: Vec<String> = parameters.chain(inputs.iter().map(ToString::to_string)).collect();
        format!("    wire unused = &{{1'b0, {}}};\n", all.join(", "))
    }
}

/// A module that holds a wrapper as its shell does.
pub struct Standing {
    pub top: String,
    pub verilog: String,
    /// Folders of what it includes.
    pub includes: Vec<String>,
    /// Parameters that say how many ports there are.
    pub port_counts: Vec<&'static str>,
}

/// What the sources of both shells begin with: a module without one is a warning of a lint of all of them.
const TIME_SCALE: &str = "`timescale 1ns / 1ps\n";

/// A box of OpenNIC includes what belongs to the user block; Corundum's core names each parameter and port of the application block.
pub fn standing_in(published: &Published, wrapper: &Wrapper) -> Standing {
    let (parameters, ports) = (published.parameters(), published.ports());
    if let Some(of) = wrapper.opennic_box {
        let mhz = of.mhz();
        let resets = published.ports.iter().find(|port| port.name == "mod_rstn").map(|port| &port.width);
        let resets: u32 = resets.and_then(|width| width.parse().ok()).expect("a box has resets");
        let reads = published.reads(&[&format!("mod_rstn[{}:1]", resets - 1)]);
        let verilog = format!(
            "{TIME_SCALE}module {name} #(\n{parameters}\n) (\n{ports}\n);\n    assign box_rst_done = box_rstn;\n    \
             `include \"box_{mhz}_address_map_inst.vh\"\n    `include \"user_plugin_{mhz}_inst.vh\"\n{reads}endmodule\n",
            name = published.name
        );
        let port_counts =
            if mhz == "250mhz" { vec!["NUM_PHYS_FUNC", "NUM_CMAC_PORT"] } else { vec!["NUM_CMAC_PORT"] };
        return Standing {
            top: published.name.clone(),
            verilog,
            includes: vec![format!("box_{mhz}")],
            port_counts,
        };
    }
    let names = published.parameters.iter().map(|(name, _)| name);
    let given: Vec<String> = names.map(|name| format!("        .{name}({name})")).collect();
    let pins: Vec<String> =
        published.ports.iter().map(|port| format!("        .{0}({0})", port.name)).collect();
    let verilog = format!(
        "{TIME_SCALE}module mqnic_core #(\n{parameters}\n) (\n{ports}\n);\n    {} #(\n{}\n    ) app (\n{}\n    );\nendmodule\n",
        published.name,
        given.join(",\n"),
        pins.join(",\n")
    );
    Standing { top: "mqnic_core".into(), verilog, includes: vec![], port_counts: vec!["IF_COUNT"] }
}
