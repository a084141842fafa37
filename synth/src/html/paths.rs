//! Which share of an end's packets each path was sent, over time: runs of two joined blocks have it.

use std::fmt::Write as _;

use serde::Deserialize;

/// Columns of the picture at most.
const COLUMNS: usize = 64;

/// Height of a row in CSS pixels.
const ROW_PX: usize = 18;

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

/// The picture: a row for each path, a column for each part of the time, the darker the larger the path's share of the
/// packets. `None` without a packet.
pub fn picture(paths: &[Path]) -> Option<String> {
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
    let says = format!(
        "A row for each of {} paths, a column for each {column_us:.0} us; the darker, the larger the path's share of the packets.",
        paths.len()
    );
    let names: String = paths.iter().map(|path| format!("<span>path {}</span>", path.path)).collect();
    let shares: String =
        paths.iter().map(|path| format!("<span>{:.1}%</span>", 100.0 * path.share)).collect();
    let mut html = format!(
        "<figure class=\"chart heat\"><figcaption>Share of the packets on each path</figcaption>\
         <div class=\"heat-rows\"><div class=\"heat-names\">{names}</div>\
         <svg viewBox=\"0 0 {columns} {rows}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Share of the packets on each path\" \
         style=\"height:{height}px\"><title>Share of the packets on each path</title><desc>{says}</desc>\n",
        rows = paths.len(),
        height = ROW_PX * paths.len(),
    );
    for (row, path) in paths.iter().enumerate() {
        for column in (0..columns).filter(|column| all[*column] > 0) {
            let share = share(path, column);
            _ = write!(
                html,
                "<rect class=\"column series-0\" x=\"{column}\" y=\"{row}.04\" width=\"1\" height=\"0.92\" fill-opacity=\"{:.2}\">\
                 <title>path {}, {:.0} us: {:.1}% of {} packets</title></rect>",
                share / darkest,
                path.path,
                column_us * column as f64,
                100.0 * share,
                all[column]
            );
        }
    }
    _ = write!(
        html,
        "</svg><div class=\"heat-names\">{shares}</div><div class=\"heat-times\"><span>0</span><span>{:.0} us</span></div></div></figure>",
        column_us * columns as f64
    );
    Some(html)
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
        let html = picture(&[path("A", 0, &[3, 1]), path("A", 1, &[1, 3]), path("B", 0, &[9, 9])]).unwrap();
        assert_eq!(html.matches("<rect").count(), 4, "{html}");
        assert!(html.contains("path 0, 0 us: 75.0% of 4 packets"), "{html}");
        assert!(html.contains("path 1, 100 us: 75.0% of 4 packets"), "{html}");
        assert_eq!(html.matches("fill-opacity=\"1.00\"").count(), 2, "{html}");
        assert_eq!(html.matches("fill-opacity=\"0.33\"").count(), 2, "{html}");
    }

    #[test]
    fn many_windows_share_a_column_and_a_run_without_a_packet_has_no_picture() {
        let many = picture(&[path("A", 0, &[1; 200])]).unwrap();
        assert_eq!(many.matches("<rect").count(), 50, "{many}");
        assert!(many.contains(">20000 us<"), "{many}");
        assert_eq!(picture(&[path("A", 0, &[])]), None);
        assert_eq!(picture(&[path("B", 0, &[1])]), None);
    }
}
