//! The Internet checksum.

use proptest::prelude::*;
use respray_golden::rewrite::checksum::{add, sum, update};

#[test]
fn sum_of_rfc_1071_section_3() {
    assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
    assert_eq!(sum(&[0x00, 0x01, 0xf2]), 0xf201, "an odd byte is the upper half of a word");
}

#[test]
fn update_of_rfc_1624_section_4() {
    // the example in which eqn 2 of RFC 1141 gives 0xffff
    assert_eq!(update(0xdd2f, &[(0x5555, 0x3285)]), 0x0000);
}

proptest! {
    #[test]
    fn update_is_the_checksum_of_the_changed_words(
        words in proptest::collection::vec(any::<u16>(), 2..20), at in any::<prop::sample::Index>(), new: u16,
    ) {
        let bytes = |words: &[u16]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
        let mut changed = words.clone();
        let at = at.index(words.len());
        changed[at] = new;
        // 0 and 0xffff are one number: only words that are all 0 sum to the first
        prop_assume!(words.iter().any(|word| *word != 0) && changed.iter().any(|word| *word != 0));
        let updated = update(!sum(&bytes(&words)), &[(words[at], new)]);
        prop_assert_eq!(add(sum(&bytes(&changed)), updated), 0xffff);
        prop_assert_ne!(updated, 0xffff);
    }
}
