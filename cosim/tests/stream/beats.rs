//! Frames cut into beats.

use respray_cosim::stream::beats::Beats;

#[test]
fn beats_hold_the_bytes_in_the_order_of_the_wire() {
    let data: Vec<u8> = (0..70).collect();
    let mut beats = Beats::default();
    beats.cut(&[0xff; 200], 16, 3);
    for bus_bytes in [8, 16, 32, 64] {
        beats.cut(&data, bus_bytes, 7);
        assert_eq!(beats.count(), 70_usize.div_ceil(bus_bytes));
        let mut seen: Vec<u8> = Vec::new();
        for beat in 0..beats.count() {
            let (data, keep, is_last) = beats.beat(beat);
            let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(bytes.len(), bus_bytes);
            assert_eq!(keep & keep.wrapping_add(1), 0, "contiguous from bit 0");
            seen.extend(&bytes[..keep.count_ones() as usize]);
            assert_eq!(is_last, seen.len() == 70);
        }
        assert_eq!(seen, data);
    }
}
