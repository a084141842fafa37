//! The page of `sack_tx` says of each output which ops show it. Random ops hold the table to the golden model.

use std::collections::BTreeMap;

use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::Event;
use respray_hdl::config::Config;
use respray_hdl::contract::{Shown as _, Words as _};
use respray_hdl::cores::sack_tx::contract::Shown;

const PAGE: &str = include_str!("../../../docs/sack_tx.md");
/// The columns behind the names: what `op_kind` has the place, and the visit behind them.
const COLUMNS: [&str; 5] = ["`sent`", "`sack`", "`next_rtx`", "`read`, `close`", "visit with an event"];
const VISIT: usize = 4;

/// Of each output what the table says of it, a text a column.
fn table() -> BTreeMap<String, Vec<String>> {
    let lines = PAGE.lines().skip_while(|line| !line.starts_with("| field | `sent` |"));
    let mut rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_string());
        cells.collect::<Vec<String>>()
    });
    assert_eq!(rows.next().expect("the table is there")[1..], COLUMNS);
    let rows = rows.skip(1).flat_map(|row| {
        let names: Vec<String> = row[0].split(", ").map(|name| name.trim_matches('`').to_string()).collect();
        names.into_iter().map(move |name| (name, row[1..].to_vec()))
    });
    rows.collect()
}

/// What an op showed against the table.
fn check(table: &BTreeMap<String, Vec<String>>, column: usize, shown: &Shown) {
    let ports: Vec<&str> = SackTxCore::CONTRACT.shown_fields().map(|field| field.port).collect();
    shown.each(|place, word, is_promised| {
        let (port, cell) = (ports[place], &table[ports[place]][column]);
        let is_done = column == VISIT || shown.res_status == Some(0);
        let said =
            format!("{port} of {}, `{cell}`: {word}, promised {is_promised}, {shown:?}", COLUMNS[column]);
        match cell.as_str() {
            "x" => assert!(!is_promised, "{said}"),
            "0" | "1" => assert_eq!((is_promised, word.to_string()), (true, cell.clone()), "{said}"),
            _ if cell.contains("with `probe_due`") => assert_eq!(is_promised, shown.probe_due, "{said}"),
            _ if cell.contains("on status 0, else x") => assert_eq!(is_promised, is_done, "{said}"),
            _ if cell.contains("1 on status 0, else 0") => assert_eq!(word, u64::from(is_done), "{said}"),
            _ if cell.contains("0 unless status 0") => {
                assert!(is_promised && (is_done || word == 0), "{said}")
            }
            _ if cell.contains("may pulse on status 0") => assert!(is_done || word == 0, "{said}"),
            _ => assert!(is_promised, "{said}"),
        }
    });
}

#[test]
fn the_table_of_results_of_sack_tx_is_what_the_golden_model_shows() {
    let table = table();
    let ports: Vec<&str> = SackTxCore::CONTRACT.shown_fields().map(|field| field.port).collect();
    let missing: Vec<&&str> = ports.iter().filter(|port| !table.contains_key(**port)).collect();
    assert!(missing.is_empty() && table.len() == ports.len(), "not in the table: {missing:?}");

    let config = Config::load(None, &["connections=16".to_string(), "sack.window=64".to_string()]).unwrap();
    let knobs = <SackTxCore as OpCore>::Knobs::new(16);
    let mut core = SackTxCore::new(&config);
    let (mut shown, mut next) = ([0_u32; 5], 0);
    for entry in SackTxCore::random(3, &knobs, &config).take(60_000) {
        let Event::Op(op) = entry.event else { continue };
        let column = [0, 1, 2, usize::MAX, 3].get(usize::from(op.code())).copied().unwrap_or(3);
        let result = core.apply(&op).shown;
        assert_eq!(result.is_some(), column != usize::MAX, "all but `init` have a result");
        result.iter().for_each(|result| check(&table, column, result));
        shown[column.min(VISIT)] += u32::from(result.is_some());
        next = (next + 1) % 16;
        let event = core.visit(next, &op).shown.filter(|visit| visit.probe_due || visit.loss_timeout);
        event.iter().for_each(|event| check(&table, VISIT, event));
        shown[VISIT] += u32::from(event.is_some());
    }
    assert!(shown.iter().all(|&shown| shown > 500), "{shown:?}");
}
