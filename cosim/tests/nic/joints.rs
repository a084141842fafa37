//! Faults at the joints of the block: what drives a part is something else.

/// A port of a part, what drives it, and what drives it while the fault is there. Where several parts have such a port with the same
/// driver, the part stands before the port, as in `spray.ack_timestamp`.
pub type Fault = (&'static str, &'static str, &'static str);

/// The joined block with all faults, and an input that says which of them is there.
pub fn faulty(verilog: String, faults: &[Fault]) -> String {
    let (parts, top) = verilog.split_once("\nmodule nic (\n").expect("the top");
    let mut lines: Vec<String> = top.lines().map(String::from).collect();
    for (at, (port, right, wrong)) in (1..).zip(faults) {
        let (line, value) = sink(top, port, right);
        let faulty = format!(
            "{}(fault == 5'd{at} ? {wrong} : {right})",
            value.trim_end_matches(&format!("({right})"))
        );
        lines[line] = lines[line].replacen(&value, &faulty, 1);
    }
    format!("{parts}\nmodule nic (\n    input  wire [4:0] fault,\n{}\n", lines.join("\n"))
}

/// The line of the top in which `right` drives the port of a part, and the connection. The part that makes `right` has it as an output.
fn sink(top: &str, port: &str, right: &str) -> (usize, String) {
    let (part, port) = port.split_once('.').map_or((None, port), |(part, port)| (Some(part), port));
    let connection = format!(".{port}({right})");
    let (mut found, mut instance) = (vec![], "");
    for (at, line) in top.lines().enumerate() {
        if let Some((_, name)) = line.trim_end_matches(" (").rsplit_once(' ').filter(|_| line.ends_with(" ("))
        {
            instance = name;
        }
        let is_it = line.contains(&connection);
        if is_it && right != format!("{instance}_{port}") && part.is_none_or(|part| part == instance) {
            found.push((at, connection.clone()));
        }
    }
    assert_eq!(found.len(), 1, "{port} of {right}");
    found.remove(0)
}
