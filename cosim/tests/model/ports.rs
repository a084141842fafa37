//! Ports, read from the header that Verilator writes.

use respray_cosim::verilator::Direction;
use respray_cosim::verilator::inside::read_ports;

#[test]
fn every_form_of_declaration_is_read() {
    let header = "
// The application code writes and reads these signals to
VL_IN8(&clk,0,0);
VL_IN8(&a,15,8);
VL_OUT8(&__SYM__float,7,0);
VL_OUT16(&foo___05Fbar,0,9);
VL_OUT(&sum,31,0);
VL_IN64(&c,63,0);
VL_OUTW(&r,64,0,3);
CData/*0:0*/ internal;";
    let ports = read_ports(header).unwrap();
    let seen: Vec<_> = ports.iter().map(|p| (p.name.as_str(), p.width, p.direction)).collect();
    use Direction::{Input, Output};
    let expected = [
        ("clk", 1, Input),
        ("a", 8, Input),
        ("float", 8, Output),
        ("foo__bar", 10, Output),
        ("sum", 32, Output),
        ("c", 64, Input),
        ("r", 65, Output),
    ];
    assert_eq!(seen, expected);
    assert_eq!((ports[2].member.as_str(), ports[3].member.as_str()), ("__SYM__float", "foo___05Fbar"));
}

#[test]
fn ports_without_a_plain_address_are_refused_by_name() {
    let error = read_ports("    VL_INOUT8(&pad,0,0);").unwrap_err().to_string();
    assert_eq!(error, "port `pad` is an inout; only input and output are supported");
    let error = read_ports("    VL_IN8((&lanes)[4],7,0);").unwrap_err().to_string();
    assert_eq!(error, "port `lanes` is an unpacked array; only packed vectors are supported");
}
