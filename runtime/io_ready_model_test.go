package runtime

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/surewake/surewake/model"
)

// Waits for readiness. The kernel is not modelled, nor is its answer to a look: here a connection
// is not ready until it fails.

// A failingLine is a connection that fails, and tells of an edge then.
type failingLine struct {
	*device
	failed atomic.Bool
}

var errLine = errors.New("the line has failed")

func (l *failingLine) SyscallConn() (syscall.RawConn, error) { return l, nil }

func (l *failingLine) Control(func(uintptr)) error {
	if l.failed.Load() {
		return errLine
	}
	return nil
}

// fail tells a direction of watch, which is that of l, that l has failed.
func (l *failingLine) fail(watch *Watch, direction int) {
	l.failed.Store(true)
	watch.directions[direction].edge(nil, nil)
}

// waits are those for the readiness of both directions.
var waits = []struct {
	name      string
	direction int
	ready     func(w *Watch, cx Cx) error
	readyCase func(w *Watch) Case
}{
	{"read", reading, (*Watch).ReadReady, (*Watch).ReadReadyCase},
	{"write", writing, (*Watch).WriteReady, (*Watch).WriteReadyCase},
}

// A connection fails, or its Watch is closed, before a task looks, before it waits, or later: it is
// told.
func TestAWaitForReadinessEnds(t *testing.T) {
	for _, c := range waits {
		for name, closes := range map[string]bool{"failure": false, "Close": true} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				model.Check(t, func(x *model.Exec) {
					l := &failingLine{device: &device{}}
					w := l.world(x, 1)
					watch, err := w.Watch(l)
					w.ok(err)
					h := Submit(w.Runtime, func(cx Cx) (int, error) {
						defer w.last(cx)
						return 1, c.ready(watch, cx)
					})
					w.start()
					x.Go(name, func() {
						if closes {
							w.ok(watch.Close())
						} else {
							l.fail(watch, c.direction)
						}
					})
					_, err = w.await(h)
					x.Join()
					want := map[bool]error{false: errLine, true: ErrWatchClosed}[closes]
					x.Assert(err == want, "%v", err)
					x.Assert(watch.directions[c.direction].waiting.first == nil, "it is in line")
				})
			})
		}
	}
}

// A select waits for readiness and for a signal, and both come, or the Watch is closed: it takes
// one of them, and a signal that it does not take is left.
func TestASelectWaitsForReadiness(t *testing.T) {
	for _, c := range waits {
		for name, closes := range map[string]bool{"failure": false, "Close": true} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				model.Check(t, func(x *model.Exec) {
					l := &failingLine{device: &device{}}
					w := l.world(x, 1)
					watch, err := w.Watch(l)
					w.ok(err)
					var n Notify
					leaves, signals := leaving(x), leaving(x)
					x.Go(name, func() {
						if closes {
							w.ok(watch.Close())
						} else {
							l.fail(watch, c.direction)
						}
					})
					if signals {
						x.Go("signals", func() { n.signal(nil) })
					}
					i, err := choose([]Case{c.readyCase(watch), n.WaitCase()}, leaves)
					x.Join()
					x.Assert(i == 0 || i == 1 && signals || i < 0 && leaves, "%d, %v", i, err)
					x.Assert(i != 0 || err == ErrWatchClosed && closes ||
						(err == nil || err == errLine) && !closes, "%v", err)
					x.Assert(n.signalled == (signals && i != 1), "%d; the signal is left: %v", i,
						n.signalled)
					x.Assert(watch.directions[c.direction].waiting.first == nil, "it is in line")
					x.Assert(n.line.first == nil, "it waits for the signal")
				})
			})
		}
	}
}
