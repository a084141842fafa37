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
# respray: freeze_timeout=7 bdp_packets=59
time_ns,op,conn,ev,ecn,expect,expect_ev,freeze_timeout,bdp_packets
20,send,6,60437,,,,4,31
48,ack,8,5132,0,,,2,44
63,timeout,5,64040,,,,0,35
82,send,4,43207,,,,0,58
0,reset,,,,,,,
0,reset,,31319,,,,,
103,send,4,2426,1,,,,2
117,send,14,46544,,,,,20
126,send,4,37771,,,,1,
0,reset,,31614,,,,,
0,reset,,,,,,,
0,reset,,63769,,,,,
181,send,7,45089,,,,1,47
223,send,4,59382,,,,5,17
"
    );
    assert_eq!(hashes::<RepsCore>(), [0x1967_bf38_88ed_deef, 0x6dda_c7fe_ff3b_6212, 0x297e_6505_fc31_e2f7]);
}

#[test]
fn traces_of_sack_rx_are_what_they_were() {
    assert_eq!(
        of_random::<SackRxCore>(9, SETS[0], 5, 14),
        "\
# respray: sack_threshold=65424
op,conn,psn,bytes,ecn,ev,timestamp,ack_request,probe,sack_threshold
init,4,13616874,3469,,60437,26660,,1,29528
init,7,16777173,1045,,27966,61210,,,
packet,7,16777173,314,,14882,40816,,,17309
init,10,13889151,2743,1,30667,22853,,,65321
init,5,1052417,3988,,46544,59054,,1,40301
packet,7,16777174,973,,54147,38923,,,17703
reset,,,,,,,,,
reset,,,,,,,,,
reset,,,,,,,,,
reset,,,,,,,,,
init,5,16777090,672,,25574,4974,,,28388
packet,5,16777090,2704,,25910,16256,,,18351
packet,5,16777153,537,,13248,34861,1,,63327
init,4,16777114,751,,4232,60196,,,539
"
    );
    assert_eq!(hashes::<SackRxCore>(), [0x1bf3_76e5_a72a_798a, 0xee74_563c_1c05_8a77, 0x7962_ef62_fb53_2ac1]);
}

#[test]
fn traces_of_sack_tx_are_what_they_were() {
    assert_eq!(
        of_random::<SackTxCore>(9, SETS[0], 10, 14),
        "\
# respray: cwnd_packets=12 probe_timeout=31 probe_rtt=4 rto=60499 rto_backoff_max=0
now,op,conn,psn,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,cwnd_packets,probe_timeout,probe_rtt,rto,rto_backoff_max
162,init,15,16777092,,,,,,,,10,,5,51530,2
188,init,3,16777213,,,,,,,,2,20,13,33297,3
280,init,14,16777141,,,,,,,,,22,1,21858,
422,next_rtx,14,2984102,,,,,,,,6,13,7,46363,
623,init,6,16101368,,,,,,,,13,,9,42145,2
789,next_rtx,3,8119966,,,,,,,,14,27,12,6120,3
850,next_rtx,6,12066305,,,,,,,,1,24,,25178,
1006,sack,6,16324044,16101368,16101312,0xffffffffffffff,0,0,65065,0,,25,,,
1173,init,10,16777112,,,,,,,,3,3,12,35790,2
1276,sack,15,10973299,16777092,16777088,0xf,0,0,64701,0,3,7,7,32342,3
1424,init,2,16777144,,,,,,,,4,1,,12960,2
1589,next_rtx,15,3153033,,,,,,,,9,16,15,51856,
,reset,,,,,,,,,,,,,,
1757,reserved6,14,333256,,,,,,,,8,5,9,45416,
"
    );
    assert_eq!(hashes::<SackTxCore>(), [0xbb2c_d866_8df0_62fa, 0xd7b1_db94_c92b_72d6, 0x25bf_cff6_4d22_2083]);
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
