//! The pages of figures among the documents, and the designs that their figures were made from.

use std::path::Path;
use std::sync::Arc;

use respray_cosim::pages::designs::design;
use respray_fabric::build;
use respray_files::made_from::{MadeFrom, hash};
use respray_hdl::config::Config;
use respray_hdl::examples::ecpix5;
use respray_synth::prove::{self, Proof};
use respray_synth::{SynthError, example};

use crate::args::Refusal;

/// A page whose figures take long to make, so that they may be of an older design.
pub struct FigurePage {
    /// Relative to the project.
    pub path: &'static str,
    /// What `make` is told to make it anew.
    pub target: &'static str,
    /// The hash of one of its designs as it is now.
    now: fn(&str) -> Option<String>,
}

/// Every page of figures.
pub const PAGES: [FigurePage; 8] = [
    FigurePage { path: "docs/proofs.md", target: "prove", now: of_proof },
    FigurePage { path: "docs/ecpix5_figures.md", target: "ecpix5", now: of_example },
    FigurePage { path: "docs/placed_figures.md", target: "placed", now: of_core },
    FigurePage { path: "docs/upsets.md", target: "upset", now: of_core },
    FigurePage { path: "docs/parity.md", target: "parity", now: of_core },
    FigurePage { path: "docs/coverage.md", target: "cover", now: of_core },
    FigurePage { path: "docs/fabric.md", target: "figures", now: of_fabric },
    FigurePage { path: "docs/mutation.md", target: "mutate", now: of_core },
];

/// What a page calls the model of the network and the golden models in it.
const GOLDEN_BUILD: &str = "golden build";

impl FigurePage {
    /// Its text in a project.
    fn read(&self, project: &Path) -> Result<String, Refusal> {
        let path = project.join(self.path);
        std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: cannot be read: {error}", path.display()).into())
    }

    /// What it says of its designs.
    pub fn made_from(&self, project: &Path) -> Result<MadeFrom, Refusal> {
        let says = MadeFrom::read(&self.read(project)?);
        Ok(says.ok_or_else(|| self.says_nothing(project))?.0)
    }

    fn says_nothing(&self, project: &Path) -> String {
        format!(
            "{}: it does not say what its figures were made from; allowed: a part between `<!-- begin made from -->` and `<!-- end \
             made from -->`, as `make {}` writes it",
            project.join(self.path).display(),
            self.target
        )
    }

    /// The designs that have changed since its figures were made.
    pub fn stale(&self, project: &Path) -> Result<Vec<String>, Refusal> {
        Ok(self.made_from(project)?.changed(self.now))
    }

    /// Its text before, and with what it says of its designs as it is now.
    pub fn refreshed(&self, project: &Path) -> Result<(String, String), Refusal> {
        let text = self.read(project)?;
        let now = MadeFrom::refreshed(&text, self.now).ok_or_else(|| self.says_nothing(project))?;
        Ok((text, now))
    }

    /// Its text, where all its figures are of the designs as they are now.
    pub fn stamped(&self, project: &Path) -> Result<String, Refusal> {
        let text = self.read(project)?;
        let (MadeFrom(mut designs), place) =
            MadeFrom::read(&text).ok_or_else(|| self.says_nothing(project))?;
        for (name, hash) in &mut designs {
            *hash = (self.now)(name).ok_or_else(|| {
                format!("{}: there is no design `{name}`", project.join(self.path).display())
            })?;
        }
        Ok([&text[..place.start], &MadeFrom(designs).block(&[]), &text[place.end..]].concat())
    }
}

/// The hash of a proof's Verilog with its rules.
pub fn hash_of_proof(proof: &'static Proof) -> Result<String, SynthError> {
    let generate = |core: &str, config: &Config| {
        design(core, config).map(Arc::unwrap_or_clone).map_err(|error| error.to_string())
    };
    Ok(hash(&prove::text(proof, &generate)?))
}

/// Of a core with what differs from the default configuration behind it.
fn of_core(label: &str) -> Option<String> {
    let mut words = label.split(' ');
    let core = words.next()?;
    let config = Config::load(None, &words.map(str::to_string).collect::<Vec<_>>()).ok()?;
    Some(hash(&design(core, &config).ok()?.verilog))
}

fn of_proof(folder: &str) -> Option<String> {
    hash_of_proof(prove::proofs_of(&[]).find(|proof| proof.folder() == folder)?).ok()
}

fn of_example(name: &str) -> Option<String> {
    (name == example::NAME)
        .then(|| ecpix5::generate(ecpix5::Length::BOARD).ok())?
        .map(|design| hash(&design.verilog))
}

fn of_fabric(name: &str) -> Option<String> {
    if name == GOLDEN_BUILD { Some(build::hash().to_string()) } else { of_core(name) }
}
