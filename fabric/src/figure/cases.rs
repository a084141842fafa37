//! Each figure: its cases, what R says of them, and its claims.

use super::claims::{goodput, lost, max_fct, mean_fct};
use super::{Band, Case, Claim, Figure, Reference};
use crate::record::Record;

const fn reference(
    selector: &'static str,
    max_fct_us: [f64; 3],
    mean_fct_us: f64,
    lost: [f64; 2],
) -> Reference {
    Reference { selector, max_fct_us: Some(max_fct_us), mean_fct_us, lost }
}

const BOTH: &[&str] = &["ops", "reps:uet", "reps:paper"];
const REPS: &[&str] = &["reps:uet", "reps:paper"];
const ALL: &[&str] = &["ops", "reps:uet", "reps:paper", "ecmp"];

const MIB: u64 = 1 << 20;

/// A case with nothing beside its traffic.
const PLAIN: Case = Case {
    name: "",
    title: "",
    topology: "t128x2",
    workload: "tornado:8",
    bytes: 32 * MIB,
    fail: &[],
    set: &[],
    selectors: BOTH,
    watch: false,
    most_seeds: u64::MAX,
    reference: &[],
    paper_us: &[],
};

const THREE_DOWN: &[&str] =
    &["tor0.up0=down@100us:data", "tor0.up1=down@300us:data", "tor0.up2=down@500us:data"];
const FPGA_LINK: &[&str] = &["link:tor0.up0=rate=0.5"];
const FPGA_DOWN: &[&str] = &["link:tor0.up0=down@500us:all"];

/// All figures that there are.
pub const FIGURES: &[Figure] = &[
    Figure {
        number: 1,
        title: "A symmetric network",
        paper: "REPS is about 4 % better; the ports of OPS differ by 15 % in a bin of 20 us and queues may pass Kmax; with REPS every port \
                is at 400 Gb/s and queues stay below Kmin.",
        cases: &[Case {
            name: "1",
            title: "8 hosts of one ToR, 16 MiB each",
            bytes: 16 * MIB,
            selectors: ALL,
            watch: true,
            reference: &[
                reference("ops", [367.2, 363.0, 372.0], 360.2, [0.0, 0.0]),
                reference("reps:uet", [350.7, 350.5, 351.1], 350.6, [0.0, 0.0]),
                reference("ecmp", [881.2, 690.0, 1395.0], 611.8, [274.0, 493.0]),
            ],
            ..PLAIN
        }],
        claims: |results| {
            let mut claims = results.against_reference("1");
            claims.push(results.ratio(
                "1",
                "the longest flow of OPS against REPS",
                max_fct,
                Band::between(1.03, 1.07),
            ));
            claims.extend(results.steadiness("1"));
            claims
        },
    },
    Figure {
        number: 3,
        title: "A link at half its rate",
        paper: "OPS takes 1400 us, REPS 756 us.",
        cases: &[
            Case {
                name: "3",
                title: "8 hosts of one ToR, 32 MiB each, the link of tor0.up0 at 200 Gb/s",
                fail: &["tor0.up0=rate=0.5"],
                selectors: ALL,
                watch: true,
                reference: &[
                    reference("ops", [1353.0, 1321.0, 1387.0], 1278.8, [594.0, 623.0]),
                    reference("reps:uet", [757.8, 744.0, 768.0], 735.2, [12.0, 27.0]),
                    reference("ecmp", [2294.1, 1384.0, 5478.0], 1453.6, [324.0, 599.0]),
                ],
                // 001 section 4.3.2
                paper_us: &[("ops", 1400.0), ("reps:uet", 756.0)],
                ..PLAIN
            },
            Case {
                name: "3'",
                title: "as the paper's script has it: three tiers, 4 hosts of one ToR",
                topology: "t128x3",
                workload: "tornado:4",
                fail: &["tor0.up0=rate=0.5"],
                reference: &[
                    reference("ops", [1416.4, 1371.0, 1457.0], 1371.7, [174.0, 189.0]),
                    reference("reps:uet", [811.7, 802.0, 825.0], 799.0, [37.0, 61.0]),
                ],
                ..PLAIN
            },
        ],
        claims: |results| {
            let mut claims = results.against_reference("3");
            claims.push(results.mean(
                "3",
                "ops",
                "the longest flow of OPS, in us",
                max_fct,
                Band::between(1260.0, 1488.0),
            ));
            claims.push(results.mean(
                "3",
                "reps:uet",
                "the longest flow of REPS, in us",
                max_fct,
                Band::between(682.0, 832.0),
            ));
            claims.extend(results.against_reference("3'"));
            claims
        },
    },
    Figure {
        number: 6,
        title: "Links that fail for some time",
        paper: "REPS is more than 35 % faster and loses less than a 2.5th of the packets; it is off a dead path within an RTO.",
        cases: &[
            Case {
                name: "6",
                title: "8 hosts of one ToR, 32 MiB each; tor0.up1 down from 100 to 200 us, tor0.up3 from 350 to 550 us",
                fail: &["tor0.up1=down@100us..200us:data", "tor0.up3=down@350us..550us:data"],
                watch: true,
                reference: &[
                    reference("ops", [1422.2, 1395.0, 1456.0], 1379.8, [1234.0, 1290.0]),
                    reference("reps:uet", [778.3, 770.0, 789.0], 750.9, [410.0, 441.0]),
                ],
                ..PLAIN
            },
            Case {
                name: "6w",
                title: "the same with the second failure of the paper's simulator, to 600 us, and windows that grow faster from 650 us on",
                fail: &["tor0.up1=down@100us..200us:data", "tor0.up3=down@350us..600us:data"],
                set: &["fabric.fast_increase_ns=650000"],
                reference: &[
                    reference("ops", [1174.8, 1153.0, 1197.0], 1133.1, [1273.0, 1326.0]),
                    reference("reps:uet", [778.3, 770.0, 789.0], 750.9, [410.0, 441.0]),
                ],
                ..PLAIN
            },
            Case {
                name: "6'",
                title: "as the paper's script has it: three tiers, 4 hosts of one ToR",
                topology: "t128x3",
                workload: "tornado:4",
                fail: &["tor0.up1=down@100us..200us:data", "tor0.up3=down@350us..600us:data"],
                set: &["fabric.fast_increase_ns=650000"],
                reference: &[
                    reference("ops", [1309.5, 1277.0, 1330.0], 1272.5, [718.0, 731.0]),
                    reference("reps:uet", [901.4, 878.0, 917.0], 881.1, [451.0, 476.0]),
                ],
                ..PLAIN
            },
        ],
        claims: |results| {
            let mut claims = Vec::new();
            for case in ["6", "6w", "6'"] {
                claims.extend(results.against_reference(case));
            }
            let ratio = results.ratio(
                "6",
                "the longest flow of OPS against REPS",
                max_fct,
                Band::at_least(1.0 / 0.65),
            );
            claims.push(ratio);
            claims.push(results.ratio("6", "the packets that OPS and REPS lose", lost, Band::at_least(2.5)));
            let off = |record: &Record| record.last_into_down_us.unwrap_or(0.0);
            let within = results.with("6", "reps:uet").first().map_or(0.0, |record| record.rto_and_rtt_us());
            claims.push(results.mean(
                "6",
                "reps:uet",
                "us from a failure to the last packet of REPS into the dead port, but for exploring",
                off,
                Band::at_most(within),
            ));
            claims
        },
    },
    Figure {
        number: 9,
        title: "The testbed of FPGAs: goodput",
        paper: "Gb/s of a flow: with one set-up OPS 96.8 and REPS 86.5, with the other 93.3 and 96.75; with a link at half its rate 51.8 and \
                71.5 of 75.",
        cases: &[
            Case {
                name: "9a",
                title: "128 hosts at 100 Gb/s under two ToRs, 32 MiB each",
                topology: "fpga128",
                workload: "tornado",
                reference: &[
                    reference("ops", [2917.5, 2897.0, 2962.0], 2825.4, [199.0, 248.0]),
                    reference("reps:uet", [2821.4, 2814.0, 2828.0], 2765.9, [0.0, 0.0]),
                ],
                ..PLAIN
            },
            Case {
                name: "9b",
                title: "16 hosts at 100 Gb/s, 32 MiB each, one link of four at half its rate, both ways",
                topology: "fpga16",
                workload: "tornado",
                fail: FPGA_LINK,
                reference: &[
                    reference("ops", [5560.6, 5463.0, 5609.0], 5369.7, [246.0, 266.0]),
                    reference("reps:uet", [3798.2, 3728.0, 3850.0], 3623.3, [41.0, 50.0]),
                ],
                ..PLAIN
            },
        ],
        claims: |results| {
            let mut claims = results.against_reference("9a");
            let more = results.value("9a", "reps:uet", goodput) - results.value("9a", "ops", goodput);
            claims.push(Claim::new(
                "9a",
                "Gb/s of a flow that REPS is above OPS",
                more,
                Band::between(1.5, 3.5),
            ));
            claims.extend(results.against_reference("9b"));
            claims.push(results.mean(
                "9b",
                "ops",
                "Gb/s of a flow of OPS",
                goodput,
                Band::between(45.0, 55.0),
            ));
            claims.push(results.mean(
                "9b",
                "reps:uet",
                "Gb/s of a flow of REPS",
                goodput,
                Band::at_least(71.0),
            ));
            claims
        },
    },
    Figure {
        number: 10,
        title: "The testbed of FPGAs: messages of 4 MiB, and a link that fails",
        paper: "Over 4,194,304 messages the mean FCT is 712 us with OPS and 486 us with REPS; with a failed link OPS drops 1,470,000 packets \
                and REPS 28,100 over hundreds of ms.",
        cases: &[
            Case {
                name: "10a",
                title: "16 hosts at 100 Gb/s, 4 MiB each, one link of four at half its rate, both ways",
                topology: "fpga16",
                workload: "tornado",
                bytes: 4 * MIB,
                fail: FPGA_LINK,
                reference: &[
                    reference("ops", [715.5, 695.0, 745.0], 656.9, [155.0, 162.0]),
                    reference("reps:uet", [497.2, 481.0, 523.0], 459.5, [41.0, 50.0]),
                ],
                ..PLAIN
            },
            Case {
                name: "10b",
                title: "128 hosts at 100 Gb/s, 32 MiB each, a link down for good from 500 us on, both ways, control packets too",
                topology: "fpga128",
                workload: "tornado",
                fail: FPGA_DOWN,
                reference: &[
                    reference("ops", [6844.4, 6620.0, 7051.0], 5399.8, [56129.0, 56341.0]),
                    reference("reps:uet", [3226.6, 3181.0, 3259.0], 2988.8, [5619.0, 5678.0]),
                ],
                ..PLAIN
            },
            Case {
                name: "10b, 20 ms",
                title: "the same for 20 ms of outage, freeze 100 us",
                most_seeds: 2,
                ..OUTAGE
            },
            Case {
                name: "10b, 20 ms, freeze 1 ms",
                title: "the same, freeze 1 ms",
                set: &["fabric.end_ns=20500000", "fabric.freeze_timeout_ns=1000000"],
                selectors: REPS,
                ..OUTAGE
            },
            Case {
                name: "10b, 20 ms, freeze 10 ms",
                title: "the same, freeze 10 ms",
                set: &["fabric.end_ns=20500000", "fabric.freeze_timeout_ns=10000000"],
                selectors: REPS,
                ..OUTAGE
            },
        ],
        claims: |results| {
            let mut claims = results.against_reference("10a");
            claims.push(results.ratio(
                "10a",
                "the mean flow of OPS against REPS",
                mean_fct,
                Band::between(1.35, 1.55),
            ));
            claims.extend(results.against_reference("10b"));
            claims.push(results.ratio(
                "10b, 20 ms",
                "the packets that OPS and REPS lose in a ms",
                lost,
                Band::at_least(3.5),
            ));
            claims
        },
    },
    Figure {
        number: 12,
        title: "Few EVs",
        paper: "With 64 K, 256 and 32 EVs a permutation takes OPS 21 % and 64 % longer, REPS 0 and 8 %.",
        cases: &[
            Case {
                name: "12, 64 K EVs",
                title: "a permutation of 128 hosts, 8 MiB each, 65536 EVs",
                reference: &[
                    reference("ops", [197.8, 195.0, 202.0], 186.3, [0.0, 0.0]),
                    reference("reps:uet", [184.5, 184.0, 186.0], 183.0, [0.0, 0.0]),
                ],
                ..FEW
            },
            Case {
                name: "12, 256 EVs",
                title: "the same with 256 EVs",
                set: &["selector.ev_bits=8"],
                reference: &[
                    reference("ops", [239.3, 227.0, 262.0], 194.1, [138.0, 178.0]),
                    reference("reps:uet", [185.4, 184.0, 187.0], 183.2, [0.0, 0.0]),
                ],
                ..FEW
            },
            Case {
                name: "12, 32 EVs",
                title: "the same with 32 EVs",
                set: &["selector.ev_bits=5"],
                reference: &[
                    reference("ops", [297.3, 262.0, 340.0], 215.5, [820.0, 961.0]),
                    reference("reps:uet", [195.8, 191.0, 199.0], 184.5, [0.0, 0.0]),
                ],
                ..FEW
            },
        ],
        claims: |results| {
            let mut claims = Vec::new();
            for case in ["12, 64 K EVs", "12, 256 EVs", "12, 32 EVs"] {
                claims.extend(results.against_reference(case));
            }
            let longer = |case, selector| {
                100.0
                    * (results.value(case, selector, max_fct)
                        / results.value("12, 64 K EVs", selector, max_fct)
                        - 1.0)
            };
            for (case, selector, band) in [
                ("12, 256 EVs", "ops", Band::between(11.0, 31.0)),
                ("12, 32 EVs", "ops", Band::between(40.0, 60.0)),
                ("12, 256 EVs", "reps:uet", Band::at_most(3.0)),
                ("12, 32 EVs", "reps:uet", Band::at_most(10.0)),
            ] {
                let text = format!("% that {selector} takes longer than with 65536 EVs");
                claims.push(Claim::new(case, &text, longer(case, selector), band));
            }
            claims
        },
    },
    Figure {
        number: 19,
        title: "Three of four links down for good",
        paper: "OPS is 40 times worse.",
        cases: &[
            Case {
                name: "19, freeze 10 ms",
                title: "4 hosts of one ToR in three tiers, 32 MiB each; three of its four up-links down from 100, 300 and 500 us on; freeze 10 ms",
                set: &["fabric.freeze_timeout_ns=10000000"],
                selectors: BOTH,
                reference: &[
                    reference("ops", [748_705.0, 731_545.0, 762_000.0], 731_229.0, [79_804.0, 80_921.0]),
                    reference("reps:uet", [1932.9, 1880.0, 1987.0], 1806.7, [510.0, 528.0]),
                ],
                ..DEAD
            },
            Case {
                name: "19, freeze 1 ms",
                title: "the same, freeze 1 ms",
                set: &["fabric.freeze_timeout_ns=1000000"],
                reference: &[reference("reps:uet", [4833.5, 4421.0, 5152.0], 4560.5, [961.0, 979.0])],
                ..DEAD
            },
            Case {
                name: "19, freeze 100 us",
                title: "the same, freeze 100 us",
                reference: &[reference(
                    "reps:uet",
                    [293_334.0, 277_033.0, 301_912.0],
                    274_788.0,
                    [31_662.0, 32_453.0],
                )],
                ..DEAD
            },
            Case {
                name: "19, freeze 100 us, explore 8",
                title: "the same, freeze 100 us, 8 packets explored after it",
                set: &["fabric.bdp_packets=8"],
                reference: &[reference("reps:uet", [1951.2, 1906.0, 2059.0], 1831.6, [765.0, 783.0])],
                ..DEAD
            },
        ],
        claims: |results| {
            let mut claims = Vec::new();
            for case in
                ["19, freeze 10 ms", "19, freeze 1 ms", "19, freeze 100 us", "19, freeze 100 us, explore 8"]
            {
                claims.extend(results.against_reference(case));
            }
            let of = "19, freeze 10 ms";
            claims.push(results.ratio(
                of,
                "the longest flow of OPS against REPS",
                max_fct,
                Band::at_least(40.0),
            ));
            claims
        },
    },
];

/// 20 ms with a dead link.
const OUTAGE: Case = Case {
    topology: "fpga128",
    workload: "tornado",
    bytes: 1 << 30,
    fail: FPGA_DOWN,
    set: &["fabric.end_ns=20500000"],
    most_seeds: 1,
    ..PLAIN
};

/// A permutation.
const FEW: Case = Case { workload: "permutation", bytes: 8 * MIB, ..PLAIN };

/// Three dead links of four.
const DEAD: Case =
    Case { topology: "t128x3", workload: "tornado:4", fail: THREE_DOWN, selectors: REPS, ..PLAIN };
