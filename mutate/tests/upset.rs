//! Campaigns of flips: of cores as they are, and of cores with a fault that only a flip brings about.

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::upsets::{RULES, rules};
use respray_cosim::cores::{CONTRACTS, CORES};
use respray_cosim::lockstep::Compiled as _;
use respray_cosim::lockstep::upset::rules::{At, By, Changes, Memory, Place, Rules, Table, Touch};
use respray_cosim::upset::Wrong;
use respray_cosim::verilator::{BuildOptions, Source, build};
use respray_files::made_from::{MadeFrom, hash};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_mutate::MutateError;
use respray_mutate::texts::watched;
use respray_mutate::upset::campaign::{Campaign, Found, campaign, campaign_of_block};
use respray_mutate::upset::kind::Kind;
use respray_mutate::upset::report::Report;
use respray_mutate::upset::verilog::hittable;
use respray_mutate::verilog::sites;

fn generated(core: &str, sets: &[String]) -> Generated {
    catalogue::generate(core, &Config::load(None, sets).unwrap()).unwrap()
}

/// The smallest that there is of a core on packets, or of the joined block.
fn smallest(core: &str) -> Generated {
    generated(core, &["connections=16", "sack.window=64", "bus_bits=64"].map(String::from))
}

/// A core, in which these texts stand once each, with others in their place.
fn faulty(core: &str, edits: &[(&str, &str)]) -> Generated {
    let mut generated = generated(core, &[]);
    for (before, after) in edits {
        assert_eq!(generated.verilog.matches(before).count(), 1, "{core}: {before}");
        generated.verilog = generated.verilog.replace(before, after);
    }
    generated
}

fn run(generated: &Generated, kind: Kind, runs: u64) -> Campaign {
    campaign(generated, kind, runs, 1, &|_| ()).unwrap()
}

/// How often each of these was found.
fn counted(campaign: &Campaign, wrong: Wrong) -> usize {
    campaign.findings.iter().filter(|found| found.finding.wrong == wrong).count()
}

#[test]
fn flips_harm_nobody_but_their_own_connection() {
    for core in ["ecmp", "bitmap"] {
        let found = run(&generated(core, &[]), Kind::Flip, 200);
        assert_eq!((found.runs, found.found), (200, 0), "{:?}", found.findings);
        assert!(
            found.met > 500 && found.differed > 50,
            "{core}: {} met, {} differed",
            found.met,
            found.differed
        );
        assert!(found.memories.values().all(|hit| hit.flips > 50 && hit.met > 50), "{:?}", found.memories);
    }
}

#[test]
fn a_pipeline_that_stops_on_a_state_that_no_op_leaves_is_found() {
    let stops = "    wire unused = &{1'b0, op_ev, op_ecn};
    reg stopped;
    wire is_odd = pipeline_update_op & !pipeline_before_drawn & (pipeline_before_ev != 16'd0);
    always @(posedge clk) stopped <= (stopped | is_odd) & !rst;
    assign op_ready = is_ready & !stopped;";
    let core = faulty(
        "ecmp",
        &[
            ("    wire unused = &{1'b0, op_ev, op_ecn};", stops),
            (".op_ready(op_ready),", ".op_ready(is_ready),"),
            ("    wire pipeline_op = ", "    wire is_ready;\n    wire pipeline_op = "),
        ],
    );
    let found = run(&core, Kind::Flip, 200);
    assert!(found.found > 3 && counted(&found, Wrong::Wedge) == found.findings.len(), "{:?}", found.findings);
    let first = &found.findings[0];
    assert!(first.finding.says.contains("`op_ready` is 0, not 1"), "{first:?}");
    // the run by itself shows the same
    let alone = campaign(&core, Kind::Flip, 1, first.seed, &|_| ()).unwrap();
    assert_eq!((&alone.findings[0].flip, &alone.findings[0].finding), (&first.flip, &first.finding));
}

#[test]
fn an_engine_that_never_ends_an_op_on_a_state_that_no_op_leaves_is_found() {
    let done = "assign done = (is_found & is_idle) | (in_chosen & !searches) | (ends & searches);";
    let stops = "assign done = (state_drawn | (state_word == 16'd0)) & \
        ((is_found & is_idle) | (in_chosen & !searches) | (ends & searches));";
    let found = run(&faulty("bitmap", &[(done, stops)]), Kind::Flip, 200);
    assert!(found.found > 3 && counted(&found, Wrong::Wedge) == found.findings.len(), "{:?}", found.findings);
    let is_endless = |found: &Found| found.finding.says.starts_with("an op is not done after");
    assert!(found.findings.iter().any(is_endless), "{:?}", found.findings);
    assert!(found.findings.iter().all(|found| found.flip.as_ref().unwrap().memory == "pipeline.control_ram"));
}

#[test]
fn a_flip_that_reaches_another_connection_is_found() {
    let writes = "if (write_enable) words[write_address] <= write_data;";
    let leaks = "if (write_enable) words[write_address ^ {7'd0, !write_data[16] & (write_data != 17'd0)}] <= write_data;";
    let found = run(&faulty("ecmp", &[(writes, leaks)]), Kind::Flip, 2000);
    assert!(found.found > 0 && counted(&found, Wrong::Leak) == found.findings.len(), "{:?}", found.findings);
    assert!(found.findings[0].finding.says.contains("not"), "{:?}", found.findings[0]);
}

#[test]
fn an_answer_in_the_name_of_another_connection_is_found() {
    let names = "assign res_conn = conn;";
    let others = "assign res_conn = conn ^ {7'd0, !state_drawn & (state_word != 16'd0)};";
    let found = run(&faulty("bitmap", &[(names, others)]), Kind::Flip, 200);
    assert!(found.found > 0 && counted(&found, Wrong::Leak) == found.findings.len(), "{:?}", found.findings);
    assert!(found.findings[0].finding.says.contains("in the answer of"), "{:?}", found.findings[0]);
}

#[test]
fn an_init_that_leaves_what_a_flip_made_is_found() {
    let clears = "control_ram_write_data_drawn = 1'b0;";
    let leaves = "control_ram_write_data_drawn = !is_clearing & !state_drawn & (state_word != 16'd0);";
    let found = run(&faulty("bitmap", &[(clears, leaves)]), Kind::Flip, 10_000);
    assert!(found.found > 0 && counted(&found, Wrong::Leak) == found.findings.len(), "{:?}", found.findings);
}

/// Rules by which each op that writes an entry anew spoils another one, so that it never ends.
static ENDLESS: Rules = Rules {
    core: "ecmp",
    tables: &[
        Table { entry: "connection", entries: |config| config.connections },
        Table { entry: "mode", entries: |_| 1 },
    ],
    memories: &[Memory { name: "control_ram", table: 0, place: Place::Above, at: At::Unguarded }],
    ops: &[
        (!(1 << 4), CONNECTION),
        (1 << 4, Touch { changes: Changes::Renews, ..CONNECTION }),
        (1 << 4, Touch { changes: Changes::Always, ..MODE }),
        (1 << 5, Touch { reads: true, changes: Changes::Renews, ..MODE }),
    ],
    visits: &[],
    draws: None,
    counts: &[],
};
const CONNECTION: Touch = Touch { table: 0, by: By::Op("op_conn"), reads: true, changes: Changes::Always };
const MODE: Touch = Touch { table: 1, by: By::Op("op_ecn"), reads: false, changes: Changes::Never };

#[test]
fn what_is_never_written_anew_is_found() {
    let core = generated("ecmp", &[]);
    let made = hittable("ecmp", &core.verilog, &sites(&core.verilog));
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    let design = build(&Source::new("ecmp", made.verilog), &options).unwrap();
    let model = design.model(1).unwrap();
    let upset = EcmpCore::upset(&core, model, &ENDLESS, &made.sites, 1).unwrap();
    let finding = upset.finding.unwrap();
    assert_eq!(finding.wrong, Wrong::NotRenewed, "{finding:?}");
    assert!(finding.says.starts_with("spoilt still: "), "{finding:?}");
}

#[test]
fn a_random_generator_that_a_flip_disturbs_is_found() {
    // each draw mixes something else into it
    let mixes = "wire [15:0] mixed_in = absorb ? seed : 16'd0;";
    let found =
        run(&faulty("ecmp", &[(mixes, "wire [15:0] mixed_in = absorb ? seed : 16'd1;")]), Kind::Flip, 1);
    assert!(found.findings[0].finding.says.contains("random generator"), "{:?}", found.findings);
}

#[test]
fn resets_that_leave_an_op_in_the_pipeline_are_found() {
    let kinds = [Kind::Reset, Kind::State, Kind::Stall];
    for kind in kinds {
        let found = run(&generated("ecmp", &[]), kind, 50);
        assert_eq!((found.runs, found.found), (50, 0), "{}: {:?}", kind.word(), found.findings);
    }
    let keeps = faulty("ecmp", &[("            update_valid <= 1'b0; update <= NO_OP; ", "            ")]);
    assert!(run(&keeps, Kind::Reset, 50).found > 0);
}

#[test]
fn flips_in_queues_harm_only_the_packets_that_are_in_them() {
    for core in ["rewrite_tx", "shim_pop"] {
        let found = run(&smallest(core), Kind::Flip, 200);
        assert_eq!((found.runs, found.found), (200, 0), "{core}: {:?}", found.findings);
        assert!(found.met > 20, "{core}: {} met", found.met);
    }
}

#[test]
fn a_queue_whose_flipped_bit_gives_packets_the_plans_of_others_is_found() {
    let mut core = smallest("rewrite_tx");
    let voted = "assign read_data = {stored[8:1], voted};";
    assert_eq!(core.verilog.matches(voted).count(), 1);
    core.verilog = core.verilog.replace(voted, "assign read_data = stored[8:0];");
    let found = run(&core, Kind::Flip, 600);
    assert!(found.found > 0, "{found:?}");
    let is_of_last = |found: &Found| {
        found.flip.as_ref().is_some_and(|flip| flip.memory == "outlet.keeps" && flip.bit == 0)
    };
    assert!(found.findings.iter().all(is_of_last), "{:?}", found.findings);
}

#[test]
fn whatever_flips_in_the_joined_block_connections_that_are_opened_anew_work() {
    let core = smallest("nic");
    let found = run(&core, Kind::Flip, 60);
    assert_eq!((found.runs, found.found), (60, 0), "{:?}", found.findings);
    assert!(found.met > 3, "{} met", found.met);
    for kind in [Kind::Reset, Kind::State, Kind::Stall] {
        let found = run(&core, kind, 4);
        assert_eq!((found.runs, found.found), (4, 0), "{}: {:?}", kind.word(), found.findings);
    }
}

#[test]
fn a_joined_block_whose_connections_cannot_be_opened_is_found() {
    let core = smallest("nic");
    let text = watched(&core).unwrap().unwrap();
    let written = "changed <= (done & !refused) | fill_done;";
    assert_eq!(text.matches(written).count(), 1);
    let text = text.replace(written, "changed <= done & !refused;");
    let found = campaign_of_block(&core, text, Kind::Flip, 1, 1).unwrap();
    assert_eq!(counted(&found, Wrong::Wedge), 1, "{:?}", found.findings);
    assert!(found.findings[0].finding.says.contains("open anew"), "{:?}", found.findings);
}

#[test]
fn every_memory_belongs_to_somebody_and_keeps_the_lines_of_the_text() {
    for core in CORES {
        let generated = generated(core, &[]);
        let config = &generated.manifest.config;
        let (rules, text) = (rules(core).unwrap(), &generated.verilog);
        let made = hittable(core, text, &sites(text));
        assert_eq!(made.verilog.lines().count(), text.lines().count(), "{core}");
        assert_eq!(made.sites.len(), generated.manifest.memories.len(), "{core}: {:?}", made.sites);
        for site in &made.sites {
            let memory = rules.memory(&site.module).unwrap_or_else(|| panic!("{core}: {}", site.module));
            let entries = (rules.tables[memory.table].entries)(config);
            for address in [0, 1, site.words / 2, site.words - 1] {
                let entry = memory.entry(address, site.words, entries);
                let of_entry = |random| memory.address(entry, random, site.words, entries);
                assert!((0..site.words).any(|random| of_entry(random) == address), "{core}: {address}");
            }
        }
        let contract = CONTRACTS.iter().find(|contract| contract.core == *core).unwrap();
        for touch in rules.ops.iter().map(|(_, touch)| touch).chain(rules.visits) {
            let is_there = match touch.by {
                By::Op(port) => contract.op_fields().any(|field| field.port == port),
                By::Shown(port) => contract.shown_fields().any(|field| field.port == port),
                By::Visit | By::State => true,
            };
            assert!(is_there, "{core}: {touch:?}");
        }
    }
    assert_eq!(RULES.len(), CORES.len());
}

#[test]
fn what_cannot_be_hit_is_refused_in_a_sentence() {
    let refused = |core: &str, set: &str| {
        campaign(&generated(core, &[set.to_string()]), Kind::Flip, 1, 1, &|_| ()).unwrap_err()
    };
    for core in ["sack_rx", "sack_tx"] {
        assert!(matches!(refused(core, "sack.engine=fast"), MutateError::Overlapping { .. }));
    }
    assert!(matches!(refused("caver", "caver.table=per_port"), MutateError::Unruled { .. }));
}

#[test]
fn the_page_shows_the_rules_and_the_findings() {
    let core = faulty(
        "ecmp",
        &[("wire [15:0] mixed_in = absorb ? seed : 16'd0;", "wire [15:0] mixed_in = absorb ? seed : 16'd1;")],
    );
    let found = run(&core, Kind::Flip, 1);
    let made_from = MadeFrom([("ecmp".to_string(), hash(&core.verilog))].into());
    let (commit, date) = ("1234567".to_string(), "2026-01-01".to_string());
    let report = Report::new(vec![found], made_from.clone(), core.manifest.config, commit, date).unwrap();
    assert_eq!(MadeFrom::read(&report.markdown()).unwrap().0, made_from);
    assert!(!report.is_whole());
    let (page, text) = (report.markdown(), report.text());
    let row = "| `flowcut` | `rtt_min_ram` | a class | ack | its connection; its class, if it is answered otherwise | `set_min` |";
    assert!(page.contains(row), "{page}");
    assert!(page.contains("- `ecmp`: leak: seed 1"), "{page}");
    assert!(text.ends_with("FAILED: there are findings\n"), "{text}");
}
