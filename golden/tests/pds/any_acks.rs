//! ACKs at an initiator, at random: properties 1 to 7.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::{Config, Endpoint, Fault, Mode};

use super::acks::config;
use super::{A, Found, from_b, holds, initiator, pdc, same};

/// ACKs of any base, bits and CACK: what is acknowledged is what was named, one by one, and nothing else.
pub(super) fn of_any_base(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..300 {
        let start: u32 = match round % 3 {
            0 => rng.random(),
            _ => 0u32.wrapping_sub(rng.random_range(0..200)),
        };
        let config = Config { start_psn: Some(start), cwnd: 4096, ..config(fault) };
        let (mut endpoint, _) = initiator(Config { default_mpr: 0, ..config }, Mode::Rud, 200);
        // by the number of the packet, from Start_PSN on
        let (mut una, mut named) = (0i64, vec![false; 200]);
        for _ in 0..12 {
            let cack = una - 1 + rng.random_range(-20..40i64);
            let offset = if rng.random_range(0..4) == 0 {
                rng.random_range(-32768..32768)
            } else {
                rng.random_range(-80..80)
            };
            let bitmap = rng.random::<u64>() & rng.random::<u64>();
            let answers = cack + rng.random_range(-30..60);
            let psn = |number: i64| start.wrapping_add(number as u32);
            let bytes = format!(
                "4200{:04x}{:08x}000900070000{:04x}{bitmap:016x}0000000000000000",
                (answers - cack) as u16,
                psn(cack),
                offset as u16
            );
            let all: Vec<i64> = std::iter::once(answers)
                .chain((0..64).filter(|bit| bitmap >> bit & 1 != 0).map(|bit| cack + offset + bit))
                .collect();
            let is_right = cack < 200 && all.iter().all(|number| *number < 200);
            endpoint.receive(&from_b(&bytes), 1000);
            if is_right {
                all.iter().filter(|number| **number >= 0).for_each(|number| named[*number as usize] = true);
                una = una.max(cack + 1);
                named[..una as usize].fill(true);
            }
            let sender = pdc(&endpoint, A)?.sender();
            same("una", sender.una(), psn(una))?;
            for (number, is_named) in named.iter().enumerate() {
                same("acknowledged", sender.is_acknowledged(psn(number as i64)), *is_named)?;
            }
            let left = named.iter().filter(|is_named| !**is_named).count() as u32;
            same("in flight", sender.in_flight(), left)?;
        }
        // what was named is not sent again, and all else is
        let lost = named.iter().filter(|is_named| !**is_named).count();
        while endpoint.poll(1_000_000_000).is_some() {}
        let again = endpoint.counts().retransmissions as usize;
        same("sent again", again, lost)?;
    }
    Ok(())
}

/// Two ACKs in either order leave the same.
pub(super) fn in_either_order(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..300 {
        let mut ack = || {
            let cack: u32 = rng.random_range(999..1004);
            let bitmap = rng.random::<u64>() & 0x0f;
            format!("42000000{cack:08x}0009000700020001{bitmap:016x}0000000000000000")
        };
        let acks = [ack(), ack()];
        let run = |order: [usize; 2]| -> Result<_, String> {
            let (mut endpoint, _) = initiator(config(fault), Mode::Rud, 8);
            order.iter().for_each(|at| endpoint.receive(&from_b(&acks[*at]), 1000));
            let sender = pdc(&endpoint, A)?.sender();
            let marks: Vec<bool> = (1000..1008).map(|psn| sender.is_acknowledged(psn)).collect();
            Ok((sender.una(), sender.nxt(), marks))
        };
        same("two ACKs in either order", run([0, 1])?, run([1, 0])?)?;
    }
    Ok(())
}

/// Plain ACKs that name one packet each empty the window, and CACK never moves.
pub(super) fn plain_alone(fault: Option<Fault>) -> Found {
    let (mut endpoint, _) = initiator(config(fault), Mode::Rud, 8);
    for offset in [3, 1, 8, 5, 2, 7, 4, 6] {
        endpoint.receive(&from_b(&format!("3a00{offset:04x}000003e700090007")), 1000);
    }
    let sender = pdc(&endpoint, A)?.sender();
    same("una, in flight", (sender.una(), sender.in_flight()), (1000, 0))
}

/// MPR falls with much in flight: nothing is lost, all waits; an overtaken ACK does not open it again, and 0 does.
pub(super) fn limits(fault: Option<Fault>) -> Found {
    let config = Config { cwnd: 1000, rto: 1 << 40, ..config(fault) };
    let (mut endpoint, _) = initiator(Config { default_mpr: 2, ..config.clone() }, Mode::Rud, 200);
    let frames = |endpoint: &mut Endpoint| std::iter::from_fn(|| endpoint.poll(2000)).count();
    let ack = |cack: u32, mpr: u8| format!("42000000{cack:08x}00090007{mpr:04x}0001{}", "00".repeat(16));
    endpoint.receive(&from_b(&ack(1009, 1)), 1000);
    same("sent below an MPR of 1", frames(&mut endpoint), 0)?;
    same("in flight", pdc(&endpoint, A)?.sender().in_flight(), 190)?;
    // 1130 is not acknowledged, and may not be sent again; nor may 1138 at the limit, while 1137 may
    for (psn, may) in [(1137u32, true), (1138, false)] {
        endpoint.receive(&from_b(&format!("50000100{psn:08x}0009000700000000")), 1000);
        same("sent again below the limit", frames(&mut endpoint), usize::from(may))?;
    }
    endpoint.receive(&from_b(&ack(1004, 2)), 1000);
    same("sent behind an overtaken ACK", frames(&mut endpoint), 0)?;
    endpoint.receive(&from_b(&ack(1010, 0)), 1000);
    let sent = frames(&mut endpoint);
    // 20 packets of the message are left, and 1138 is sent again
    holds("an MPR of 0 opens to the window", sent == 21)
}

#[test]
fn acks_mark_what_they_name() {
    for check in [of_any_base, in_either_order, plain_alone, limits] {
        check(None).unwrap();
    }
}
