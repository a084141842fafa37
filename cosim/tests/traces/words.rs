//! A word for the result stands with every kind of op that has a result, and with no other: reserved codes, too.

use respray_cosim::cores::{self, Visitor};
use respray_cosim::lockstep::Compiled;
use respray_hdl::contract::{Base, Shown};

use super::*;

struct EachKind;

impl Visitor for EachKind {
    type Output = ();

    fn visit<C: Compiled + 'static>(self) {
        let (contract, config) = (C::CONTRACT, Config::default());
        let trace = &contract.trace;
        let operands = contract.op_fields().take(contract.settings_at().start).skip(2);
        let zeros: String =
            operands.map(|field| if field.base == Base::Hexadecimal { ",0x0" } else { ",0" }).collect();
        let clock = if trace.time.is_some() { "1," } else { "" };
        let columns: Vec<String> = columns(contract).into_iter().map(|column| column.name).collect();
        let expect = columns.iter().position(|name| name == "expect").expect("every core has words");
        let head = columns[..=expect].join(",");
        for (code, kind) in contract.kind_names().iter().enumerate() {
            let mut op = C::Op::default();
            op.set(0, code as u64);
            let mut core = C::new(&config);
            core.reset(1);
            let mut shown = Vec::new();
            if let Some(result) = core.apply(&op).shown {
                result.each(|place, _, is_promised| shown.push((place, is_promised)));
            }
            let port = |place: usize| contract.shown_fields().nth(place).map(|field| field.port);
            let has_result = shown.iter().any(|&(place, is_promised)| {
                is_promised && trace.words.iter().any(|word| port(place) == Some(word.port))
            });
            for word in trace.words.iter().filter(|word| word.needs.is_empty()) {
                let text = format!("{head}\n{clock}{kind},0{zeros},{}\n", word.word);
                let refused = parse::<C>(&text).err();
                let refusal = || {
                    let (word, of) = (word.word, trace.expects_of);
                    format!("t.csv:2: `expect` is `{word}`; allowed: nothing, except for {of}")
                };
                assert_eq!(refused, (!has_result).then(refusal), "{}: {text}", contract.core);
            }
        }
    }
}

#[test]
fn a_word_stands_where_there_is_a_result() {
    for core in cores::CORES {
        cores::visit(core, EachKind).expect("a core of the list");
    }
}

#[test]
fn a_reserved_kind_of_sack_tx_may_be_refused() {
    for (kind, word) in
        [("read", "refused"), ("close", "refused"), ("reserved6", "done"), ("reserved7", "refused")]
    {
        let trace = parse::<SackTxCore>(&format!("now,op,conn,expect\n1,{kind},1,{word}\n")).unwrap();
        assert_eq!(trace.lines[0].expect, expecting::<SackTxCore>(word, &[], Line::reset(None)).expect);
    }
}
