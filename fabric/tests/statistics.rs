//! Means with their intervals and distributions with their bands, held to values that were reckoned elsewhere.

use respray_fabric::statistics::{Point, Sample, Spread, distribution, students_t};

fn spread(values: &[f64]) -> Spread {
    Spread::of(values.iter().copied()).unwrap()
}

#[test]
fn students_t_is_that_of_the_tables() {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975
    for (freedom, value) in [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (9, 2.262),
        (10, 2.228),
        (19, 2.093),
        (29, 2.045),
        (30, 2.042),
        (50, 2.009),
        (99, 1.984),
        (100, 1.984),
    ] {
        let t = students_t(freedom);
        assert!((t - value).abs() < 0.0005, "{freedom}: {t} in place of {value}");
    }
    // as many as there may be seeds: close to the normal distribution
    assert!((students_t(999) - 1.9623).abs() < 0.0001);
}

#[test]
fn an_interval_is_that_of_the_mean_over_seeds() {
    // mean 5, sum of squares 32, so that the deviation is 2.1381, and t of 7 degrees 2.3646
    let known = spread(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    assert_eq!((known.count, known.mean, known.least, known.greatest), (8, 5.0, 2.0, 9.0));
    assert!((known.half.unwrap() - 1.7875).abs() < 0.0001, "{known:?}");
    assert_eq!(known.with_interval(), "5.000 ± 1.787");
    assert_eq!(known.to_string(), "5.000 (2.000..9.000)");
    let [low, high] = known.interval().unwrap();
    assert!((high - low - 2.0 * known.half.unwrap()).abs() < 1e-12 && low < 5.0 && 5.0 < high);
    // equal values leave no doubt, and one value says nothing of it
    assert_eq!(spread(&[3.0; 4]).half, Some(0.0));
    assert_eq!((spread(&[3.0]).half, spread(&[3.0]).with_interval()), (None, "3.000".to_string()));
    assert_eq!(Spread::of(std::iter::empty()), None);
}

#[test]
fn a_band_is_the_interval_of_the_shares_of_the_seeds() {
    let sample = |values: &[f64], never| Sample::new(values.iter().map(|value| (*value, 1)), never);
    // of the second seed one flow of four did not end
    let points = distribution(&[sample(&[1.0, 2.0, 2.0, 4.0], 0), sample(&[3.0, 1.0, 2.0], 1)]);
    let values: Vec<(f64, f64)> = points.iter().map(|point| (point.value, point.share)).collect();
    assert_eq!(values, [(1.0, 0.25), (2.0, 0.625), (3.0, 0.75), (4.0, 0.875)]);
    // both seeds agree at 1 and at 3
    assert_eq!((points[0].band, points[2].band), (Some([0.25, 0.25]), Some([0.75, 0.75])));
    // 0.75 and 0.5: half their distance is 0.125, and t of one degree 12.706, so that the band is as wide as shares may
    // be
    assert_eq!(points[1].band, Some([0.0, 1.0]));
    let alone = distribution(&[sample(&[7.0], 0)]);
    assert_eq!(alone, [Point { value: 7.0, share: 1.0, band: None }]);
    assert_eq!(distribution(&[]), []);
}

#[test]
fn a_long_distribution_keeps_its_ends_in_few_points() {
    let sample = Sample::new((0..5000).map(|value| (f64::from(value), 2)), 0);
    let points = distribution(&[sample]);
    assert_eq!(points.len(), 200);
    assert_eq!((points[0].value, points[0].share), (0.0, 0.0002));
    assert_eq!((points[199].value, points[199].share), (4999.0, 1.0));
    assert!(points.is_sorted_by(|a, b| a.value < b.value && a.share < b.share));
}
