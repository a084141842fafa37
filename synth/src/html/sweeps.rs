//! Sweeps as small charts.

use serde::Serialize;

use super::anchor;
use crate::plot::Chart;
use crate::report::{Sweep, why};

/// The charts of one core and one key.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) title: String,
    pub(super) anchor: String,
    why: &'static str,
    charts: Vec<String>,
}

pub(super) fn views(sweeps: &[Sweep]) -> Vec<View> {
    let of = |sweep: &Sweep, label: &str| View {
        title: format!("{label} by {}", sweep.key),
        anchor: anchor(label, &sweep.key),
        why: why(label, &sweep.key),
        charts: sweep.charts(label).iter().map(Chart::html).collect(),
    };
    sweeps.iter().flat_map(|sweep| sweep.labels().into_iter().map(move |label| of(sweep, label))).collect()
}
