//! How fast each core is, as a picture: Gb/s on a scale that grows by factors, with the rates of links across it.

use serde::Serialize;

use crate::plot::Colour;
use crate::report::{LONG_BYTES, Report, Throughput};

/// The picture.
#[derive(Debug, Serialize)]
pub(super) struct Speeds {
    says: String,
    /// Each device and the class of its colour.
    devices: Vec<(String, String)>,
    /// Rates of links in Gb/s, and where they stand in %.
    rates: Vec<(u32, f64)>,
    cores: Vec<Core>,
}

#[derive(Debug, Serialize)]
struct Core {
    label: String,
    /// What is done for a packet.
    packet: String,
    lanes: Vec<Lane>,
}

/// A core on one device.
#[derive(Debug, Serialize)]
struct Lane {
    hue: String,
    /// In % of the row.
    length: f64,
    shown: String,
}

/// Links of Ethernet in Gb/s.
const RATES: [u32; 2] = [100, 400];

/// What of the row a bar may take, so that its value has room behind it.
const LONGEST: f64 = 78.0;

impl Speeds {
    /// None without a core that takes packets.
    pub(super) fn of(report: &Report) -> Option<Speeds> {
        let long: Vec<&Throughput> =
            report.throughput.iter().filter(|row| row.packet_bytes == LONG_BYTES).collect();
        let least = long.iter().map(|row| row.gbits_per_second).reduce(f64::min)?.min(f64::from(RATES[0]));
        let most = long.iter().map(|row| row.gbits_per_second).fold(f64::from(RATES[1]), f64::max);
        // a bar of the slowest is still seen
        let from = 10f64.powf((least / 2.0).log10().floor());
        let place = |gbps: f64| {
            let share = (gbps / from).ln() / (most / from).ln();
            (10.0 * LONGEST * share).round() / 10.0
        };
        let mut devices: Vec<(String, String)> = Vec::new();
        for row in &long {
            if !devices.iter().any(|(device, _)| device.starts_with(&row.device)) {
                let hue = Colour::Series(devices.len()).class();
                devices.push((
                    format!(
                        "{}, {}",
                        row.device,
                        if row.measured { "at its Fmax" } else { "at the clock of the configuration" }
                    ),
                    hue,
                ));
            }
        }
        let mut labels: Vec<&str> = long.iter().map(|row| row.label.as_str()).collect();
        labels.dedup();
        let core = |label: &str| {
            let of = |device: &str| {
                let rows = long.iter().filter(|row| row.label == label && device.starts_with(&row.device));
                rows.min_by(|a, b| a.gbits_per_second.total_cmp(&b.gbits_per_second)).copied()
            };
            let slowest: Vec<(&Throughput, &String)> =
                devices.iter().filter_map(|(device, hue)| Some((of(device)?, hue))).collect();
            let lane = |(row, hue): &(&Throughput, &String)| Lane {
                hue: hue.to_string(),
                length: place(row.gbits_per_second),
                shown: format!("{} Gb/s", rounded(row.gbits_per_second)),
            };
            let classes =
                long.iter().filter(|row| row.label == label && row.device == slowest[0].0.device).count();
            let packet = slowest[0].0.packet.replace('`', "");
            Core {
                label: label.into(),
                packet: if classes > 1 { format!("its slowest op, {packet}") } else { packet },
                lanes: slowest.iter().map(lane).collect(),
            }
        };
        Some(Speeds {
            says: format!(
                "Gb/s of packets of {LONG_BYTES} bytes that a core takes at most, on a scale of factors: the clock divided by the cycles that the \
                 contract allows a packet. Dashed lines are links."
            ),
            rates: RATES.map(|rate| (rate, place(f64::from(rate)))).to_vec(),
            cores: labels.into_iter().map(core).collect(),
            devices,
        })
    }
}

fn rounded(gbps: f64) -> String {
    if gbps >= 100.0 { format!("{gbps:.0}") } else { format!("{gbps:.1}") }
}
