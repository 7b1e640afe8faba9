//! The checks of testdata/checkers.

use super::deque::{Owner, Stealer};
use super::primitives::{spawn, AtomicU64};
use crate::{bug, Orders};
use std::sync::Arc;

const CAPACITY: usize = 4;

fn drain<O: Orders>(d: &mut Owner<O>, taken: &mut Vec<usize>) {
    while let Some(v) = d.pop() {
        taken.push(v);
    }
}

/// Steals up to `times` times, and returns what it took.
fn thief<O: Orders>(from: Stealer<O>, times: usize) -> Vec<usize> {
    let mut mine = Owner::<O>::new(CAPACITY);
    let mut taken = Vec::new();
    for _ in 0..times {
        taken.extend(from.steal_into(&mut mine));
        drain(&mut mine, &mut taken);
    }
    taken
}

/// Fails unless each of 1..=n was taken once.
fn each(n: usize, mut taken: Vec<usize>) {
    taken.sort_unstable();
    assert!(taken.iter().copied().eq(1..=n), "of {n} values came out {taken:?}");
}

pub fn basic<O: Orders>() {
    let mut d = Owner::<O>::new(CAPACITY);
    let stealer = d.stealer();
    let mut taken = Vec::new();
    let mut spilt = Vec::new();
    let other = spawn(move || thief(stealer, 3));
    for v in [1, 4] {
        d.push(v, &mut spilt);
        d.push(v + 1, &mut spilt);
        taken.extend(d.pop());
        d.push(v + 2, &mut spilt);
        drain(&mut d, &mut taken);
    }
    taken.extend(other.join().unwrap());
    taken.extend(spilt);
    each(6, taken);
}

pub fn steal_overflow<O: Orders>() {
    let mut d = Owner::<O>::new(CAPACITY);
    let stealer = d.stealer();
    let mut taken = Vec::new();
    let mut spilt = Vec::new();
    let other = spawn(move || thief(stealer, 1));
    d.push(1, &mut spilt);
    taken.extend(d.pop());
    for v in 2..=7 {
        d.push(v, &mut spilt);
    }
    taken.extend(other.join().unwrap());
    drain(&mut d, &mut taken);
    taken.extend(spilt);
    each(7, taken);
}

pub fn multi_stealer<O: Orders>() {
    let mut d = Owner::<O>::new(CAPACITY);
    let mut taken = Vec::new();
    let mut spilt = Vec::new();
    for v in 1..=5 {
        d.push(v, &mut spilt);
    }
    let thieves = [d.stealer(), d.stealer()].map(|s| spawn(move || thief(s, 1)));
    drain(&mut d, &mut taken);
    for t in thieves {
        taken.extend(t.join().unwrap());
    }
    taken.extend(spilt);
    each(5, taken);
}

pub fn chained_steal<O: Orders>() {
    let mut d = Owner::<O>::new(CAPACITY);
    let mut other = Owner::<O>::new(CAPACITY);
    let mut taken = Vec::new();
    let mut spilt = Vec::new();
    for v in 1..=4 {
        d.push(v, &mut spilt);
        other.push(v + 4, &mut spilt);
    }
    let stealer = d.stealer();
    let t = spawn(move || thief(stealer, 1));
    drain(&mut d, &mut taken);
    taken.extend(other.stealer().steal_into(&mut d));
    taken.extend(t.join().unwrap());
    drain(&mut d, &mut taken);
    drain(&mut other, &mut taken);
    taken.extend(spilt);
    each(8, taken);
}

pub fn adds<O: Orders>() {
    let n = Arc::new(AtomicU64::new(0));
    let adders = [n.clone(), n].map(|n| {
        spawn(move || {
            let mut sum = 0;
            for _ in 0..8 {
                sum += 1 + if bug() {
                    let v = n.load(O::LOAD);
                    n.store(v + 1, O::STORE);
                    v
                } else {
                    n.fetch_add(1, O::CHANGE)
                };
            }
            sum
        })
    });
    let sums = adders.map(|t| t.join().unwrap());
    assert!(sums[0] + sums[1] == 16 * 17 / 2, "the additions returned {sums:?}");
}
