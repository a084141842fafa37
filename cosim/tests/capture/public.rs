//! Public captures of real networks, where they are at hand: none is of a profile of ours.

use std::path::{Path, PathBuf};

use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::traffic::capture::{CaptureOps, CaptureOptions, Cut, Info, info};
use respray_golden::psn::PsnSpace;

use super::builder::*;

fn capture(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn figures(name: &str) -> Option<Info> {
    let path = capture(name)?;
    let cut = Cut::Refused;
    let options = CaptureOptions {
        profile: STRACK,
        local: None,
        rto_ns: 1,
        connections: 16,
        psns: PsnSpace::new(24),
        flowcut_time_bits: 16,
        uplinks: 16,
        ports: 32,
        cut,
    };
    let refused =
        CaptureOps::<SelectorListener>::open(&path, &options).err().expect("no frame of ours").to_string();
    assert!(refused.contains("no frame of the strack profile"), "{refused}");
    Some(info(&path, STRACK, cut).unwrap())
}

#[test]
fn a_real_path_with_dualpi2_marking() {
    let Some(info) = figures("l4s_skype_dualpi2.pcap.gz") else { return };
    assert_eq!((info.frames, info.ecn.ce, info.ecn.ect1), (41_655, 4_360, 12_185));
    assert_eq!((info.profile.frames, info.profile.other), (0, info.frames));
    assert!(info.gzipped && info.truncated > 20_000, "{info}");
}

#[test]
fn web_traffic() {
    let Some(info) = figures("zeek_http_206.pcap") else { return };
    assert_eq!((info.frames, info.ipv4 + info.ipv6, info.gzipped), (672, 672, false));
    assert_eq!(info.truncated, 0);
}

#[test]
fn file_server_traffic_with_ect0() {
    let Some(info) = figures("zeek_smb_ect0.pcap") else { return };
    assert_eq!((info.frames, info.ecn.ect0, info.ecn.ce), (220, 124, 0));
}
