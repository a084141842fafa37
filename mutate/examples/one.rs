use respray_cosim::nic::{Begun, End, Traffic, golden};
use respray_cosim::verilator::{BuildOptions, Source, build};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_mutate::texts::watched;
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    let config = Config::load(None, &[]).unwrap();
    let generated = catalogue::generate("nic", &config).unwrap();
    let text = watched(&generated).unwrap().unwrap();
    let design = build(&Source::new("nic", text), &BuildOptions { quick: true, ..BuildOptions::default() }).unwrap();
    for seed in args[2]..args[3] {
        let mut end = End::begun(design.model(seed as u32).unwrap(), golden(&config), Begun::FAR).unwrap();
        let r = (|| {
            let mut t = Traffic::begin(&mut end, args[1] as usize, seed)?;
            t.run(args[0])?;
            t.finish()
        })();
        match r { Ok(()) => println!("{seed}: ok {}", end.cycle()), Err(e) => { println!("{seed}: {e}"); for n in ["command_conn","result_status","result_snd_una","result_snd_nxt","result_in_flight","result_bytes_in_flight"] { let a=end.golden().address(n).unwrap(); let mut g = 0; if let Ok(v)=end.read(n) { g=v; } println!("   {n} seen {g:x} conn {:?}", end.golden().scoreboard().connection(a as u16 % 256).snd_una); } } }
        if args.len() > 4 { for r in end.golden().registers() { if let respray_golden::nic::Target::Counter(c) = r.target { print!("{}={} ", r.name, end.golden().counter(c) as i64 - ((1i64<<41) - 24)); } } println!(); }
    }
}
