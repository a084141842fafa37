use respray_cosim::verilator::{BuildOptions, Source, build};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_mutate::runs::{Plan, runs};
use respray_mutate::texts::watched;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let want = args.first().cloned().unwrap_or_default();
    let stage: usize = args.get(1).map_or(3, |s| s.parse().unwrap());
    let seed: u64 = args.get(2).map_or(1, |s| s.parse().unwrap());
    let generated = catalogue::generate("nic", &Config::load(None, &[]).unwrap()).unwrap();
    let text = watched(&generated).unwrap().unwrap();
    let design = build(&Source::new("nic", text), &BuildOptions { quick: true, ..BuildOptions::default() }).unwrap();
    let plan = Plan { cycles: 10_000_000, seed, recordings: "tb/recordings".into() };
    let runs = runs(&generated, &plan).unwrap();
    for (n, round) in runs.rounds().iter().enumerate() {
        if !round.says.contains(&want) || round.stage > stage { continue; }
        let t = Instant::now();
        let seen = runs.run(n, design.model(round.seed as u32).unwrap()).unwrap().seen;
        println!("{n} stage {} {}: {:?} {:?}", round.stage, round.says, t.elapsed(), seen.map(|s| (s.cycle, s.port)));
    }
}
