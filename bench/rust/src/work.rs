//! The work that is divided: the same as in ../divide.go and ../loops.go.

use std::time::{Duration, Instant};

pub fn stall(d: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < d {}
}

pub fn fib(n: usize) -> usize {
    if n < 2 {
        return n;
    }
    fib(n - 1) + fib(n - 2)
}

pub fn fib_result(n: usize) -> usize {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// How many forks fib(n) has: one for each call with n > 1.
pub fn fib_spawns(n: usize) -> usize {
    fib_result(n + 1) - 1
}

/// Work that no compiler makes shorter: each step needs the result of the one before.
pub fn steps(n: usize) -> f64 {
    let mut x = 1.0f64;
    for _ in 0..n {
        x = x * 0.999 + 0.1;
    }
    x
}

pub const STEPS_PER_MICROSECOND: usize = 700;

pub const SORTED: usize = 500_000;

/// Numbers in a random order, the same each time.
pub fn random() -> Vec<i64> {
    let mut state = 1u64;
    (0..SORTED)
        .map(|_| {
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
            (state >> 1) as i64
        })
        .collect()
}

pub fn mix(mut x: u64) -> u64 {
    for _ in 0..4 {
        x ^= x >> 30;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 27;
        x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
    }
    x
}

/// Hoare's partition, with the median of three.
pub fn partition(v: &mut [i64]) -> usize {
    let (m, last) = (v.len() / 2, v.len() - 1);
    if v[m] < v[0] {
        v.swap(m, 0);
    }
    if v[last] < v[0] {
        v.swap(last, 0);
    }
    if v[last] < v[m] {
        v.swap(last, m);
    }
    let pivot = v[m];
    let (mut i, mut j) = (0, last);
    loop {
        while v[i] < pivot {
            i += 1;
        }
        while v[j] > pivot {
            j -= 1;
        }
        if i >= j {
            return j + 1;
        }
        v.swap(i, j);
        i += 1;
        j -= 1;
    }
}

pub fn insertion_sort(v: &mut [i64]) {
    for i in 1..v.len() {
        let mut j = i;
        while j > 0 && v[j] < v[j - 1] {
            v.swap(j, j - 1);
            j -= 1;
        }
    }
}

pub fn quicksort(v: &mut [i64]) {
    if v.len() <= 24 {
        insertion_sort(v);
        return;
    }
    let m = partition(v);
    let (low, high) = v.split_at_mut(m);
    quicksort(low);
    quicksort(high);
}

/// A part of c = a * b.
#[derive(Clone, Copy)]
pub struct Product {
    pub a: &'static [Vec<f64>],
    pub b: &'static [Vec<f64>],
    pub c: *mut f64,
    pub n: usize,
    pub row: usize,
    pub col: usize,
    pub high: usize,
    pub wide: usize,
}

// SAFETY: the parts that are multiplied at the same time have different elements of c.
unsafe impl Send for Product {}
unsafe impl Sync for Product {}

pub fn matrix(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| (i ^ j) as f64).collect()).collect()
}

impl Product {
    pub fn whole(n: usize) -> Self {
        let (a, b) = (matrix(n).leak(), matrix(n).leak());
        let c = vec![0.0; n * n].leak().as_mut_ptr();
        Product { a, b, c, n, row: 0, col: 0, high: n, wide: n }
    }

    pub fn is_leaf(&self) -> bool {
        self.high <= 32 && self.wide <= 32
    }

    pub fn split(self) -> (Self, Self) {
        let (mut x, mut y) = (self, self);
        if self.high >= self.wide {
            x.high /= 2;
            y.row += x.high;
            y.high -= x.high;
        } else {
            x.wide /= 2;
            y.col += x.wide;
            y.wide -= x.wide;
        }
        (x, y)
    }

    pub fn leaf(&self) {
        for i in self.row..self.row + self.high {
            // SAFETY: the row is in c, and nobody else uses these columns of it.
            let c = unsafe {
                std::slice::from_raw_parts_mut(self.c.add(i * self.n + self.col), self.wide)
            };
            c.fill(0.0);
            for (k, &x) in self.a[i].iter().enumerate() {
                let b = &self.b[k][self.col..self.col + self.wide];
                for (c, b) in c.iter_mut().zip(b) {
                    *c += x * b;
                }
            }
        }
    }

    pub fn multiply(self) {
        if self.is_leaf() {
            return self.leaf();
        }
        let (x, y) = self.split();
        x.multiply();
        y.multiply();
    }
}

#[derive(Clone, Copy)]
pub struct Board {
    n: u32,
    row: u32,
    cols: u32,
    left: u32,
    right: u32,
}

pub const QUEENS: u32 = 11;
pub const SOLUTIONS: usize = 2680;

impl Board {
    pub fn empty() -> Self {
        Board { n: QUEENS, row: 0, cols: 0, left: 0, right: 0 }
    }

    pub fn full(&self) -> bool {
        self.row == self.n
    }

    pub fn free(&self) -> u32 {
        ((1 << self.n) - 1) & !(self.cols | self.left | self.right)
    }

    pub fn place(&self, bit: u32) -> Self {
        Board {
            n: self.n,
            row: self.row + 1,
            cols: self.cols | bit,
            left: (self.left | bit) << 1,
            right: (self.right | bit) >> 1,
        }
    }
}

pub fn queens(b: Board) -> usize {
    if b.full() {
        return 1;
    }
    let (mut sum, mut free) = (0, b.free());
    while free != 0 {
        sum += queens(b.place(free & free.wrapping_neg()));
        free &= free - 1;
    }
    sum
}

#[derive(Clone, Copy)]
pub struct Node {
    seed: u64,
    root: bool,
}

impl Node {
    pub fn root() -> Self {
        Node { seed: 42, root: true }
    }

    pub fn child(&self, i: usize) -> Self {
        let step = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        Node { seed: mix(self.seed.wrapping_add(step)), root: false }
    }

    pub fn children(&self) -> usize {
        if self.root {
            2000
        } else if ((self.seed >> 11) as f64) < 0.1245 * (1u64 << 53) as f64 {
            8
        } else {
            0
        }
    }
}

pub fn tree(n: Node) -> usize {
    1 + (0..n.children()).map(|i| tree(n.child(i))).sum::<usize>()
}
