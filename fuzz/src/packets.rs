//! Packets through the Verilog of the cores that work on frames, held against their golden models.

use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Pacing, STREAM_CORES, Traffic, probed};
use respray_cosim::traffic::frames::{Frame, Orders};
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

/// The cores that work on frames, compiled.
pub struct Packets {
    cores: Vec<(Generated, &'static Design)>,
}

impl Packets {
    /// The Verilog of each of them is what `change` makes of the generated one.
    ///
    /// # Panics
    /// If a core cannot be generated or compiled.
    pub fn new(change: impl Fn(String) -> String) -> Packets {
        let compiled = |core: &&str| {
            let generated = generate(core, &Config::default()).expect("the default configuration");
            let source = Source::new(core, change(generated.verilog.clone()));
            let options = BuildOptions { quick: true, ..BuildOptions::default() };
            let design = build(&source, &options).expect("the generated Verilog");
            (generated, design)
        };
        Packets { cores: STREAM_CORES.iter().map(compiled).collect() }
    }

    /// A packet goes through each core, and behind it one that is whole, which has to come out as if the first one had not been there. What a core is asked
    /// for the packet is its first bytes.
    ///
    /// # Panics
    /// Where the Verilog and the golden model differ.
    pub fn pass(&self, bytes: &[u8], whole: &[u8]) {
        let Some((asked, data)) = bytes.split_at_checked(8).filter(|(_, data)| !data.is_empty()) else {
            return;
        };
        let word = |at: usize| u16::from_le_bytes([asked[at], asked[at + 1]]);
        let mut orders = Orders::default();
        for (name, value) in [("op", asked[5] & 3), ("kind", asked[6] & 7), ("take_out", asked[7] & 31)] {
            orders.set(name, value.into());
        }
        let frame = |data: &[u8]| Frame {
            input: 0,
            data: data.to_vec(),
            ev: word(0),
            timestamp: word(2),
            enable: asked[4] & 1 == 1,
            orders,
            reset_after: None,
        };
        let traffic = Traffic::Given(vec![frame(data), frame(whole)]);
        for (generated, design) in &self.cores {
            let model = design.model(1).expect("a model");
            let pacing = Pacing::Phases { seed: asked[4].into(), first: 0 };
            let ran = probed(generated, model, &traffic, pacing, RewriterSettings::default());
            let seen = ran.expect("a run").seen;
            assert_eq!(seen, None, "{}: {asked:02x?} {data:02x?}", generated.manifest.module);
        }
    }
}
