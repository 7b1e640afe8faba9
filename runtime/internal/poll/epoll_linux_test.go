package poll

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/surewake/surewake/park"
)

func newEpoll(t *testing.T) *epoll {
	d, err := NewEpoll()
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d.(*epoll)
}

// pipe returns the two ends of a pipe that nobody waits for, not even Go.
func pipe(t *testing.T) (r, w int) {
	var ends [2]int
	require.NoError(t, unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	t.Cleanup(func() {
		unix.Close(ends[0])
		unix.Close(ends[1])
	})
	return ends[0], ends[1]
}

func add(t *testing.T, e *epoll, fd int, id uint64) {
	open, err := e.Add(uintptr(fd), id)
	require.NoError(t, err)
	require.True(t, open)
}

// wait returns what Wait tells, and checks that it says nothing of an interruption.
func wait(t *testing.T, e *epoll, d time.Duration) []Event {
	events := make([]Event, 4)
	n, interrupted := e.Wait(events, d)
	require.False(t, interrupted)
	return events[:n]
}

const long = 10 * time.Second

// What is ready when it is added is told, and what becomes ready later; each once.
func TestEpollTellsEveryEdgeOnce(t *testing.T) {
	e := newEpoll(t)
	r, w := pipe(t)
	const id = 1<<63 | 5<<32 | 7
	add(t, e, r, id)
	add(t, e, w, 2)
	require.Equal(t, []Event{{ID: 2, Write: true}}, wait(t, e, 0))
	require.Empty(t, wait(t, e, 0))
	for range 3 { // the second time, there is something to read already
		unix.Write(w, []byte{1})
		require.Equal(t, []Event{{ID: id, Read: true}}, wait(t, e, long))
		require.Empty(t, wait(t, e, 0))
	}
	e.Remove(uintptr(r))
	e.Remove(uintptr(r))
	unix.Write(w, []byte{1})
	require.Empty(t, wait(t, e, 0))
}

// The end of one side is something that the other can read.
func TestEpollTellsOfTheEnd(t *testing.T) {
	e := newEpoll(t)
	r, w := pipe(t)
	add(t, e, r, 1)
	unix.Close(w)
	got := wait(t, e, long)
	require.Len(t, got, 1)
	require.True(t, got[0].Read)

	sides, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	add(t, e, sides[0], 2)
	wait(t, e, long)
	unix.Shutdown(sides[1], unix.SHUT_WR)
	got = wait(t, e, long)
	require.Len(t, got, 1)
	require.True(t, got[0].Read)
	unix.Close(sides[0])
	unix.Close(sides[1])
}

// An interruption is there until it is taken back, before a Wait or in one, and for each of
// several.
func TestEpollRemembersInterruptions(t *testing.T) {
	e := newEpoll(t)
	_, w := pipe(t)
	add(t, e, w, 1)
	e.Interrupt()
	e.Interrupt()
	events := make([]Event, 4)
	n, interrupted := e.Wait(events, Forever)
	require.True(t, interrupted)
	require.Equal(t, []Event{{ID: 1, Write: true}}, events[:n])
	for range 2 {
		n, interrupted = e.Wait(events, Forever)
		require.True(t, interrupted)
		require.Zero(t, n)
	}
	e.TakeBack()
	require.Empty(t, wait(t, e, 0))
	e.TakeBack()
	for _, d := range []time.Duration{Forever, long} {
		time.AfterFunc(2*time.Millisecond, e.Interrupt)
		_, interrupted = e.Wait(events, d)
		require.True(t, interrupted)
		e.TakeBack()
	}
}

// If signals end a wait early, that is for no reason, and allowed; but there are few in a test.
func TestEpollWaitsForItsTime(t *testing.T) {
	e := newEpoll(t)
	for _, millis := range []bool{false, true} {
		e.waitsMillis.Store(millis)
		for _, d := range []time.Duration{
			1, 300 * time.Microsecond, time.Millisecond + 1, 3 * time.Millisecond,
		} {
			early := 0
			for range 5 {
				start := time.Now()
				require.Empty(t, wait(t, e, d))
				if time.Since(start) < d {
					early++
				}
			}
			require.LessOrEqual(t, early, 3, "%v, in milliseconds: %v", d, millis)
		}
	}
	require.Equal(t, 1<<31-1, millis(1<<63-1))
	require.Equal(t, -1, millis(Forever))
}

func TestEpollRefusesWhatIsNeverReady(t *testing.T) {
	e := newEpoll(t)
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	_, err = e.Add(f.Fd(), 1)
	require.ErrorIs(t, err, unix.EPERM)
	r, _ := pipe(t)
	add(t, e, r, 1)
	_, err = e.Add(uintptr(r), 2)
	require.ErrorIs(t, err, unix.EEXIST)
}

// After Close nothing is done to whatever has the descriptors' numbers then.
func TestEpollIsQuietAfterClose(t *testing.T) {
	e := newEpoll(t)
	e.Close()
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(fd)
	for next := -1; fd < e.wake; fd = next { // until the number is used again
		next, err = unix.Dup(fd)
		require.NoError(t, err)
		defer unix.Close(next)
	}
	e.Interrupt()
	e.Close()
	var count [8]byte
	_, err = unix.Read(fd, count[:])
	require.Equal(t, unix.EAGAIN, err, "somebody wrote to a number that is not its own any more")
	open, err := e.Add(uintptr(fd), 1)
	require.NoError(t, err)
	require.False(t, open)
	e.Remove(uintptr(fd))
}

// Tokens and bytes come together; the worker inside misses neither.
func TestPollerMissesNeitherTokensNorEvents(t *testing.T) {
	const rounds = 300
	e := newEpoll(t)
	r, w := pipe(t)
	add(t, e, r, 1)
	p, parker := new(Poller), new(park.Parker)
	p.Start(e)
	var read, tokens atomic.Int32
	var bytes [64]byte
	look := func(events []Event) {
		for range events {
			for {
				n, err := unix.Read(r, bytes[:])
				if err != nil {
					break
				}
				read.Add(int32(n))
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range int32(rounds) {
			p.Unpark(4, parker)
			unix.Write(w, []byte{1})
			for read.Load() <= i || tokens.Load() <= i {
				time.Sleep(time.Microsecond)
			}
		}
	})
	events := make([]Event, 4)
	for read.Load() < rounds || tokens.Load() < rounds {
		n, token := p.Park(4, parker, Forever, events)
		look(events[:n])
		if token {
			tokens.Add(1)
		}
	}
	wg.Wait()
	require.EqualValues(t, rounds, tokens.Load())
}

func TestPollerIsForOneWorkerAtATime(t *testing.T) {
	e := newEpoll(t)
	p, parker := new(Poller), new(park.Parker)
	p.Start(e)
	require.Equal(t, -1, p.Inside())
	var wg sync.WaitGroup
	wg.Go(func() {
		n, token := p.Park(1, parker, Forever, make([]Event, 4))
		require.Zero(t, n)
		require.True(t, token)
	})
	require.Eventually(t, func() bool { return p.Inside() == 1 }, long, time.Millisecond)
	require.Zero(t, p.Poll(make([]Event, 4)))
	require.PanicsWithValue(t, "poll: Park by worker 2 while worker 1 is in it", func() {
		p.Park(2, new(park.Parker), Forever, nil)
	})
	p.Unpark(1, parker)
	wg.Wait()
}
