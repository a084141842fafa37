//! A list of frames as a CSV file: what a failing run is shrunk to, to be read by a person and run again.
//!
//! ```text
//! # rewrite_tx: cycle 12: `m_axis_tdata` is 00 at byte 25, expected 01 at byte 25; ...
//! # gap=0 stall=0 seed=1
//! ev,timestamp,enable,reset_after,frame
//! # 58 bytes, IPv4, UDP 1 to 4791
//! 4660,22136,1,,020000000002...
//! ```
//!
//! Where the run's pace changed by phases, the second line is `# phase=17 seed=1`, with the phase that the list begins with.
//!
//! A list for a core of shims has a column for each thing that it is asked, from `take_out` to `dst`, in place of the first three.
//!
//! Where a frame is for another input than the first, each line begins with its input, from 0, and the head with `input`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use respray_files::quote::Quoted;
use respray_files::range::Whole;
use thiserror::Error;

use super::pace::{PAUSES, Pace, Pacing};
use crate::traffic::frames::{Frame, LONGEST_FRAME, ORDERS, Orders};
use crate::traffic::hexadecimal;
use crate::traffic::lines::{BoundedLines, LineTooLong};
use respray_files::output::{self, OutputError};

const HEAD: &str = "ev,timestamp,enable,reset_after,frame";
/// The same with the input of each frame, where not all are for the first.
const HEAD_WITH_INPUT: &str = "input,ev,timestamp,enable,reset_after,frame";
/// The same of a core of shims, with what it is asked for each frame.
static HEAD_WITH_ORDERS: LazyLock<String> = LazyLock::new(|| {
    ORDERS.iter().map(|(name, _)| format!("{name},")).collect::<String>() + "reset_after,frame"
});
/// Bytes of the longest line: two digits a byte of the longest frame, and room for the other fields. A comment, which may
/// hold a command with the names of files, has as much.
const LONGEST_LINE: usize = 2 * LONGEST_FRAME + 1024;

/// Frames and the pauses that they are sent with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameList {
    /// Lines for a reader.
    pub notes: Vec<String>,
    pub pacing: Pacing,
    pub frames: Vec<Frame>,
}

/// Why a list was refused: `FILE:LINE: what is wrong and what is allowed`.
#[derive(Debug, Error)]
pub enum ListError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {what}", path.display())]
    Line { path: PathBuf, line: u64, what: String },
}

fn read_error(path: &Path, source: std::io::Error) -> ListError {
    let path = path.to_path_buf();
    match LineTooLong::of(&source) {
        Some(too_long) => ListError::Line { path, line: too_long.line, what: too_long.to_string() },
        None => ListError::File { path, source },
    }
}

impl FrameList {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ListError`].
    pub fn read(path: &Path) -> Result<FrameList, ListError> {
        let file = File::open(path).map_err(|source| ListError::File { path: path.to_path_buf(), source })?;
        Self::parse(BufReader::new(file), path)
    }

    fn parse(text: impl BufRead, path: &Path) -> Result<FrameList, ListError> {
        let mut list = FrameList::default();
        let (mut text, mut bytes) = (BoundedLines::new(text, LONGEST_LINE), Vec::new());
        let (mut number, mut head) = (0, None);
        while text.next_line(&mut bytes).map_err(|error| read_error(path, error))? {
            number += 1;
            let line_error = |what| ListError::Line { path: path.to_path_buf(), line: number, what };
            let line = std::str::from_utf8(&bytes).map_err(|_| line_error("not UTF-8 text".into()))?;
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some(note) = line.strip_prefix('#') {
                if note.trim().starts_with("gap=") {
                    list.pacing = pace(note.trim()).map_err(line_error)?.into();
                } else if note.trim().starts_with("phase=") {
                    list.pacing = phases(note.trim()).map_err(line_error)?;
                }
            } else if let Some(head) = head {
                if !line.is_empty() {
                    list.frames.push(frame(line, head).map_err(line_error)?);
                }
            } else {
                head = [HEAD, HEAD_WITH_INPUT, &HEAD_WITH_ORDERS].into_iter().find(|head| line == *head);
                if head.is_none() {
                    return Err(line_error(format!(
                        "`{}` is not the head of a list of frames, `{HEAD}`",
                        Quoted(line)
                    )));
                }
            }
        }
        let line_error = |line, what| Err(ListError::Line { path: path.to_path_buf(), line, what });
        match (head.is_some(), list.frames.is_empty()) {
            (false, _) => line_error(1, format!("no line is `{HEAD}`")),
            (_, true) => line_error(number, "no frame follows".into()),
            _ => Ok(list),
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// [`OutputError`].
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let mut text = String::new();
        for note in &self.notes {
            text += &format!("# {note}\n");
        }
        let has_inputs = self.frames.iter().any(|frame| frame.input > 0);
        let has_orders = self.frames.iter().any(|frame| frame.orders != Orders::default());
        let head = match (has_inputs, has_orders) {
            (true, _) => HEAD_WITH_INPUT,
            (_, true) => &HEAD_WITH_ORDERS,
            _ => HEAD,
        };
        text += &match self.pacing {
            Pacing::Constant(Pace { gap, stall, seed }) => {
                format!("# gap={gap} stall={stall} seed={seed}\n{head}\n")
            }
            Pacing::Phases { seed, first } => format!("# phase={first} seed={seed}\n{head}\n"),
        };
        for frame in &self.frames {
            let reset = frame.reset_after.map_or(String::new(), |after| after.to_string());
            text += &format!("# {}\n", describe(&frame.data));
            if has_orders && !has_inputs {
                let orders: String = frame.orders.0.iter().map(|value| format!("{value},")).collect();
                text += &format!("{orders}{reset},{}\n", hexadecimal::text(&frame.data));
                continue;
            }
            let input = if has_inputs { format!("{},", frame.input) } else { String::new() };
            text += &format!(
                "{input}{},{},{},{reset},{}\n",
                frame.ev,
                frame.timestamp,
                u8::from(frame.enable),
                hexadecimal::text(&frame.data)
            );
        }
        output::write(path, text.as_bytes())
    }
}

fn pace(note: &str) -> Result<Pace, String> {
    let mut pace = Pace::default();
    for word in note.split_whitespace() {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let share = || {
            let share = PAUSES.read(value);
            share.ok_or_else(|| format!("`{key}` is `{}`; allowed: {PAUSES}", Quoted(value)))
        };
        match key {
            "gap" => pace.gap = share()?,
            "stall" => pace.stall = share()?,
            "seed" => pace.seed = number(key, value, SEEDS)?,
            _ => return Err(format!("`{}` is none of gap, stall and seed", Quoted(key))),
        }
    }
    Ok(pace)
}

fn phases(note: &str) -> Result<Pacing, String> {
    let (mut seed, mut first) = (0, 0);
    for word in note.split_whitespace() {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "phase" => first = number(key, value, PHASES)?,
            "seed" => seed = number(key, value, SEEDS)?,
            _ => return Err(format!("`{}` is none of phase and seed", Quoted(key))),
        }
    }
    Ok(Pacing::Phases { seed, first })
}

const SEEDS: Whole = Whole::new(0, u64::MAX);
/// The first phase of a run; none is so long that it comes to the greatest.
const PHASES: Whole = Whole::new(0, 1 << 48);
const INPUTS: Whole = Whole::new(0, 255);
const WORDS: Whole = Whole::new(0, 65_535);
/// Beats of a frame before a reset.
const BEATS: Whole = Whole::new(0, LONGEST_FRAME as u64);

fn number(key: &str, value: &str, allowed: Whole) -> Result<u64, String> {
    allowed.read(value).ok_or_else(|| format!("`{key}` is `{}`; allowed: {allowed}", Quoted(value)))
}

fn frame(line: &str, head: &str) -> Result<Frame, String> {
    let mut fields: Vec<&str> = line.split(',').collect();
    let count = fields.len();
    let mut orders = Orders::default();
    if head == *HEAD_WITH_ORDERS {
        if count != ORDERS.len() + 2 {
            return Err(format!("{count} fields; expected: {head}"));
        }
        for (((name, bits), value), text) in ORDERS.iter().zip(&mut orders.0).zip(&fields) {
            let most = u32::MAX >> (32 - bits);
            let parsed = text.parse().ok().filter(|value| *value <= most);
            *value = parsed.ok_or_else(|| format!("`{name}` is `{}`; allowed: 0 to {most}", Quoted(text)))?;
        }
        fields.splice(..ORDERS.len(), ["0", "0", "0", "0"]);
    } else if head == HEAD {
        fields.insert(0, "0");
    }
    let &[input, ev, timestamp, enable, reset_after, data] = fields.as_slice() else {
        return Err(format!("{count} fields; expected: {head}"));
    };
    let input = number("input", input, INPUTS)? as u8;
    let word = |name: &str, value: &str| Ok::<_, String>(number(name, value, WORDS)? as u16);
    let reset_after = match reset_after {
        "" => None,
        value => Some(number("reset_after", value, BEATS)? as u32),
    };
    let enable = match enable {
        "0" => false,
        "1" => true,
        other => return Err(format!("`enable` is `{}`; allowed: 0, 1", Quoted(other))),
    };
    let data =
        hexadecimal::bytes(data).ok_or("`frame` is not one byte or more as pairs of hexadecimal digits")?;
    if data.len() > LONGEST_FRAME {
        return Err(format!("`frame` has {} bytes; allowed: 1 to {LONGEST_FRAME}", data.len()));
    }
    let (ev, timestamp) = (word("ev", ev)?, word("timestamp", timestamp)?);
    Ok(Frame { input, data, ev, timestamp, enable, orders, reset_after })
}

/// A frame in words: length, tags, IP, UDP ports.
pub fn describe(data: &[u8]) -> String {
    let mut words = vec![format!("{} bytes", data.len())];
    if let Ok(packet) = LaxSlicedPacket::from_ethernet(data) {
        match packet.vlan_ids().len() {
            0 => {}
            1 => words.push("1 VLAN tag".into()),
            tags => words.push(format!("{tags} VLAN tags")),
        }
        match &packet.net {
            Some(LaxNetSlice::Ipv4(ip)) if ip.header().ihl() > 5 => {
                words.push(format!("IPv4 with {} bytes of options", (ip.header().ihl() - 5) * 4))
            }
            Some(LaxNetSlice::Ipv4(_)) => words.push("IPv4".into()),
            Some(LaxNetSlice::Ipv6(_)) => words.push("IPv6".into()),
            _ => words.push("no IP".into()),
        }
        if let Some(TransportSlice::Udp(udp)) = &packet.transport {
            words.push(format!("UDP {} to {}", udp.source_port(), udp.destination_port()));
        }
    }
    words.join(", ")
}
