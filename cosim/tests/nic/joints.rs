//! Faults at the joints of the block: what drives a part is something else.

/// A port of a part, what drives it, and what drives it while the fault is there.
pub type Fault = (&'static str, &'static str, &'static str);

/// The joined block with all faults, and an input that says which of them is there.
pub fn faulty(verilog: String, faults: &[Fault]) -> String {
    let (parts, top) = verilog.split_once("\nmodule nic (\n").expect("the top");
    let mut lines: Vec<String> = top.lines().map(String::from).collect();
    for (at, (port, right, wrong)) in (1..).zip(faults) {
        let is_it = |line: &&mut String| {
            line.trim_start()
                .strip_prefix(&format!(".{port} "))
                .is_some_and(|rest| rest.trim_start().trim_end_matches(',') == format!("({right})"))
        };
        let mut found: Vec<&mut String> = lines.iter_mut().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{port} of {right}");
        *found[0] = found[0].replace(right, &format!("fault == 5'd{at} ? {wrong} : {right}"));
    }
    format!("{parts}\nmodule nic (\n    input  wire [4:0] fault,\n{}\n", lines.join("\n"))
}
