use respray_hdl::config::Config;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let config = Config::load(None, &args[1..]).unwrap();
    match respray_hdl::cores::generate(&args[0], &config) {
        Ok(g) => match std::env::var("OUT") { Ok(dir) => { std::fs::write(format!("{dir}/{}.v", args[0]), &g.verilog).unwrap(); std::fs::write(format!("{dir}/{}.json", args[0]), g.manifest.json()).unwrap(); } _ => println!("{}", g.verilog) },
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}
