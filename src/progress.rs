//! The progress bar.

use std::fmt::{self, Write};
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use respray_cosim::lockstep::Progress;

/// What is counted: the bar takes the room that the rest of the line leaves.
const COUNTED: &str = "{spinner} {wide_bar} {human_pos}/{human_len} {prefix}, {rate}, {eta} left {msg}";
/// What has no end that is known.
const SPINNING: &str = "{spinner} {wide_msg}";

/// A bar over `total` units on a terminal, and none in a pipe.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = on(ProgressDrawTarget::stderr(), total, unit);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn on(target: ProgressDrawTarget, total: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), target).with_prefix(unit.to_string());
    bar.set_style(style(COUNTED));
    bar
}

fn style(template: &str) -> ProgressStyle {
    let rate = |state: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{}", Rate(state.per_sec()));
    };
    ProgressStyle::with_template(template).expect("the templates are constants").with_key("rate", rate)
}

/// Shows on a bar what a run is at.
pub fn show(bar: &ProgressBar, progress: Progress) {
    let spin = |message: &'static str| {
        bar.set_style(style(SPINNING));
        bar.set_message(message);
    };
    match progress {
        Progress::Synthesising => spin("Yosys synthesises the core"),
        Progress::Building => spin("building the model"),
        Progress::Running { done, of } => {
            if !bar.message().is_empty() {
                bar.set_style(style(COUNTED));
                bar.set_message("");
            }
            bar.set_length(of);
            bar.set_position(done);
        }
        Progress::Shrinking => spin("shrinking"),
        Progress::Recording => spin("recording waves"),
    }
}

/// A number a second, in three digits.
struct Rate(f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scales = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
        let (value, unit) = scales
            .iter()
            .find(|(scale, _)| self.0 >= 0.9995 * scale)
            .map_or((self.0, ""), |(scale, unit)| (self.0 / scale, *unit));
        let digits = if value >= 99.95 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        };
        write!(f, "{value:.digits$}{unit}/s")
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal of 80 columns that keeps what is written to it.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<Vec<String>>>);

    impl Terminal {
        fn keep(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push(text.to_string());
            Ok(())
        }

        /// The longest text of all that was written, in columns.
        fn widest(&self) -> usize {
            self.0.lock().unwrap().iter().map(|text| text.chars().count()).max().unwrap_or(0)
        }

        fn last(&self) -> String {
            let written = self.0.lock().unwrap();
            written.iter().rfind(|text| !text.trim().is_empty()).cloned().unwrap_or_default()
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.keep(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.keep(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_fits_80_columns_and_spins_where_no_end_is_known() {
        let terminal = Terminal::default();
        let bar = on(ProgressDrawTarget::term_like(Box::new(terminal.clone())), 0, "frames");
        show(&bar, Progress::Building);
        bar.tick();
        assert!(
            terminal.last().contains("building the model") && !terminal.last().contains("0/0"),
            "{}",
            terminal.last()
        );
        show(&bar, Progress::Running { done: 999_999_999, of: 1_000_000_000 });
        bar.tick();
        let line = terminal.last();
        assert!(line.contains("999,999,999/1,000,000,000 frames") && !line.contains("building"), "{line}");
        assert!(line.contains('█') || line.contains('░'), "room for a bar is left: {line}");
        assert!(terminal.widest() <= 80, "{} columns: {line}", terminal.widest());
    }

    #[test]
    fn a_rate_has_three_digits() {
        for (rate, text) in [
            (0.123_456, "0.12/s"),
            (12.345, "12.3/s"),
            (999.4, "999/s"),
            (999.9, "1.00 k/s"),
            (4_567_890.0, "4.57 M/s"),
            (123_456_789.0, "123 M/s"),
        ] {
            assert_eq!(Rate(rate).to_string(), text);
        }
    }
}
