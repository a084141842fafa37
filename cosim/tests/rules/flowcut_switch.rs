//! Rules of Flowcut in a switch: 002 sections II-A to C, and what its page settles.

use respray_cosim::cores::flowcut_switch::FlowcutSwitchCore;

use super::holds;

const COLUMNS: [&str; 21] = [
    "now",
    "op",
    "conn",
    "bytes",
    "up",
    "epoch",
    "timestamp",
    "class",
    "serial",
    "port",
    "load",
    "clock",
    "idle",
    "expect",
    "expect_port",
    "expect_epoch",
    "expect_xoff_state",
    "expect_xoff",
    "expect_xon",
    "expect_order_risk",
    "expect_ack_refused",
];

const ALL: &str = "flowcut_switch.pick=all";
const TWO: &str = "flowcut_switch.pick=two";

/// The rule holds with these picks and settings. A line names the columns that it fills; all uplinks are up where it names none.
fn rule(picks: &[&str], settings: &str, lines: &str) {
    let row = |line: &str| {
        let named: Vec<(&str, &str)> =
            line.split_whitespace().map(|word| word.split_once('=').expect("column=value")).collect();
        assert!(named.iter().all(|(name, _)| COLUMNS.contains(name)), "{line}");
        let value = |column: &str| named.iter().find(|(name, _)| *name == column).map(|(_, value)| *value);
        let is_data = value("op") == Some("data");
        let cells = COLUMNS.map(|column| match (column, value(column)) {
            (_, Some(value)) => value,
            ("up", None) if is_data => "0xff",
            ("conn", None) => "0",
            (_, None) => "",
        });
        cells.join(",")
    };
    let rows: Vec<String> = lines.trim().lines().map(row).collect();
    let text = format!("# respray: {settings}\n{}\n{}\n", COLUMNS.join(","), rows.join("\n"));
    for pick in picks {
        holds::<FlowcutSwitchCore>(&text, &["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8", pick]);
    }
}

#[test]
fn packets_go_one_way_while_bytes_are_on_their_way() {
    rule(
        &[ALL, TWO],
        "ratio=63",
        "
now=0 op=data conn=3 bytes=1000 up=0x10 expect=new expect_port=4 expect_epoch=1
now=1 op=data conn=3 bytes=500 expect=same expect_port=4 expect_epoch=1
now=2 op=ack conn=3 bytes=1000 epoch=1 timestamp=0 expect_xoff=0 expect_xon=0 expect_ack_refused=0
now=3 op=data conn=3 bytes=500 up=0x30 expect=same expect_port=4 expect_epoch=1
now=4 op=ack conn=3 bytes=1000 epoch=1 timestamp=3 expect_xoff=0 expect_xon=0 expect_ack_refused=0
now=5 op=data conn=3 bytes=1 up=0x20 expect=new expect_port=5 expect_epoch=2
now=6 op=data conn=4 bytes=1 up=0x02 expect=new expect_port=1 expect_epoch=1
",
    );
}

#[test]
fn a_flowcut_takes_the_least_loaded_uplink_of_those_that_are_up() {
    rule(
        &[ALL],
        "ratio=63",
        "
now=0 op=load port=0 load=9
now=0 op=load port=1 load=8
now=0 op=load port=2 load=200
now=0 op=load port=3 load=9
now=0 op=load port=4 load=72
now=0 op=load port=5 load=40
now=0 op=load port=6 load=10
now=0 op=load port=7 load=255
now=1 op=data conn=0 bytes=10 expect=new expect_port=1
now=1 op=load port=6 load=7
now=1 op=data conn=1 bytes=10 expect=new expect_port=6
now=1 op=load port=6 load=73
now=1 op=data conn=2 bytes=10 up=0xd4 expect=new expect_port=4
now=1 op=data conn=3 bytes=10 up=0x84 expect=new expect_port=2
now=1 op=data conn=4 bytes=10 up=0x80 expect=new expect_port=7
",
    );
}

#[test]
fn without_an_uplink_there_is_no_route_and_nothing_changes() {
    rule(
        &[ALL, TWO],
        "ratio=63",
        "
now=0 op=data conn=1 bytes=10 up=0x0 expect=no_route
now=0 op=data conn=1 bytes=10 up=0x04 expect=new expect_port=2 expect_epoch=1
now=0 op=data conn=1 bytes=90 up=0x0 expect=no_route
now=0 op=ack conn=1 bytes=11 epoch=1 expect_ack_refused=1
now=0 op=ack conn=1 bytes=10 epoch=1 expect_ack_refused=0
now=0 op=data conn=1 bytes=10 up=0x08 expect=new expect_port=3 expect_epoch=2
",
    );
}

#[test]
fn an_uplink_that_goes_down_is_left_at_a_risk_and_its_average_forgotten() {
    rule(
        &[ALL, TWO],
        "ratio=4",
        "
now=0 op=set_min timestamp=100 class=2
now=0 op=data conn=1 bytes=10 up=0x04 expect=new expect_port=2 expect_epoch=1 expect_order_risk=0
now=201 op=ack conn=1 bytes=1 epoch=1 timestamp=1 class=2 expect_xoff=0 expect_ack_refused=0
now=201 op=data conn=1 bytes=10 up=0x08 expect=forced expect_port=3 expect_epoch=1 expect_order_risk=1
now=402 op=ack conn=1 bytes=1 epoch=1 timestamp=201 class=2 expect_xoff=1 expect_ack_refused=0
now=402 op=data conn=1 bytes=10 up=0x0c expect=same expect_port=3 expect_epoch=1 expect_order_risk=0
",
    );
}

#[test]
fn an_ack_of_another_flowcut_or_of_more_than_is_on_its_way_is_refused() {
    rule(
        &[ALL, TWO],
        "ratio=63",
        "
now=0 op=ack conn=1 bytes=0 epoch=0 expect_ack_refused=1
now=0 op=data conn=1 bytes=100 expect=new expect_epoch=1
now=0 op=ack conn=1 bytes=1 epoch=0 expect_ack_refused=1
now=0 op=ack conn=1 bytes=1 epoch=2 expect_ack_refused=1
now=0 op=ack conn=1 bytes=101 epoch=1 expect_ack_refused=1
now=0 op=ack conn=1 bytes=99 epoch=1 expect_ack_refused=0
now=0 op=ack conn=1 bytes=2 epoch=1 expect_ack_refused=1
now=0 op=ack conn=1 bytes=1 epoch=1 expect_ack_refused=0
now=0 op=ack conn=1 bytes=0 epoch=1 expect_ack_refused=1
now=0 op=data conn=1 bytes=100 expect=new expect_epoch=2
now=0 op=ack conn=1 bytes=1 epoch=1 expect_ack_refused=1
",
    );
}

/// The average of one sample is that sample; a limit that is just met is not hot. A host that does not pause is served on.
#[test]
fn a_hot_average_pauses_the_host_and_the_last_byte_lets_it_go_on() {
    rule(
        &[ALL, TWO],
        "ratio=8",
        "
now=0 op=set_min timestamp=100
now=0 op=data conn=5 bytes=1000 expect=new expect_xoff_state=0
now=400 op=ack conn=5 bytes=10 epoch=1 timestamp=0 expect_xoff=0 expect_xon=0 expect_ack_refused=0
now=401 op=data conn=6 bytes=100 up=0x02 expect=new expect_port=1 expect_xoff_state=0
now=802 op=ack conn=6 bytes=10 epoch=1 timestamp=401 expect_xoff=1 expect_xon=0 expect_ack_refused=0
now=803 op=data conn=6 bytes=10 expect=same expect_port=1 expect_xoff_state=1
now=804 op=ack conn=6 bytes=99 epoch=1 timestamp=803 expect_xoff=0 expect_xon=0 expect_ack_refused=0
now=805 op=ack conn=6 bytes=1 epoch=1 timestamp=803 expect_xoff=0 expect_xon=1 expect_ack_refused=0
now=806 op=data conn=6 bytes=10 expect=new expect_epoch=2 expect_xoff_state=0
now=807 op=ack conn=6 bytes=1 epoch=2 timestamp=806 expect_xoff=0 expect_xon=0 expect_ack_refused=0
",
    );
}

#[test]
fn an_rtt_below_the_floor_is_no_sample_and_classes_have_minimums_of_their_own() {
    rule(
        &[ALL, TWO],
        "ratio=2 rtt_floor=100",
        "
now=0 op=set_min timestamp=50 class=7
now=0 op=data conn=1 bytes=1000 expect=new
now=0 op=data conn=2 bytes=1000 expect=new
now=1000 op=ack conn=1 bytes=1 epoch=1 timestamp=921 class=7 serial=20 expect_xoff=0 expect_ack_refused=0
now=1000 op=ack conn=1 bytes=1 epoch=1 timestamp=880 class=6 serial=20 expect_xoff=0 expect_ack_refused=0
now=1000 op=ack conn=2 bytes=1 epoch=1 timestamp=880 class=7 serial=20 expect_xoff=1 expect_ack_refused=0
",
    );
}

/// More bytes than the count holds are not known any more: the next ACK drains the bucket, and none empties it.
#[test]
fn a_saturated_bucket_drains_at_its_next_ack_and_no_ack_empties_it() {
    let mut lines = "now=0 op=data conn=9 bytes=16383 expect=new expect_epoch=1\n".to_string();
    lines.push_str(&"now=0 op=data conn=9 bytes=16383 expect=same\n".repeat(1023));
    lines.push_str(
        "now=0 op=data conn=9 bytes=1023 expect=same
now=0 op=ack conn=9 bytes=0 epoch=1 timestamp=0 expect_xoff=0 expect_ack_refused=0
now=0 op=data conn=9 bytes=1 expect=same
now=0 op=ack conn=9 bytes=0 epoch=1 timestamp=0 expect_xoff=1 expect_ack_refused=0
now=0 op=ack conn=9 bytes=16777215 epoch=1 timestamp=0 expect_xoff=0 expect_xon=0 expect_ack_refused=0
now=0 op=data conn=9 bytes=1 expect=same expect_xoff_state=1",
    );
    rule(&[ALL, TWO], "ratio=63", &lines);
}

/// The walker comes to bucket 0 in cycle 16 after the memories are cleared, and from then on once in 16 times 512 cycles.
#[test]
fn a_silent_bucket_is_emptied_when_the_walker_comes() {
    for (silence, after) in [(8, "same expect_epoch=1"), (9, "new expect_epoch=2")] {
        let late = 250 + silence - 256;
        rule(
            &[ALL, TWO],
            "ratio=63 entry_timeout=8",
            &format!(
                "
now=0 op=data conn=0 bytes=10 clock=250 expect=new expect_epoch=1
now=0 op=set_min timestamp=9 class=1 clock={late} idle=20
now=0 op=data conn=0 bytes=10 clock={late} expect={after}"
            ),
        );
    }
}

/// Ages count rounds of the walker in which 16 ticks have passed: a flowcut of two of them is drained where the setting says two.
#[test]
fn an_old_flowcut_is_drained() {
    for (drain_after, state) in [(1, 1), (2, 0), (0, 0)] {
        rule(
            &[ALL, TWO],
            &format!("ratio=63 entry_timeout=255 drain_after={drain_after}"),
            &format!(
                "
now=0 op=data conn=0 bytes=10 clock=15 expect=new expect_xoff_state=0
now=0 op=set_min timestamp=9 class=1 clock=16 idle=20
now=0 op=data conn=0 bytes=10 clock=16 expect=same expect_xoff_state={state}"
            ),
        );
    }
}
