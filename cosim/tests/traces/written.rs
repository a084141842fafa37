//! Traces are written byte for byte as earlier versions wrote them.

use respray_cosim::traffic::random::Knobs as _;

use super::*;

fn text<C: OpCore>(trace: &OpTrace<C::Op>) -> String {
    let mut text = Vec::new();
    trace.format(C::CONTRACT, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The text of the first entries of a random stream.
fn of_random<C: OpCore>(seed: u64, sets: &[&str], ops_per_reset: u64, entries: usize) -> String {
    let config = config(sets);
    let mut knobs = C::Knobs::new(config.connections);
    knobs.set(&format!("ops_per_reset={ops_per_reset}"), config.connections).unwrap();
    let entries: Vec<_> = C::random(seed, &knobs, &config).take(entries).collect();
    text::<C>(&OpTrace::of_entries(C::CONTRACT, &entries, &[]))
}

const SETS: [&[&str]; 3] = [
    &["connections=16", "reps.time_bits=16", "sack.window=64"],
    &[],
    &["connections=16384", "sack.window=512"],
];

/// A hash of 20,000 lines in three configurations.
fn hashes<C: OpCore>() -> [u64; 3] {
    std::array::from_fn(|index| {
        let text = of_random::<C>(5 + index as u64, SETS[index], 2000, 20_000);
        let add =
            |hash: u64, byte: u8| (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        text.bytes().fold(0, add)
    })
}

#[test]
fn traces_of_reps_are_what_they_were() {
    assert_eq!(
        of_random::<RepsCore>(9, SETS[0], 3, 14),
        "\
# respray: freeze_timeout=69 bdp_packets=111
time_ns,op,conn,ev,ecn,expect,expect_ev,freeze_timeout,bdp_packets
3,ack,7,47284,0,,,88,6
5,ack,7,64379,0,,,,90
7,ack,15,50922,0,,,70,102
9,ack,7,27966,0,,,,32
0,reset,,5092,,,,,
0,reset,,31319,,,,,
10,ack,5,2426,1,,,63,2
12,ack,14,46544,0,,,7,20
13,send,5,37771,,,,41,59
0,reset,,31614,,,,,
0,reset,,,,,,,
0,reset,,63769,,,,,
16,ack,4,45089,0,,,73,
18,ack,5,59382,0,,,77,81
"
    );
    assert_eq!(hashes::<RepsCore>(), [0x5211_bc83_0bda_b07d, 0x7d47_d281_fbc8_d14a, 0x805f_d3b2_479a_4bf6]);
}

#[test]
fn traces_of_sack_rx_are_what_they_were() {
    assert_eq!(
        of_random::<SackRxCore>(9, SETS[0], 5, 14),
        "\
# respray: sack_threshold=3984
op,conn,psn,bytes,ecn,ev,timestamp,probe,sack_threshold
init,15,16777116,5487,,47284,62161,1,2743
packet,1,0,6545,,50922,65487,,3346
init,4,16777173,5141,,27966,61210,,
packet,4,16777173,314,,14882,40816,,925
packet,15,16777116,6839,1,30667,22853,,3881
init,5,16777175,6156,1,31319,5949,,3101
reset,,,,,,,,
reset,,,,,,,,
reset,,,,,,,,
reset,,,,,,,,
init,4,124865,3009,,17787,44468,1,1925
init,10,16777207,1449,1,5972,22591,,2277
packet,4,10138791,7904,1,51198,64519,,2740
packet,10,16777207,2704,,25910,16256,,1967
"
    );
    assert_eq!(hashes::<SackRxCore>(), [0x2107_3878_9570_12fc, 0xdac6_3215_7edc_75bb, 0x4467_1d7b_3f19_2297]);
}

#[test]
fn traces_of_sack_tx_are_what_they_were() {
    assert_eq!(
        of_random::<SackTxCore>(9, SETS[0], 10, 14),
        "\
# respray: cwnd_packets=1 probe_timeout=64032 probe_rtt=1833 rto=8116 rto_backoff_max=3
now,op,conn,psn,bytes,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,cwnd_packets,probe_timeout,probe_rtt,rto,rto_backoff_max
6,sack,15,2717054,,0,0,0x0,0,0,4,0,0,58921,70,2298,
9,init,14,16777157,,,,,,,,,,,408,,1
18,sent,6,0,3408,,,,,,,,,11708,,6839,0
30,sent,14,16777157,662,,,,,,,,0,4822,1009,5474,0
41,sent,14,16777158,398,,,,,,,,,15,1389,3988,
50,sent,14,16777159,8146,,,,,,,,,48031,,1185,2
57,init,15,4640279,,,,,,,,,,41008,1319,973,
57,sent,14,16777160,54684,,,,,,,,0,59516,889,7049,2
60,sent,14,16777161,2215,,,,,,,,,59786,1925,3009,2
65,sent,14,16777162,3946,,,,,,,,,35850,1675,7297,
72,sent,14,16777163,315,,,,,,,,,58531,229,1449,2
87,sent,1,0,533,,,,,,,,,41100,74,6868,
,reset,,,,,,,,,,,,,,,
,reset,,,,,,,,,,,,,,,
"
    );
    assert_eq!(hashes::<SackTxCore>(), [0x9670_0002_511a_1109, 0x253c_fd37_40f7_eef1, 0xccfb_1365_e70c_ee9d]);
}

/// Read and written again, with all that stands before the lines.
fn is_written_as_read<C: OpCore>(wanted: &str) {
    assert_eq!(text::<C>(&parse::<C>(wanted).unwrap()), wanted);
}

#[test]
fn what_a_line_expects_stands_where_it_stood() {
    is_written_as_read::<RepsCore>(
        "# a note\n# respray: seed=7 freeze_timeout=100000 bdp_packets=16\ntime_ns,op,conn,ev,ecn,expect,expect_ev,idle,bdp_packets\n\
         18,ack,3,60134,1,,,,\n44,send,244,,,cached,7,2,0\n50,send,9,5,,explore,,,\n51,reserved6,9,,1,,,,\n52,reset,,9,,,,1,\n",
    );
    is_written_as_read::<SackRxCore>(
        "op,conn,psn,bytes,probe,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes\n\
         init,3,9,0,,,,,,,\npacket,3,9,0,,sack,10,0,0x3ff,0,0\npacket,3,10,5,1,none,,,,,\npacket,3,11,0,,wire,12,0,0x0,0,77\n",
    );
    is_written_as_read::<SackTxCore>(
        "now,op,conn,psn,bytes,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,idle,rto\n\
         2,sent,7,0,0,,,,,,,,300,\n3,sack,7,,,16777215,16777152,0x7fff,12,0,2,1,,0\n4,next_rtx,7,,,,,,,,,,,\n",
    );
}
