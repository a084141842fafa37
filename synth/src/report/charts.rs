//! Sweeps as small charts.

use super::{Fit, Report, Sweep, SweepPoint};
use crate::plot::{Chart, Line};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

impl Report {
    /// Every chart of every sweep, with a name for its file, e.g. `reps_by_connections_lut.svg`.
    pub fn charts(&self) -> Vec<(String, Chart)> {
        let mut charts = Vec::new();
        for sweep in &self.sweeps {
            for label in sweep.labels() {
                for chart in sweep.charts(label) {
                    let figure =
                        chart.title.split([' ', ',']).find(|word| !word.is_empty()).unwrap_or("chart");
                    let name = format!("{label}_by_{}_{figure}.svg", sweep.key);
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
        let xilinx = |figure: fn(&Xilinx) -> f64| Line {
            name: "xcup".into(),
            hue: 0,
            values: points.iter().map(|p| p.ultrascale.as_ref().and_then(Fit::figures).map(figure)).collect(),
        };
        let ecp5 = |figure: fn(&Routed) -> f64| Line {
            name: "ECP5".into(),
            hue: 1,
            values: points.iter().map(|p| p.ecp5.as_ref().and_then(Fit::figures).map(figure)).collect(),
        };
        let charts = [
            ("LUT", vec![xilinx(|x| f64::from(x.luts)), ecp5(|r| f64::from(r.logic))]),
            ("FF (ECP5 with its wrapper)", vec![xilinx(|x| f64::from(x.ff)), ecp5(|r| f64::from(r.ff))]),
            (
                "BRAM (RAMB36, DP16KD)",
                vec![xilinx(|x| f64::from(x.bram_halves()) / 2.0), ecp5(|r| f64::from(r.memory))],
            ),
            ("Fmax in MHz, median", vec![ecp5(|r| r.fmax_mhz.median)]),
        ];
        let positions: Vec<String> = points.iter().map(|point| point.value.clone()).collect();
        charts
            .into_iter()
            .map(|(title, lines)| Chart {
                title: title.into(),
                across: self.key.clone(),
                positions: positions.clone(),
                lines: lines.into_iter().filter(|line| line.values.iter().any(Option::is_some)).collect(),
            })
            .filter(|chart| !chart.lines.is_empty())
            .collect()
    }
}
