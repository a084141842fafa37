//! `nic_answer`, generated and in Verilator, against the frames that the golden `nic` makes.

use std::collections::VecDeque;
use std::process::Command;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::traffic::frames::{FrameKnobs, RandomFrames, profile};
use respray_cosim::traffic::pcap::PcapWriter;
use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_golden::nic::headers::{Addressing, Ecn};
use respray_golden::nic::sack;
use respray_golden::rewrite::{self, Extent, ProfileTraffic};
use respray_golden::sack_rx::Sack;
use respray_golden::wire::{Packet, Profile};
use respray_hdl::config::Config;
use respray_hdl::nic::answer::{MODULE, generate};

use crate::stream::tshark::tshark;

/// Cycles without a beat behind which the block has stopped.
const PATIENCE: u64 = 500;
/// Lines that wait at most.
const LINES: usize = 64;
/// Jobs of a random run.
const JOBS: usize = 3000;

/// What is broken in the Verilog, for a text that stands in it once.
const FAULTS: [(&str, &str, &str); 8] = [
    (
        "MAC addresses that are not crossed",
        "is_crossed = is_crossed_table[order_turn_place];",
        "is_crossed = 1'b0;",
    ),
    ("the line of the SACK before", "lines_pop = job_ready &&", "lines_pop = 1'b0 && job_ready &&"),
    ("a line that a probe takes", "job_ready && !job_is_probe;", "job_ready;"),
    ("a carry that is lost", "udp <= udp + {5'd0, halves}", "udp <= udp + {6'd0, halves[15:0]}"),
    (
        "a checksum that stands one pair off",
        "buffer_even_at = last_4 ? udp_sum_at :",
        "buffer_even_at = last_4 ? udp_sum_at + 5'd1 :",
    ),
    (
        "halves of the line of the other kind",
        "probe_even_1 <= !job_is_probe || !takes_even ? 16'd0 :",
        "probe_even_1 <= 1'b0 ? 16'd0 :",
    ),
    (
        "a frame that begins before it is whole",
        "m_axis_tvalid = has_out && (m_axis_tlast || is_whole);",
        "m_axis_tvalid = has_out;",
    ),
    ("a UDP checksum of 0", "is_udp && folded == 17'hffff", "is_udp && folded == 17'h1ffff"),
];

/// A job as its ports have it, and the frame that is to come of it.
struct Job {
    is_probe: bool,
    line: Vec<u8>,
    fields: Vec<(&'static str, u64)>,
    frame: Vec<u8>,
}

fn config(bus_bits: u32, wire: &str) -> Config {
    Config::load(None, &[format!("bus_bits={bus_bits}"), format!("wire={wire}")]).unwrap()
}

fn model(verilog: &str) -> Model {
    Model::build(&Source::new(MODULE, verilog), &BuildOptions { quick: true, ..BuildOptions::default() })
        .unwrap()
}

/// A number near another one, or anywhere.
fn near(random: &mut StdRng, psn: u32) -> u32 {
    let far = [1u32, 40, 0x7fff, 0x8000, 0x8001, 0x40_0000, 0x80_0000][random.random_range(0..7)];
    let psn = match random.random_range(0..8) {
        0 => random.random(),
        1..4 => psn.wrapping_add(random.random_range(0..=far)),
        4..7 => psn.wrapping_sub(random.random_range(0..=far)),
        _ => psn.wrapping_add(far),
    };
    psn & 0xff_ffff
}

/// What `sack_rx` might say of a packet.
fn random_sack(random: &mut StdRng, psn: u32) -> Sack {
    Sack {
        psn: psn & 0xff_ffff,
        epsn: near(random, psn),
        base: near(random, psn) & !63,
        bitmap: random.random(),
        ooo: random.random_range(0..1 << 12),
        bytes_recvd: random.random(),
        ecn: random.random(),
        ev: random.random(),
        timestamp: random.random(),
        probe: random.random(),
    }
}

/// A SACK or a probe for a data packet, with the EV given.
fn job(wire: ProfileTraffic, trigger: &[u8], is_probe: bool, label: bool, sack: &Sack) -> Option<Job> {
    let headers = rewrite::read(trigger, wire, Extent::Whole).ok()??;
    let packet = wire.profile.parse(&trigger[headers.at..]).unwrap();
    if !matches!(packet, Packet::StrackData(_) | Packet::UetRequest(_)) {
        return None;
    }
    let addressing = Addressing::of(trigger, &headers);
    let frame = if is_probe {
        let header = sack::probe(sack.psn, &packet, sack.timestamp).to_bytes();
        let addressing = if label { addressing.labelled(sack.ev) } else { addressing };
        addressing.frame(Ecn::Ect0, sack.ev, wire.udp_port, &header)
    } else {
        let header = sack::answer(sack, &packet).to_bytes();
        addressing.swapped().frame(Ecn::NotEct, sack.ev, wire.udp_port, &header)
    };
    let of_packet = match packet {
        Packet::StrackData(data) => vec![("job_conn", u64::from(data.connection))],
        Packet::UetRequest(request) => vec![
            ("job_conn", request.destination_pdc.into()),
            ("job_source_pdc", request.source_pdc.into()),
            ("job_wire_psn", request.psn.into()),
            ("job_retransmit", request.retransmit.into()),
            ("job_ordered", request.ordered.into()),
        ],
        _ => unreachable!("the profile has no other data"),
    };
    let mut fields = vec![
        ("udp_port", wire.udp_port.into()),
        ("job_is_probe", is_probe.into()),
        ("job_flow_label", label.into()),
        ("job_ev", sack.ev.into()),
        ("job_psn", sack.psn.into()),
        ("job_epsn", sack.epsn.into()),
        ("job_base", sack.base.into()),
        ("job_bitmap", sack.bitmap),
        ("job_ooo", sack.ooo.into()),
        ("job_bytes_recvd", sack.bytes_recvd.into()),
        ("job_ecn", sack.ecn.into()),
        ("job_timestamp", sack.timestamp.into()),
        ("job_probe", sack.probe.into()),
    ];
    fields.extend(of_packet);
    let mut line = trigger[..trigger.len().min(64)].to_vec();
    line.resize(64, 0);
    Some(Job { is_probe, line, fields, frame })
}

fn traffic(config: &Config) -> ProfileTraffic {
    let profile = profile(config);
    ProfileTraffic::of(profile)
}

/// Random jobs. For one in eight a halfword is chosen so that the UDP sum is all ones.
fn jobs(wire: ProfileTraffic, count: usize) -> Vec<Job> {
    let mut random = StdRng::seed_from_u64(17);
    let knobs = FrameKnobs { longest: 200, ..FrameKnobs::clean() };
    let mut frames = RandomFrames::new(5, wire.profile, wire.udp_port, knobs);
    let mut jobs = vec![];
    while jobs.len() < count {
        let trigger = frames.next().unwrap().data;
        let psn = match rewrite::read(&trigger, wire, Extent::Whole) {
            Ok(Some(headers)) => wire.profile.parse(&trigger[headers.at..]).unwrap().psn(),
            _ => continue,
        };
        let (is_probe, label) = (random.random_ratio(1, 3), random.random());
        let mut sack = random_sack(&mut random, psn);
        if is_probe {
            sack.psn = near(&mut random, psn);
        }
        if random.random_ratio(1, 8) {
            let Some(first) = job(wire, &trigger, is_probe, label, &sack) else { continue };
            let checksum = udp_checksum(&first.frame);
            match wire.profile {
                // a SACK of `strack` has its EV twice, and all its frames have a timestamp
                Profile::Strack => sack.timestamp = all_ones(sack.timestamp, checksum),
                Profile::Uet => sack.ev = all_ones(sack.ev, checksum),
            }
        }
        jobs.extend(job(wire, &trigger, is_probe, label, &sack));
    }
    jobs
}

/// The UDP checksum of a frame that a `nic` made, and where it stands.
fn udp_checksum(frame: &[u8]) -> u16 {
    let mut ip = 12;
    while matches!(frame[ip..ip + 2], [0x81, 0x00] | [0x88, 0xa8]) {
        ip += 4;
    }
    let at = ip + 2 + if frame[ip] == 0x08 { 20 } else { 40 } + 6;
    u16::from_be_bytes([frame[at], frame[at + 1]])
}

/// For a halfword of a frame with this checksum the one with which the frame's sum is all ones.
fn all_ones(halfword: u16, checksum: u16) -> u16 {
    let (sum, carry) = halfword.overflowing_add(checksum);
    sum.wrapping_add(carry.into())
}

/// A line as its port has it.
fn words(line: &[u8]) -> Vec<u32> {
    line.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// What a line is while it is nobody's.
fn other(random: &mut StdRng) -> Vec<u32> {
    (0..16).map(|_| random.random()).collect()
}

/// Runs jobs with gaps and stalls; what goes wrong is told.
fn run(config: &Config, verilog: &str, jobs: &[Job], pace: (f64, f64)) -> Result<u64, String> {
    let mut model = model(verilog);
    let bytes = config.bus_bits as usize / 8;
    let mut random = StdRng::seed_from_u64(23);
    let port = |model: &Model, name: &str| model.port(name).unwrap();
    let names = ["rst", "job_valid", "job_ready", "m_axis_tready", "m_axis_tvalid", "m_axis_tlast"];
    let [rst, valid, ready, m_ready, m_valid, m_last] = names.map(|name| port(&model, name));
    let [line_valid, line, probe_line] =
        ["sack_line_valid", "sack_line", "job_probe_line"].map(|name| port(&model, name));
    let (data, keep) = (port(&model, "m_axis_tdata"), port(&model, "m_axis_tkeep"));
    model.set(rst, 1);
    model.set(valid, 0);
    model.set(line_valid, 0);
    model.set(m_ready, 0);
    model.tick();
    model.tick();
    model.set(rst, 0);
    let mut waiting: VecDeque<&Job> = jobs.iter().collect();
    let mut lines: VecDeque<&Job> = jobs.iter().filter(|job| !job.is_probe).collect();
    // lines that went in, and the cycle of the last, and lines that were taken
    let (mut given, mut given_in, mut taken) = (0, 0, 0);
    let (mut is_offered, mut frame, mut seen, mut idle) = (false, vec![], 0, 0);
    let mut kept: Option<(Vec<u32>, u64, u64)> = None;
    while seen < jobs.len() {
        let has_line = given > taken + 1 || given == taken + 1 && model.cycle_count() >= given_in + 2;
        let may_begin = waiting.front().is_some_and(|job| job.is_probe || has_line);
        if !is_offered && may_begin && !random.random_bool(pace.0) {
            let job = waiting[0];
            for (name, value) in &job.fields {
                model.set(port(&model, name), *value);
            }
            model.set_wide(probe_line, &if job.is_probe { words(&job.line) } else { other(&mut random) });
            is_offered = true;
        }
        model.set(valid, is_offered.into());
        let gives = given - taken < LINES && !lines.is_empty() && !random.random_bool(pace.0);
        model.set(line_valid, gives.into());
        match gives.then(|| lines.pop_front()).flatten() {
            Some(job) => {
                model.set_wide(line, &words(&job.line));
                (given, given_in) = (given + 1, model.cycle_count());
            }
            None => model.set_wide(line, &other(&mut random)),
        }
        let takes = !random.random_bool(pace.1);
        model.set(m_ready, (!takes).into());
        model.settle();
        let before = model.get(ready);
        model.set(m_ready, takes.into());
        model.settle();
        if model.get(ready) != before {
            return Err("job_ready follows m_axis_tready".into());
        }
        idle += 1;
        if model.get(m_valid) == 1 {
            let mut words = vec![0; bytes / 4];
            model.get_wide(data, &mut words);
            let beat = (words, model.get(keep), model.get(m_last));
            if kept.is_some_and(|kept| kept != beat) {
                return Err(format!("frame {seen}: a beat changes while it is not taken"));
            }
            kept = (!takes).then_some(beat.clone());
            if takes {
                idle = 0;
                let (words, keep, last) = beat;
                let count = keep.trailing_ones() as usize;
                if keep.checked_shr(count as u32).unwrap_or(0) != 0 || (last == 0 && count != bytes) {
                    return Err(format!("frame {seen}: tkeep {keep:#x}"));
                }
                frame.extend(words.iter().flat_map(|word| word.to_le_bytes()).take(count));
                if last == 1 {
                    if frame != jobs[seen].frame {
                        return Err(format!(
                            "frame {seen}:\nseen     {frame:02x?}\nexpected {:02x?}",
                            jobs[seen].frame
                        ));
                    }
                    frame.clear();
                    seen += 1;
                }
            }
        } else if kept.is_some() {
            return Err(format!("frame {seen}: a beat is withdrawn"));
        } else if bytes == 64 && !frame.is_empty() {
            return Err(format!("frame {seen}: the stream waits for its second beat"));
        }
        if is_offered && model.get(ready) == 1 {
            taken += usize::from(waiting.pop_front().is_some_and(|job| !job.is_probe));
            is_offered = false;
        }
        model.rise();
        if idle > PATIENCE {
            return Err(format!("frame {seen} does not come"));
        }
    }
    Ok(model.cycle_count())
}

#[test]
fn frames_are_those_of_the_golden_nic() {
    frames_are_golden(&[(64, "strack", JOBS), (512, "strack", JOBS)]);
}

#[test]
#[ignore = "the same at every width and in both profiles"]
fn frames_are_those_of_the_golden_nic_in_each_combination() {
    for bus_bits in [64, 128, 256, 512] {
        frames_are_golden(&[(bus_bits, "strack", JOBS), (bus_bits, "uet", JOBS)]);
    }
}

fn frames_are_golden(runs: &[(u32, &str, usize)]) {
    for &(bus_bits, wire, count) in runs {
        let config = config(bus_bits, wire);
        let verilog = generate(&config).unwrap();
        let jobs = jobs(traffic(&config), count);
        let seen = run(&config, &verilog, &jobs, (0.1, 0.3));
        seen.unwrap_or_else(|error| panic!("{bus_bits} {wire}: {error}"));
        let folded = jobs.iter().filter(|job| udp_checksum(&job.frame) == 0xffff).count();
        assert!(folded > count / 12, "{bus_bits} {wire}: {folded} UDP sums of all ones");
    }
}

/// A SACK of `strack` over untagged IPv4 has 78 bytes.
#[test]
fn an_untagged_sack_takes_22_cycles() {
    let config = config(512, "strack");
    let verilog = generate(&config).unwrap();
    let jobs: Vec<Job> =
        jobs(traffic(&config), 400).into_iter().filter(|job| job.frame.len() == 78).collect();
    let cycles = run(&config, &verilog, &jobs, (0.0, 0.0)).unwrap();
    // behind the last one the buffer is emptied; a cycle more for each frame would be seen
    let most = 22 * jobs.len() as u64 + 100;
    assert!(jobs.len() > 100 && cycles <= most, "{} frames in {cycles} cycles", jobs.len());
}

#[test]
#[ignore = "a model of its own"]
fn faults_are_found() {
    let config = config(512, "strack");
    let verilog = generate(&config).unwrap();
    let jobs = jobs(traffic(&config), 400);
    for (what, from, to) in FAULTS {
        assert_eq!(verilog.matches(from).count(), 1, "{what}: `{from}` stands once");
        let broken = verilog.replace(from, to);
        assert!(run(&config, &broken, &jobs, (0.0, 0.2)).is_err(), "{what} is not seen");
    }
}

#[test]
fn no_tool_warns() {
    for wire in ["strack", "uet"] {
        for bus_bits in [64, 512] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(format!("{MODULE}.v"));
            std::fs::write(&path, generate(&config(bus_bits, wire)).unwrap()).unwrap();
            for (program, arguments) in [
                ("verilator", &["--lint-only", "-Wall"][..]),
                ("iverilog", &["-g2005", "-Wall", "-o", "/dev/null"][..]),
            ] {
                match Command::new(program).args(arguments).arg(&path).output() {
                    Ok(output) => {
                        let said = [output.stdout, output.stderr].concat();
                        assert_eq!(String::from_utf8_lossy(&said), "", "{program}, {bus_bits} {wire}");
                    }
                    Err(error) => eprintln!("skipped: {program} does not start ({error})"),
                }
            }
        }
    }
}

/// The golden frames, which the block's are: checksums under the eyes of tshark, and `strack` under those of its dissector.
#[test]
fn tshark_finds_the_checksums_right() {
    for wire in ["strack", "uet"] {
        let wire = traffic(&config(64, wire));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("answers.pcap");
        let mut writer = PcapWriter::create(&path).unwrap();
        let jobs = jobs(wire, 200);
        for (at, job) in jobs.iter().enumerate() {
            writer.write(at as u64, &job.frame).unwrap();
        }
        writer.finish().unwrap();
        let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/wireshark/strack.lua");
        let load = format!("lua_script:{}", script.display());
        let mut arguments = vec!["-X", &load, "-o", "udp.try_heuristic_first:TRUE"];
        arguments.extend([
            "-o",
            "ip.check_checksum:TRUE",
            "-o",
            "udp.check_checksum:TRUE",
            "-E",
            "occurrence=f",
        ]);
        let mut fields = vec!["ip.checksum.status", "udp.checksum.status"];
        if wire.profile == Profile::Strack {
            fields.push("strack.probe");
        }
        let Some(rows) = tshark(&path, &arguments, &fields) else { return };
        assert_eq!(rows.values().sum::<usize>(), jobs.len());
        for (row, _) in rows {
            let values: Vec<&str> = row.split('\t').collect();
            assert!(["", "1"].contains(&values[0]) && values[1] == "1", "{:?}: {row}", wire.profile);
        }
    }
}
