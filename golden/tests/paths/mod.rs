//! The network of parallel paths: what holds of it whatever is sent.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::paths::{
    Change, Config, Counts, Delivery, End, Loss, Network, PPM, Packet, Path, SECOND_PS, Scheduled, frame,
};

/// A network of equal paths.
fn config(seed: u64, paths: usize, path: Path) -> Config {
    Config { seed, paths: vec![path; paths], window_ps: 1_000_000, changes: Vec::new() }
}

/// A packet that carries its number.
fn packet(number: u64, ev: u16, bytes: u32) -> Packet<u64> {
    Packet { flow: 7, ev, bytes, ecn_capable: true, marked: false, data: number }
}

fn total(network: &Network<u64>) -> Counts {
    let mut sum = Counts::default();
    for from in End::BOTH {
        for path in 0..network.paths() {
            let counts = network.tally(from, path).total();
            sum.packets += counts.packets;
            sum.delivered += counts.delivered;
            sum.lost_full += counts.lost_full;
            sum.lost_random += counts.lost_random;
            sum.lost_down += counts.lost_down;
        }
    }
    sum
}

/// A path without losses or marks, whose queue holds everything.
fn lossless() -> Path {
    let most = u64::MAX / 4;
    Path { queue_bytes: most, kmin_bytes: most, kmax_bytes: most, ..Path::default() }
}

/// A change of a random path, or none that matters.
fn random_change(rng: &mut SmallRng) -> Change {
    match rng.random_range(0..6u8) {
        0 => Change::Delay(rng.random_range(0..2_000_000)),
        1 => Change::Rate(rng.random_range(1..200) * 1_000_000_000),
        2 => Change::Loss(rng.random_range(0..200_000)),
        3 => Change::Reorder(rng.random_range(0..500_000)),
        4 => Change::Down,
        _ => Change::Up,
    }
}

/// Random packets on a random network that changes all the time; `each` sees the network after every packet.
fn run(seed: u64, mut each: impl FnMut(&Network<u64>, Option<&Delivery<u64>>)) -> Vec<Delivery<u64>> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let paths = rng.random_range(1..9);
    let path = Path { loss_ppm: rng.random_range(0..100_000), reorder_ps: 100_000, ..Path::default() };
    let mut network = Network::new(&config(seed, paths, path));
    let mut arrived = Vec::new();
    for number in 0..400 {
        let from = End::BOTH[rng.random_range(0..2usize)];
        network.send(from, packet(number, rng.random(), rng.random_range(64..9000)));
        if rng.random_ratio(1, 8) {
            let from = [None, Some(End::A), Some(End::B)][rng.random_range(0..3usize)];
            network.change(rng.random_range(0..paths), from, random_change(&mut rng));
        }
        each(&network, None);
        let until = network.now() + rng.random_range(0..200_000);
        while let Some(delivery) = network.pop(until) {
            each(&network, Some(&delivery));
            arrived.push(delivery);
        }
    }
    arrived
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_went_in_came_out_or_was_lost_or_is_inside(seed: u64) {
        run(seed, |network, _| {
            let counts = total(network);
            assert_eq!(counts.packets, counts.delivered + counts.lost() + network.in_flight());
        });
    }

    #[test]
    fn one_seed_gives_one_run(seed: u64) {
        prop_assert_eq!(run(seed, |_, _| ()), run(seed, |_, _| ()));
        prop_assert_ne!(run(seed, |_, _| ()), run(!seed, |_, _| ()));
    }

    #[test]
    fn nothing_arrives_from_a_path_that_is_down(seed: u64) {
        run(seed, |network, delivery| {
            if let Some(Delivery { to, path, .. }) = delivery {
                assert!(network.is_up(to.other(), *path), "path {path} is down");
            }
        });
    }

    #[test]
    fn without_reordering_a_path_is_a_fifo_whatever_its_delay_does(seed: u64) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut network = Network::new(&config(seed, 4, lossless()));
        let mut last = [None; 4];
        for number in 0..300 {
            network.send(End::A, packet(number, rng.random(), rng.random_range(64..1500)));
            network.change(rng.random_range(0..4), None, Change::Delay(rng.random_range(0..3_000_000)));
            let until = network.now() + rng.random_range(0..100_000);
            while let Some(Delivery { path, packet, .. }) = network.pop(until) {
                prop_assert!(last[path] < Some(packet.data), "{} behind {:?}", packet.data, last[path]);
                last[path] = Some(packet.data);
            }
        }
        prop_assert!(last.iter().flatten().count() > 1, "packets arrive");
    }
}

#[test]
fn the_rate_is_kept_to_the_picosecond() {
    // a rate at which no packet takes a whole number of picoseconds
    for rate_bps in [400_000_000_000, 99_999_999_977, 7_000_000_003] {
        let path = Path { rate_bps, delay_ps: 500, ..lossless() };
        let mut network = Network::new(&config(1, 1, path));
        let sizes: Vec<u32> = (0..1000).map(|i| 64 + i * 37 % 4000).collect();
        for (number, &bytes) in sizes.iter().enumerate() {
            network.send(End::A, packet(number as u64, 0, bytes));
        }
        let mut bits = 0;
        for &bytes in &sizes {
            let delivery = network.pop(u64::MAX).expect("nothing is lost");
            bits += u128::from(bytes) * 8;
            let exact = bits * u128::from(SECOND_PS) / u128::from(rate_bps);
            assert_eq!(u128::from(delivery.at_ps), exact + 500, "{rate_bps} b/s");
        }
    }
}

#[test]
fn a_new_rate_holds_from_the_next_packet_on() {
    let mut network = Network::new(&config(1, 1, Path { rate_bps: 8 * SECOND_PS / 1000, ..lossless() }));
    network.change(0, None, Change::Delay(0));
    (0..4).for_each(|number| {
        network.send(End::A, packet(number, 0, 1));
    });
    network.pop(500);
    network.change(0, Some(End::A), Change::Rate(8 * SECOND_PS / 2000));
    let arrivals: Vec<u64> = std::iter::from_fn(|| network.pop(u64::MAX)).map(|d| d.at_ps).collect();
    assert_eq!(arrivals, [1000, 3000, 5000, 7000]);
}

#[test]
fn the_share_of_marks_grows_from_kmin_to_kmax() {
    for (queued, expected) in
        [(100_000, 0.0), (125_000, 0.25), (150_000, 0.5), (175_000, 0.75), (200_000, 1.0)]
    {
        // so slow that nothing leaves: the queue stays where it is but for a byte a packet
        let path = Path {
            rate_bps: 1,
            queue_bytes: 1_000_000,
            kmin_bytes: 100_000,
            kmax_bytes: 200_000,
            ..Path::default()
        };
        let mut network = Network::new(&config(queued, 1, path));
        let fill = Packet { ecn_capable: false, ..packet(0, 0, queued as u32) };
        network.send(End::A, fill);
        let packets = if queued == 100_000 { 1 } else { 2000 };
        for number in 0..packets {
            network.send(End::A, packet(number, 0, 1));
        }
        let share = network.tally(End::A, 0).total().marked as f64 / packets as f64;
        // 0.01 for the bytes that the packets add, and four standard deviations
        assert!((share - expected).abs() < 0.01 + 4.0 * (0.25f64 / 2000.0).sqrt(), "{queued}: {share}");
        assert!(expected % 1.0 != 0.0 || share == expected, "{queued}: {share}");
    }
}

#[test]
fn a_packet_that_may_not_be_marked_is_not() {
    let path = Path { kmin_bytes: 0, kmax_bytes: 0, ..lossless() };
    let mut network = Network::new(&config(1, 1, path));
    network.send(End::A, packet(0, 0, 100));
    network.send(End::A, Packet { ecn_capable: false, ..packet(1, 0, 100) });
    network.send(End::A, packet(2, 0, 100));
    let marks: Vec<bool> = std::iter::from_fn(|| network.pop(u64::MAX)).map(|d| d.packet.marked).collect();
    assert_eq!(marks, [false, false, true], "the first one finds an empty queue");
}

#[test]
fn a_full_queue_and_chance_lose_packets() {
    let mut network = Network::new(&config(1, 1, Path { queue_bytes: 1000, ..Path::default() }));
    assert_eq!(network.send(End::A, packet(0, 0, 600)).lost, None);
    assert_eq!(network.send(End::A, packet(1, 0, 401)).lost, Some(Loss::Full));
    assert_eq!(network.send(End::A, packet(2, 0, 400)).lost, None, "the packet being sent counts");
    assert_eq!(network.queued_bytes(End::A, 0), 1000);

    let mut network = Network::new(&config(2, 1, Path { loss_ppm: PPM / 5, ..lossless() }));
    let lost =
        (0..10_000).filter(|&number| network.send(End::A, packet(number, 0, 64)).lost.is_some()).count();
    // standard deviation 40
    assert!((1840..2160).contains(&lost), "{lost}");
}

#[test]
fn what_is_lost_by_chance_is_of_the_seed_and_the_direction() {
    let lost = |seed, from| {
        let mut network = Network::new(&config(seed, 1, Path { loss_ppm: PPM / 2, ..lossless() }));
        (0..64).map(|number| network.send(from, packet(number, 0, 64)).lost.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(lost(1, End::A), lost(1, End::A));
    assert_ne!(lost(1, End::A), lost(2, End::A));
    assert_ne!(lost(1, End::A), lost(1, End::B));
}

#[test]
fn a_path_fails_and_returns_at_the_times_given() {
    let change = |at_ps, change| Scheduled { at_ps, path: 0, from: Some(End::A), change };
    let changes = vec![change(10_000_000, Change::Down), change(30_000_000, Change::Up)];
    let mut network = Network::new(&Config { changes, ..config(3, 1, Path::default()) });
    let mut arrived = Vec::new();
    let mut lost = 0;
    for number in 0..40 {
        network.send(End::B, packet(number, 0, 100));
        lost += u64::from(network.send(End::A, packet(number, 0, 100)).lost == Some(Loss::Down));
        while let Some(delivery) = network.pop((number + 1) * 1_000_000) {
            arrived.push((delivery.to, delivery.packet.data));
        }
    }
    // what is sent at 9 us is under way when the path fails
    let to = |end| arrived.iter().filter(move |(to, _)| *to == end).map(|(_, number)| *number);
    assert_eq!(to(End::B).collect::<Vec<_>>(), (0..9).chain(30..39).collect::<Vec<_>>());
    assert_eq!(to(End::A).count(), 39, "the other direction is up");
    let counts = network.tally(End::A, 0).total();
    assert_eq!((lost, counts.lost_down), (20, 21));
}

#[test]
fn reordering_is_bounded_and_happens() {
    let path = Path { reorder_ps: 1_000_000, ..lossless() };
    let mut network = Network::new(&config(4, 1, path));
    let mut overtaken = 0;
    let mut last = 0;
    for number in 0..1000 {
        network.send(End::A, packet(number, 0, 125)); // 10 ns
        while let Some(delivery) = network.pop((number + 1) * 10_000) {
            let sent = delivery.packet.data * 10_000;
            assert!((1_010_000..=2_010_000).contains(&(delivery.at_ps - sent)), "{delivery:?}");
            overtaken += u32::from(delivery.packet.data < last);
            last = delivery.packet.data;
        }
    }
    assert!(overtaken > 300, "{overtaken}");
}

#[test]
fn the_ev_alone_chooses_among_all_paths_of_a_connection() {
    let network = Network::<u64>::new(&config(5, 8, Path::default()));
    for (flow, from) in [(1, End::A), (1, End::B), (2, End::A)] {
        let mut load = [0; 8];
        (0..=u16::MAX).for_each(|ev| load[network.path_of(from, flow, ev)] += 1);
        // 8192 a path, standard deviation 85
        assert!(load.iter().all(|n| (7850..8530).contains(n)), "{load:?}");
    }
    let differ = |other: &dyn Fn(u16) -> usize| {
        (0..4096).filter(|&ev| network.path_of(End::A, 1, ev) != other(ev)).count()
    };
    // seven of eight, standard deviation 21
    assert!((3490..3680).contains(&differ(&|ev| network.path_of(End::B, 1, ev))), "directions differ");
    assert!((3490..3680).contains(&differ(&|ev| network.path_of(End::A, 2, ev))), "flows differ");
}

#[test]
fn counts_are_those_of_their_windows() {
    let mut network = Network::new(&config(6, 1, Path::default()));
    for number in 0..10 {
        network.send(End::A, packet(number, 0, 100 + number as u32));
        while network.pop((number + 1) * 500_000).is_some() {}
    }
    let tally = network.tally(End::A, 0);
    let packets: Vec<u64> = tally.windows().iter().map(|window| window.packets).collect();
    assert_eq!(packets, [2, 2, 2, 2, 2], "one in 0.5 us, windows of 1 us");
    assert_eq!(tally.windows()[1].bytes, 102 + 103);
    assert_eq!(tally.between(1_000_000, 3_000_000).packets, 4);
    assert_eq!(tally.total().packets, 10);
    assert_eq!(tally.windows()[0].delivered, 0, "the way takes longer than the window");
}

#[test]
fn a_frame_is_hashed_by_its_five_tuple_and_marked_in_its_ip_header() {
    let udp = |source: u16, destination: u16, v6: bool| {
        let builder = etherparse::PacketBuilder::ethernet2([1; 6], [2; 6]);
        let mut frame = Vec::new();
        let payload = [0u8; 30];
        if v6 {
            builder.ipv6([3; 16], [4; 16], 9).udp(source, destination).write(&mut frame, &payload).unwrap();
        } else {
            builder.ipv4([3; 4], [4; 4], 9).udp(source, destination).write(&mut frame, &payload).unwrap();
        }
        frame
    };
    for v6 in [false, true] {
        let one = frame::hashed(&udp(1000, 4791, v6)).expect("it is UDP");
        let other = frame::hashed(&udp(1001, 4791, v6)).expect("it is UDP");
        assert_eq!((one.flow, one.ev, other.ev), (other.flow, 1000, 1001));
        assert_ne!(frame::hashed(&udp(1000, 4793, v6)).expect("it is UDP").flow, one.flow);
        assert!(!one.ecn_capable && !one.marked);

        let mut marked = udp(1000, 4791, v6);
        frame::mark(&mut marked);
        let seen = frame::hashed(&marked).expect("it is UDP");
        assert!(seen.marked && seen.ecn_capable && seen.flow == one.flow);
        if !v6 {
            let header = etherparse::Ipv4HeaderSlice::from_slice(&marked[14..]).expect("IPv4");
            assert_eq!(header.to_header().calc_header_checksum(), header.header_checksum());
        }
    }
    assert_eq!(frame::hashed(&[0; 60]), None);
}
