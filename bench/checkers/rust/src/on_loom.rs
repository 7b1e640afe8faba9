//! The scenarios with what loom has in place of std.

mod primitives {
    pub use loom::cell::UnsafeCell;
    pub use loom::sync::atomic::{AtomicU32, AtomicU64};
    pub use loom::thread::spawn;
}

#[path = "deque.rs"]
mod deque;
#[path = "scenarios.rs"]
pub mod scenarios;
