//! Timing by distance: netlists made by hand at places chosen by hand, and what is wrong with what a placer writes.

use std::collections::BTreeMap;
use std::fs;

use respray_synth::fmax::UltraScale;
use respray_synth::fmax::place::{Design, Distances, Grid, Kind, Place, Right};
use serde_json::{Value, json};

use super::hand::netlist;
use crate::common::root;

/// Two tiles, each by column and row, and what a wire between them takes in ps, nominal and wide.
struct Wire {
    from: (u32, u32),
    to: (u32, u32),
    ps: [f64; 2],
}

/// A wire of the distance D, which is not 0.
fn wire(from: (u32, u32), to: (u32, u32), distance: f64) -> Wire {
    Wire { from, to, ps: [20.0 + 1.2 * distance, 50.0 + 1.5 * distance] }
}

/// Block RAM is right of columns 3 and 11, DSPs are right of column 7.
fn wires() -> Vec<Wire> {
    vec![
        Wire { from: (5, 5), to: (5, 5), ps: [85.0, 140.0] },
        // Rows. SINGLE 43 + 3.6, DOUBLE 43 + 3.6 * 3, QUAD 43 + 3.6 * 5, LONG 43 + 3.6 * 12
        wire((5, 5), (5, 6), 46.6),
        wire((5, 5), (5, 3), 53.8),
        // DOUBLE and SINGLE
        wire((5, 5), (5, 8), 100.4),
        wire((5, 5), (5, 1), 61.0),
        wire((5, 5), (5, 17), 86.2),
        // LONG, QUAD, DOUBLE, SINGLE
        wire((5, 0), (5, 19), 86.2 + 61.0 + 53.8 + 46.6),
        // Columns. SINGLE 43 + 3.5, QUAD 43 + 3.5 * 10, LONG 43 + 3.5 * 14
        wire((5, 5), (6, 5), 46.5),
        wire((6, 5), (4, 5), 78.0),
        // over block RAM: SINGLE 46.5 + 2.3 * 16, QUAD 78 + 2.4 * 20; the QUAD is quicker than 46.5 + 83.3
        wire((3, 5), (4, 5), 83.3),
        wire((3, 5), (5, 5), 126.0),
        // over DSPs: SINGLE 46.5 + 2.3 * 3, QUAD 78 + 2.4 * 3
        wire((7, 5), (8, 5), 53.4),
        wire((8, 5), (6, 5), 85.2),
        // LONG 92, over block RAM and DSPs 1.3 * 20 and 1.3 * 3
        wire((8, 5), (14, 5), 118.0),
        wire((4, 5), (10, 5), 95.9),
        wire((3, 5), (9, 5), 121.9),
        // Both: a SINGLE across and one up
        wire((5, 5), (6, 6), 93.1),
        wire((6, 6), (5, 5), 93.1),
    ]
}

/// What these distances take otherwise than by hand.
fn wrong(distances: &Distances) -> Vec<String> {
    let place = |(column, row): (u32, u32)| Place { column, row };
    let is_wrong = |wire: &Wire| {
        let is = distances.ps(place(wire.from), place(wire.to));
        let far = is.iter().zip(wire.ps).any(|(is, must)| (is - must).abs() > 1e-6);
        far.then(|| format!("{:?} to {:?}: {is:?} in place of {:?}", wire.from, wire.to, wire.ps))
    };
    wires().iter().filter_map(is_wrong).collect()
}

#[test]
fn wires_take_what_they_take_by_hand_and_each_number_of_the_table_matters() {
    assert_eq!(wrong(Distances::delays()), Vec::<String>::new());
    let text = fs::read_to_string(root().join("synth/delays/ultrascale_distances.toml")).unwrap();
    let mut count = 0;
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        // each number behind an equals sign, made larger
        for (start, _) in line.match_indices("= ") {
            let number: String =
                line[start + 2..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let Ok(value) = number.parse::<f64>() else { continue };
            let larger = if number.contains('.') { value + 0.5 } else { value + 1.0 };
            let line = format!("{}{larger}{}", &line[..start + 2], &line[start + 2 + number.len()..]);
            let changed = [&lines[..at], &[line.as_str()], &lines[at + 1..]].concat().join("\n");
            let changed = Distances::read(&changed).unwrap();
            assert!(!wrong(&changed).is_empty(), "no wire sees {line}");
            count += 1;
        }
    }
    assert_eq!(count, 4 + 2 * 4 + 3 * 5 + 2 * 3, "numbers in the table");
}

fn design(text: &str) -> Design {
    UltraScale::delays().design(&netlist(text)).unwrap()
}

/// What a placer writes that has put the cluster of each of these cells to the bel of that name.
fn written(design: &Design, bels: &[(&str, String)]) -> Value {
    let bels: BTreeMap<&str, &String> = bels.iter().map(|(cell, bel)| (*cell, bel)).collect();
    let mut cells = json!({});
    for (at, (_, names)) in design.clusters().iter().enumerate() {
        let bel = names.iter().find_map(|name| bels.get(name));
        let bel = bel.unwrap_or_else(|| panic!("{names:?} has no place in {bels:?}"));
        cells[format!("c{at}")] = json!({"attributes": {"NEXTPNR_BEL": bel}});
    }
    json!({"modules": {"top": {"cells": cells}}})
}

/// Its period in ps, nominal and wide.
fn period(design: &Design, bels: &[(&str, String)]) -> [f64; 2] {
    let places = design.read(&written(design, bels).to_string()).unwrap();
    let placed = UltraScale::delays().placed(design, &places, Distances::delays()).unwrap();
    [placed.nominal_ns, placed.wide_ns].map(|ns| (ns * 1e5).round() / 100.0)
}

/// From a flip-flop through a LUT to another LUT, which is in the slice of its flip-flop.
const CHAIN: &str = "FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nLUT1 m I0=n O=d\nFDRE b D=d Q=z";

fn chain_at(a: &str, l: &str, m: &str) -> Vec<(&'static str, String)> {
    let bel = |kind: &str, place: &str| format!("{kind}_{place}_0");
    vec![("a", bel("flip_flop", a)), ("l", bel("lut", l)), ("m", bel("lut", m))]
}

#[test]
fn a_chain_takes_what_it_takes_by_hand_over_known_distances() {
    let design = design(CHAIN);
    let clusters: Vec<(Kind, Vec<&str>)> =
        vec![(Kind::FlipFlop, vec!["a"]), (Kind::Lut, vec!["b", "m"]), (Kind::Lut, vec!["l"])];
    assert_eq!(design.clusters(), clusters);
    // clock to Q 77, A6 43 + 35 twice, to the flip-flop and its setup 50 + 25, 50 of uncertainty
    let cells = 77.0 + 78.0 + 78.0 + 75.0 + 50.0;
    // one column and two rows, 46.5 + 53.8; two columns over block RAM, 126
    let wires = [20.0 + 1.2 * 100.3 + 20.0 + 1.2 * 126.0, 50.0 + 1.5 * 100.3 + 50.0 + 1.5 * 126.0];
    let far = period(&design, &chain_at("x1_y0", "x2_y2", "x4_y2"));
    assert_eq!(far, wires.map(|wires| ((cells + wires) * 100.0f64).round() / 100.0));
    // all in one tile
    let near = period(&design, &chain_at("x2_y2", "x2_y2", "x2_y2").tap(1, "lut_x2_y2_1"));
    assert_eq!(near, [cells + 2.0 * 85.0, cells + 2.0 * 140.0]);
    // columns for rows, or two places exchanged, would be another period
    assert_ne!(far, period(&design, &chain_at("x1_y2", "x2_y2", "x4_y2")));
    assert_ne!(far, period(&design, &chain_at("x2_y0", "x1_y2", "x4_y2")));
}

/// One of several bels replaced.
trait Tap {
    fn tap(self, at: usize, bel: &str) -> Self;
}

impl Tap for Vec<(&'static str, String)> {
    fn tap(mut self, at: usize, bel: &str) -> Self {
        self[at].1 = bel.into();
        self
    }
}

#[test]
fn a_cell_of_a_chain_of_carries_is_in_its_row_and_a_block_ram_in_each_of_its_five() {
    let carry = |at: usize| {
        let enters = if at == 0 { "0 CYINIT=0 S=s,0,0,0 DI=0,0,0,0".into() } else { format!("c{at}") };
        let out = if at == 5 { "d".into() } else { format!("w{at}") };
        format!("CARRY4 k{at} CI={enters} CO=u{at},v{at},t{at},c{} O=o{at},p{at},r{at},{out}\n", at + 1)
    };
    let chain: String = (0..6).map(carry).collect();
    let text = format!("FDRE a D=0 Q=q\nLUT1 l I0=q O=s\n{chain}LUT1 m I0=d O=e\nFDRE b D=e Q=z");
    let carries = design(&text);
    let height = carries.clusters().into_iter().find(|(_, cells)| cells.contains(&"k5")).unwrap();
    assert_eq!((height.0, height.1.contains(&"l")), (Kind::Slices(3), true));
    let bels = |kind: Kind| carries.grid().bels.iter().filter(move |bel| bel.kind == kind);
    let (chain, a) = (bels(Kind::Slices(3)).next().unwrap(), bels(Kind::FlipFlop).next().unwrap());
    // 77, wire to the LUT at S, 78, 15, 199, 46, 23, 46, 116, out 30, wire to m, 78, 75, 50
    let cells = 77.0 + 78.0 + 15.0 + 199.0 + 46.0 + 23.0 + 46.0 + 116.0 + 30.0 + 78.0 + 75.0 + 50.0;
    let third = Place { row: chain.place.row + 2, ..chain.place };
    let [wire_ps, from_first] =
        [third, chain.place].map(|from| move |to: Place| Distances::delays().ps(from, to)[0]);
    let enters = from_first(a.place);
    let mut told_apart = 0;
    for m in bels(Kind::Lut).step_by(8) {
        let is = period(&carries, &[("a", a.name()), ("k0", chain.name()), ("m", m.name())])[0];
        assert!((is - (cells + enters + wire_ps(m.place))).abs() < 0.02, "{is} with m at {:?}", m.place);
        told_apart += usize::from(wire_ps(m.place) != from_first(m.place));
    }
    assert!(told_apart > 5, "the row of the last sum and that of the first are not told apart");

    // 992, wire, 65 + 100 + 25, 50; the block RAM has rows 0 to 4
    let ram = design("in clk\nRAMB36E2 r CLKBWRCLK=clk DOUTBDOUT=q\nFDRE b D=q Q=z");
    for (row, wire) in [(0, 85.0), (4, 85.0), (5, 75.92), (6, 84.56)] {
        let bels = [("r", "block_ram36_x3_y2_0".into()), ("b", format!("flip_flop_x3_y{row}_0"))];
        assert_eq!(period(&ram, &bels)[0], 992.0 + wire + 190.0 + 50.0, "row {row}");
    }
}

#[test]
fn what_a_placer_has_lost_or_misplaced_is_named() {
    let design = design(CHAIN);
    let right = chain_at("x1_y0", "x2_y2", "x4_y2");
    let good = written(&design, &right);
    assert!(design.read(&good.to_string()).is_ok());
    let refused = |bad: &Value| design.read(&bad.to_string()).unwrap_err();
    let mut bad = good.clone();
    bad["modules"]["top"]["cells"].as_object_mut().unwrap().remove("c2");
    assert_eq!(refused(&bad), "`l` is lost");
    let mut bad = good.clone();
    bad["modules"]["top"]["cells"]["c0"]["attributes"] = json!({});
    assert_eq!(refused(&bad), "`a` has no place");
    for (at, bel, said) in [
        (1, "lut_x4_y2_0", "`l` and `b` are both at lut_x4_y2_0"),
        (0, "lut_x1_y1_0", "`a` is at lut_x1_y1_0, which is no place for a flip_flop"),
        (0, "flip_flop_x1_y77_0", "`a` is at flip_flop_x1_y77_0, which there is not"),
    ] {
        assert_eq!(refused(&written(&design, &right.clone().tap(at, bel))), said);
    }
    assert!(design.read("{}").unwrap_err().contains("modules"));
    assert_eq!(refused(&json!({"modules": {}})), "no module `top`");
}

/// What a tile of a grid has more of than the device; none: nothing.
fn overfull(grid: &Grid) -> Option<String> {
    // by tile: LUTs, flip-flops, block RAMs in halves, DSPs
    let mut taken: BTreeMap<(u32, u32), [u32; 4]> = BTreeMap::new();
    for bel in &grid.bels {
        let Place { column, row } = bel.place;
        let mut add = |row: u32, what: usize, count: u32| {
            taken.entry((column, row)).or_default()[what] += count;
        };
        match bel.kind {
            Kind::FlipFlop => add(row, 1, 1),
            Kind::Lut => add(row, 0, 1),
            Kind::Luts2 => add(row, 0, 2),
            Kind::Luts4 => add(row, 0, 4),
            Kind::Slices(rows) => (row..row + rows).for_each(|row| add(row, 0, 8)),
            Kind::BlockRam18 => add(row - row % 5, 2, 1),
            Kind::BlockRam36 => add(row - row % 5, 2, 2),
            Kind::Dsp => add(row - row % 5, 3, 1),
        }
    }
    taken.into_iter().find_map(|((column, row), taken)| {
        let right = Right::of(column);
        let slices = if right == Right::Slices { 2 } else { 1 };
        let most = [
            8 * slices,
            16 * slices,
            2 * u32::from(right == Right::BlockRam),
            2 * u32::from(right == Right::Dsp),
        ];
        let is_in =
            (grid.first_column..grid.first_column + grid.columns).contains(&column) && row < grid.rows;
        let is_over = taken.iter().zip(most).any(|(taken, most)| *taken > most);
        (is_over || !is_in).then(|| format!("x{column} y{row}: {taken:?} of {most:?}"))
    })
}

#[test]
fn a_grid_holds_no_more_in_a_tile_than_the_device_and_has_room_for_all() {
    let many: String = (0..300)
        .map(|at| format!("FDRE f{at} D=z{at} Q=q{at}\nLUT1 l{at} I0=q{at} O=n{at}\nFDRE g{at} D=q{at} Q=z{at}\nout n{at}\n"))
        .collect();
    let wide = "LUT1 a I0=q1 O=s\nMUXF7 m I0=s I1=0 S=0 O=t\nMUXF8 w I0=t I1=0 S=0 O=u\nFDRE h D=u Q=v\n\
                CARRY4 k CI=0 CYINIT=0 S=q2,0,0,0 DI=0,0,0,0 O=x0,x1,x2,x3\nFDRE i D=x0 Q=y\n\
                RAMB36E2 r CLKBWRCLK=clk DOUTBDOUT=q400\nRAMB18E2 e CLKBWRCLK=clk DOUTBDOUT=q401\n\
                DSP48E2 p A=q3,0 B=0 AREG:0 PREG:0 P=q402\nLUT3 b I0=q400 I1=q401 I2=q402 O=j\nout j\n\
                LUT1 c I0=q4 O=o\nMUXF7 n I0=o I1=0 S=0 O=ee\nFDRE ff D=ee Q=gg";
    let design = design(&format!("in clk\n{many}{wide}"));
    let mut wanted: BTreeMap<Kind, usize> = BTreeMap::new();
    design.clusters().iter().for_each(|(kind, _)| *wanted.entry(*kind).or_default() += 1);
    let kinds: Vec<Kind> = wanted.keys().copied().collect();
    let all = [
        Kind::FlipFlop,
        Kind::Lut,
        Kind::Luts2,
        Kind::Luts4,
        Kind::Slices(1),
        Kind::BlockRam18,
        Kind::BlockRam36,
        Kind::Dsp,
    ];
    assert_eq!(kinds, all);
    let grid = design.grid();
    for (kind, wanted) in wanted {
        let there = grid.bels.iter().filter(|bel| bel.kind == kind).count();
        assert!(there >= wanted, "{kind}: {there} of {wanted}");
    }
    assert_eq!(overfull(grid), None);
    // one more of each is too much in some tile, and so is one outside
    for kind in all.into_iter().filter(|kind| ![Kind::FlipFlop, Kind::Luts2].contains(kind)) {
        let mut more = grid.clone();
        let one = more.bels.iter().find(|bel| bel.kind == kind).unwrap().clone();
        more.bels.extend(vec![one; 16]);
        assert!(overfull(&more).is_some(), "{kind}");
    }
    let mut outside = grid.clone();
    outside.rows -= 1;
    assert!(overfull(&outside).is_some());
}
