package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// Mutex and RWMutex, as the sources in sync_waiter_model_test.go: their callers are goroutines that
// wait for a flag. The last of them have real tasks.

// lockMutex locks m, or gives up if leaves is set, and reports whether it has locked it.
func lockMutex(x *model.Exec, m *Mutex, leaves bool) bool {
	var me seat
	w := m.takeOrQueue(&me)
	return w == nil || sit(x, w, m, &me, leaves)
}

func lockRW(x *model.Exec, m *RWMutex, writes, leaves bool) bool {
	var me seat
	w := m.takeOrQueue(writes, &me)
	return w == nil || sit(x, w, m, &me, leaves)
}

// yieldUntil waits for flag.
func yieldUntil(flag *atomic.Bool) {
	for !flag.Load() {
		goruntime.Gosched()
	}
}

// idle holds that nobody has m or wants it.
func (m *Mutex) idle(x *model.Exec) {
	x.Assert(m.word.Load() == 0, "the word is %b at the end", m.word.Load())
	x.Assert(m.line.first == nil, "somebody waits")
}

func (m *RWMutex) idle(x *model.Exec) {
	x.Assert(m.word.Load() == 0, "the word is %b at the end", m.word.Load())
	x.Assert(m.line.first == nil, "somebody waits")
}

// Two or three lock and unlock; nobody waits for ever, and what they do inside does not race.
func TestMutexExcludes(t *testing.T) {
	for name, twice := range map[string]bool{"two": false, "one of two twice": true} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var m Mutex
				inside := 0
				use := func() {
					lockMutex(x, &m, false)
					inside++ // unprotected: a race unless the unlock synchronizes
					x.Assert(inside == 1, "%d are inside", inside)
					inside--
					m.Unlock()
				}
				x.Go("A", func() {
					use()
					if twice {
						use()
					}
				})
				x.Go("B", use)
				x.Join()
				m.idle(x)
			})
		})
	}
}

// A caller in line gives up while the mutex is handed over to it, and another one is behind it:
// either holds the mutex and unlocks it, or does not. (runtime/R24)
func TestMutexIsNotHandedToWhoGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m Mutex
		x.Assert(m.TryLock(), "a zero Mutex is locked")
		var seats [2]seat
		first, second := m.takeOrQueue(&seats[0]), m.takeOrQueue(&seats[1])
		leaves := leaving(x)
		inside := 1
		x.Go("first", func() {
			if sit(x, first, &m, &seats[0], leaves) {
				inside++
				x.Assert(inside == 1, "%d are inside", inside)
				inside--
				m.Unlock()
			}
		})
		x.Go("second", func() {
			sit(x, second, &m, &seats[1], false)
			inside++
			x.Assert(inside == 1, "%d are inside", inside)
			inside--
			m.Unlock()
		})
		inside--
		m.Unlock()
		x.Join()
		m.idle(x)
	})
}

// The only one in line gives up while another comes, and the mutex is unlocked.
func TestMutexWhoseLineEmpties(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m Mutex
		x.Assert(m.TryLock(), "a zero Mutex is locked")
		var me seat
		w := m.takeOrQueue(&me)
		x.Go("gives up", func() {
			if sit(x, w, &m, &me, true) {
				m.Unlock()
			}
		})
		x.Go("comes", func() {
			lockMutex(x, &m, false)
			x.Assert(!m.TryLock(), "it is locked twice")
			m.Unlock()
		})
		m.Unlock()
		x.Join()
		m.idle(x)
	})
}

// Nobody is inside with a writer.
func TestRWMutexExcludes(t *testing.T) {
	for name, writes := range map[string][]bool{
		"two writers":              {true, true},
		"a reader and a writer":    {false, true},
		"two readers and a writer": {false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var m RWMutex
				value := 0
				for _, writes := range writes {
					x.Go("caller", func() {
						lockRW(x, &m, writes, false)
						if writes {
							value++ // a race unless the locks synchronize
							m.Unlock()
							return
						}
						x.Assert(value >= 0, "the value is %d", value)
						m.RUnlock()
					})
				}
				x.Join()
				m.idle(x)
			})
		})
	}
}

// Two readers are inside together, in the end at least: the second does not wait for the first.
func TestReadersDoNotWaitForReaders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m RWMutex
		var both [2]atomic.Bool
		for i := range both {
			x.Go("reader", func() {
				lockRW(x, &m, false, false)
				both[i].Store(true)
				if i == 0 {
					yieldUntil(&both[1]) // for ever if the other cannot enter
				}
				m.RUnlock()
			})
		}
		x.Join()
		m.idle(x)
	})
}

// A reader is inside, a writer and a reader wait, and the writer may give up: the reader behind it
// enters without a further unlock if it does. (runtime/R25)
func TestWhoGivesUpToWriteLetsReadersPass(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m RWMutex
		x.Assert(m.TryRLock(), "a zero RWMutex is locked")
		var seats [2]seat
		writer, reader := m.takeOrQueue(true, &seats[0]), m.takeOrQueue(false, &seats[1])
		var entered atomic.Bool
		value := 0
		x.Go("writer", func() {
			if sit(x, writer, &m, &seats[0], true) {
				value++
				m.Unlock()
			}
		})
		x.Go("reader", func() {
			sit(x, reader, &m, &seats[1], false)
			x.Assert(value == 0 || value == 1, "the value is %d", value)
			entered.Store(true)
			m.RUnlock()
		})
		if leaving(x) { // the first reader waits for the second, which the writer lets pass
			yieldUntil(&entered)
		}
		m.RUnlock()
		x.Join()
		m.idle(x)
	})
}

// A task is handed the mutex, or ends without it, while it is cancelled.
func TestLockOrCancellation(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var m Mutex
		x.Assert(m.TryLock(), "a zero Mutex is locked")
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return 0, m.Lock(cx)
		})
		w.start()
		x.Go("cancels", h.Cancel)
		m.Unlock()
		x.Join()
		<-h.Done()
		if w.mode.Load() == open { // it was cancelled before it began
			w.shutdown()
		} else {
			<-w.Runtime.Done()
			w.over()
		}
		_, err, over := h.TryJoin()
		x.Assert(over && (err == nil || errors.Is(err, ErrCancelled)), "the result is %v", err)
		x.Assert(m.TryLock() == (err != nil), "the result is %v, and the word %b", err,
			m.word.Load())
		x.Assert(m.line.first == nil, "somebody waits")
	})
}

// A task reads, by the short ways of RLock and RUnlockFrom where it finds nobody, beside goroutines
// that write and read, so that it also finds them inside or in line, and they it. (runtime/R24,
// runtime/R25)
func TestRWMutexBetweenATaskAndGoroutines(t *testing.T) {
	t.Run("a writer", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) { readsBeside(x, true) })
	})
	t.Run("a writer and a reader", func(t *testing.T) {
		checkWithin(t, 2, func(x *model.Exec) { readsBeside(x, true, false) })
	})
}

// readsBeside is a task that reads while goroutines write or read.
func readsBeside(x *model.Exec, all ...bool) {
	w := stillWorld(x, 1)
	var m RWMutex
	value := 0
	h := Submit(w.Runtime, func(cx Cx) (int, error) {
		defer w.last(cx)
		if err := m.RLock(cx); err != nil {
			return 0, err
		}
		v := value // a race unless the locks synchronize
		m.RUnlockFrom(cx)
		return v, nil
	})
	w.start()
	for _, writes := range all {
		x.Go("caller", func() {
			lockRW(x, &m, writes, false)
			if writes {
				value++
				m.Unlock()
				return
			}
			x.Assert(value < 2, "the value is %d", value)
			m.RUnlock()
		})
	}
	x.Join()
	v, err := w.await(h)
	x.Assert(v < 2 && err == nil, "the result is %v, %v", v, err)
	m.idle(x)
}

// A task and a goroutine want the mutex; the task holds it while it yields.
func TestMutexBetweenATaskAndAGoroutine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var m Mutex
		inside := 0
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			if err := m.Lock(cx); err != nil {
				return 0, err
			}
			inside++
			cx.Yield()
			x.Assert(inside == 1, "%d are inside", inside)
			inside--
			m.UnlockFrom(cx)
			return 1, nil
		})
		w.start()
		x.Assert(m.LockContext(context.Background()) == nil, "it is not locked")
		inside++
		x.Assert(inside == 1, "%d are inside", inside)
		inside--
		m.Unlock()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the result is %v, %v", v, err)
		m.idle(x)
	})
}
