//! Bits that nothing reads.

use std::collections::BTreeMap;

use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Net;

/// Bits of each net that `exprs` read.
pub fn bits_read(exprs: &[&Expr]) -> BTreeMap<NetId, Vec<bool>> {
    let mut read = BTreeMap::new();
    exprs.iter().for_each(|e| mark(e, &mut read));
    read
}

fn mark(e: &Expr, read: &mut BTreeMap<NetId, Vec<bool>>) {
    let mut set = |id: NetId, own: usize, lo: usize, width: usize| {
        read.entry(id).or_insert_with(|| vec![false; own])[lo..lo + width].fill(true);
    };
    match e {
        Expr::Slice { base, lo, width } => match **base {
            Expr::Net { id, width: own } => set(id, own, *lo, *width),
            ref base => mark(base, read),
        },
        Expr::Net { id, width } => set(*id, *width, 0, *width),
        e => e.parts().into_iter().for_each(|part| mark(part, read)),
    }
}

/// The runs of bits of net `id` that are not read.
pub fn unread(id: NetId, net: &Net, read: Option<&Vec<bool>>) -> Vec<Expr> {
    let whole = Expr::Net { id, width: net.width };
    let Some(read) = read else { return vec![whole] };
    let mut runs: Vec<(usize, usize)> = vec![];
    for bit in (0..net.width).filter(|bit| !read[*bit]) {
        match runs.last_mut() {
            Some((_, high)) if *high + 1 == bit => *high = bit,
            _ => runs.push((bit, bit)),
        }
    }
    let slice = |(lo, high)| Expr::Slice { base: Box::new(whole.clone()), lo, width: high + 1 - lo };
    runs.into_iter().map(slice).collect()
}
