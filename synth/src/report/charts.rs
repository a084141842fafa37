//! Sweeps as small charts.

use super::{Fit, Report, Sweep, SweepPoint};
use crate::plot::{Chart, Colour, Line};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

impl Report {
    /// Every chart of every sweep, with a name for its file, e.g. `reps_by_connections_lut.svg`.
    pub fn charts(&self) -> Vec<(String, Chart)> {
        let mut charts = Vec::new();
        for sweep in &self.sweeps {
            for label in sweep.labels() {
                for chart in sweep.charts(label) {
                    let name = format!("{label}_by_{}_{}.svg", sweep.key, chart.title);
                    let chart = Chart { title: format!("{label}: {}", chart.title), ..chart };
                    charts.push((name.replace([' ', '/'], "_").to_lowercase(), chart));
                }
            }
        }
        charts
    }
}

impl Sweep {
    /// LUT, FF, block RAM and Fmax of one core over the values of the sweep.
    pub fn charts(&self, label: &str) -> Vec<Chart> {
        let points: Vec<&SweepPoint> = self.points.iter().filter(|point| point.label == label).collect();
        let line = |name: &str, series: usize, value: &dyn Fn(&SweepPoint) -> Option<f64>| {
            let values = points.iter().enumerate().map(|(place, point)| (place as f64, value(point)));
            let last = points.iter().filter_map(|point| value(point)).next_back();
            let note = last.map(|last| format!("{:.0}", last)).unwrap_or_default();
            Line::with_gaps(name, Colour::Series(series), values.collect::<Vec<_>>()).noted(note)
        };
        let xilinx = |figure: fn(&Xilinx) -> f64| {
            line("UltraScale+", 0, &|p| p.ultrascale.as_ref().and_then(Fit::figures).map(figure))
        };
        let ecp5 = |figure: fn(&Routed) -> f64| {
            line("ECP5", 1, &|p| p.ecp5.as_ref().and_then(Fit::figures).map(figure))
        };
        let charts = [
            ("LUT", "LUTs", vec![xilinx(|x| f64::from(x.luts)), ecp5(|r| f64::from(r.logic))]),
            (
                "FF",
                "flip-flops, on ECP5 with the wrapper",
                vec![xilinx(|x| f64::from(x.ff)), ecp5(|r| f64::from(r.ff))],
            ),
            (
                "BRAM",
                "block RAMs (RAMB36, DP16KD)",
                vec![xilinx(|x| f64::from(x.bram_halves()) / 2.0), ecp5(|r| f64::from(r.memory))],
            ),
            ("Fmax", "MHz, median of the seeds", vec![ecp5(|r| r.fmax_mhz.median)]),
        ];
        let has_value = |line: &Line| line.points.iter().any(|point| point.y.is_some());
        let names: Vec<String> = points.iter().map(|point| point.value.clone()).collect();
        charts
            .into_iter()
            .map(|(title, up, lines)| Chart {
                title: title.into(),
                across: self.key.clone(),
                up: up.into(),
                names: names.clone(),
                lines: lines.into_iter().filter(has_value).collect(),
                ..Chart::default()
            })
            .filter(|chart| !chart.lines.is_empty())
            .collect()
    }
}
