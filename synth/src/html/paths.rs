//! Which share of an end's packets each path was sent, over time: runs of two joined blocks have it.

use std::fmt::Write as _;

use serde::Deserialize;

/// Columns of the picture at most.
const COLUMNS: usize = 32;
/// Width of the picture, which is that of a phone, and what is left of the cells.
const WIDTH: f64 = 400.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 44.0;
const ROW: f64 = 15.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 20.0;

/// One direction of a path, as `respray cosim --core nic --pair` writes it.
#[derive(Clone, Debug, Deserialize)]
pub struct Path {
    from: String,
    path: usize,
    share: f64,
    window_us: f64,
    packets_by_window: Vec<u64>,
}

/// The end whose packets are shown.
const FROM: &str = "A";

/// The picture: a row for each path, a column for each part of the time, the darker the larger the path's share of the packets. `None`
/// without a packet.
pub fn svg(paths: &[Path]) -> Option<String> {
    let paths: Vec<&Path> = paths.iter().filter(|path| path.from == FROM).collect();
    let windows =
        paths.iter().map(|path| path.packets_by_window.len()).max().filter(|windows| *windows > 0)?;
    let merged = windows.div_ceil(COLUMNS);
    let columns = windows.div_ceil(merged);
    let packets = |path: &Path, column: usize| -> u64 {
        path.packets_by_window.iter().skip(column * merged).take(merged).sum()
    };
    let all: Vec<u64> =
        (0..columns).map(|column| paths.iter().map(|path| packets(path, column)).sum()).collect();
    let share = |path: &Path, column: usize| packets(path, column) as f64 / all[column].max(1) as f64;
    let cells = paths.iter().flat_map(|path| (0..columns).map(|column| share(path, column)));
    let darkest = cells.fold(f64::MIN_POSITIVE, f64::max);
    let column_us = merged as f64 * paths[0].window_us;
    let height = TOP + ROW * paths.len() as f64 + BOTTOM;
    let says = format!(
        "A row for each of {} paths, a column for each {column_us:.0} us; the darker, the larger the path's share of the packets.",
        paths.len()
    );
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{says}\"><title>{says}</title>\
         <text class=\"title\" x=\"0\" y=\"12\">Share of the packets on each path</text>\n"
    );
    let cell = (WIDTH - LEFT - RIGHT) / columns as f64;
    for (row, path) in paths.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let middle = y + ROW - 4.0;
        _ = write!(svg, "<text x=\"0\" y=\"{middle:.1}\">path {}</text>", path.path);
        for column in (0..columns).filter(|column| all[*column] > 0) {
            let share = share(path, column);
            _ = write!(
                svg,
                "<rect class=\"d1\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{:.2}\">\
                 <title>path {}, {:.0} us: {:.1}% of {} packets</title></rect>",
                LEFT + cell * column as f64,
                (cell - 0.6).max(0.6),
                ROW - 1.0,
                share / darkest,
                path.path,
                column_us * column as f64,
                100.0 * share,
                all[column]
            );
        }
        _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{middle:.1}\">{:.1}%</text>",
            WIDTH - RIGHT + 4.0,
            100.0 * path.share
        );
    }
    _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{0:.0}\">0</text><text x=\"{1:.0}\" y=\"{0:.0}\" text-anchor=\"end\">{2:.0} us</text></svg>",
        height - 6.0,
        WIDTH - RIGHT,
        column_us * columns as f64
    );
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(from: &str, path: usize, packets: &[u64]) -> Path {
        let packets_by_window = packets.to_vec();
        Path { from: from.into(), path, share: 0.5, window_us: 100.0, packets_by_window }
    }

    #[test]
    fn a_cell_is_as_dark_as_its_share_is_large() {
        let svg = svg(&[path("A", 0, &[3, 1]), path("A", 1, &[1, 3]), path("B", 0, &[9, 9])]).unwrap();
        assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
        assert!(svg.contains("path 0, 0 us: 75.0% of 4 packets"), "{svg}");
        assert!(svg.contains("path 1, 100 us: 75.0% of 4 packets"), "{svg}");
        assert_eq!(svg.matches("fill-opacity=\"1.00\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("fill-opacity=\"0.33\"").count(), 2, "{svg}");
    }

    #[test]
    fn many_windows_share_a_column_and_a_run_without_a_packet_has_no_picture() {
        let many = svg(&[path("A", 0, &[1; 100])]).unwrap();
        assert_eq!(many.matches("<rect").count(), 25, "{many}");
        assert!(many.contains(">10000 us<"), "{many}");
        assert_eq!(svg(&[path("A", 0, &[])]), None);
        assert_eq!(svg(&[path("B", 0, &[1])]), None);
    }
}
