use respray_hdl::{config::Config, cores::generate};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    for w in a[3].split(',') {
        for p in a[4].split(',') {
            let c = Config::load(None, &[format!("bus_bits={w}"), format!("wire={p}")]).unwrap();
            let g = generate(&a[2], &c).unwrap();
            std::fs::write(format!("{}/{}_{w}_{p}.v", a[1], a[2]), g.verilog).unwrap();
        }
    }
}
