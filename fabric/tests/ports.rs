//! A port alone: order, marks, trims.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use respray_fabric::events::Events;
use respray_fabric::packet::{Kind, Packet};
use respray_fabric::parameters::Parameters;
use respray_fabric::port::{Given, Port, Speed};
use respray_fabric::time::serialization;

const BYTES: u16 = 4150;

fn data(psn: u32) -> Packet {
    Packet { psn, bytes: BYTES, ..Packet::default() }
}

struct Alone {
    port: Port,
    speed: Speed,
    parameters: Parameters,
    random: Xoshiro256PlusPlus,
}

impl Alone {
    fn new() -> Alone {
        let parameters = Parameters::default();
        let mut events: Events<u8> = Events::default();
        let speed = Speed::new(&parameters, 400.0, 1.0, |bytes, gbps| {
            let time = serialization(bytes.into(), gbps);
            (time, events.lane(time))
        });
        let port = Port::new(events.lane(1000), 0);
        Alone { port, speed, parameters, random: Xoshiro256PlusPlus::seed_from_u64(1) }
    }

    /// Gives it so many packets.
    fn fill(&mut self, packets: u32) {
        (0..packets).for_each(|psn| assert_eq!(self.give(data(psn)), Given::Queued));
    }

    fn give(&mut self, packet: Packet) -> Given {
        self.port.give(packet, 0, &self.speed, &self.parameters, &mut self.random)
    }
}

#[test]
fn each_class_leaves_in_the_order_in_which_it_came_control_first() {
    let mut alone = Alone::new();
    for psn in 0..50 {
        alone.give(data(psn));
        alone.give(Packet { kind: Kind::Ack, bytes: 64, ..data(psn) });
    }
    let left: Vec<Packet> = std::iter::from_fn(|| alone.port.pop()).collect();
    assert!(is_in_order(&left));
    // a packet that overtakes is found
    for (a, b) in [(3, 4), (60, 99), (49, 50)] {
        let mut overtaken = left.clone();
        overtaken.swap(a, b);
        assert!(!is_in_order(&overtaken), "{a} and {b}");
    }
}

/// Fifty control packets, then fifty of data, each class in its order.
fn is_in_order(left: &[Packet]) -> bool {
    let (control, rest) = left.split_at(50);
    [(control, Kind::Ack), (rest, Kind::Data)].into_iter().all(|(class, kind)| {
        class.iter().zip(0..).all(|(packet, psn)| packet.psn == psn && packet.kind == kind)
    })
}

#[test]
fn a_full_queue_trims_the_newest_or_the_arriving_packet_and_never_holds_more_than_its_size() {
    let mut alone = Alone::new();
    for psn in 0..100 {
        assert_eq!(alone.give(data(psn)), Given::Queued);
    }
    for psn in 100..300 {
        assert_eq!(alone.give(data(psn)), Given::Trimmed);
        assert_eq!(alone.port.data_bytes(), 415_000);
    }
    let left: Vec<Packet> = std::iter::from_fn(|| alone.port.pop()).collect();
    let (trimmed, kept) = left.split_at(200);
    assert!(trimmed.iter().all(|packet| packet.kind == Kind::Trimmed && packet.bytes == 64));
    assert!(kept[..99].iter().zip(0..).all(|(packet, psn)| packet.psn == psn), "the older ones stay");
    // at even odds the arriving one takes the place of the newest
    let arriving = trimmed.iter().zip(100..).filter(|(packet, psn)| packet.psn == *psn).count();
    assert!((70..=130).contains(&arriving), "{arriving} of 200 were the arriving ones");
    // a short packet at the end of the queue makes no room for a long one
    let mut alone = Alone::new();
    alone.fill(99);
    alone.give(Packet { bytes: 4100, ..data(99) });
    for psn in 100..200 {
        alone.give(data(psn));
        assert!(alone.port.data_bytes() <= 415_000);
    }
}

/// Chi-square of marks at several fills against a line of probabilities.
fn chi_square(line: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    for left in [25, 35, 50, 65, 75] {
        let mut alone = Alone::new();
        const TIMES: u32 = 4000;
        let mut marked = 0;
        alone.fill(left);
        for _ in 0..TIMES {
            alone.give(data(0));
            let mut packet = alone.port.pop().unwrap();
            marked += u32::from(alone.port.left(&mut packet, &alone.speed, &mut alone.random));
        }
        let expected = line(f64::from(left)) * f64::from(TIMES);
        let misses = f64::from(TIMES) - expected;
        sum += (f64::from(marked) - expected).powi(2) * (1.0 / expected + 1.0 / misses);
    }
    sum
}

#[test]
fn marks_rise_on_a_line_from_kmin_to_kmax() {
    // five degrees of freedom: 20.5 has a probability of 0.1 %
    let right = chi_square(|left| (left - 20.0) / 60.0);
    assert!(right < 20.5, "{right}");
    let wrong = chi_square(|left| (left - 18.0) / 62.0);
    assert!(wrong > 20.5, "a line that begins two packets earlier is told apart: {wrong}");
    for (left, share) in [(20, 0.0), (81, 1.0)] {
        let mut alone = Alone::new();
        alone.fill(left + 1);
        let mut packet = alone.port.pop().unwrap();
        let is_marked = alone.port.left(&mut packet, &alone.speed, &mut alone.random);
        assert_eq!(f64::from(u8::from(is_marked)), share, "{left} packets left behind");
    }
}
