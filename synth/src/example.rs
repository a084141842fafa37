//! The self-test of the ECPIX-5: its files, what it takes of the board's device, how fast it is, and its bitstream.

use std::path::PathBuf;

use respray_files::made_from::{self, MadeFrom};
use respray_hdl::manifest::Generated;
use serde::Serialize;

use crate::boards::{BOARDS, Board};
use crate::device::ECP5;
use crate::routed::{self, PLACED, Routed};
use crate::{Bench, SynthError, constraints, write};

/// Name of the design and of its board.
pub const NAME: &str = "ecpix5";

const BITSTREAM: &str = "design.bit";

fn board() -> &'static Board {
    BOARDS.iter().find(|board| board.name == NAME).expect("it is one of the boards")
}

/// The Verilog and the constraint file, by their names.
pub fn files(generated: &Generated) -> Vec<(PathBuf, String)> {
    vec![
        (PathBuf::from(format!("{NAME}.v")), generated.verilog.clone()),
        (PathBuf::from(format!("{NAME}.lpf")), constraints::of_self_test(board())),
    ]
}

/// A design that is placed and routed.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub figures: Routed,
    /// Clock of the board in MHz.
    pub clock_mhz: u32,
    /// Name and version of each tool.
    pub tools: Vec<String>,
    /// The Verilog of the design.
    pub made_from: MadeFrom,
    /// The run of nextpnr with the highest Fmax.
    #[serde(skip)]
    best: PathBuf,
}

/// Places and routes the design with three seeds.
pub fn measure(bench: &Bench, generated: &Generated) -> Result<Measured, SynthError> {
    let tools = vec![bench.tools.yosys()?.describe(), bench.tools.nextpnr_ecp5()?.describe()];
    let board = board();
    let (figures, mut runs) = routed::design(bench, generated, board, &constraints::of_self_test(board))?;
    let best = runs.pop().expect("there are seeds");
    let made_from = MadeFrom([(NAME.to_string(), made_from::hash(&generated.verilog))].into());
    Ok(Measured { figures, clock_mhz: board.clock.1, tools, made_from, best })
}

impl Measured {
    /// Whether the median of the seeds meets the board's clock.
    pub fn meets_clock(&self) -> bool {
        self.figures.fmax_mhz.median >= f64::from(self.clock_mhz)
    }

    /// What was measured, a line each: name and figure.
    fn lines(&self) -> Vec<(String, String)> {
        let Routed { logic, ff, memory, fmax_mhz, critical, .. } = &self.figures;
        let of = |used: &u32, all: u32| format!("{used} of {all}");
        vec![
            (format!("logic cells ({})", ECP5.logic.0), of(logic, ECP5.logic.1)),
            ("registers".into(), of(ff, ECP5.flip_flops)),
            (format!("block memories ({})", ECP5.memory.0), of(memory, ECP5.memory.1)),
            ("clock of the board".into(), format!("{} MHz", self.clock_mhz)),
            ("Fmax, median of three seeds".into(), format!("{:.1} MHz", fmax_mhz.median)),
            (
                "Fmax, slowest and fastest seed".into(),
                format!("{:.1} and {:.1} MHz", fmax_mhz.min, fmax_mhz.max),
            ),
            (
                "critical path".into(),
                format!(
                    "from {} to {}: {:.2} ns, of which {:.2} ns are wires, {} levels",
                    critical.from, critical.to, critical.delay_ns, critical.routing_ns, critical.levels
                ),
            ),
            ("tools".into(), self.tools.join(", ")),
        ]
    }

    /// The figures as text.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let widest = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        lines.iter().map(|(name, figure)| format!("{name:widest$}  {figure}\n")).collect()
    }

    /// The same as a page in Markdown.
    pub fn markdown(&self) -> String {
        let rows: String =
            self.lines().iter().map(|(name, figure)| format!("| {name} | {figure} |\n")).collect();
        format!(
            "# The self-test on the ECPIX-5: figures\n\nWritten by `respray report --example {NAME} --markdown`. What the \
             design is stands in [ecpix5](ecpix5.md).\n\n| what | figure |\n| --- | --- |\n{rows}\n{}\n",
            self.made_from.block(&[])
        )
    }

    /// The bitstream of the fastest seed.
    pub fn bitstream(&self, bench: &Bench) -> Result<Vec<u8>, SynthError> {
        let ecppack = bench.tools.ecppack()?;
        let placed = self.best.join(PLACED);
        let read = |path: PathBuf| std::fs::read(&path).map_err(|source| SynthError::Read { path, source });
        let text = String::from_utf8_lossy(&read(placed)?).into_owned();
        let folder = bench.cache.run(&[&ecppack.describe(), &text], |folder| {
            write(&folder.join(PLACED), &text)?;
            let log = ecppack.run(folder, &["--compress", PLACED, BITSTREAM])?;
            write(&folder.join("log.txt"), &log)
        })?;
        read(folder.join(BITSTREAM))
    }
}
