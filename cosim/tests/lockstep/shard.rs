//! Parts of a campaign.

use std::collections::BTreeSet;

use respray_cosim::lockstep::shard::Shard;

#[test]
fn shares_add_up_and_differ_by_one_at_most() {
    for (total, of) in [(100_000_000, 7), (3, 8), (u64::MAX, 10_000), (0, 1)] {
        let shares: Vec<u64> =
            (1..=of).map(|index| Shard { index, of }.share_of(total).unwrap_or(0)).collect();
        assert_eq!(shares.iter().sum::<u64>(), total);
        assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
    }
}

#[test]
fn no_part_of_neighbouring_campaigns_has_the_seed_of_another() {
    let parts = (1..=4).flat_map(|of| (1..=of).map(move |index| Shard { index, of }));
    let seeds: Vec<u64> =
        parts.flat_map(|shard| (0..100).map(move |campaign| shard.seed(campaign))).collect();
    assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), seeds.len());
    assert!(seeds.iter().all(|seed| *seed > 100), "nor that of a campaign");
    let ports: BTreeSet<u16> = seeds.iter().map(|seed| *seed as u16).collect();
    assert!(ports.len() > 950, "the port `seed` carries other values too: {}", ports.len());
}

#[test]
fn what_names_no_part_is_refused() {
    let shard = Shard { index: 2, of: 3 };
    assert_eq!("2/3".parse(), Ok(shard));
    assert_eq!((shard.to_string(), shard.file_name()), ("2/3".into(), "2of3".into()));
    for given in ["0/3", "4/3", "1/0", "1", "a/b", "1/10001", "-1/2"] {
        let error = given.parse::<Shard>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{given}` names no part")), "{error}");
    }
}
