//! Development.
use respray_cosim::nic::{End, Traffic, golden};
use respray_cosim::verilator::{BuildOptions, Source, build};
use respray_hdl::config::Config;
use respray_hdl::nic::top::{generate, observed};

fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().expect("out");
    let seeds: u64 = args.next().expect("seeds").parse().expect("n");
    let cycles: u64 = args.next().expect("cycles").parse().expect("n");
    let mut first: u64 = 0;
    let mut sets: Vec<String> = vec![];
    for arg in args {
        match arg.strip_prefix("first=") {
            Some(seed) => first = seed.parse().expect("n"),
            None => sets.push(arg),
        }
    }
    let config = Config::load(None, &sets).unwrap_or_else(|error| panic!("{error}"));
    let made = generate(&config, &Default::default()).unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(&out, &made.verilog).expect("written");
    if seeds == 0 {
        return;
    }
    let verilog = observed(&config).expect("observed");
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    let design =
        build(&Source::new("nic", verilog.as_str()), &options).unwrap_or_else(|error| panic!("{error}"));
    let mut failed = 0;
    for seed in first..first + seeds {
        let model = design.model(1).expect("model");
        let mut end = End::new(model, golden(&config)).unwrap_or_else(|error| panic!("{error}"));
        match Traffic::whole(&mut end, 4, cycles, seed) {
            Ok(()) => {}
            Err(difference) => {
                failed += 1;
                println!("seed {seed}: {difference:?}");
            }
        }
        if seed == first {
            for counter in respray_golden::nic::Counter::ALL {
                print!("{}={} ", counter.name(), end.golden().counter(*counter));
            }
            for register in
                end.golden().registers().iter().filter(|r| r.name.ends_with("_low")).map(|r| r.name.clone())
            {
                print!("{register} ");
            }
            println!();
        }
    }
    println!("{failed} of {seeds} differ");
}
