//! What the cores of shims are asked for a frame, and frames with shims.

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use respray_golden::shim::{Fields, Kind};

use super::Frame;

/// What goes beside a frame of `shim_pop` and `shim_push`: name and bits. The first is `shim_pop`'s, the others `shim_push`'s, in
/// the order of their ports.
pub const ORDERS: [(&str, u32); 14] = [
    ("take_out", 5),
    ("op", 2),
    ("kind", 3),
    ("hops", 4),
    ("epoch", 4),
    ("timestamp", 16),
    ("hash", 16),
    ("bytes", 24),
    ("enable", 1),
    ("hop", 2),
    ("path", 32),
    ("len", 2),
    ("ce", 8),
    ("dst", 16),
];

/// Values of [`ORDERS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Orders(pub [u32; ORDERS.len()]);

impl Orders {
    /// Sets the value of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn set(&mut self, name: &str, value: u32) {
        let at = ORDERS.iter().position(|(own, _)| *own == name).expect("a name of `ORDERS`");
        self.0[at] = value;
    }

    /// Bit k: a shim of kind k is taken out.
    pub fn take_out(&self) -> u8 {
        self.0[0] as u8
    }

    /// 1 insert, 2 patch; others: leave.
    pub fn op(&self) -> u32 {
        self.0[1]
    }

    /// Number of the kind.
    pub fn kind(&self) -> Option<Kind> {
        Kind::of(self.0[2].into())
    }

    /// The fields of the shim.
    pub fn fields(&self) -> Fields {
        let [_, _, _, hops, epoch, timestamp, hash, bytes, enable, hop, path, len, ce, dst] = self.0;
        Fields {
            hops: hops as u8,
            epoch: epoch as u8,
            timestamp: timestamp as u16,
            hash: hash as u16,
            bytes,
            enable: enable != 0,
            hop: hop as u8,
            path,
            len: len as u8,
            ce: ce as u8,
            dst: dst as u16,
        }
    }
}

/// Gives the frame a shim, or not, and something to ask for. Frames come with and without, cut off at every place, of kinds that
/// exist and that do not, and every op is asked of each.
pub(super) fn add_shim(frame: &mut Frame, ethertype: u16, random: &mut Xoshiro256PlusPlus) {
    let mut kind = random.random_range(0..5_u64);
    let tags = (0..2).take_while(|tag| {
        frame
            .data
            .get(12 + 4 * tag..14 + 4 * tag)
            .is_some_and(|word| [[0x81, 0], [0x88, 0xa8]].contains(&[word[0], word[1]]))
    });
    let at = 12 + 4 * tags.count();
    if random.random_ratio(2, 3) && frame.data.len() >= at {
        let known = Kind::of(kind).expect("there are five");
        let mut shim: Vec<u8> = (0..known.header().bytes()).map(|_| random.random()).collect();
        if random.random_ratio(1, 16) {
            kind = random.random_range(0..16);
        }
        shim[..2].copy_from_slice(&ethertype.to_be_bytes());
        shim[2] = (kind as u8) << 4 | shim[2] & 15;
        frame.data.splice(at..at, shim);
    }
    match random.random_range(0..24) {
        // within the shim and behind it
        0..2 => frame.data.truncate(at + random.random_range(1..18)),
        // runts
        2 => frame.data.truncate(random.random_range(1..=14)),
        // about as long as a beat or a few
        3..6 => {
            let beats = 8 * random.random_range(2..18_usize);
            frame.data.truncate(beats + random.random_range(0..8));
        }
        _ => {}
    }
    let orders = &mut frame.orders.0;
    for ((_, bits), value) in ORDERS.iter().zip(orders.iter_mut()) {
        *value = random.random::<u32>() >> (32 - bits);
    }
    if random.random_ratio(2, 3) {
        orders[2] = (kind & 7) as u32;
    }
}
