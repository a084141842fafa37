//! Frames that the host grants: what goes without a grant, and what grants are taken.

use respray_golden::nic::{Config, Counter, Kind, MOST_AHEAD, MOST_OWED, Nic};
use respray_golden::wire::Profile;

use super::{arriving, command, config, events, kinds, opened, read, write};

fn granting(profile: Profile) -> Nic {
    opened(Config { rx_credit: true, ..config(profile) }, 100)
}

fn come(nic: &mut Nic, profile: Profile, psns: std::ops::Range<u32>) {
    psns.for_each(|psn| nic.receive(arriving(profile, psn).frame(), false));
}

fn other(nic: &mut Nic) {
    nic.receive(vec![0xff; 60], false);
}

fn counted(nic: &Nic) -> [u64; 3] {
    [Counter::RxNew, Counter::NoCredit, Counter::CreditRefused].map(|counter| nic.counter(counter))
}

fn taken(nic: &mut Nic) -> usize {
    std::iter::from_fn(|| nic.deliver()).count()
}

fn sacks(nic: &mut Nic) -> usize {
    std::iter::from_fn(|| nic.transmit()).count()
}

#[test]
fn without_credit_data_is_neither_delivered_nor_acknowledged_and_when_it_comes_again_it_is_new() {
    for profile in Profile::ALL {
        let mut nic = granting(profile);
        come(&mut nic, profile, 100..103);
        assert_eq!((counted(&nic), taken(&mut nic), sacks(&mut nic)), ([0, 3, 0], 0, 0), "{profile:?}");
        assert_eq!(
            kinds(&events(&mut nic)),
            [],
            "nothing is told of it: a host that is late would be flooded"
        );
        write(&mut nic, "rx_credit", 2);
        come(&mut nic, profile, 100..103);
        assert_eq!((counted(&nic), taken(&mut nic), sacks(&mut nic)), ([2, 4, 0], 2, 2));
        assert_eq!(read(&mut nic, "rx_credit_state"), 2 << 16 | 2);
        write(&mut nic, "rx_credit", 4);
        come(&mut nic, profile, 102..103);
        assert_eq!((counted(&nic), taken(&mut nic), sacks(&mut nic)), ([3, 4, 0], 1, 1));
    }
}

#[test]
fn duplicates_and_strays_take_credit_as_they_go_to_the_host_and_probes_and_acks_need_none() {
    let mut nic = granting(Profile::Strack);
    write(&mut nic, "rx_credit", 3);
    come(&mut nic, Profile::Strack, 100..101);
    come(&mut nic, Profile::Strack, 100..101);
    come(&mut nic, Profile::Strack, 9000..9001);
    assert_eq!(kinds(&events(&mut nic)), [Kind::Duplicate, Kind::Stray]);
    come(&mut nic, Profile::Strack, 101..102);
    assert_eq!((counted(&nic), taken(&mut nic)), ([1, 1, 0], 3));
    sacks(&mut nic);
    let probe =
        respray_golden::wire::strack::Data { connection: 5, psn: 101, probe: true, ..Default::default() };
    let header = respray_golden::wire::Packet::StrackData(probe).to_bytes();
    nic.receive(crate::rewrite::build::Build { header, ..arriving(Profile::Strack, 101) }.frame(), false);
    assert_eq!((nic.counter(Counter::RxProbes), sacks(&mut nic)), (1, 1), "it is answered");
}

#[test]
fn other_frames_go_in_any_case_and_are_owed() {
    let mut nic = granting(Profile::Strack);
    (0..5).for_each(|_| other(&mut nic));
    assert_eq!((taken(&mut nic), nic.counter(Counter::RxOther)), (5, 5));
    assert_eq!(nic.credit().map(|credit| credit.left()), Some(-5));
    write(&mut nic, "rx_credit", 5);
    come(&mut nic, Profile::Strack, 100..101);
    assert_eq!(counted(&nic), [0, 1, 0], "what is owed is paid first");
    write(&mut nic, "rx_credit", 6);
    come(&mut nic, Profile::Strack, 100..101);
    assert_eq!(counted(&nic), [1, 1, 0]);
}

#[test]
fn grants_that_go_back_or_too_far_have_no_effect_and_are_counted() {
    let mut nic = granting(Profile::Strack);
    write(&mut nic, "rx_credit", 10);
    for (limit, refused) in [(9, 1), (0, 2), (0xffff, 3), (0x8000, 4), (MOST_AHEAD as u32 + 1, 5), (10, 5)] {
        write(&mut nic, "rx_credit", limit);
        assert_eq!(counted(&nic)[2], refused, "{limit:#x}");
        assert_eq!(read(&mut nic, "rx_credit_state"), 10 << 16);
    }
    write(&mut nic, "rx_credit", MOST_AHEAD as u32);
    assert_eq!((counted(&nic)[2], read(&mut nic, "rx_credit_state") >> 16), (5, MOST_AHEAD as u32));
    // beyond 16 bits is none of its values
    let address = nic.address("rx_credit").unwrap();
    assert!(nic.write(address, 0x1_0000).is_err() && nic.read(address).is_err());
}

#[test]
fn numbers_go_around_with_grants_and_without() {
    let mut nic = granting(Profile::Strack);
    let mut next = 100;
    for round in 0..20u64 {
        let limit = (u32::from(nic.credit().unwrap().given()) + 8000) & 0xffff;
        write(&mut nic, "rx_credit", limit);
        (0..7990).for_each(|_| {
            other(&mut nic);
            nic.deliver();
        });
        nic.advance(round * 1_000_000);
        come(&mut nic, Profile::Strack, next..next + 12);
        next += 10;
        assert_eq!((taken(&mut nic), counted(&nic)[1]), (10, (round + 1) * 2), "round {round}");
    }
    // nobody grants for long: nothing that is owed turns into credit
    for _ in 0..1 << 17 {
        other(&mut nic);
        nic.deliver();
        assert!(!nic.credit().unwrap().has());
    }
    let credit = nic.credit().unwrap();
    assert_eq!(credit.left(), -MOST_OWED);
    write(&mut nic, "rx_credit", u32::from(credit.given().wrapping_add(1)));
    come(&mut nic, Profile::Strack, next..next + 1);
    assert_eq!((counted(&nic)[2], taken(&mut nic)), (0, 1), "the host begins anew from what the block reads");
}

#[test]
fn the_command_reset_forgets_grants_and_frames() {
    let mut nic = granting(Profile::Strack);
    write(&mut nic, "rx_credit", 100);
    come(&mut nic, Profile::Strack, 100..103);
    command(&mut nic, respray_golden::nic::Command::Reset, 5, 100);
    assert_eq!(read(&mut nic, "rx_credit_state"), 0);
    super::open(&mut nic, 5, 100);
    come(&mut nic, Profile::Strack, 100..101);
    assert_eq!((counted(&nic)[1], taken(&mut nic)), (1, 0));
}

#[test]
fn a_block_whose_host_grants_nothing_by_its_build_has_no_such_registers() {
    let nic = opened(config(Profile::Strack), 100);
    for name in ["rx_credit", "rx_credit_state", "rx_no_credit_low", "rx_credit_refused_low"] {
        assert_eq!(nic.address(name), None, "{name}");
    }
}
