//! A netlist that is wrong is refused with what is wrong in it.

use respray_hdl::join::{JoinError, Netlist, Pin, Source};
use respray_hdl::manifest::Direction;

use super::{counter, mixer, netlist, port};

fn refused(netlist: &Netlist) -> JoinError {
    netlist.verilog().expect_err("the netlist is wrong")
}

/// The netlist of the tests with something added to it.
fn with(change: impl FnOnce(&mut Netlist) -> &mut Netlist) -> JoinError {
    let mut netlist = netlist();
    change(&mut netlist);
    refused(&netlist)
}

/// One instance of the counter whose `step` is driven by `source`, all else being right.
fn step_from(source: Source) -> Result<String, JoinError> {
    let ports = vec![
        port("clk", Direction::Input, 1, ""),
        port("rst", Direction::Input, 1, ""),
        port("step", Direction::Input, 4, ""),
    ];
    let mut netlist = Netlist::new("stepped", "", ports);
    netlist.add(counter()).share("clk").share("rst");
    netlist.open(Pin::of("steps", "count")).open(Pin::of("steps", "flags")).open(Pin::top("step"));
    netlist.connect(Pin::of("steps", "step"), source);
    netlist.verilog()
}

fn extended(source: Source, width: u32) -> Source {
    Source::Extended { source: Box::new(source), width }
}

#[test]
fn what_is_no_pin_is_refused() {
    let nobody = Pin::of("nobody", "step");
    let error = with(|netlist| netlist.connect(nobody.clone(), Pin::top("step")));
    assert_eq!(error, JoinError::UnknownInstance { pin: nobody });
    let nothing = Pin::of("mix", "nothing");
    assert_eq!(step_from(nothing.clone().into()), Err(JoinError::UnknownInstance { pin: nothing }));
    let nothing = Pin::of("steps", "nothing");
    assert_eq!(step_from(nothing.clone().into()), Err(JoinError::UnknownPort { pin: nothing }));
    let output = Pin::of("steps", "count");
    let error = with(|netlist| netlist.connect(output.clone(), Pin::of("mix", "mixed")));
    assert_eq!(error, JoinError::NoSink { pin: output });
    let input = Pin::of("steps", "step");
    assert_eq!(step_from(input.clone().into()), Err(JoinError::NoSource { pin: input.clone() }));
    assert_eq!(with(|netlist| netlist.open(input.clone())), JoinError::NoSource { pin: input });
}

#[test]
fn a_sink_is_driven_exactly_once() {
    let low = Pin::of("mix", "low");
    let error = with(|netlist| netlist.connect(low.clone(), Pin::of("steps", "count")));
    assert_eq!(error, JoinError::DrivenTwice { pin: low });
    let mut lonely = Netlist::new("lonely", "", vec![]);
    lonely.add(mixer());
    assert_eq!(refused(&lonely), JoinError::Undriven { pin: Pin::of("mix", "low") });
    let mut hollow = Netlist::new("hollow", "", vec![port("out", Direction::Output, 1, "")]);
    assert_eq!(refused(&hollow), JoinError::Undriven { pin: Pin::top("out") });
    hollow.connect(Pin::top("out"), Source::Constant { value: 1, width: 1 });
    assert!(hollow.verilog().is_ok_and(|text| text.contains("assign out = 1'b1;")));
}

#[test]
fn widths_are_equal() {
    let pin = Pin::of("steps", "step");
    let step = || Source::from(Pin::top("step"));
    assert!(step_from(Source::Joined(vec![Source::Constant { value: 15, width: 4 }, step()])).is_err());
    let error = JoinError::Width { pin: pin.clone(), expected: 8, found: 4 };
    assert_eq!(step_from(step()), Err(error));
    let error = JoinError::Narrowed { pin: pin.clone(), width: 4, found: 4 };
    assert_eq!(step_from(extended(step(), 4)), Err(error));
    let error = JoinError::Constant { pin, value: 256, width: 8 };
    assert_eq!(step_from(Source::Constant { value: 256, width: 8 }), Err(error));
    let slice = |high, low| Source::Slice { pin: Pin::top("step"), high, low };
    let error = |high, low| JoinError::Slice { pin: Pin::top("step"), high, low, width: 4 };
    assert_eq!(step_from(slice(4, 0)), Err(error(4, 0)));
    assert_eq!(step_from(slice(0, 1)), Err(error(0, 1)));
    assert!(step_from(Source::Constant { value: 255, width: 8 }).is_ok());
}

#[test]
fn what_goes_nowhere_is_left_open_and_nothing_else_is() {
    let spare = Pin::of("mix", "spare");
    let mut closed = Netlist::new("closed", "", vec![]);
    closed.add(mixer());
    let constant = |width| Source::Constant { value: 0, width };
    closed.connect(Pin::of("mix", "low"), constant(8)).connect(Pin::of("mix", "high"), constant(12));
    closed.open(Pin::of("mix", "mixed"));
    assert_eq!(refused(&closed), JoinError::Unread { pin: spare.clone(), high: 2, low: 0 });
    let step = Pin::top("step");
    let of_the_top = step_from(extended(Source::Slice { pin: step.clone(), high: 2, low: 0 }, 8));
    assert!(of_the_top.is_ok_and(|text| text.contains("&{1'b0, step[3]")), "the rest is left open");
    assert_eq!(step_from(extended(step.clone().into(), 8)), Err(JoinError::OpenButRead { pin: step }));
    assert_eq!(with(|netlist| netlist.open(spare.clone())), JoinError::OpenTwice { pin: spare });
}

#[test]
fn names_are_names_of_one_thing() {
    let name = || "mix".to_string();
    assert_eq!(with(|netlist| netlist.add(mixer())), JoinError::TwoInstances { name: name() });
    let clash = |called: &str| {
        let mut instance = counter();
        instance.name = called.into();
        with(|netlist| netlist.add(instance))
    };
    assert_eq!(clash("mixed"), JoinError::NameClash { name: "mixed".into() });
    assert_eq!(clash("wire"), JoinError::Name { name: "wire".into() });
    let mut other = mixer();
    (other.name, other.verilog) = ("other".into(), other.verilog.replace("8'd1", "8'd2"));
    let mut two = netlist();
    two.add(other);
    ["low", "high"].into_iter().zip([8, 12]).for_each(|(port, width)| {
        two.connect(Pin::of("other", port), Source::Constant { value: 0, width });
    });
    two.open(Pin::of("other", "mixed")).open(Pin::of("other", "spare"));
    assert_eq!(refused(&two), JoinError::TwoModules { module: "plus_one".into() });
    let mut missing = counter();
    missing.module = "clock".into();
    let mut netlist = Netlist::new("top", "", vec![]);
    let constant = |width| Source::Constant { value: 0, width };
    netlist.add(missing).open(Pin::of("steps", "count")).open(Pin::of("steps", "flags"));
    [("clk", 1), ("rst", 1), ("step", 8)].into_iter().for_each(|(port, width)| {
        netlist.connect(Pin::of("steps", port), constant(width));
    });
    let error = JoinError::NoModule { instance: "steps".into(), module: "clock".into() };
    assert_eq!(refused(&netlist), error);
}
