//! Campaigns of a core that is small enough to know what must become of each mutant.

use std::path::Path;

use respray_cosim::report::{Probed, Seen};
use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_mutate::MutateError;
use respray_mutate::campaign::{Campaign, Request, judged};
use respray_mutate::equivalence::Equivalence;
use respray_mutate::explained::Explained;
use respray_mutate::mutants::{Kind, candidates};
use respray_mutate::outcome::Outcome;
use respray_mutate::runs::{Plan, Round, Runs};
use respray_mutate::texts::Texts;
use respray_mutate::verilog::sites;
use respray_synth::tool::Toolbox;

/// Two counts of the pulses of `up`, the second one up to nine.
const SMALL: &str = "module counts (
    input  wire       clk,
    input  wire       rst,
    input  wire       up,
    output reg  [3:0] count,
    output reg  [3:0] digit
);

    // A step and a wrap are never in one cycle.
    wire is_last = digit == 4'd9;
    wire steps = up & !is_last;
    wire wraps = up & is_last;
    wire moves = steps | wraps;

    always @(posedge clk) begin
        if (up) begin
            count <= count + 4'd1;
        end
        if (moves) begin
            digit <= wraps ? 4'd0 : digit + 4'd1;
        end
        if (rst) begin
            count <= 4'd0;
            digit <= 4'd0;
        end
    end
endmodule
";

/// The lines that make the first count.
const LINES_OF_COUNT: [usize; 3] = [16, 17, 23];

/// What is compared: both counts, or the first one alone.
struct SmallRuns {
    rounds: Vec<Round>,
    sees_digit: bool,
}

impl SmallRuns {
    fn new(sees_digit: bool) -> SmallRuns {
        let round = |says: &str, seed| Round { says: says.to_string(), seed, stage: 0 };
        SmallRuns { rounds: vec![round("first", 3), round("second", 4)], sees_digit }
    }
}

impl Runs for SmallRuns {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn run(&self, round: usize, mut model: Model) -> Result<Probed, MutateError> {
        let [rst, up] = ["rst", "up"].map(|name| model.port(name).unwrap());
        let [count, digit] = ["count", "digit"].map(|name| model.port(name).unwrap());
        let mut random = self.rounds[round].seed;
        let (mut counted, mut of_ten) = (0, 0);
        for cycle in 0..2000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (is_reset, is_up) = (cycle == 0 || random >> 57 == 0, random >> 40 & 3 != 0);
            if cycle > 0 {
                let wrong = [("count", count, counted), ("digit", digit, of_ten)];
                let looked_at = &wrong[..1 + usize::from(self.sees_digit)];
                if let Some((name, ..)) = looked_at.iter().find(|(_, port, value)| model.get(*port) != *value)
                {
                    let seen = Some(Seen { cycle, port: name.to_string() });
                    return Ok(Probed { seen, ..Probed::default() });
                }
            }
            model.set(rst, is_reset.into());
            model.set(up, is_up.into());
            model.tick();
            if is_reset {
                (counted, of_ten) = (0, 0);
            } else if is_up {
                (counted, of_ten) = ((counted + 1) % 16, (of_ten + 1) % 10);
            }
        }
        Ok(Probed::default())
    }
}

fn campaign(text: &str, runs: &SmallRuns, proves: bool) -> Result<Campaign, Box<MutateError>> {
    let folder = tempfile::tempdir().unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tools = Toolbox::new(project);
    let plan = Plan { cycles: 1000, seed: 1, recordings: Some(project.join("tb/recordings")) };
    let explained = Explained::default();
    let request = Request {
        number: 100,
        plan,
        tools: proves.then_some(&tools),
        explained: &explained,
        folder: folder.path(),
    };
    judged("counts", Texts::one(text), runs, &request, &|_, _| ()).map_err(Box::new)
}

#[test]
fn what_is_compared_is_killed_and_what_is_right_is_shown_to_be() {
    let found = campaign(SMALL, &SmallRuns::new(true), true).unwrap();
    let of = |after: &str| {
        let judged = found.mutants.iter().find(|judged| judged.mutant.after == after);
        &judged.unwrap_or_else(|| panic!("no mutant is `{after}`")).outcome
    };
    assert_eq!(found.survivors().count(), 0, "{:?}", found.survivors().next());
    assert!(matches!(of("wire is_last = digit == 4'd8;"), Outcome::Killed { port, .. } if port == "digit"));
    assert!(matches!(of("if (!(up)) begin"), Outcome::Killed { .. }));
    // never both, so that the other operator is the same
    assert!(matches!(of("wire moves = steps ^ wraps;"), Outcome::Equivalent { .. }));
    assert_eq!(found.counts(None)["equivalent"], 1);
}

#[test]
fn a_comparison_that_is_blind_has_survivors() {
    let found = campaign(SMALL, &SmallRuns::new(false), false).unwrap();
    let survived: Vec<usize> = found.survivors().map(|judged| judged.mutant.line).collect();
    assert!(survived.contains(&20) && survived.contains(&24), "{survived:?}");
    assert!(survived.iter().all(|line| !LINES_OF_COUNT.contains(line)), "{survived:?}");
    let seen = |judged: &&respray_mutate::outcome::Judged| matches!(judged.outcome, Outcome::Killed { .. });
    assert!(found.mutants.iter().filter(seen).all(|judged| LINES_OF_COUNT.contains(&judged.mutant.line)));
}

#[test]
fn a_text_that_differs_without_any_mutant_is_an_error() {
    let wrong = SMALL.replace("count + 4'd1", "count + 4'd3");
    let error = campaign(&wrong, &SmallRuns::new(true), false).unwrap_err().to_string();
    assert!(error.contains("`count` of the Verilog as it is differs"), "{error}");
}

#[test]
fn a_mutant_by_itself_dies_where_it_does_among_the_others() {
    let found = campaign(SMALL, &SmallRuns::new(true), false).unwrap();
    let all = candidates(SMALL, &sites(SMALL));
    let is_drop = |mutant: &&respray_mutate::mutants::Mutant| mutant.kind == Kind::Drop && mutant.line == 17;
    let mutant = all.iter().find(is_drop).unwrap();
    let judged = found.mutants.iter().find(|judged| judged.mutant == *mutant).unwrap();
    let Outcome::Killed { cycle, port, .. } = &judged.outcome else { panic!("{judged:?}") };
    let options = BuildOptions { quick: true, seed: 3, ..BuildOptions::default() };
    let alone = Model::build(&Source::new("counts", mutant.text(SMALL)), &options).unwrap();
    let seen = SmallRuns::new(true).run(0, alone).unwrap().seen.unwrap();
    assert_eq!((seen.cycle, &seen.port), (*cycle, port));
}

/// A result that counts while it is valid, and an output without a use, made by an instance that is named as the module around it.
const RESULT: &str = "module inner (
    input  wire       clk,
    input  wire       rst,
    input  wire       up,
    output reg        res_valid,
    output reg  [3:0] res_data,
    output reg        toggle
);

    reg [3:0] count;

    always @(posedge clk) begin
        count <= count + 4'd1;
        res_valid <= up;
        res_data <= count;
        toggle <= !toggle;
        if (rst) begin
            toggle <= 1'b0;
            count <= 4'd0;
            res_valid <= 1'b0;
            res_data <= 4'd0;
        end
    end
endmodule

module counts (
    input  wire       clk,
    input  wire       rst,
    input  wire       up,
    output wire       res_valid,
    output wire [3:0] res_data
);

    wire unused_counts_toggle;
    wire unused = unused_counts_toggle;
    inner counts (.clk(clk), .rst(rst), .up(up), .res_valid(res_valid), .res_data(res_data), .toggle(unused_counts_toggle));
endmodule
";

#[test]
fn outputs_have_to_be_equal_where_they_count() {
    let folder = tempfile::tempdir().unwrap();
    let tools = Toolbox::new(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
    let sites = sites(RESULT);
    let equivalence = Equivalence::new(&tools, "counts", RESULT, &sites, folder.path());
    let all = candidates(RESULT, &sites);
    let shown = |kind, after: &str| {
        let mutant = all.iter().find(|mutant| mutant.kind == kind && mutant.after == after);
        equivalence.shown(mutant.unwrap_or_else(|| panic!("no mutant is `{after}`"))).unwrap()
    };
    // behind a reset nothing is valid
    let by = shown(Kind::Reset, "res_data <= 4'd1;");
    assert_eq!(by.as_deref(), Some("induction over `counts`"));
    assert_eq!(shown(Kind::Reset, "res_valid <= 1'b1;"), None);
    assert_eq!(shown(Kind::Reset, "count <= 4'd1;"), None);
    // nobody has a use for it
    assert_eq!(shown(Kind::Reset, "toggle <= 1'b1;").as_deref(), Some("induction over `inner`"));
}
