//! Numbers of cycles as the manifest spells them.

use respray_hdl::cycles::Cycles;

#[test]
fn a_fixed_one_is_a_number_and_a_formula_its_text() {
    for (cycles, json) in
        [(Cycles::from(6), "6"), (Cycles::growing(6, 2, "advance_segments"), r#""6 + 2*advance_segments""#)]
    {
        assert_eq!(serde_json::to_string(&cycles).unwrap(), json);
        assert_eq!(serde_json::from_str::<Cycles>(json).unwrap(), cycles);
    }
}

#[test]
fn a_formula_grows_with_its_counts() {
    let cycles: Cycles = "14 + 2*cum_segments + 3*base_segment".parse().unwrap();
    assert_eq!(cycles.at(|count| if count == "cum_segments" { 4 } else { 1 }), 25);
    assert_eq!(cycles.fixed(), None);
    assert_eq!(Cycles::from(5).fixed(), Some(5));
}

#[test]
fn anything_else_is_refused() {
    for text in ["", "six", "6 + 2", "6 + 2*", "6 + 2*A b", "6 + two*segments"] {
        let error = text.parse::<Cycles>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{text}` is no number of cycles")), "{error}");
    }
}
