//! What is generated, as C++ that Yosys writes.

use respray_hdl::catalogue::NAMES;
use respray_synth::cxxrtl::translate;

use crate::common::{bench, root};

/// Yosys reads what stands there for simulations alone, too, which synthesis does not see.
#[test]
fn all_that_is_generated_is_translated() {
    let bench = bench();
    for name in NAMES {
        let path = root().join("generated").join(name).with_extension("v");
        let verilog = std::fs::read_to_string(path).unwrap();
        let translation = translate(&bench, name, &verilog).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(translation.source.contains(&format!("struct p_{}", name.replace('_', "__"))), "{name}");
    }
}

#[test]
fn a_memory_that_begins_with_what_it_holds_is_refused() {
    let begins = "initial for (place = 0; place <= 31; place = place + 1) words[place] = 32'd0;";
    let verilog = std::fs::read_to_string(root().join("generated/caver.v")).unwrap();
    assert_eq!(verilog.matches(begins).count(), 1, "the memory of the sums is generated differently");
    let changed = verilog.replace(begins, &begins.replace("32'd0", "~words[place]"));
    let refused = translate(&bench(), "caver", &changed).unwrap_err().to_string();
    assert!(refused.contains("Failed to get a constant init value"), "{refused}");
}
