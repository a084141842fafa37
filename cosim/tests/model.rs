//! The binding: ports, clock, flavours, cache, errors.

use respray_cosim::verilator::{BuildOptions, Direction, Model, Source};

const WIDE: &str = include_str!("fixtures/wide.v");

fn wide() -> Model {
    Model::build(&Source::new("wide", WIDE), &BuildOptions::default()).unwrap()
}

#[test]
fn ports_have_their_names_widths_and_directions() {
    let model = wide();
    let mut seen: Vec<_> = model.ports().iter().map(|p| (p.name.as_str(), p.width, p.direction)).collect();
    seen.sort_by_key(|port| port.0);
    use Direction::{Input, Output};
    let expected = [
        ("a", 8, Input),
        ("b", 9, Input),
        ("c", 32, Input),
        ("clk", 1, Input),
        ("d", 64, Input),
        ("e", 65, Input),
        ("f", 512, Input),
        ("float", 8, Output),
        ("foo__bar", 1, Output),
        ("inverse", 32, Output),
        ("rotated", 512, Output),
        ("rst", 1, Input),
        ("sum_ab", 16, Output),
        ("sum_c", 32, Output),
        ("sum_d", 64, Output),
        ("sum_e", 65, Output),
    ];
    assert_eq!(seen, expected);
}

/// What `wide.v` computes, plainly.
#[test]
fn every_width_is_written_and_read_back_through_the_registers() {
    let mut model = wide();
    let port = |name: &str| model.port(name).unwrap();
    let (rst, a, b, c, d, e, f) =
        (port("rst"), port("a"), port("b"), port("c"), port("d"), port("e"), port("f"));
    let (sum_ab, sum_c, sum_d, sum_e) = (port("sum_ab"), port("sum_c"), port("sum_d"), port("sum_e"));
    let (rotated, inverse, foo) = (port("rotated"), port("inverse"), port("foo__bar"));
    model.set(rst, 1);
    model.tick();
    model.set(rst, 0);
    model.set(a, 0xff);
    model.set(b, 0x1ff);
    model.set(c, 0x8000_0001);
    model.set(d, u64::MAX);
    model.set_wide(e, &[0xffff_ffff, 0xffff_ffff, 1]);
    let word: Vec<u32> = (0..16).map(|i| 0x1111_1111 * i).collect();
    model.set_wide(f, &word);
    model.eval();
    assert_eq!(model.get(inverse), 0x7fff_fffe, "combinational outputs follow an eval");
    assert_eq!(model.get(sum_c), 0, "registers do not");
    model.tick();
    model.tick();
    assert_eq!(model.cycles(), 3);
    assert_eq!(model.get(foo), 0);
    assert_eq!(model.get(sum_ab), 0xff + 0x1ff);
    assert_eq!(model.get(sum_c), 2);
    assert_eq!(model.get(sum_d), u64::MAX - 1);
    let mut wide = [0; 3];
    model.get_wide(sum_e, &mut wide);
    assert_eq!(wide, [0xffff_fffe, 0xffff_ffff, 1], "65 bits: -2");
    let mut seen = [0; 16];
    model.get_wide(rotated, &mut seen);
    let expected: Vec<u32> =
        (0..16).map(|i| word[i] ^ (word[i] << 1) ^ (word[(i + 15) % 16] >> 31)).collect();
    assert_eq!(seen.as_slice(), expected);
    let mut narrow = [0; 2];
    model.get_wide(sum_d, &mut narrow);
    assert_eq!(narrow, [0xffff_fffe, 0xffff_ffff], "narrow ports are read as words too");
}
