//! Outputs for a simulation are put into the text of a top, whoever has changed it.

use respray_hdl::config::Config;
use respray_hdl::join::{Instance, Netlist, Pin, Source, Watch, WatchError};
use respray_hdl::manifest::Direction::{Input, Output};
use respray_hdl::nic::top::{observed, watched};
use respray_hdl::{catalogue, nic};

use super::port;

/// A counter whose flags go nowhere.
fn netlist() -> Netlist {
    let ports = vec![port("clk", Input, 1, ""), port("step", Input, 8, ""), port("sum", Output, 8, "")];
    let inner = vec![port("a", Input, 8, ""), port("b", Output, 8, ""), port("flags", Output, 3, "")];
    let mut netlist = Netlist::new("top", "", ports);
    netlist.add(Instance {
        name: "adds".into(),
        module: "adder".into(),
        about: "Adds.".into(),
        ports: inner,
        verilog: "module adder (\n    input wire [7:0] a,\n    output wire [7:0] b,\n    output wire [2:0] flags\n);\n    \
                  wire odd = a[0];\n    assign b = a + 8'd1;\n    assign flags = {3{odd}};\nendmodule\n"
            .into(),
    });
    netlist.connect(Pin::of("adds", "a"), Pin::top("step"));
    netlist.connect(Pin::top("sum"), Pin::of("adds", "b"));
    netlist.open(Pin::of("adds", "flags")).open(Pin::top("clk"));
    netlist
}

fn watches() -> Vec<Watch> {
    let of = |name: &str, width, source| Watch { name: name.into(), width, source };
    let both = vec![Pin::of("adds", "flags").into(), Source::Within("adds.odd".into())];
    vec![of("seen", 4, Source::Joined(both)), of("seen_b", 8, Pin::of("adds", "b").into())]
}

#[test]
fn outputs_are_added_and_lines_keep_their_numbers() {
    let netlist = netlist();
    let verilog = netlist.verilog().unwrap();
    let put = netlist.watches(&watches()).unwrap();
    let watched = put.put_into(&verilog).unwrap();
    let expected = "assign seen = {adds_flags_unused, adds.odd}; assign seen_b = adds_b; endmodule";
    assert!(watched.contains(expected), "{watched}");
    assert!(
        watched.contains("module top (\n output wire [3:0] seen, output wire [7:0] seen_b,    input"),
        "{watched}"
    );
    let differing = verilog.lines().zip(watched.lines()).filter(|(one, other)| one != other).count();
    assert_eq!((verilog.lines().count(), differing), (watched.lines().count(), 2));

    // whatever a comment or a text says, and however the list of ports begins
    let odd = verilog
        .replace(
            "module top (\n",
            "// module top ( endmodule\nmodule /* top ( */ top #(\n  parameter P = (1)\n) (",
        )
        .replace("assign sum", "initial $display(\"endmodule (\"); // `é` endmodule\n    assign sum");
    let watched = put.put_into(&odd).unwrap();
    assert!(
        watched.contains("\n) ( output wire [3:0] seen, output wire [7:0] seen_b,    input"),
        "{watched}"
    );
    assert!(watched.contains(expected), "{watched}");
}

#[test]
fn what_is_no_such_top_is_refused() {
    let netlist = netlist();
    let verilog = netlist.verilog().unwrap();
    let put = netlist.watches(&watches()).unwrap();
    let no_module = WatchError::NoModule { module: "top".into() };
    for text in ["", "module other (input a); endmodule", "module top (input a);", "module top; endmodule"] {
        assert_eq!(put.put_into(text), Err(no_module.clone()), "{text}");
    }
    for (from, to, name) in [
        ("adds_flags_unused", "flags_of_adder", "adds_flags_unused"),
        ("adder adds (", "adder sums (", "adds"),
        ("adds_b", "other", "adds_b"),
    ] {
        let changed = verilog.replace(from, to);
        let name = WatchError::NoName { module: "top".into(), name: name.into() };
        assert_eq!(put.put_into(&changed), Err(name), "{from}");
    }
}

/// The block as it is generated is watched as the lockstep watches it, and so is one with another line.
#[test]
fn the_generated_block_is_watched_like_any_other() {
    for sets in [&[][..], &["nic.selector=flowcut"], &["wire=uet"], &["nic.window=strack", "bus_bits=64"]] {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).unwrap();
        let verilog = catalogue::generate(nic::top::NAME, &config).unwrap().verilog;
        let own = observed(&config).unwrap();
        assert!(watched(&config, &verilog).unwrap().unwrap() == own, "{sets:?}");
        let changed = verilog.replace("\n// The block", "\n\n// The block").replace("8'd0", "8'd00");
        assert_eq!(
            watched(&config, &changed).unwrap().unwrap(),
            own.replace("\n// The block", "\n\n// The block").replace("8'd0", "8'd00")
        );
    }
}
