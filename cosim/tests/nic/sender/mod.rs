//! The sender of the `nic`, generated and in Verilator, against the golden reader and the golden rewriter.

mod bench;
mod expect;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs, RandomFrames, profile};
use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_tx::Params;
use respray_golden::wire::uet;
use respray_hdl::config::Config;
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::nic::sender::block;

use bench::{Bench, Pace};
use expect::{DROP, Expected, Given, Grant, PASS, REWRITE, expected};

/// Cycles between a request and its grant, at most.
const DELAY: u64 = 40;
/// Beats of a frame at 512 bits for which the sender keeps line rate, and so cycles between two grants.
const LINE_BEATS: usize = 24;

const MODULE: &str = "nic_sender";

fn generate(config: &Config) -> String {
    let options = EmitOptions { module: MODULE, ..EmitOptions::default() };
    verilog(block(config).unwrap().as_ref(), &options).unwrap()
}

fn config(bus_bits: u32, wire: &str) -> Config {
    Config::load(None, &[format!("bus_bits={bus_bits}"), format!("wire={wire}")]).unwrap()
}

fn params(config: &Config, flow_label_enable: bool) -> Params {
    let profile = profile(config);
    let wire = ProfileTraffic::of(profile);
    Params { wire, flow_label_enable, beat_bytes: config.bus_bits as usize / 8 }
}

fn model(verilog: &str) -> Model {
    Model::build(&Source::new(MODULE, verilog), &BuildOptions { quick: true, ..BuildOptions::default() })
        .unwrap()
}

/// A halfword, one time in four one whose sums are special.
fn halfword(random: &mut StdRng) -> u16 {
    if random.random_ratio(1, 4) {
        [0, 1, 0xfffe, 0xffff][random.random_range(0..4)]
    } else {
        random.random()
    }
}

/// Random frames of the profile and others, with random answers.
fn random_frames(seed: u64, settings: Params, count: usize, longest: usize) -> Vec<Given> {
    let mut random = StdRng::seed_from_u64(seed);
    let knobs = FrameKnobs { longest, ..FrameKnobs::default() };
    let frames = RandomFrames::new(seed, settings.wire.profile, settings.wire.udp_port, knobs);
    let grant = |random: &mut StdRng| Grant {
        action: [REWRITE, REWRITE, REWRITE, PASS, DROP][random.random_range(0..5)],
        ev: halfword(random),
        timestamp: halfword(random),
        delay: random.random_range(1..=DELAY),
    };
    frames.take(count).map(|frame| Given { data: frame.data, grant: grant(&mut random) }).collect()
}

/// The first difference at any pace, of frames that are mostly as short as frames are, so that many are inside at once, and of long ones
/// behind a reset in their midst. What was expected otherwise.
fn differences(
    config: &Config,
    verilog: &str,
    count: usize,
    turn: impl Fn(&mut Model),
) -> Result<Expected, String> {
    let paces = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.3), (0.0, 0.4, 0.0), (0.3, 0.4, 0.6)];
    let mut all = Expected::default();
    for (seed, (gap, stall, wait)) in (1..).zip(paces) {
        let settings = params(config, seed % 2 == 0);
        let mut model = model(verilog);
        turn(&mut model);
        let mut bench = Bench::new(model, settings);
        for longest in [100, 3000] {
            let frames = random_frames(seed, settings, count, longest);
            let expected = expected(&frames, settings);
            bench.run(&frames, &expected, Pace { gap, stall, wait, seed, turns_inputs: seed == 4 })?;
            bench.abandon(&frames);
            all.events.extend(&expected.events);
            all.requests.extend(&expected.requests);
        }
    }
    Ok(all)
}

fn passes(bus_bits: u32, wire: &str) {
    let config = config(bus_bits, wire);
    let verilog = generate(&config);
    let all = differences(&config, &verilog, 400, |_| {})
        .unwrap_or_else(|found| panic!("{bus_bits} {wire}: {found}"));
    let events = |code| all.events.iter().filter(|event| **event == code).count();
    assert!(
        (0..4).all(|code| events(code) > 200),
        "every event is seen often: {:?}",
        [0, 1, 2, 3].map(events)
    );
    let probes = all.requests.iter().filter(|request| request[0] == 1).count();
    assert_eq!(probes > 100, wire == "strack", "{probes} probes");
}

#[test]
fn random_frames_leave_as_they_were_granted_at_64_bits() {
    passes(64, "strack");
}

#[test]
fn random_frames_of_uet_leave_as_they_were_granted_at_512_bits() {
    passes(512, "uet");
}

#[test]
#[ignore = "more of the same"]
fn random_frames_leave_as_they_were_granted_at_every_width() {
    for bus_bits in [64, 128, 256, 512] {
        passes(bus_bits, "strack");
        passes(bus_bits, "uet");
    }
}

/// Data of the host in frames of as many beats, granted in their order at delays that differ, none above `most`.
fn long_frames(settings: Params, count: usize, most: u64) -> Vec<Given> {
    let mut random = StdRng::seed_from_u64(1);
    let mut frame = |at: usize| {
        let mut draft = Draft {
            tags: 0,
            is_ipv6: at % 2 == 1,
            options: 0,
            real_options: true,
            traffic_class: 0,
            flow_label: 0,
            source_port: 7,
            udp_port: settings.wire.udp_port,
            carried: respray_golden::rewrite::Carried::Udp,
            checksum: Checksum::Right,
            seed: at as u64,
            header: uet::Request { psn: at as u32, ..uet::Request::default() }.to_bytes().to_vec(),
            payload: 0,
        };
        draft.payload = LINE_BEATS * settings.beat_bytes - draft.head_bytes();
        let delay = if at.is_multiple_of(3) { most } else { random.random_range(1..=most) };
        Given { data: draft.frame(), grant: Grant { action: REWRITE, ev: at as u16, timestamp: 0, delay } }
    };
    (0..count).map(&mut frame).collect()
}

/// Behind the first grant a beat leaves in every cycle, and the host never waits; it does where grants take longer than the queue holds.
#[test]
fn frames_of_24_beats_leave_at_line_rate_with_grants_of_40_cycles() {
    const FRAMES: usize = 100;
    let config = config(512, "uet");
    let settings = params(&config, false);
    let mut bench = Bench::new(model(&generate(&config)), settings);
    let mut run = |most: u64| {
        let frames = long_frames(settings, FRAMES, most);
        bench.run(&frames, &expected(&frames, settings), Pace::default()).unwrap()
    };
    let beats = (FRAMES * LINE_BEATS) as u64;
    let at_line_rate = run(DELAY);
    assert_eq!(at_line_rate.held, 0, "the input pauses");
    assert!(at_line_rate.cycles <= beats + DELAY + 20, "{} cycles for {beats} beats", at_line_rate.cycles);
    assert!(run(4 * DELAY).held > 0, "a pause is seen");
}

/// What is wrong, the text of the Verilog at 512 bits that it changes, and what stands there with it. `FAULT` is its number among them,
/// from 1, while it is switched on.
const FAULTS: [(&str, &str, &str); 9] = [
    (
        "connection and fate of a frame slip by one",
        "{token_2_is_dropped, token_2_is_data, token_2_conn}), .read_address(plan_read)",
        "{token_2_is_dropped, token_2_is_data, token_2_conn}), .read_address(plan_read - {4'd0, FAULT})",
    ),
    (
        "a drop swallows the first beat of the next frame",
        "m_axis_tvalid <= outlet_takes && !settler_token_is_dropped;",
        "m_axis_tvalid <= outlet_takes && !settler_token_is_dropped && !(FAULT && !m_axis_tvalid && m_axis_tlast);",
    ),
    (
        "a grant is used twice",
        "read_at <= read_at + {4'd0, pop};",
        "read_at <= read_at + {4'd0, pop && !(FAULT && valid_2)};",
    ),
    (
        "the input does not pause for want of room for frames",
        "outlet_ready && frames < FULL_FRAMES;",
        "outlet_ready && (FAULT || frames < FULL_FRAMES);",
    ),
    (
        "a request has the PSN of the frame behind",
        ".item_psn(request_5_psn)",
        ".item_psn(FAULT ? request_4_psn : request_5_psn)",
    ),
    (
        "a beat that is not taken is lost",
        "wire is_free = !m_axis_tvalid || m_axis_tready;",
        "wire is_free = !m_axis_tvalid || m_axis_tready || FAULT;",
    ),
    ("what goes beside a beat does not wait with it", "if (is_free) begin", "if (is_free || FAULT) begin"),
    ("a reset leaves frames behind", "frames_in <= 6'd0;", "frames_in <= FAULT ? frames_in : 6'd0;"),
    (
        "EV and timestamp add without their carry",
        "both_1[15:0] + {15'd0, both_1[16]}",
        "both_1[15:0] + {15'd0, both_1[16] && !FAULT}",
    ),
];

/// The Verilog with a switch for the faults: an input `fault` of the top, which all modules see.
fn faulty(verilog: String) -> String {
    let head = format!("module {MODULE} (\n");
    let with_switch = format!("{head}    input wire [3:0] fault,\n");
    let replaced = |verilog: String, text: &str, other: &str| {
        assert_eq!(verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
        verilog.replace(text, other)
    };
    (1..).zip(FAULTS).fold(replaced(verilog, &head, &with_switch), |verilog, (number, (_, text, wrong))| {
        replaced(verilog, text, &wrong.replace("FAULT", &format!("({MODULE}.fault == 4'd{number})")))
    })
}

#[test]
#[ignore = "a model of its own"]
fn faults_are_found() {
    let config = config(512, "strack");
    let verilog = faulty(generate(&config));
    let found = |number: u64| {
        differences(&config, &verilog, 200, |model| {
            let fault = model.port("fault").unwrap();
            model.set(fault, number);
        })
    };
    found(0).expect("nothing is wrong while all are switched off");
    for (number, (what, ..)) in (1..).zip(FAULTS) {
        println!("{what}: {}", found(number).expect_err(what));
    }
}
