//! The scenarios with what Shuttle has in place of std.

mod primitives {
    pub use shuttle::sync::atomic::{AtomicU32, AtomicU64};
    pub use shuttle::thread::spawn;

    /// Shuttle does not look at plain memory.
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub fn new(v: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(v))
        }

        pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[path = "deque.rs"]
mod deque;
#[path = "scenarios.rs"]
pub mod scenarios;
