//! Tokio, with the workloads of its own benchmark rt_multi_threaded and others, and crossbeam.

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{mpsc, Arc};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::{yield_now, JoinHandle};

use crate::work::{fib_result, fib_spawns, stall};
use crate::{contender, outside, Contender};

const MANY: usize = 10_000;

pub fn open(key: &str, rt: &'static Runtime, workers: usize) -> Vec<Contender> {
    let one = |ops, round: Box<dyn FnMut() -> Duration>| vec![contender("Tokio", ops, round)];
    match key {
        "spawn-join" => one(1000, Box::new(|| inside(rt, spawn_join()))),
        "many" => many(rt, workers),
        "spawn-fib" => one(fib_spawns(25), Box::new(|| {
            inside(rt, async { assert_eq!(fib(25).await, fib_result(25)) })
        })),
        "yield" => one(1000, Box::new(|| inside(rt, yields(1000)))),
        "suspend" => one(3000, Box::new(|| inside(rt, both_yield()))),
        "outside" => one(20, Box::new(|| outside(|| round_trips(rt, 20)))),
        "outside-idle" => {
            let gap = || std::thread::sleep(Duration::from_millis(2));
            vec![contender("Tokio", 1, || outside(|| round_trips(rt, 1))).after(gap)]
        }
        "outside-busy" => vec![contender("Tokio", 1, || busy(rt)).rarely()],
        "local-10000" => one(1, Box::new(|| outside(|| spawn_many_local(rt)))),
        "idle-10000" => one(1, Box::new(|| outside(|| spawn_many(rt)))),
        "yielding-10000" => {
            vec![contender("Tokio", 1, move || busy_yielding(rt, workers)).rarely()]
        }
        "ping-pong" => one(1, Box::new(|| outside(|| ping_pong(rt)))),
        "chain" => one(1, Box::new(|| outside(|| chains(rt)))),
        "yield-many" => vec![contender("Tokio", 1, || outside(|| yield_many(rt))).rarely()],
        _ => Vec::new(),
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

async fn spawn_join() {
    for i in 0..1000 {
        black_box(tokio::spawn(async move { i }).await.unwrap());
    }
}

async fn yields(n: usize) {
    for _ in 0..n {
        yield_now().await;
    }
}

async fn both_yield() {
    for _ in 0..1000 {
        let h = tokio::spawn(yield_now());
        yield_now().await;
        h.await.unwrap();
    }
}

fn round_trips(rt: &Runtime, n: usize) {
    for _ in 0..n {
        rt.block_on(rt.spawn(async {})).unwrap();
    }
}

fn many(rt: &'static Runtime, workers: usize) -> Vec<Contender> {
    let (jobs, queue) = crossbeam_channel::bounded::<Countdown>(1024);
    for _ in 0..workers {
        let queue = queue.clone();
        std::thread::spawn(move || {
            for job in queue {
                job.done();
            }
        });
    }
    vec![
        contender("Tokio, from inside", MANY, || {
            inside(rt, async {
                let all: Vec<JoinHandle<()>> = (0..MANY).map(|_| tokio::spawn(async {})).collect();
                for h in all {
                    h.await.unwrap();
                }
            })
        }),
        contender("Tokio, from outside", MANY, || {
            outside(|| {
                let all: Vec<JoinHandle<()>> = (0..MANY).map(|_| rt.spawn(async {})).collect();
                rt.block_on(async {
                    for h in all {
                        h.await.unwrap();
                    }
                });
            })
        }),
        contender("crossbeam channel, fixed workers", MANY, move || {
            outside(|| {
                let (left, all) = Countdown::new(MANY);
                for _ in 0..MANY {
                    jobs.send(left.clone()).unwrap();
                }
                all.recv().unwrap();
            })
        }),
    ]
}

fn fib(n: usize) -> Pin<Box<dyn Future<Output = usize> + Send>> {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let x = tokio::spawn(fib(n - 1));
        let y = fib(n - 2).await;
        x.await.unwrap() + y
    })
}

fn again(on: Arc<AtomicBool>) {
    if on.load(Relaxed) {
        tokio::spawn(async move {
            stall(Duration::from_micros(10));
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
    let (left, all) = Countdown::new(1000);
    let took = outside(|| {
        for _ in 0..1000 {
            let left = left.clone();
            rt.spawn(async move { left.done() });
        }
        all.recv().unwrap();
    });
    on.store(false, Relaxed);
    took
}

/// Counts tasks down; the last one tells.
#[derive(Clone)]
struct Countdown(Arc<(AtomicUsize, mpsc::Sender<()>)>);

impl Countdown {
    fn new(n: usize) -> (Self, mpsc::Receiver<()>) {
        let (done, all) = mpsc::channel();
        (Countdown(Arc::new((AtomicUsize::new(n), done))), all)
    }

    fn done(self) {
        if self.0 .0.fetch_sub(1, AcqRel) == 1 {
            self.0 .1.send(()).unwrap();
        }
    }
}

fn spawn_many(rt: &Runtime) {
    let (left, all) = Countdown::new(MANY);
    for _ in 0..MANY {
        let left = left.clone();
        rt.spawn(async move { left.done() });
    }
    all.recv().unwrap();
}

fn spawn_many_local(rt: &Runtime) {
    let (left, all) = Countdown::new(MANY);
    rt.block_on(async move {
        for _ in 0..MANY {
            let left = left.clone();
            tokio::spawn(async move { left.done() });
        }
        all.recv().unwrap();
    });
}

fn busy_yielding(rt: &Runtime, workers: usize) -> Duration {
    let on = Arc::new(AtomicBool::new(true));
    for _ in 0..2 * workers {
        let on = on.clone();
        rt.spawn(async move {
            while on.load(Relaxed) {
                yield_now().await;
                stall(Duration::from_micros(10));
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

fn chains(rt: &Runtime) {
    let (end, all) = mpsc::channel();
    rt.spawn(async move { chain(1000, end) });
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
            yields(1000).await;
            left.done();
        });
    }
    all.recv().unwrap();
}
