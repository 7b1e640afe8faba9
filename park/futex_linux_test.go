package park

import (
	"math"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// eachCall runs a test with the system call of this platform and, on 32-bit machines, with the one
// for kernels that were built without 32-bit times.
func eachCall(t *testing.T, test func(t *testing.T,
	wait func(*word, uint32, time.Duration) unix.Errno, wake func(*word, int) unix.Errno)) {
	t.Run("SYS_FUTEX", func(t *testing.T) { test(t, futexWait, futexWake) })
	if sysFutexTime64 == 0 {
		return
	}
	t.Run("SYS_FUTEX_TIME64", func(t *testing.T) {
		if futexWake64(new(word), 1) == unix.ENOSYS {
			t.Skip("this kernel does not have it")
		}
		test(t, futexWait64, futexWake64)
	})
}

// The kernel compares before it sleeps.
func TestFutexDoesNotSleepOnAnotherValue(t *testing.T) {
	eachCall(t, func(t *testing.T, wait func(*word, uint32, time.Duration) unix.Errno,
		_ func(*word, int) unix.Errno) {
		var w word
		for _, d := range []time.Duration{-1, 0, time.Hour, math.MaxInt64} {
			require.Equal(t, unix.EAGAIN, wait(&w, asleep, d))
		}
	})
}

func TestFutexTimesOut(t *testing.T) {
	eachCall(t, func(t *testing.T, wait func(*word, uint32, time.Duration) unix.Errno,
		_ func(*word, int) unix.Errno) {
		var w word
		w.Store(asleep)
		start := time.Now()
		errno := unix.EINTR
		for errno == unix.EINTR {
			errno = wait(&w, asleep, time.Millisecond)
		}
		require.Equal(t, unix.ETIMEDOUT, errno)
		require.GreaterOrEqual(t, time.Since(start), time.Millisecond)
	})
}

// A wake ends a sleep of any length, also of the longest that the kernel's time structure has to
// hold.
func TestFutexWakes(t *testing.T) {
	eachCall(t, func(t *testing.T, wait func(*word, uint32, time.Duration) unix.Errno,
		wake func(*word, int) unix.Errno) {
		for _, d := range []time.Duration{-1, time.Hour, math.MaxInt64} {
			var w word
			w.Store(asleep)
			var wg sync.WaitGroup
			var errno unix.Errno
			wg.Go(func() {
				for w.Load() == asleep {
					errno = wait(&w, asleep, d)
				}
			})
			time.Sleep(time.Millisecond)
			w.Store(token)
			require.Zero(t, wake(&w, 1))
			wg.Wait()
			require.Contains(t, []unix.Errno{0, unix.EAGAIN, unix.EINTR}, errno)
		}
	})
}

func TestFutexWakeNeedsNobody(t *testing.T) {
	var w word
	require.Zero(t, futexWake(&w, 1))
}

func TestTimespecs(t *testing.T) {
	require.Equal(t, timespec{0, 1}, newTimespec(1))
	require.Equal(t, timespec{3, 999_999_999}, newTimespec(4*time.Second-1))
	longest := time.Duration(math.MaxInt64)
	most := newTimespec(longest)
	if math.MaxInt == math.MaxInt32 {
		require.Equal(t, timespec{math.MaxInt32, 0}, most)
	} else {
		require.Equal(t, timespec{int(longest / time.Second), int(longest % time.Second)}, most)
	}
}

// A refusal of the kernel that this package does not know does not pass for a sleep, or for a
// wake.
func TestUnexpectedErrorsPanic(t *testing.T) {
	// the kernel refuses unaligned words; handed to it, not used
	odd := (*word)(unsafe.Add(unsafe.Pointer(new([2]word)), 1))
	require.PanicsWithValue(t, "park: futex wait: invalid argument",
		func() { futex{}.sleep(odd, forever) })
	require.PanicsWithValue(t, "park: futex wake: invalid argument", func() { futex{}.wake(odd) })
}

// storm sends signals to every thread of the process until the test ends; when it returns, the
// first are sent.
func storm(t *testing.T) {
	ignored := make(chan os.Signal, 1) // full most of the time: nobody wants to know
	signal.Notify(ignored, unix.SIGUSR1)
	round := func() error {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			tid, err := strconv.Atoi(thread.Name())
			if err != nil {
				return err
			}
			for _, s := range []unix.Signal{unix.SIGUSR1, unix.SIGURG} {
				// the thread may be gone
				if err := unix.Tgkill(unix.Getpid(), tid, s); err != nil && err != unix.ESRCH {
					return err
				}
			}
		}
		return nil
	}
	require.NoError(t, round())
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			if err := round(); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(50 * time.Microsecond)
		}
	})
	t.Cleanup(func() {
		stop.Store(true)
		wg.Wait()
		signal.Stop(ignored)
	})
}

// Signals interrupt the kernel's waits, those with a timeout for good. The parker sleeps on: its
// time is not over, and there is no token.
func TestSignalsDoNotWake(t *testing.T) {
	storm(t)
	p := New(Futex)
	var unparked atomic.Bool
	var wg sync.WaitGroup
	for range 10 {
		start := time.Now()
		require.False(t, p.ParkTimeout(2*time.Millisecond))
		require.GreaterOrEqual(t, time.Since(start), 2*time.Millisecond)
	}
	sleeps := []func(){p.Park, func() { require.True(t, p.ParkTimeout(math.MaxInt64)) }}
	for _, sleep := range sleeps {
		unparked.Store(false)
		wg.Go(func() {
			time.Sleep(3 * time.Millisecond)
			unparked.Store(true)
			p.Unpark()
		})
		sleep()
		require.True(t, unparked.Load(), "woke without a token")
	}
	wg.Wait()
}

// The storm does reach a thread that waits in the kernel: else the test above would show nothing.
func TestSignalsInterruptTheKernel(t *testing.T) {
	storm(t)
	var w word
	w.Store(asleep)
	for futexWait(&w, asleep, time.Hour) != unix.EINTR {
	}
}
