package poll

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is Linux's kernel. Descriptors are added once, for both directions and edge-triggered: a
// call that may have to wait tries first, and waits for an edge after that.
//
// unsafe is used as in package park: for conversions to uintptr within the call, of memory that
// lives as long as the call.
type epoll struct {
	fd   int // never changes
	wake int // an eventfd, level-triggered: readable while there is an interruption; never changes

	// waitsMillis is set once the kernel was found to have no wait with nanoseconds.
	waitsMillis atomic.Bool

	// lock keeps the two descriptors open while they are used outside of Wait.
	lock   sync.Mutex
	closed bool // under the lock
}

const wakeID = 0 // of the eventfd

// NewEpoll returns a kernel, which uses two descriptors itself until Close. It returns an error if
// there are none, and on platforms other than Linux.
func NewEpoll() (Descriptors, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	e := &epoll{fd: fd, wake: wake}
	err = unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, wake, newEvent(unix.EPOLLIN, wakeID))
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("epoll_ctl: %w", err)
	}
	return e, nil
}

// Package unix declares the 64 bits of user data of an event as two fields.

func newEvent(events uint32, id uint64) *unix.EpollEvent {
	return &unix.EpollEvent{Events: events, Fd: int32(id), Pad: int32(id >> 32)}
}

func eventID(e *unix.EpollEvent) uint64 { return uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32 }

const (
	readable = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	writable = unix.EPOLLOUT | unix.EPOLLHUP | unix.EPOLLERR
)

// Add implements Descriptors.
func (e *epoll) Add(fd uintptr, id uint64) (open bool, err error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.closed {
		return false, nil
	}
	edges := uint32(unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET&0xffffffff)
	if err := unix.EpollCtl(e.fd, unix.EPOLL_CTL_ADD, int(fd), newEvent(edges, id)); err != nil {
		return true, fmt.Errorf("epoll_ctl: %w", err)
	}
	return true, nil
}

// Remove implements Descriptors.
func (e *epoll) Remove(fd uintptr) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if !e.closed {
		// An error says that fd is closed; then the kernel has removed it.
		_ = unix.EpollCtl(e.fd, unix.EPOLL_CTL_DEL, int(fd), nil)
	}
}

// Wait implements Kernel.
func (e *epoll) Wait(events []Event, d time.Duration) (n int, interrupted bool) {
	var buffer [64]unix.EpollEvent
	got, errno := e.wait(buffer[:min(len(buffer), len(events))], d)
	if errno != 0 {
		if errno == unix.EINTR {
			return 0, false
		}
		panic("poll: epoll_wait: " + errno.Error())
	}
	for i := range buffer[:got] {
		b := &buffer[i]
		id := eventID(b)
		if id == wakeID {
			interrupted = true
			continue
		}
		events[n] = Event{ID: id, Read: b.Events&readable != 0, Write: b.Events&writable != 0}
		n++
	}
	return n, interrupted
}

// wait is the system call. A call that does not block is made by RawSyscall, without Go's
// scheduler.
func (e *epoll) wait(buffer []unix.EpollEvent, d time.Duration) (int, unix.Errno) {
	fd, at, size := uintptr(e.fd), unsafe.Pointer(&buffer[0]), uintptr(len(buffer))
	if d == 0 {
		n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, fd, uintptr(at), size, 0, 0, 0)
		return int(n), errno
	}
	if d > 0 && !e.waitsMillis.Load() {
		ts := [2]int64{int64(d / time.Second), int64(d % time.Second)}
		n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, fd, uintptr(at), size,
			uintptr(unsafe.Pointer(&ts)), 0, 0)
		// Linux before 5.11 returns ENOSYS, a sandbox that does not know the call EPERM.
		if errno != unix.ENOSYS && errno != unix.EPERM {
			return int(n), errno
		}
		e.waitsMillis.Store(true)
	}
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT, fd, uintptr(at), size,
		uintptr(millis(d)), 0, 0)
	return int(n), errno
}

// millis returns d in milliseconds, rounded up, and limited to what the system call takes; -1 if d
// is negative.
func millis(d time.Duration) int {
	if d < 0 {
		return -1
	}
	ms := d / time.Millisecond
	if d%time.Millisecond != 0 {
		ms++
	}
	return int(min(ms, math.MaxInt32))
}

// Interrupt implements Kernel.
func (e *epoll) Interrupt() {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.closed {
		return
	}
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	for {
		if _, err := unix.Write(e.wake, one[:]); err != unix.EINTR {
			return // EAGAIN: it is readable already
		}
	}
}

// TakeBack implements Kernel.
func (e *epoll) TakeBack() {
	var count [8]byte
	for {
		if _, err := unix.Read(e.wake, count[:]); err != unix.EINTR {
			return
		}
	}
}

// Close implements Descriptors.
func (e *epoll) Close() {
	e.lock.Lock()
	defer e.lock.Unlock()
	if !e.closed {
		e.closed = true
		unix.Close(e.wake)
		unix.Close(e.fd)
	}
}
