//! The algorithm of package deque in Rust, with the same accesses in the same order. What differs:
//! `O` says how the accesses are ordered; the owner's copy of the tail is a field of `Owner`, and
//! an overflow appends to a vector of the caller; values are below 64, and 0 is a slot without one.
//! A thief that sees impossible positions gives up, since loom lets it read a head that is old.

use std::marker::PhantomData;
use std::sync::Arc;

use super::primitives::{AtomicU32, AtomicU64, UnsafeCell};
use crate::{bug, Orders};

fn pack(steal: u32, real: u32) -> u64 {
    (steal as u64) << 32 | real as u64
}

fn unpack(head: u64) -> (u32, u32) {
    ((head >> 32) as u32, head as u32)
}

struct Shared<O> {
    slots: Vec<UnsafeCell<usize>>,
    head: AtomicU64,
    tail: AtomicU32,
    orders: PhantomData<O>,
}

// A slot is accessed by whoever the positions give it to, which the checkers verify.
unsafe impl<O> Sync for Shared<O> {}
unsafe impl<O> Send for Shared<O> {}

pub struct Owner<O> {
    shared: Arc<Shared<O>>,
    next: u32,
}

pub struct Stealer<O> {
    shared: Arc<Shared<O>>,
}

impl<O> Clone for Stealer<O> {
    fn clone(&self) -> Self {
        Stealer { shared: self.shared.clone() }
    }
}

impl<O: Orders> Shared<O> {
    fn size(&self) -> u32 {
        self.slots.len() as u32
    }

    fn put(&self, position: u32, v: usize) {
        let slot = &self.slots[(position & (self.size() - 1)) as usize];
        slot.with_mut(|p| unsafe { *p = v });
    }

    fn take(&self, position: u32) -> usize {
        let slot = &self.slots[(position & (self.size() - 1)) as usize];
        slot.with_mut(|p| unsafe { std::mem::take(&mut *p) })
    }

    fn move_head(&self, from: u64, to: u64) -> bool {
        self.head.compare_exchange(from, to, O::CHANGE, O::LOAD).is_ok()
    }

    fn claim(&self, head: u64, n: u32) -> bool {
        let (steal, real) = unpack(head);
        if bug() {
            self.head.store(pack(steal, real + n), O::STORE);
            return true;
        }
        self.move_head(head, pack(steal, real + n))
    }

    fn release(&self, first: u32, n: u32) {
        loop {
            let head = self.head.load(O::LOAD);
            let (steal, real) = unpack(head);
            let taken = real.wrapping_sub(first);
            assert!(steal == first && n <= taken && taken <= self.size(), "the end of a steal");
            if self.move_head(head, pack(real, real)) {
                return;
            }
        }
    }
}

impl<O: Orders> Owner<O> {
    pub fn new(size: usize) -> Self {
        let shared = Shared {
            slots: (0..size).map(|_| UnsafeCell::new(0)).collect(),
            head: AtomicU64::new(0),
            tail: AtomicU32::new(0),
            orders: PhantomData,
        };
        Owner { shared: Arc::new(shared), next: 0 }
    }

    pub fn stealer(&self) -> Stealer<O> {
        Stealer { shared: self.shared.clone() }
    }

    fn publish(&mut self, n: u32) {
        self.next += n;
        self.shared.tail.store(self.next, O::STORE);
    }

    pub fn push(&mut self, v: usize, overflow: &mut Vec<usize>) {
        let (steal, _) = unpack(self.shared.head.load(O::LOAD));
        if self.next.wrapping_sub(steal) >= self.shared.size() {
            self.push_full(v, overflow);
            return;
        }
        self.shared.put(self.next, v);
        self.publish(1);
    }

    fn push_full(&mut self, v: usize, overflow: &mut Vec<usize>) {
        let size = self.shared.size();
        loop {
            let head = self.shared.head.load(O::LOAD);
            let (steal, real) = unpack(head);
            let used = self.next.wrapping_sub(steal);
            if used < size {
                self.shared.put(self.next, v);
                self.publish(1);
                return;
            }
            assert!(used == size, "a push found more than fits");
            if steal != real {
                overflow.push(v);
                return;
            }
            let half = size / 2;
            if self.shared.move_head(head, pack(real + half, real + half)) {
                overflow.extend((0..half).map(|i| self.shared.take(real + i)));
                overflow.push(v);
                return;
            }
        }
    }

    pub fn pop(&mut self) -> Option<usize> {
        loop {
            let head = self.shared.head.load(O::LOAD);
            let (steal, real) = unpack(head);
            let n = self.next.wrapping_sub(real);
            assert!(n <= self.shared.size(), "a pop found more than fits");
            if n == 0 {
                return None;
            }
            let after = if steal == real { real + 1 } else { steal };
            if self.shared.move_head(head, pack(after, real + 1)) {
                return Some(self.shared.take(real));
            }
        }
    }

    fn room(&self) -> u32 {
        let (steal, _) = unpack(self.shared.head.load(O::LOAD));
        self.shared.size() - self.next.wrapping_sub(steal)
    }
}

impl<O: Orders> Stealer<O> {
    pub fn steal_into(&self, dst: &mut Owner<O>) -> Option<usize> {
        let (head, n) = self.look(dst)?;
        if !self.shared.claim(head, n) {
            return None;
        }
        let (_, first) = unpack(head);
        let v = self.shared.take(first);
        for i in 0..n - 1 {
            dst.shared.put(dst.next + i, self.shared.take(first + 1 + i));
        }
        self.shared.release(first, n);
        if n > 1 {
            dst.publish(n - 1);
        }
        Some(v)
    }

    fn look(&self, dst: &Owner<O>) -> Option<(u64, u32)> {
        let head = self.shared.head.load(O::LOAD);
        let (steal, real) = unpack(head);
        let queued = self.shared.tail.load(O::LOAD).wrapping_sub(real);
        if queued == 0 || steal != real {
            return None;
        }
        if queued > self.shared.size() {
            let _ = self.shared.head.load(O::LOAD);
            return None;
        }
        let n = queued - queued / 2;
        Some((head, if n > 1 { n.min(dst.room() + 1) } else { n }))
    }
}
