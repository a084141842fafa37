//! Wrappers for shells, each as its shell drives it: frames in both directions, what stands beside them, registers, events, resets.

mod bench;
mod credit;
mod devices;
mod rates;
mod registers;
mod resets;

use respray_golden::hosts::frames;
use respray_golden::paths::End;
use respray_golden::wire::Profile;

use self::bench::{Came, Given, Out, Place, Step, beats};
use self::devices::{corundum, opennic_250mhz, opennic_322mhz, plain};

/// Registers of the block: its identity, bytes that make a SACK due, a setting, and those of commands.
const IDENTITY: u32 = 0x000;
const SACK_THRESHOLD: u32 = 0x094;
const CWND: u32 = 0x098;
const COMMAND_CONN: u32 = 0x100;
const COMMAND_PSN: u32 = 0x104;
const COMMAND: u32 = 0x10c;
const RX_BAD: u32 = 0x2a8;
/// Registers of the window.
const WINDOW: u32 = 0x1000;
const FRAMES_LOST: u32 = 0x100c;
const EVENT_WORDS: [u32; 4] = [0x1010, 0x1014, 0x1018, 0x101c];
/// The bit of the first word that says that a record waits.
const EVENT_VALID: u32 = 1 << 7;
/// Kind of the event that tells of a packet of the host which was not sent.
const REFUSED: u32 = 8;
/// Status of a connection that is not open.
const NOT_OPEN: u32 = 7;
const BROADCAST_BYTES: usize = 14;
/// The tag of frames that the block makes.
const OWN_TAG: u128 = 0xffff;

/// A frame that is not the profile's, told from others by its number.
fn other(number: u32, bytes: usize) -> Vec<u8> {
    let [.., a, b, low] = number.to_be_bytes();
    let head = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, a, b, low, 0x88, 0xb5];
    let rest = (0..bytes - BROADCAST_BYTES).map(|at| (at as u8).wrapping_mul(7).wrapping_add(low));
    head.into_iter().chain(rest).collect()
}

fn data(from: End, conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
    frames::data(Profile::Strack, &frames::Data { from, conn, psn, bytes, ack_request: false, again: false })
}

/// Lengths around those of a beat, and the longest of a network with jumbo frames.
const LENGTHS: [usize; 7] = [60, 63, 64, 65, 128, 9014, 1514];

fn others(sides: impl Fn(usize) -> u128) -> Vec<Given> {
    let frame = |(at, bytes): (usize, &usize)| Given {
        frame: other(at as u32, *bytes),
        side: sides(at),
        gap: [0, 3, 0][at % 3],
    };
    LENGTHS.iter().enumerate().map(frame).collect()
}

/// What is given must come out as it is, with what `side` says beside the frame of that number and length.
fn unchanged(came: &[Came], given: &[Given], side: impl Fn(usize, usize) -> u128) -> Result<(), String> {
    if came.len() != given.len() {
        return Err(format!("{} frames of {}", came.len(), given.len()));
    }
    for (at, (came, given)) in came.iter().zip(given).enumerate() {
        if came.frame != given.frame {
            return Err(format!("frame {at} of {} bytes came with {}", given.frame.len(), came.frame.len()));
        }
        let expected = side(at, given.frame.len());
        if came.side != expected {
            return Err(format!("beside frame {at}: {:x}, not {expected:x}", came.side));
        }
    }
    Ok(())
}

fn sound(out: &Out) -> Result<(), String> {
    if out.broken.is_empty() { Ok(()) } else { Err(out.broken[..out.broken.len().min(3)].join("; ")) }
}

/// Frames both ways, with stalls and without, and registers meanwhile.
fn frames_and_registers(
    place: &Place,
    sides: [&dyn Fn(usize) -> u128; 2],
    expected: [&dyn Fn(usize, usize) -> u128; 2],
    change: impl Fn(String) -> String,
) -> Result<Out, String> {
    let (host, mac) = (others(sides[0]), others(sides[1]));
    let has_window = place.wrapper.folder != "plain";
    let mut script = vec![
        Step::Host(beats(&host[..4])),
        Step::Mac(beats(&mac[..4])),
        Step::Read(IDENTITY),
        Step::Write(CWND, 17),
        Step::Read(CWND),
        Step::Read(0x0fc),
        Step::Stalls(5),
        Step::Host(beats(&host[4..])),
        Step::Mac(beats(&mac[4..])),
        Step::Wait(800),
    ];
    let mut registers = vec![(Some(0x5253_504e), false), (None, false), (Some(17), false), (Some(0), true)];
    if has_window {
        script.extend([
            Step::Read(WINDOW),
            Step::Read(EVENT_WORDS[0]),
            Step::Write(EVENT_WORDS[3], 1),
            Step::Read(0x1040),
        ]);
        registers.extend([(Some(0x5253_5053), false), (Some(0), false), (None, true), (Some(0), true)]);
    }
    let out = place.run(&host, &mac, &script, change);
    sound(&out)?;
    unchanged(&out.to_mac, &host, expected[0]).map_err(|error| format!("to the MAC: {error}"))?;
    unchanged(&out.to_host, &mac, expected[1]).map_err(|error| format!("to the host: {error}"))?;
    if out.registers != registers {
        return Err(format!("registers: {:x?}", out.registers));
    }
    Ok(out)
}

fn size(bytes: usize) -> u128 {
    bytes as u128
}

/// 250 MHz: size, source, destination.
fn of_250mhz(change: impl Fn(String) -> String) -> Result<Out, String> {
    let to_mac = |_, bytes| size(bytes) << 32 | 0x0001 << 16 | 0x0040;
    let to_host = |_, bytes| size(bytes) << 32 | 0x0040 << 16 | 0x0001;
    let given = |at: usize| size(LENGTHS[at]);
    frames_and_registers(&opennic_250mhz(), [&given, &given], [&to_mac, &to_host], change)
}

/// 322 MHz: nothing but an error, which no frame has.
fn of_322mhz(change: impl Fn(String) -> String) -> Result<Out, String> {
    frames_and_registers(&opennic_322mhz(), [&|_| 0, &|_| 0], [&|_, _| 0, &|_, _| 0], change)
}

/// Corundum: the tag above the error, and the timestamp.
fn of_corundum(change: impl Fn(String) -> String) -> Result<Out, String> {
    let tag = |at: usize| (0x100 + at as u128) << 1;
    let stamp = |at: usize| (0x0123_4567_89ab_cdef + at as u128) << 1;
    let out =
        frames_and_registers(&corundum(), [&tag, &stamp], [&|at, _| tag(at), &|at, _| stamp(at)], change)?;
    let completions: Vec<u128> =
        (0..LENGTHS.len() as u128).map(|at| (1000 + at) << 16 | (0x100 + at)).collect();
    if out.completions != completions {
        return Err(format!("completions: {:x?}", out.completions));
    }
    Ok(out)
}

fn of_plain(change: impl Fn(String) -> String) -> Result<Out, String> {
    frames_and_registers(&plain(), [&|_| 0, &|_| 0], [&|_, _| 0, &|_, _| 0], change)
}

#[test]
fn frames_and_registers_pass_the_wrapper_of_opennic_at_250_mhz() {
    of_250mhz(|text| text).unwrap();
}

#[test]
fn frames_and_registers_pass_the_wrapper_of_opennic_at_322_mhz() {
    of_322mhz(|text| text).unwrap();
}

#[test]
fn frames_and_registers_pass_the_wrapper_of_corundum() {
    of_corundum(|text| text).unwrap();
}

#[test]
#[ignore = "registers in streams, which have tests of their own"]
fn frames_and_registers_pass_the_plain_wrapper() {
    of_plain(|text| text).unwrap();
}

/// `from` becomes `to` in the sources, where it must stand once at least.
fn broken(from: &'static str, to: &'static str) -> impl Fn(String) -> String {
    move |text| {
        assert!(text.contains(from), "the sources have no {from}");
        text.replace(from, to)
    }
}

#[test]
fn a_broken_wrapper_is_found() {
    let no_stamp = of_corundum(broken(".s_side(stamps_stamp)", ".s_side(96'd0)"));
    assert!(no_stamp.unwrap_err().contains("to the host: beside frame 0"));
}

#[test]
#[ignore = "ten seconds for what one broken wrapper shows already"]
fn a_broken_wrapper_of_each_shell_is_found() {
    let wrong_size = of_250mhz(broken(
        ".tx_out_size    (m_axis_adap_tx_250mhz_tuser_size[15:0])",
        ".tx_out_size    (m_axis_adap_tx_250mhz_tuser_src[15:0])",
    ));
    assert!(wrong_size.unwrap_err().contains("to the packet adapter"));
    let no_wait = of_250mhz(broken(".m_axis_tready(tx_out_tready)", ".m_axis_tready(1'b1)"));
    assert!(no_wait.is_err());
    let cut = of_322mhz(broken(
        ".tx_in_tlast    (s_axis_adap_tx_322mhz_tlast[0])",
        ".tx_in_tlast    (s_axis_adap_tx_322mhz_tvalid[0])",
    ));
    assert!(cut.unwrap_err().contains("to the MAC"));
    let half =
        of_plain(broken("assign tx_out_tvalid = tx_out_slice_out_valid;", "assign tx_out_tvalid = 1'b0;"));
    assert!(half.unwrap_err().contains("to the MAC: 0 frames"));
}

#[test]
#[ignore = "seconds for a frame that no network has"]
fn a_frame_that_is_too_long_to_be_held_whole_is_dropped_and_the_next_one_passes() {
    let given = |number, bytes| Given { frame: other(number, bytes), side: size(bytes), gap: 0 };
    let frames = [given(1, 100), given(2, 20_000), given(3, 200), given(4, 16_000), given(5, 60)];
    let all = beats(&frames);
    let script =
        [Step::Host(all), Step::Mac(all), Step::Wait(4000), Step::Read(FRAMES_LOST), Step::Read(RX_BAD)];
    let out = opennic_250mhz().run(&frames, &frames, &script, |text| text);
    sound(&out).unwrap();
    assert_eq!(out.registers, [(Some(1), false); 2], "each is counted, and that of the network by the block");
    for came in [out.to_mac, out.to_host] {
        let bytes: Vec<usize> = came.iter().map(|came| came.frame.len()).collect();
        assert_eq!(bytes, [100, 200, 16_000, 60]);
    }
}

/// Packets of connections that are not open are refused, and the window tells of each: the words of a record in any order and as
/// often as one likes, until the read of the last word takes it.
fn refused(
    place: &Place,
    side: u128,
    change: impl Fn(String) -> String,
) -> Result<(Out, [Given; 4]), String> {
    let given = |frame, side| Given { frame, side, gap: 0 };
    let host = [
        given(other(1, 100), side),
        given(data(End::A, 3, 77, 200), side + 2),
        given(data(End::A, 4, 99, 200), side + 4),
        given(other(2, 100), side + 6),
    ];
    let [first, .., last] = EVENT_WORDS;
    let mut script = vec![Step::Host(beats(&host)), Step::Wait(1500)];
    script.extend([EVENT_WORDS[2], first].map(Step::Read));
    script.extend(EVENT_WORDS.map(Step::Read));
    script.push(Step::Write(last, 1));
    script.extend(EVENT_WORDS.map(Step::Read));
    // none waits any more, and a read of the last word takes nothing
    script.extend([last, first].map(Step::Read));
    let out = place.run(&host, &[], &script, change);
    sound(&out)?;
    let refused_by_bus: Vec<bool> = out.registers.iter().map(|(_, is_refused)| *is_refused).collect();
    let words: Vec<u32> = out.registers.iter().filter_map(|(word, _)| *word).collect();
    let told = |record: &[u32]| {
        [record[0] & EVENT_VALID, record[0] & 15, record[0] >> 8, record[1], record[2] & 0xffff]
    };
    let expected = |conn, psn| [EVENT_VALID, REFUSED, conn, psn, NOT_OPEN];
    if refused_by_bus.iter().enumerate().any(|(at, refused)| *refused != (at == 6)) {
        return Err(format!("refused are {refused_by_bus:?}"));
    }
    if words[..2] != [words[4], words[2]] {
        return Err(format!("a read of another word than the last changed the record: {words:x?}"));
    }
    if [told(&words[2..6]), told(&words[6..10])] != [expected(3, 77), expected(4, 99)] {
        return Err(format!("records: {:x?}", &words[2..10]));
    }
    if words[10..] != [0, 0] {
        return Err(format!("both are taken, and {:x?} waits", &words[10..]));
    }
    let sent: Vec<Vec<u8>> = out.to_mac.iter().map(|came| came.frame.clone()).collect();
    if sent != [host[0].frame.clone(), host[3].frame.clone()] {
        return Err(format!("{} frames went to the MAC", sent.len()));
    }
    Ok((out, host))
}

#[test]
#[ignore = "that of Corundum shows the same window"]
fn events_are_read_through_the_window_of_opennic() {
    refused(&opennic_250mhz(), 0, |text| text).unwrap();
    refused(&opennic_322mhz(), 0, |text| text).unwrap();
}

#[test]
#[ignore = "seconds for windows that nobody has"]
fn a_window_that_loses_repeats_or_makes_up_a_record_is_found() {
    let found = |from: &'static str, to: &'static str| {
        let change = |text: String| {
            assert!(text.contains(from), "the sources have no {from}");
            text.replace(from, to)
        };
        refused(&opennic_322mhz(), 0, change).map(|_| ()).unwrap_err()
    };
    assert!(found("place == 10'd7;", "place == 10'd4;").contains("changed the record"));
    assert!(found("&& place == 10'd7;", "&& 1'b0;").contains("records"));
    assert!(found("place[2] && !event_tvalid", "1'b0").contains("waits"));
}

#[test]
fn each_frame_of_a_host_of_corundum_is_completed_with_its_tag() {
    let (out, _) = refused(&corundum(), 0x20 << 1, |text| text).unwrap();
    let tags: Vec<u128> = out.to_mac.iter().map(|came| came.side >> 1).collect();
    assert_eq!(tags, [0x20, 0x23], "those that leave have their own tags");
    let mut completions = out.completions.clone();
    completions.sort_unstable();
    assert_eq!(
        completions,
        [0x21, 0x22, 1000 << 16 | 0x20, 1001 << 16 | 0x23],
        "and those that are refused are told"
    );
}

#[test]
fn sacks_of_the_block_have_no_completion_and_frames_for_the_host_keep_their_times() {
    let stamp = |at: u128| (0x5000 + at) << 1;
    let given = |frame, at| Given { frame, side: stamp(at), gap: 0 };
    // data that is new, a packet of a connection that is not open, another frame, and a bad one
    let mut mac = vec![
        given(data(End::B, 1, 100, 300), 0),
        given(data(End::B, 5, 9, 64), 1),
        given(other(4, 80), 2),
        given(other(5, 80), 3),
        given(other(6, 200), 4),
    ];
    mac[3].side |= 1;
    let script = [
        Step::Write(SACK_THRESHOLD, 0),
        Step::Write(COMMAND_CONN, 1),
        Step::Write(COMMAND_PSN, 100),
        Step::Write(COMMAND, 2),
        Step::Mac(beats(&mac)),
        Step::Wait(1000),
    ];
    let out = corundum().run(&[], &mac, &script, |text| text);
    sound(&out).unwrap();
    let came: Vec<Came> =
        [0, 1, 2, 4].map(|at| Came { frame: mac[at].frame.clone(), side: mac[at].side }).into();
    assert_eq!(out.to_host, came);
    assert_eq!(
        out.to_mac.iter().map(|came| came.side).collect::<Vec<_>>(),
        [OWN_TAG << 1],
        "a SACK of the block"
    );
    assert_eq!(out.completions, Vec::<u128>::new());
}

#[test]
fn the_command_reset_tears_no_frame_and_leaves_no_tag_without_a_completion() {
    let given = |at: u128, bytes| Given { frame: other(at as u32, bytes), side: at << 1, gap: 0 };
    let host: Vec<Given> = (0..24).map(|at| given(at, 1500)).collect();
    let mac: Vec<Given> = (0..24).map(|at| given(0x40 + at, 1500)).collect();
    let script = [
        // the registers take no access before each has its value
        Step::Read(IDENTITY),
        Step::Stalls(6),
        Step::Host(beats(&host)),
        Step::Mac(beats(&mac)),
        Step::Wait(150),
        Step::Write(COMMAND, 5),
        Step::Wait(4000),
    ];
    let out = corundum().run(&host, &mac, &script, |text| text);
    sound(&out).unwrap();
    assert!(out.to_host.len() < mac.len(), "the reset came in between");
    for came in &out.to_host {
        let from = &mac[usize::try_from((came.side >> 1) - 0x40).unwrap()];
        assert!(came.frame == from.frame, "a frame of {} bytes with another's time", came.frame.len());
    }
    for came in &out.to_mac {
        let from = &host[usize::try_from(came.side >> 1).unwrap()];
        let is_whole = came.frame == from.frame;
        assert!(is_whole || came.side & 1 == 1, "a frame with the tag of another, or torn without an error");
    }
    let mut tags: Vec<u128> = out.completions.iter().map(|completion| completion & 0xffff).collect();
    tags.sort_unstable();
    assert_eq!(tags, (0..24).collect::<Vec<u128>>(), "each frame is completed once");
}
