//! `respray docs`: the tables of the documents, as the cores are now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use respray_cosim::pages::{Made, Subject, code, filled, pages, table};
use respray_files::output::write_all;
use respray_hdl::catalogue::{self, Entry};
use respray_hdl::cores::find;
use respray_hdl::manifest::Manifest;
use respray_synth::baseline::Baseline;
use respray_synth::figures::{Accepted, XCUP};
use respray_synth::fmax::Verdict;
use respray_synth::trust::{Core, Trust};

use crate::args::{ExitStatus, Refusal};
use crate::checkout::Checkout;
use crate::figures::PAGES;
use crate::output::Results;

#[derive(Args)]
pub struct Docs {
    /// Folder of the project, in which README.md and docs/ stand.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Write nothing; exit code 1 where a document is not as it should be.
    #[arg(long)]
    check: bool,
    /// Write nothing, and list the pages of figures that were made from designs which have changed since: what `make` is told to make the
    /// page anew, the page, and the designs.
    #[arg(long, conflicts_with = "check")]
    stale: bool,
    /// Say of a page of figures that all its figures are of the designs as they are now, for a page whose figures are written by hand.
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["check", "stale"], value_parser = PossibleValuesParser::new(PAGES.map(|page| page.path)))]
    stamp: Option<String>,
}

impl Docs {
    /// Writes the tables, that of the subcommands of `command` among them.
    pub fn run(&self, command: &Command) -> Result<ExitStatus, Refusal> {
        if self.stale {
            return self.list_stale();
        }
        let baseline = Baseline::read(&Checkout::find().baseline()).map_err(|error| error.to_string())?;
        let made = Made::from([
            ("cores", cores_table(&baseline)?),
            ("commands", commands_table(command)),
            ("estimates", estimates_table(&baseline)),
            ("trust", trust_table(&baseline)),
        ]);
        // every page is read before the first design is generated
        let read = |(page, subject): (String, Subject)| {
            let path = self.project.join(&page);
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok((page, subject, path, text)),
                Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
            }
        };
        let texts = pages().into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        PAGES.iter().try_for_each(|page| page.made_from(&self.project).map(drop))?;
        let mut changed = Vec::new();
        for (page, subject, path, text) in texts {
            let text_now = filled(&page, subject, &text, &made)?;
            if text_now != text {
                changed.push((path, text_now.into_bytes()));
            }
        }
        for page in &PAGES {
            let (text, refreshed) = page.refreshed(&self.project)?;
            let is_stamped = self.stamp.as_deref() == Some(page.path);
            let text_now = if is_stamped { page.stamped(&self.project)? } else { refreshed };
            if text_now != text {
                changed.push((self.project.join(page.path), text_now.into_bytes()));
            }
        }
        let is = if self.check { " is not as `respray docs` writes it" } else { "" };
        let said: String = changed.iter().map(|(path, _)| format!("{}{is}\n", path.display())).collect();
        if !self.check {
            write_all(&changed)?;
        }
        Results::text(said).hand_out()?;
        Ok(if self.check && !changed.is_empty() { ExitStatus::Mismatch } else { ExitStatus::Success })
    }

    fn list_stale(&self) -> Result<ExitStatus, Refusal> {
        let mut said = String::new();
        for page in &PAGES {
            let designs = page.stale(&self.project)?;
            if !designs.is_empty() {
                said += &format!("{} {} {}\n", page.target, page.path, designs.join(", "));
            }
        }
        Results::text(said).hand_out()?;
        Ok(ExitStatus::Success)
    }
}

/// The table of the subcommands: what each does, in the words of its help.
fn commands_table(command: &Command) -> String {
    let row = |subcommand: &Command| {
        let about = subcommand.get_about().map(|about| about.to_string()).unwrap_or_default();
        vec![code(subcommand.get_name()), about]
    };
    let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
    table(&["command", "does"], subcommands.map(row))
}

/// Classes of ops that no packet asks for.
const BESIDE_PACKETS: [&str; 4] = ["init", "close", "read", "idle"];

/// The table of the cores in the default configuration, by the manifests and the accepted figures of the checkout.
fn cores_table(baseline: &Baseline) -> Result<String, Refusal> {
    let checkout = Checkout::find();
    let row = |entry: Entry| {
        let page = format!("docs/{}.md", entry.name);
        let path = checkout.join(&format!("generated/{}.json", entry.name));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| format!("{}: not a manifest: {error}", path.display()))?;
        let cycles = cycles(&manifest).unwrap_or_else(|| format!("[rates]({page}#rates)"));
        let paper = papers(&manifest.source);
        let name = format!("[{}]({page})", code(entry.name));
        let of = |figure: &str| accepted(baseline, entry.name, figure);
        let halves = of("bram18");
        Ok(vec![name, entry.about.to_string(), paper, of("lut"), of("ff"), halves, cycles])
    };
    let rows = catalogue::entries().map(row).collect::<Result<Vec<_>, Refusal>>()?;
    Ok(table(&["core and page", "does", "paper", "LUTs", "FFs", "RAMB18", "cycles an op"], rows))
}

/// Clocks in MHz that cards are run at.
const CLOCKS_MHZ: [f64; 2] = [322.265625, 250.0];

/// The accepted estimates of the clock on UltraScale+.
fn estimates_table(baseline: &Baseline) -> String {
    let row = |(label, devices): (&String, &BTreeMap<String, Accepted>)| {
        let accepted = devices.get(XCUP)?;
        let ns = |name: &str| accepted.figures.get(name).copied();
        let (bound, nominal, wide) = (ns("bound_ns")?, ns("nominal_ns")?, ns("wide_ns")?);
        let verdicts = CLOCKS_MHZ.map(|mhz| Verdict::of(bound, wide, mhz).to_string());
        let periods = [bound, nominal, wide].map(|ns| format!("{ns:.2}"));
        let cells = [code(label)].into_iter().chain(periods).chain(verdicts);
        Some(cells.chain(accepted.slowest_path.clone()).collect::<Vec<String>>())
    };
    let clocks = CLOCKS_MHZ.map(|mhz| format!("at {mhz} MHz"));
    let header = ["core", "bound, ns", "nominal, ns", "wide, ns", &clocks[0], &clocks[1], "slowest path"];
    table(&header, baseline.cores.iter().filter_map(row))
}

/// What the method of the estimate gives on ECP5, against place and route.
fn trust_table(baseline: &Baseline) -> String {
    let Some(trust) = Trust::of(baseline) else { return String::new() };
    let row = |core: &Core| {
        let mhz = |mhz: f64| format!("{mhz:.0}");
        vec![code(&core.label), mhz(core.routed_mhz), mhz(core.estimated_mhz), format!("{:.2}", core.ratio())]
    };
    let header = ["core", "routed, MHz", "estimated, MHz", "period, estimated by routed"];
    let Trust { mean, spread, least, most, .. } = trust;
    format!(
        "{}\nMean {mean:.2}, spread {spread:.2}, from {least:.2} to {most:.2}.\n",
        table(&header, trust.cores.iter().map(row))
    )
}

/// The names of the papers in a manifest's source, `001 (REPS) section 2.2`, and the public simulator model.
fn papers(source: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (at, _) in source.match_indices(" (") {
        let is_number =
            source[..at].len() >= 3 && source[at - 3..at].bytes().all(|byte| byte.is_ascii_digit());
        let name = source[at + 2..].split(')').next().unwrap_or_default();
        if is_number && !names.contains(&name) {
            names.push(name);
        }
    }
    if source.contains("Ultra Ethernet simulator model") {
        names.push("Ultra Ethernet");
    }
    names.join(", ")
}

/// An accepted figure of a core on UltraScale+, of each of its structures.
fn accepted(baseline: &Baseline, core: &str, figure: &str) -> String {
    let of = |label: &str| {
        let figure = baseline.cores.get(label)?.get(XCUP)?.figures.get(figure)?;
        Some(figure.to_string())
    };
    match find(core).and_then(|core| core.structures) {
        None => of(core).unwrap_or_else(|| "-".into()),
        Some((_, structures)) => {
            let one = |name: &&str| {
                let figure = of(&format!("{core} {name}")).unwrap_or_else(|| "-".into());
                format!("{figure} {}", code(name))
            };
            structures.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// The cycles between two ops: those of the quickest class that a packet asks for, and whether others take longer.
fn cycles(manifest: &Manifest) -> Option<String> {
    let intervals = manifest.initiation_interval_cycles.iter();
    let mut asked =
        intervals.filter(|(class, _)| !BESIDE_PACKETS.contains(&class.as_str())).map(|(_, cycles)| cycles);
    let first = asked.next()?;
    let (mut least, mut is_more) = (first.base, first.fixed().is_none());
    for cycles in asked {
        is_more |= cycles.base != least || cycles.fixed().is_none();
        least = least.min(cycles.base);
    }
    Some(if is_more { format!("{least} or more") } else { least.to_string() })
}
