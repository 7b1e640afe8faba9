//! Runs one scenario under loom or Shuttle, and prints how many executions there were:
//!
//!     checkers TOOL SCENARIO ORDERS SECONDS [bug]
//!
//! TOOL is loom, loom-2 or loom-3 (with so many preemptions at most), shuttle-dfs or
//! shuttle-random. ORDERS is seqcst or acqrel. The line that it prints is "finished", "stopped" or
//! "failed", the number of executions and the seconds. With the word bug a known bug is put back.

#![allow(clippy::duplicate_mod)] // deque.rs and scenarios.rs are compiled for each tool

mod on_loom;
mod on_shuttle;

use std::env;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How the atomic accesses are ordered.
pub trait Orders: 'static {
    const LOAD: Ordering;
    const STORE: Ordering;
    const CHANGE: Ordering;
}

/// As Go's atomics are.
struct SeqCst;

impl Orders for SeqCst {
    const LOAD: Ordering = Ordering::SeqCst;
    const STORE: Ordering = Ordering::SeqCst;
    const CHANGE: Ordering = Ordering::SeqCst;
}

/// What the algorithm needs.
struct AcqRel;

impl Orders for AcqRel {
    const LOAD: Ordering = Ordering::Acquire;
    const STORE: Ordering = Ordering::Release;
    const CHANGE: Ordering = Ordering::AcqRel;
}

static BUG: AtomicBool = AtomicBool::new(false);
static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);

fn bug() -> bool {
    BUG.load(Ordering::Relaxed)
}

/// The function of a scenario.
macro_rules! scenario {
    ($tool:ident, $name:expr, $orders:ident) => {
        match $name {
            "basic" => $tool::scenarios::basic::<$orders>,
            "steal_overflow" => $tool::scenarios::steal_overflow::<$orders>,
            "multi_stealer" => $tool::scenarios::multi_stealer::<$orders>,
            "chained_steal" => $tool::scenarios::chained_steal::<$orders>,
            "adds" => $tool::scenarios::adds::<$orders>,
            other => misuse(&format!("no scenario {other}")),
        }
    };
}

fn misuse(why: &str) -> ! {
    eprintln!("checkers: {why}");
    exit(2)
}

/// Runs the body until the tool has no more executions or the time is over.
fn run(tool: &str, limit: Duration, on_loom: fn(), on_shuttle: fn()) {
    let bounded = |bound| {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = bound;
        builder.max_duration = Some(limit);
        builder.checkpoint_interval = 100;
        builder.check(move || {
            EXECUTIONS.fetch_add(1, Ordering::Relaxed);
            on_loom()
        });
    };
    let mut config = shuttle::Config::new();
    config.max_time = Some(limit);
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.silence_warnings = true;
    let body = move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        on_shuttle()
    };
    match tool {
        "loom" => bounded(None),
        "loom-2" => bounded(Some(2)),
        "loom-3" => bounded(Some(3)),
        "shuttle-dfs" => {
            let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
            shuttle::Runner::new(scheduler, config).run(body);
        }
        "shuttle-random" => {
            let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(1, usize::MAX);
            shuttle::Runner::new(scheduler, config).run(body);
        }
        other => misuse(&format!("no tool {other}")),
    }
}

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (&[tool, name, orders, seconds], rest) = args
        .split_first_chunk::<4>()
        .unwrap_or_else(|| misuse("give TOOL SCENARIO ORDERS SECONDS [bug]"));
    match rest {
        [] => (),
        ["bug"] => BUG.store(true, Ordering::Relaxed),
        _ => misuse("only the word bug may follow"),
    }
    let limit = match seconds.parse() {
        Ok(n) => Duration::from_secs(n),
        Err(_) => misuse("the seconds are no number"),
    };
    let (on_loom, on_shuttle): (fn(), fn()) = match orders {
        "seqcst" => (scenario!(on_loom, name, SeqCst), scenario!(on_shuttle, name, SeqCst)),
        "acqrel" => (scenario!(on_loom, name, AcqRel), scenario!(on_shuttle, name, AcqRel)),
        other => misuse(&format!("no orders {other}")),
    };
    set_hook(Box::new(|_| ()));
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| run(tool, limit, on_loom, on_shuttle)));
    let took = start.elapsed();
    let verdict = match result {
        Err(_) => "failed",
        Ok(()) if took >= limit => "stopped",
        Ok(()) => "finished",
    };
    let n = EXECUTIONS.load(Ordering::Relaxed);
    println!("{verdict} {n} {:.3}", took.as_secs_f64());
    if let Err(why) = result {
        let text = why.downcast_ref::<String>().map(String::as_str);
        eprintln!("{}", text.or(why.downcast_ref::<&str>().copied()).unwrap_or("a panic"));
        exit(1);
    }
}
