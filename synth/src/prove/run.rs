//! Runs the proofs: Yosys makes formulas of the Verilog, yosys-smtbmc and Yices answer them.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use respray_files::parallel;
use respray_hdl::config::Config;
use serde::Serialize;

use super::{Claim, Fault, Method, Proof, Rules, solver};
use crate::SynthError;
use crate::report::Generate;
use crate::tool::{Tool, Toolbox};

/// What was found of one property.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub core: &'static str,
    /// Keys of the configuration in which it is proved.
    pub sets: &'static [&'static str],
    pub rule: &'static str,
    pub source: &'static str,
    pub says: &'static str,
    pub method: Method,
    /// `None`: it holds. Else the rule that is broken, which may be a lemma of the proof, and the clock edge.
    pub broken: Option<Finding>,
    /// Where the design with the fault breaks the rule. `None`: the fault was not found, and the rule shows nothing.
    pub fault: Option<Finding>,
    /// Of the proof of all rules of the core, and of the search for the fault.
    pub seconds: f64,
    pub fault_seconds: f64,
}

impl Outcome {
    /// The property holds, and would not hold of every design.
    pub fn is_shown(&self) -> bool {
        self.broken.is_none() && self.fault.is_some()
    }
}

/// A way to break a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: String,
    /// Clock edges from power-up, or from an op's first step; of a failed induction there is no such number.
    pub edge: Option<u32>,
}

/// A solver's work: a proof, or one of its faults.
struct Task {
    proof: &'static Proof,
    fault: Option<&'static Claim>,
}

/// What came of it.
type Answer = Result<(Option<Finding>, f64), SynthError>;

/// Proves all claims of the proofs, and has each fault found. Verilog, formulas and traces of what fails go into a folder of `folder`
/// for each core. `done` is told of each finished piece of work.
///
/// # Errors
/// A missing tool, a core that cannot be generated, a full disk.
pub fn prove(
    tools: &Toolbox,
    proofs: &[&'static Proof],
    folder: &Path,
    generate: Generate,
    done: &(dyn Fn(usize, &str) + Sync),
) -> Result<Vec<Outcome>, SynthError> {
    let programs = Programs { yosys: tools.yosys()?, smtbmc: tools.smtbmc()? };
    let mut tasks = Vec::new();
    for proof in proofs {
        tasks.push(Task { proof, fault: None });
        tasks.extend(proof.claims.iter().map(|claim| Task { proof, fault: Some(claim) }));
    }
    let verilog: Vec<String> = proofs.iter().map(|proof| text(proof, generate)).collect::<Result<_, _>>()?;
    let of = |proof: &Proof| proofs.iter().position(|one| std::ptr::eq(*one, proof)).expect("it is listed");
    let work = |task: &Task| {
        let answer = task.answer(&programs, &verilog[of(task.proof)], folder);
        done(tasks.len(), task.proof.core);
        answer
    };
    let answers: Vec<Answer> = parallel::map(&tasks, work);
    let mut answers = answers.into_iter();
    let mut outcomes = Vec::new();
    for proof in proofs {
        let (broken, seconds) = answers.next().expect("an answer for each task")?;
        for claim in proof.claims {
            let (fault, fault_seconds) = answers.next().expect("an answer for each task")?;
            outcomes.push(Outcome {
                core: proof.core,
                sets: proof.sets,
                rule: claim.rule,
                source: claim.source,
                says: claim.says,
                method: proof.method,
                broken: broken.clone(),
                fault,
                seconds,
                fault_seconds,
            });
        }
    }
    Ok(outcomes)
}

/// How the rules of a proof can be broken, if they can; no fault is looked for.
///
/// # Errors
/// As [`prove`] has them.
pub fn broken(
    tools: &Toolbox,
    proof: &'static Proof,
    folder: &Path,
    generate: Generate,
) -> Result<Option<Finding>, SynthError> {
    let programs = Programs { yosys: tools.yosys()?, smtbmc: tools.smtbmc()? };
    Task { proof, fault: None }.prove(&programs, &text(proof, generate)?, &folder.join(proof.folder()))
}

/// The Verilog of a proof's core with its rules, which stand where `FORMAL` is defined.
///
/// # Errors
/// The core cannot be generated in the proof's configuration.
///
/// # Panics
/// If there is no module of a name that the proof has: an error of its table.
pub fn text(proof: &'static Proof, generate: Generate) -> Result<String, SynthError> {
    let failed = |message: String| SynthError::Generate { core: proof.core.to_string(), message };
    let mut verilog = match proof.block {
        Some(block) => block().map_err(|error| failed(error.to_string()))?,
        None => {
            let sets: Vec<String> = proof.sets.iter().map(|set| set.to_string()).collect();
            let config = Config::load(None, &sets).map_err(|error| failed(error.to_string()))?;
            generate(proof.core, &config).map_err(failed)?.verilog
        }
    };
    let Rules { texts, modules, .. } = (proof.rules)();
    for (module, rules) in texts {
        put_at_end(&mut verilog, proof.core, module, &format!("`ifdef FORMAL\n{rules}`endif\n"));
    }
    for module in modules {
        verilog += &format!("\n`ifdef FORMAL\n{module}`endif\n");
    }
    // a name that a rule has and the Verilog has no more would be a wire of one bit that nothing drives
    Ok(format!("`default_nettype none\n{verilog}"))
}

/// Puts text at the end of a module of a core, whose name is given without the core's before it; an empty one is the top.
///
/// # Panics
/// If there is no such module.
pub fn put_at_end(verilog: &mut String, core: &str, module: &str, text: &str) {
    let module = if module.is_empty() { core.to_string() } else { format!("{core}_{module}") };
    let begin = verilog.find(&format!("module {module} (")).expect("there is such a module");
    let end = begin + verilog[begin..].find("endmodule").expect("a module has an end");
    verilog.insert_str(end, text);
}

struct Programs<'a> {
    yosys: &'a Tool,
    smtbmc: &'a Tool,
}

impl Task {
    fn answer(&self, programs: &Programs, verilog: &str, folder: &Path) -> Answer {
        let start = Instant::now();
        let found = match self.fault {
            None => self.prove(programs, verilog, &folder.join(self.proof.folder()))?,
            Some(claim) => self.refute(programs, verilog, claim, folder)?,
        };
        Ok((found, start.elapsed().as_secs_f64()))
    }

    /// How a rule can be broken, if it can.
    fn prove(
        &self,
        programs: &Programs,
        verilog: &str,
        folder: &Path,
    ) -> Result<Option<Finding>, SynthError> {
        formulas(programs, self.proof, verilog, Which::All, folder)?;
        match self.proof.method {
            Method::Bounded(edges) | Method::EachOp(edges) => search(programs, &(0..edges), folder),
            Method::Unbounded(edges) => match search(programs, &(0..edges), folder)? {
                Some(found) => Ok(Some(found)),
                None => induction(programs, edges, folder),
            },
        }
    }

    /// How the fault breaks its rule from power-up on.
    fn refute(
        &self,
        programs: &Programs,
        verilog: &str,
        claim: &Claim,
        folder: &Path,
    ) -> Result<Option<Finding>, SynthError> {
        let (Fault::Shown(right, wrong) | Fault::Deep(right, wrong)) = claim.fault;
        let folder = folder.join(self.proof.folder()).join(claim.rule);
        assert!(
            verilog.matches(right).count() == 1,
            "`{right}` of {} is generated differently: the fault of `{}` has to be written anew",
            self.proof.core,
            claim.rule
        );
        let mut faulty = verilog.replace(right, wrong);
        match (claim.fault, self.proof.method) {
            (Fault::Deep(..), Method::Unbounded(edges)) => {
                formulas(programs, self.proof, &faulty, Which::GivenOthers(claim.rule), &folder)?;
                induction(programs, edges, &folder)
            }
            _ => {
                for (long, short) in self.proof.shortened {
                    faulty = faulty.replace(long, short);
                }
                formulas(programs, self.proof, &faulty, Which::Alone(claim.rule), &folder)?;
                search(programs, &self.proof.fault_edges, &folder)
            }
        }
    }
}

/// Rules that are shown.
#[derive(Clone, Copy)]
enum Which<'a> {
    All,
    /// One of them, and nothing is known of the others.
    Alone(&'a str),
    /// One of them, where all others hold.
    GivenOthers(&'a str),
}

/// Writes the formulas of a core with its rules.
fn formulas(
    programs: &Programs,
    proof: &Proof,
    verilog: &str,
    which: Which,
    folder: &Path,
) -> Result<(), SynthError> {
    let rules = match which {
        Which::All => String::new(),
        Which::Alone(rule) => format!("delete t:$assert c:*{rule} %d\nopt_clean -purge\n"),
        Which::GivenOthers(rule) => format!("chformal -assert2assume t:$assert c:*{rule} %d\n"),
    };
    let Rules { joins, whole, .. } = (proof.rules)();
    solver::formulas(programs.yosys, folder, (proof.core, verilog), (&joins, &whole), &rules)
}

/// A way from power-up on to break a rule at one of these edges.
fn search(programs: &Programs, edges: &Range<u32>, folder: &Path) -> Result<Option<Finding>, SynthError> {
    let edges = format!("{}:{}", edges.start, edges.end);
    let (holds, log) = programs.smtbmc.answer(folder, &question(&["-t", &edges]))?;
    Ok((!holds).then(|| finding(&log)))
}

/// What keeps the rules from being shown by induction, if anything does.
fn induction(programs: &Programs, edges: u32, folder: &Path) -> Result<Option<Finding>, SynthError> {
    let (holds, log) = programs.smtbmc.answer(folder, &question(&["-i", "-t", &edges.to_string()]))?;
    Ok((!holds).then(|| Finding { edge: None, ..finding(&log) }))
}

/// A question whose counter-example is kept.
fn question<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    solver::question(&[&["--dump-vcd", "trace.vcd"], arguments].concat())
}

/// What the solver's log says of the rule that is broken.
fn finding(log: &str) -> Finding {
    let rule = solver::broken_rules(log).next_back().unwrap_or("unknown");
    let edge = log.lines().rev().find_map(|line| Some(line.split_once("Checking assertions in step ")?.1));
    Finding { rule: rule.to_string(), edge: edge.and_then(|edge| edge.trim_end_matches('.').parse().ok()) }
}
