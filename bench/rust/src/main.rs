//! Measures Tokio, crossbeam and Rayon at the work that `go run .` in the directory above measures, and prints tables of the same form.
//! Contenders take turns, one short round each; nothing is left out.
//!
//!     cargo run --release [-- ROUNDS]

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{mpsc, Arc};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::{yield_now, JoinHandle};

struct Contender<'a> {
    name: &'a str,
    ops: usize,
    round: Box<dyn FnMut() -> Duration + 'a>,
}

fn contender<'a>(name: &'a str, ops: usize, round: impl FnMut() -> Duration + 'a) -> Contender<'a> {
    Contender { name, ops, round: Box::new(round) }
}

fn row(title: &str, rounds: usize, mut all: Vec<Contender>) {
    let mut times = vec![Vec::new(); all.len()];
    for n in 0..=rounds {
        for (c, t) in all.iter_mut().zip(&mut times) {
            let took = (c.round)();
            if n > 0 {
                t.push(took.as_nanos() as f64 / c.ops as f64); // the first round warms up
            }
            std::thread::sleep(Duration::from_micros(300));
        }
    }
    println!("\n| {title}, ns | min | p50 | p90 |\n|---|--:|--:|--:|");
    for (c, t) in all.iter().zip(&mut times) {
        t.sort_by(f64::total_cmp);
        let at = |q: f64| t[(q * (t.len() - 1) as f64) as usize];
        println!("| {} | {:.1} | {:.1} | {:.1} |", c.name, at(0.0), at(0.5), at(0.9));
    }
}

/// A round that is measured inside a task.
fn inside<F>(rt: &Runtime, work: F) -> Duration
where
    F: Future<Output = ()> + Send + 'static,
{
    rt.block_on(rt.spawn(async {
        let begin = Instant::now();
        work.await;
        begin.elapsed()
    }))
    .unwrap()
}

fn outside(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

const FIB: u64 = 25;
const FIB_RESULT: u64 = 75_025;
const FIB_SPAWNS: usize = 121_392;

fn fib(n: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let x = tokio::spawn(fib(n - 1));
        let y = fib(n - 2).await;
        x.await.unwrap() + y
    })
}

fn fib_rayon(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (x, y) = rayon::join(|| fib_rayon(n - 1), || fib_rayon(n - 2));
    x + y
}

fn stall() {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_micros(10) {}
}

fn again(on: Arc<AtomicBool>) {
    if on.load(Relaxed) {
        tokio::spawn(async move {
            stall();
            again(on);
        });
    }
}

fn busy(rt: &Runtime) -> Duration {
    let on = Arc::new(AtomicBool::new(true));
    for _ in 0..4 {
        let on = on.clone();
        rt.spawn(async move { again(on) });
    }
    std::thread::sleep(Duration::from_millis(1));
    let left = Arc::new(AtomicUsize::new(1000));
    let (done, all) = mpsc::channel();
    let took = outside(|| {
        for _ in 0..1000 {
            let (left, done) = (left.clone(), done.clone());
            rt.spawn(async move {
                if left.fetch_sub(1, AcqRel) == 1 {
                    done.send(()).unwrap();
                }
            });
        }
        all.recv().unwrap();
    });
    on.store(false, Relaxed);
    took
}

/// Counts tasks down; the last one tells.
#[derive(Clone)]
struct Countdown(Arc<AtomicUsize>, mpsc::Sender<()>);

impl Countdown {
    fn new(n: usize) -> (Self, mpsc::Receiver<()>) {
        let (done, all) = mpsc::channel();
        (Countdown(Arc::new(AtomicUsize::new(n)), done), all)
    }

    fn done(self) {
        if self.0.fetch_sub(1, AcqRel) == 1 {
            self.1.send(()).unwrap();
        }
    }
}

fn spawn_many(rt: &Runtime) {
    let (left, all) = Countdown::new(10_000);
    for _ in 0..10_000 {
        let left = left.clone();
        rt.spawn(async move { left.done() });
    }
    all.recv().unwrap();
}

fn busy_yielding(rt: &Runtime, workers: usize) -> Duration {
    let on = Arc::new(AtomicBool::new(true));
    for _ in 0..2 * workers {
        let on = on.clone();
        rt.spawn(async move {
            while on.load(Relaxed) {
                yield_now().await;
                stall();
            }
        });
    }
    std::thread::sleep(Duration::from_millis(1));
    let took = outside(|| spawn_many(rt));
    on.store(false, Relaxed);
    took
}

fn ping_pong(rt: &Runtime) {
    let (left, all) = Countdown::new(1000);
    rt.spawn(async move {
        for _ in 0..1000 {
            let left = left.clone();
            tokio::spawn(async move {
                let (there, first) = oneshot::channel();
                let (back, second) = oneshot::channel();
                tokio::spawn(async move {
                    first.await.unwrap();
                    back.send(()).unwrap();
                });
                there.send(()).unwrap();
                second.await.unwrap();
                left.done();
            });
        }
    });
    all.recv().unwrap();
}

fn chain(n: usize, end: mpsc::Sender<()>) {
    if n == 0 {
        end.send(()).unwrap();
        return;
    }
    tokio::spawn(async move { chain(n - 1, end) });
}

fn yield_many(rt: &Runtime) {
    let (left, all) = Countdown::new(200);
    for _ in 0..200 {
        let left = left.clone();
        rt.spawn(async move {
            for _ in 0..1000 {
                yield_now().await;
            }
            left.done();
        });
    }
    all.recv().unwrap();
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(300, |a| a.parse().expect("ROUNDS must be a number"));
    let workers = std::thread::available_parallelism().unwrap().get();
    let rt = &Builder::new_multi_thread().worker_threads(workers).build().unwrap();
    rayon::ThreadPoolBuilder::new().num_threads(workers).build_global().unwrap();
    println!("{workers} workers, {rounds} rounds");

    row("spawn + join inside a worker", rounds, vec![contender("Tokio", 1000, || {
        inside(rt, async {
            for i in 0..1000 {
                black_box(tokio::spawn(async move { i }).await.unwrap());
            }
        })
    })]);

    const N: usize = 10_000;
    let (jobs, queue) = crossbeam_channel::bounded::<Arc<(AtomicUsize, mpsc::Sender<()>)>>(1024);
    for _ in 0..workers {
        let queue = queue.clone();
        std::thread::spawn(move || {
            for job in queue {
                if job.0.fetch_sub(1, AcqRel) == 1 {
                    job.1.send(()).unwrap();
                }
            }
        });
    }
    row("10,000 empty tasks, all awaited, each", rounds, vec![
        contender("Tokio, from inside", N, || {
            inside(rt, async {
                let all: Vec<JoinHandle<()>> = (0..N).map(|_| tokio::spawn(async {})).collect();
                for h in all {
                    h.await.unwrap();
                }
            })
        }),
        contender("Tokio, from outside", N, || {
            outside(|| {
                let all: Vec<JoinHandle<()>> = (0..N).map(|_| rt.spawn(async {})).collect();
                rt.block_on(async {
                    for h in all {
                        h.await.unwrap();
                    }
                });
            })
        }),
        contender("crossbeam channel, fixed workers", N, || {
            outside(|| {
                let (done, all) = mpsc::channel();
                let job = Arc::new((AtomicUsize::new(N), done));
                for _ in 0..N {
                    jobs.send(job.clone()).unwrap();
                }
                all.recv().unwrap();
            })
        }),
    ]);

    row("fork-join fib(25), a spawn", rounds.div_ceil(3), vec![
        contender("Tokio", FIB_SPAWNS, || inside(rt, async { assert_eq!(fib(FIB).await, FIB_RESULT) })),
        contender("Rayon join (no tasks, no waiting)", FIB_SPAWNS, || {
            outside(|| assert_eq!(fib_rayon(black_box(FIB)), FIB_RESULT))
        }),
    ]);

    row("yield", rounds, vec![contender("Tokio", 1000, || {
        inside(rt, async {
            for _ in 0..1000 {
                yield_now().await;
            }
        })
    })]);

    row("a join that suspends, each of 3 suspensions", rounds, vec![contender("Tokio", 3000, || {
        inside(rt, async {
            for _ in 0..1000 {
                let h = tokio::spawn(yield_now());
                yield_now().await;
                h.await.unwrap();
            }
        })
    })]);

    row("spawn + wait from outside, one after the other", rounds, vec![contender("Tokio", 20, || {
        outside(|| {
            for _ in 0..20 {
                rt.block_on(rt.spawn(async {})).unwrap();
            }
        })
    })]);

    row("1,000 tasks from outside while all workers are busy, all awaited", rounds.div_ceil(10), vec![
        contender("Tokio", 1, || busy(rt)),
    ]);

    row("10,000 tasks from outside, all workers asleep (spawn_many_remote_idle)", rounds, vec![contender("Tokio", 1, || {
        outside(|| spawn_many(rt))
    })]);

    row(
        "10,000 tasks from outside, all workers in tasks that yield (spawn_many_remote_busy1)",
        rounds.div_ceil(10),
        vec![contender("Tokio", 1, || busy_yielding(rt, workers))],
    );

    row("1,000 tasks of a task, each with a partner and two oneshots (ping_pong)", rounds, vec![contender("Tokio", 1, || {
        outside(|| ping_pong(rt))
    })]);

    row("a task that spawns its successor, 1,000 times (chained_spawn)", rounds, vec![contender("Tokio", 1, || {
        outside(|| {
            let (end, all) = mpsc::channel();
            rt.spawn(async move { chain(1000, end) });
            all.recv().unwrap();
        })
    })]);

    row("200 tasks that yield 1,000 times each (yield_many)", rounds.div_ceil(10), vec![contender("Tokio", 1, || {
        outside(|| yield_many(rt))
    })]);
}
