//! Rayon's join, iterators and sort.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{join, ThreadPool};

use crate::work::*;
use crate::{contender, outside, Contender};

pub fn open(key: &str, one: &'static ThreadPool, two: &'static ThreadPool) -> Vec<Contender> {
    let pools = Pools { one, two };
    match key {
        "fib-25" => fibs(pools, 25),
        "fib-30" => fibs(pools, 30),
        "fib-32" => fibs(pools, 32),
        "quicksort" => quicksorts(pools),
        "sort" => sorts(pools),
        "matrices" => {
            let whole = Product::whole(384);
            pools.both("join", 1, move || multiply(whole), move || whole.multiply())
        }
        "queens" => pools.both(
            "join",
            1,
            || assert_eq!(queens_join(Board::empty()), SOLUTIONS),
            || assert_eq!(queens(black_box(Board::empty())), SOLUTIONS),
        ),
        "tree" => {
            let size = tree(Node::root());
            pools.both(
                "join",
                1,
                move || assert_eq!(tree_join(Node::root()), size),
                move || assert_eq!(tree(black_box(Node::root())), size),
            )
        }
        "triangle" => triangle(pools),
        "range-10us" => trivial(pools, 30_000),
        "range-100us" => trivial(pools, 300_000),
        "range-1ms" => trivial(pools, 3_000_000),
        "leaves-1us" => leaves(pools, 8000, 1),
        "leaves-10us" => leaves(pools, 800, 10),
        "leaves-100us" => leaves(pools, 80, 100),
        "leaves-1ms" => leaves(pools, 16, 1000),
        "long-leaf" => vec![contender("Rayon, scope, 2 workers", 1, || within(two, &long_leaf))],
        _ => Vec::new(),
    }
}

/// A round that is measured by a worker.
fn within(pool: &ThreadPool, work: &(impl Fn() + Sync)) -> Duration {
    pool.install(|| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    })
}

#[derive(Clone, Copy)]
struct Pools {
    one: &'static ThreadPool,
    two: &'static ThreadPool,
}

impl Pools {
    fn on_workers(
        self,
        name: &str,
        ops: usize,
        work: impl Fn() + Sync + Copy + 'static,
    ) -> Vec<Contender> {
        vec![
            contender(&format!("Rayon, {name}, 1 worker"), ops, move || within(self.one, &work)),
            contender(&format!("Rayon, {name}, 2 workers"), ops, move || within(self.two, &work)),
        ]
    }

    fn both(
        self,
        name: &str,
        ops: usize,
        work: impl Fn() + Sync + Send + Copy + 'static,
        plain: impl Fn() + 'static,
    ) -> Vec<Contender> {
        let mut all = self.on_workers(name, ops, work);
        all.push(contender("plain code", ops, move || outside(&plain)));
        all
    }
}

fn fibs(pools: Pools, n: usize) -> Vec<Contender> {
    pools.both(
        "join",
        fib_spawns(n),
        move || assert_eq!(fib_join(black_box(n)), fib_result(n)),
        move || assert_eq!(fib(black_box(n)), fib_result(n)),
    )
}

fn fib_join(n: usize) -> usize {
    if n < 2 {
        return n;
    }
    let (x, y) = join(|| fib_join(n - 1), || fib_join(n - 2));
    x + y
}

/// Numbers that several contenders sort, and the order that each begins with.
#[derive(Clone, Copy)]
struct Numbers {
    random: &'static [i64],
    values: *mut i64,
}

// SAFETY: one round at a time uses the values.
unsafe impl Send for Numbers {}
unsafe impl Sync for Numbers {}

impl Numbers {
    fn new() -> Self {
        Numbers { random: random().leak(), values: vec![0; SORTED].leak().as_mut_ptr() }
    }

    #[allow(clippy::mut_from_ref)]
    fn slice(&self) -> &'static mut [i64] {
        // SAFETY: see above; the memory is never given back.
        unsafe { std::slice::from_raw_parts_mut(self.values, SORTED) }
    }
}

fn mixed(numbers: Numbers, all: Vec<Contender>) -> Vec<Contender> {
    let mix = move || numbers.slice().copy_from_slice(numbers.random);
    all.into_iter().map(|c| c.after(mix)).collect()
}

fn quicksorts(pools: Pools) -> Vec<Contender> {
    let numbers = Numbers::new();
    let all = pools.both(
        "join",
        1,
        move || quicksort_join(numbers.slice()),
        move || quicksort(numbers.slice()),
    );
    mixed(numbers, all)
}

fn quicksort_join(v: &mut [i64]) {
    if v.len() <= 24 {
        return insertion_sort(v);
    }
    let m = partition(v);
    let (low, high) = v.split_at_mut(m);
    join(|| quicksort_join(low), || quicksort_join(high));
}

fn sorts(pools: Pools) -> Vec<Contender> {
    let numbers = Numbers::new();
    let mut all = pools.on_workers("par_sort_by, stable", 1, move || {
        numbers.slice().par_sort_by(|a, b| a.cmp(b))
    });
    all.push(contender("slice::sort_by, stable", 1, move || {
        outside(|| numbers.slice().sort_by(|a, b| a.cmp(b)))
    }));
    mixed(numbers, all)
}

fn multiply(p: Product) {
    if p.is_leaf() {
        return p.leaf();
    }
    let (x, y) = p.split();
    join(move || multiply(x), move || multiply(y));
}

fn queens_join(b: Board) -> usize {
    if b.full() {
        return 1;
    }
    queens_rest(b, b.free())
}

/// The first column is one half, the others are the other.
fn queens_rest(b: Board, free: u32) -> usize {
    if free == 0 {
        return 0;
    }
    let bit = free & free.wrapping_neg();
    if free == bit {
        return queens_join(b.place(bit));
    }
    let (x, y) = join(|| queens_rest(b, free & !bit), || queens_join(b.place(bit)));
    x + y
}

fn tree_join(n: Node) -> usize {
    1 + tree_rest(n, n.children())
}

fn tree_rest(n: Node, k: usize) -> usize {
    if k == 0 {
        return 0;
    }
    let c = n.child(k - 1);
    if k == 1 {
        return tree_join(c);
    }
    let (x, y) = join(|| tree_rest(n, k - 1), || tree_join(c));
    x + y
}

/// Elements that each call of a loop writes one of.
fn data(n: usize) -> &'static mut [f64] {
    vec![0.0; n].leak()
}

#[derive(Clone, Copy)]
struct Elements<T>(*mut T, usize);

// SAFETY: one round at a time uses the elements.
unsafe impl<T> Send for Elements<T> {}
unsafe impl<T> Sync for Elements<T> {}

impl<T: 'static> Elements<T> {
    fn of(all: &'static mut [T]) -> Self {
        Elements(all.as_mut_ptr(), all.len())
    }

    #[allow(clippy::mut_from_ref)]
    fn slice(&self) -> &'static mut [T] {
        // SAFETY: see above; the memory is never given back.
        unsafe { std::slice::from_raw_parts_mut(self.0, self.1) }
    }
}

fn triangle(pools: Pools) -> Vec<Contender> {
    let all = Elements::of(data(4000));
    let parallel = move || {
        all.slice().par_iter_mut().enumerate().for_each(|(i, x)| *x = steps(i));
    };
    let plain = move || all.slice().iter_mut().enumerate().for_each(|(i, x)| *x = steps(i));
    pools.both("par_iter", 1, parallel, plain)
}

/// The loops of ../loops.go; one operation is one loop.
fn trivial(pools: Pools, n: usize) -> Vec<Contender> {
    let repeat = (1_000_000 / n).max(1);
    let numbers: Vec<i64> = (0..n as i64).collect();
    let all = Elements::of(numbers.leak());
    let increase = |x: &mut i64| *x = x.wrapping_mul(3).wrapping_add(1);
    pools.both(
        "par_iter",
        repeat,
        move || (0..repeat).for_each(|_| all.slice().par_iter_mut().for_each(increase)),
        move || (0..repeat).for_each(|_| black_box(all.slice()).iter_mut().for_each(increase)),
    )
}

fn leaves(pools: Pools, n: usize, micros: usize) -> Vec<Contender> {
    let all = Elements::of(data(n));
    let leaf = move |x: &mut f64| *x = steps(black_box(micros * STEPS_PER_MICROSECOND));
    pools.both(
        "par_iter",
        1,
        move || all.slice().par_iter_mut().for_each(leaf),
        move || all.slice().iter_mut().for_each(leaf),
    )
}

fn long_leaf() {
    rayon::scope(|s| {
        for _ in 0..16 {
            s.spawn(|_| stall(Duration::from_millis(1)));
        }
        stall(Duration::from_millis(16));
    });
}
