//! The first difference: where it is, and in words.

use respray_hdl::config::Config;
use serde::Serialize;

use super::expect::Unmet;
use super::op_core::OpCore;
use super::predict::Predictor;
use super::rows::Layout;

/// What stands in place of a port where a result is not what the op trace expects.
pub(super) const UNMET: &str = "expect";

/// The first cycle in which the core was not what it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Clock edge before which the outputs were sampled; the run's first edge, with `rst` high, is 0.
    pub cycle: u64,
    /// Who says what was expected.
    pub against: Against,
    /// What an op trace can expect something of, e.g. `a send`.
    #[serde(skip)]
    pub expects_of: &'static str,
    /// First output port that differs, in the order of the module's header.
    pub port: String,
    /// What it had to show.
    pub expected: String,
    /// What it showed.
    pub seen: String,
    /// All further ports that differ in this cycle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<PortDifference>,
    /// Connection of the op that leaves the core in this cycle, or that the outputs name.
    pub connection: Option<u32>,
    /// Entry of the stimulus whose op leaves the core in this cycle; entries count from 0.
    pub entry: Option<u64>,
}

/// Who says what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The golden model and the manifest.
    Golden,
    /// The `expect` columns of the op trace, where golden model and core agree.
    Trace,
}

/// One port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortDifference {
    pub port: String,
    pub expected: String,
    pub seen: String,
}

/// The output ports, in the order of the module's header: name, column in a row, width in bits.
pub(super) fn outputs_of<C: OpCore>(
    predictor: &Predictor<C>,
    layout: &Layout,
    config: &Config,
) -> Vec<(&'static str, usize, u32)> {
    let fields = predictor.fields().iter().zip(&layout.shown);
    let ports = fields.map(|(field, column)| (field.port, *column, field.width.bits(config)));
    [("op_ready", layout.op_ready, 1)].into_iter().chain(ports).collect()
}

/// Says how a row of outputs differs from what a golden side expects of the coming cycle.
pub(crate) fn difference<C: OpCore>(
    predictor: &Predictor<C>,
    layout: &Layout,
    config: &Config,
    seen: &[u64],
) -> Difference {
    let (mut expected, mut care) = (vec![0; layout.words.1], vec![0; layout.words.1]);
    predictor.expected(layout, &mut expected, &mut care);
    let mut differing = outputs_of(predictor, layout, config)
        .into_iter()
        .filter(|(_, column, _)| (seen[*column] ^ expected[*column]) & care[*column] != 0)
        .map(|(port, column, width)| PortDifference {
            port: port.to_string(),
            expected: literal(expected[column], width),
            seen: literal(seen[column], width),
        });
    let first = differing.next().expect("a row that differs differs in a port of the contract");
    let entry = predictor.leaving_entry();
    // what was expected names the connection more reliably than a core that is wrong
    let connection = entry.and_then(|_| predictor.connection(layout, &expected));
    Difference {
        cycle: predictor.cycle(),
        against: Against::Golden,
        expects_of: C::CONTRACT.trace.expects_of,
        port: first.port,
        expected: first.expected,
        seen: first.seen,
        also: differing.collect(),
        connection: connection.or(predictor.connection(layout, seen)),
        entry,
    }
}

/// Says how the result of the coming cycle differs from what the op trace expects.
pub(super) fn explain_unmet<C: OpCore>(
    predictor: &Predictor<C>,
    layout: &Layout,
    unmet: &Unmet,
) -> Difference {
    let (mut expected, mut care) = (vec![0; layout.words.1], vec![0; layout.words.1]);
    predictor.expected(layout, &mut expected, &mut care);
    Difference {
        cycle: predictor.cycle(),
        against: Against::Trace,
        expects_of: C::CONTRACT.trace.expects_of,
        port: UNMET.to_string(),
        expected: unmet.expected.clone(),
        seen: unmet.seen.clone(),
        also: Vec::new(),
        connection: predictor.connection(layout, &expected),
        entry: predictor.leaving_entry(),
    }
}

/// A value as Verilog writes it: `16'h0b1d`.
fn literal(value: u64, width: u32) -> String {
    format!("{width}'h{value:0digits$x}", digits = width.div_ceil(4) as usize)
}
