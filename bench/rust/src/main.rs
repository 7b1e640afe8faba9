//! Tokio, crossbeam and Rayon at the work that the program in the directory above measures.
//!
//!     cargo run --release [-- ROUNDS]    prints a table for each row
//!     peers serve                        measures what standard input asks for, see ../serve.go

mod rayon_rows;
mod tokio_rows;
mod work;

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

/// The work of one way to do what a row is about.
pub struct Contender {
    name: String,
    ops: usize,                         // in a round
    rarely: bool,                       // one round in a turn
    gap: Box<dyn FnMut()>,              // before each round
    round: Box<dyn FnMut() -> Duration>, // does the work and says how long it took
}

pub fn contender(
    name: &str,
    ops: usize,
    round: impl FnMut() -> Duration + 'static,
) -> Contender {
    let gap = Box::new(|| ());
    Contender { name: name.to_string(), ops, rarely: false, gap, round: Box::new(round) }
}

impl Contender {
    pub fn rarely(mut self) -> Self {
        self.rarely = true;
        self
    }

    pub fn after(mut self, gap: impl FnMut() + 'static) -> Self {
        self.gap = Box::new(gap);
        self
    }

    fn run(&mut self) -> u128 {
        (self.gap)();
        (self.round)().as_nanos()
    }
}

/// A round that is measured where it is called.
pub fn outside(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

const KEYS: &[&str] = &[
    "spawn-join", "many", "spawn-fib", "yield", "suspend", "outside", "outside-idle",
    "outside-busy", "local-10000", "idle-10000", "yielding-10000", "ping-pong", "chain",
    "yield-many", "fib-25", "fib-30", "fib-32", "quicksort", "sort", "matrices", "queens", "tree",
    "triangle", "range-10us", "range-100us", "range-1ms", "leaves-1us", "leaves-10us",
    "leaves-100us", "leaves-1ms", "long-leaf",
];

/// The contenders of a row, none if there is no such row here.
fn open(key: &str, pools: &'static Pools) -> Vec<Contender> {
    let mut all = tokio_rows::open(key, &pools.tokio, pools.workers);
    all.extend(rayon_rows::open(key, &pools.one, &pools.two));
    all
}

struct Pools {
    workers: usize,
    tokio: tokio::runtime::Runtime,
    one: rayon::ThreadPool,
    two: rayon::ThreadPool,
}

fn pools() -> &'static Pools {
    let workers = std::thread::available_parallelism().unwrap().get();
    let of = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let mut tokio = tokio::runtime::Builder::new_multi_thread();
    let tokio = tokio.worker_threads(workers).build().unwrap();
    Box::leak(Box::new(Pools { workers, tokio, one: of(1), two: of(2) }))
}

/// Nobody is measured beside the rest of somebody else's round.
fn settle() {
    std::thread::sleep(Duration::from_micros(300));
}

fn turns(all: &mut [Contender], length: Duration) -> Vec<Vec<u128>> {
    let mut times = vec![Vec::new(); all.len()];
    let begin = Instant::now();
    let mut first = true;
    while !all.is_empty() && (first || begin.elapsed() < length) {
        for (c, t) in all.iter_mut().zip(&mut times) {
            if first || !c.rarely {
                t.push(c.run());
                settle();
            }
        }
        first = false;
    }
    times
}

fn serve() {
    let pools = pools();
    let mut all = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let times = match line.split_once(' ') {
            Some(("open", key)) => {
                drop(all); // before the next contenders take the memory
                all = open(key, pools);
                for c in &mut all {
                    c.run();
                    c.run();
                }
                vec![Vec::new(); all.len()]
            }
            Some(("run", millis)) => {
                turns(&mut all, Duration::from_millis(millis.parse().unwrap()))
            }
            _ => panic!("no such request: {line}"),
        };
        let of = |(c, t): (&Contender, &Vec<u128>)| {
            format!(r#"{{"name":{:?},"peer":true,"ops":{},"times":{t:?}}}"#, c.name, c.ops)
        };
        let answer: Vec<String> = all.iter().zip(&times).map(of).collect();
        println!("[{}]", answer.join(","));
        std::io::stdout().flush().unwrap();
    }
}

/// The versions of the crates, from Cargo.lock.
fn versions() -> String {
    let lock = include_str!("../Cargo.lock");
    let of = |name: &str| {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let (_, rest) = lock.split_once(&entry).unwrap();
        format!("{name} {}", rest.split_once('"').unwrap().0)
    };
    ["tokio", "rayon", "crossbeam-channel"].map(of).join(", ")
}

fn print(key: &str, all: &mut [Contender], rounds: usize) {
    let mut times = vec![Vec::new(); all.len()];
    for n in 0..=rounds {
        for (c, t) in all.iter_mut().zip(&mut times) {
            if c.rarely && n % 10 > 1 {
                continue;
            }
            let took = c.run();
            if n > 0 {
                t.push(took as f64 / c.ops as f64); // the first round warms up
            }
            settle();
        }
    }
    println!("\n| {key}, ns | min | p50 | p90 |\n|---|--:|--:|--:|");
    for (c, t) in all.iter().zip(&mut times) {
        t.sort_by(f64::total_cmp);
        let at = |q: f64| t[(q * (t.len() - 1) as f64) as usize];
        println!("| {} | {:.1} | {:.1} | {:.1} |", c.name, at(0.0), at(0.5), at(0.9));
    }
}

fn main() {
    let argument = std::env::args().nth(1);
    match argument.as_deref() {
        Some("serve") => serve(),
        Some("versions") => println!("{}", versions()),
        _ => {
            let rounds = argument.map_or(300, |a| a.parse().expect("ROUNDS must be a number"));
            let pools = pools();
            println!("{} workers, {rounds} rounds; {}", pools.workers, versions());
            for key in KEYS {
                print(key, &mut open(key, pools), rounds);
            }
        }
    }
}
