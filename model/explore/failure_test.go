//go:build !race

package explore_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

func all(body func()) explore.Result {
	return explore.Run(explore.Config{Preemptions: -1}, body)
}

func spawn(fs ...func()) {
	for i, f := range fs {
		explore.Go(fmt.Sprint("t", i), f, true)
	}
	explore.Join()
}

var leftover atomic.Int32 // a global that survives executions

func TestFailures(t *testing.T) {
	var flag, other atomic.Int32
	var mu, mu2 sync.Mutex
	var rw sync.RWMutex
	var wg sync.WaitGroup
	for _, c := range []struct {
		name    string
		kind    explore.Kind
		message string
		body    func()
	}{
		{"a panic", explore.KindPanic, "t0 panicked: boom", func() {
			spawn(
				func() { hook.Int32Load(&flag); panic("boom") },
				func() { hook.Int32Store(&flag, 0) })
		}},
		{"a failed assertion", explore.KindAssert, "seen 1", func() {
			flag.Store(0)
			spawn(func() { hook.Int32Store(&flag, 1) }, func() {
				if v := hook.Int32Load(&flag); v != 0 {
					explore.Fail(explore.KindAssert, fmt.Sprint("seen ", v))
				}
			})
		}},
		{"recover does not swallow the end of an execution", explore.KindAssert, "first", func() {
			spawn(func() {
				defer func() {
					if hook.Recover(recover()) != nil {
						leftover.Store(-1000)
					}
				}()
				explore.Fail(explore.KindAssert, "first")
			}, func() { hook.Int32Load(&flag) })
		}},
		{"unlock of an unlocked mutex", explore.KindPanic, "unlock of unlocked mutex", func() {
			spawn(func() { hook.MutexUnlock(&mu) })
		}},
		{"RUnlock of an unlocked RWMutex", explore.KindPanic, "RUnlock of unlocked", func() {
			spawn(func() { hook.RWMutexRUnlock(&rw) })
		}},
		{"Unlock of a read-locked RWMutex", explore.KindPanic, "Unlock of unlocked", func() {
			var rw sync.RWMutex
			spawn(func() { hook.RWMutexRLock(&rw); hook.RWMutexUnlock(&rw) })
		}},
		{"negative WaitGroup", explore.KindPanic, "negative WaitGroup counter", func() {
			var wg sync.WaitGroup
			spawn(func() { hook.WaitGroupDone(&wg) }, func() { hook.WaitGroupAdd(&wg, 1) })
		}},
		{"negative WaitGroup when the subtraction comes first", explore.KindPanic, "negative WaitGroup counter", func() {
			var wg sync.WaitGroup
			spawn(func() { hook.WaitGroupAdd(&wg, 1) }, func() { hook.WaitGroupDone(&wg) })
		}},
		{"everyone waits", explore.KindDeadlock, "every goroutine waits for ever: main in Join, t0 in Lock", func() {
			var mu sync.Mutex
			spawn(func() { hook.MutexLock(&mu); hook.MutexLock(&mu) })
		}},
		{"some wait", explore.KindDeadlock, "partial: 2 of 3 goroutines wait", func() {
			var mu sync.Mutex
			spawn(
				func() { hook.MutexLock(&mu); hook.MutexLock(&mu) },
				func() { hook.Int32Load(&flag) })
		}},
		{"the only goroutine waits", explore.KindDeadlock, "every goroutine waits for ever: main in WaitGroup.Wait", func() {
			var wg sync.WaitGroup
			hook.WaitGroupAdd(&wg, 1)
			hook.WaitGroupWait(&wg)
		}},
		{"a goroutine is left", explore.KindLeak, "the body returned, but 1 of 2 goroutines wait for ever: go#1 in WaitGroup.Wait", func() {
			var wg sync.WaitGroup
			hook.WaitGroupAdd(&wg, 1)
			hook.Go(func() { hook.WaitGroupWait(&wg) })
		}},
		{"recursive read lock behind a writer", explore.KindDeadlock, "RLock", func() {
			var rw sync.RWMutex
			spawn(func() {
				hook.RWMutexRLock(&rw)
				hook.RWMutexRLock(&rw)
				hook.RWMutexRUnlock(&rw)
				hook.RWMutexRUnlock(&rw)
			}, func() { hook.RWMutexLock(&rw); hook.RWMutexUnlock(&rw) })
		}},
		{"two spinners wait for each other", explore.KindLivelock,
			"repeat an iteration without effect", func() {
				flag.Store(0)
				other.Store(0)
				await := func(v *atomic.Int32) {
					for n := hook.SpinStart(); hook.Int32Load(v) == 0; {
						hook.Spin(n)
					}
				}
				spawn(
					func() { await(&flag); hook.Int32Store(&other, 1) },
					func() { await(&other); hook.Int32Store(&flag, 1) })
			}},
		{"the only goroutine spins", explore.KindLivelock, "no other goroutine is left", func() {
			flag.Store(0)
			for n := hook.SpinStart(); hook.Int32Load(&flag) == 0; {
				hook.Spin(n)
			}
		}},
		{"a loop with effects never ends", explore.KindLimit, "no end after 20000 steps", func() {
			spawn(func() {
				for {
					hook.Int32Add(&flag, 1)
				}
			})
		}},
		{"a quiet loop never ends", explore.KindLimit, "no end after 20000 steps", func() {
			for {
				hook.Int32Add(&flag, 1)
			}
		}},
		{"a global left over", explore.KindNondeterminism, "does not control", func() {
			n := leftover.Add(1)
			spawn(func() {
				if n%2 == 0 {
					hook.Int32Load(&other)
				}
				hook.Int32Store(&flag, 1)
			}, func() { hook.Int32Store(&flag, 2) })
		}},
		{"a global left over, in the only schedule", explore.KindNondeterminism, "other operations were about to run", func() {
			n := leftover.Add(1)
			spawn(func() {
				if n%2 == 0 {
					hook.Int32Store(&other, 0)
				}
				hook.Int32Load(&flag)
			}, func() { hook.Int32Load(&flag) })
		}},
		{"a value that changes", explore.KindNondeterminism, "gave another result", func() {
			n := leftover.Add(1)
			spawn(
				func() { hook.Int32Store(&flag, n); hook.Int32Load(&other) },
				func() { hook.Int32Store(&other, 2) })
		}},
		{"a real goroutine in the body", explore.KindUncontrolled,
			"did not start used checked code", func() {
				done := make(chan bool)
				go func() { hook.Int32Load(&flag); close(done) }()
				<-done
				spawn(func() { hook.Int32Load(&flag) })
			}},
		{"Goexit that is not the code's own", explore.KindExit, "left its goroutine", func() {
			spawn(func() { hook.Int32Load(&flag); runtime.Goexit() })
		}},
		{"an index out of range in the engine", explore.KindInternal,
			"t0 panicked: runtime error", func() {
				spawn(func() { explore.Enter(unsafe.Pointer(&flag), explore.Op(250)) })
			}},
		{"an index out of range in the body", explore.KindPanic,
			"t0 panicked: runtime error", func() {
				spawn(func() { _ = []int{}[hook.Int32Load(&flag)] })
			}},
		{"refused", explore.KindRefused, "a.go:1:2: channels", func() {
			spawn(func() { hook.Refused(1, "a.go:1:2: channels") })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := all(c.body)
			require.NotNil(t, r.Failure, "%+v", r)
			require.Equal(t, c.kind, r.Failure.Kind, r.Failure.Message)
			require.Contains(t, r.Failure.Message, c.message)
		})
	}
	_, _ = &mu2, &wg
	require.Positive(t, leftover.Load(), "recover returned the end of an execution")
	require.False(t, explore.Active())
}

func TestGoroutineLeftBehindTheCheckersBack(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	// One that ends meanwhile hides one that is started: those of earlier tests end first.
	for n, same := runtime.NumGoroutine(), 0; same < 20; same++ {
		time.Sleep(time.Millisecond)
		if now := runtime.NumGoroutine(); now != n {
			n, same = now, 0
		}
	}
	r := all(func() {
		go func() { <-stop }()
		var x atomic.Int32
		spawn(func() { hook.Int32Load(&x) })
	})
	require.NotNil(t, r.Failure)
	require.Equal(t, explore.KindUncontrolled, r.Failure.Kind)
	require.Contains(t, r.Failure.Message, "TestGoroutineLeftBehindTheCheckersBack")
}

// Goexit of checked code ends its goroutine, as often as it is called.
func TestGoexitEndsOneGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	deferred := 0
	r := all(func() {
		var x atomic.Int32
		deferred = 0
		leave := func() {
			defer func() { deferred++ }()
			hook.Int32Add(&x, 1)
			hook.Goexit()
			panic("unreachable")
		}
		spawn(leave, leave, func() { hook.Int32Add(&x, 1) })
		if hook.Int32Load(&x) != 3 || deferred != 2 {
			panic(fmt.Sprint(x.Load(), deferred))
		}
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 6, r.Complete)
	for i := 0; runtime.NumGoroutine() > before; i++ {
		require.Less(t, i, 5000, "goroutines are left")
		time.Sleep(time.Millisecond)
	}
}

// A loop that the only goroutine leaves by its own doing is no livelock.
func TestQuietLoopWithEffectsEnds(t *testing.T) {
	r := all(func() {
		var x atomic.Int32
		for n := hook.SpinStart(); hook.Int32Add(&x, 1) < 100; {
			hook.Spin(n)
		}
	})
	require.Nil(t, r.Failure)
}

// Locks that outlive an execution are free again after one that was aborted.
func TestAbortReleasesGlobalLocks(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	var x atomic.Int32
	r := all(func() {
		hook.Int32Store(&x, 0)
		spawn(func() {
			hook.MutexLock(&mu)
			defer hook.MutexUnlock(&mu)
			hook.RWMutexRLock(&rw)
			defer hook.RWMutexRUnlock(&rw)
			hook.Int32Add(&x, 1)
		}, func() {
			if hook.Int32Load(&x) == 0 {
				explore.Fail(explore.KindAssert, "early")
			}
		})
	})
	require.Equal(t, explore.KindAssert, r.Failure.Kind)
	require.EqualValues(t, 1, r.Complete, "the exploration went on after the failure")
	require.True(t, mu.TryLock())
	require.True(t, rw.TryLock())
}

func TestOnceRunsOnceAndOthersWait(t *testing.T) {
	r := all(func() {
		var once sync.Once
		var value atomic.Int32
		do := func() {
			hook.OnceDo(&once, func() { hook.Int32Add(&value, 1) })
			if hook.Int32Load(&value) != 1 {
				panic("Do returned before f did")
			}
		}
		spawn(do, do, do)
	})
	require.Nil(t, r.Failure)
}

func TestOnceValuesRepeatsItsPanic(t *testing.T) {
	r := all(func() {
		f := hook.OnceValue(func() int { panic("again") })
		var n atomic.Int32
		try := func() {
			defer func() {
				if hook.Recover(recover()) == "again" {
					hook.Int32Add(&n, 1)
				}
			}()
			f()
		}
		spawn(try, try)
		if n.Load() != 2 {
			panic(n.Load())
		}
	})
	require.Nil(t, r.Failure)
}

// Hierarchical use of a WaitGroup, and use that races with Wait.
func TestWaitGroupAdditionBesideWait(t *testing.T) {
	early := 0
	r := all(func() {
		var wg sync.WaitGroup
		var done atomic.Int32
		hook.WaitGroupGo(&wg, func() {
			hook.WaitGroupGo(&wg, func() { hook.Int32Add(&done, 1) })
			hook.Int32Add(&done, 1)
		})
		hook.WaitGroupWait(&wg)
		if hook.Int32Load(&done) != 2 {
			panic("Wait returned early")
		}
	})
	require.Nil(t, r.Failure)
	r = all(func() {
		var wg sync.WaitGroup
		var done atomic.Int32
		hook.Go(func() { hook.WaitGroupGo(&wg, func() { hook.Int32Add(&done, 1) }) })
		hook.WaitGroupWait(&wg)
		if hook.Int32Load(&done) == 0 {
			early++
		}
	})
	require.Nil(t, r.Failure)
	require.NotZero(t, early, "Wait may come before the first addition")
}

func TestCondSignalWakesAnyWaiter(t *testing.T) {
	woken := map[int]bool{}
	r := all(func() {
		var mu sync.Mutex
		c := sync.NewCond(&mu)
		var waiting, order atomic.Int32
		first := -1
		var wg sync.WaitGroup
		for i := range 2 {
			hook.WaitGroupGo(&wg, func() {
				for n := hook.SpinStart(); hook.Int32Load(&waiting) < int32(i); {
					hook.Spin(n) // the second waits behind the first
				}
				hook.MutexLock(&mu)
				defer hook.MutexUnlock(&mu)
				hook.Int32Add(&waiting, 1)
				hook.CondWait(c)
				if hook.Int32Add(&order, 1) == 1 {
					first = i
				}
			})
		}
		hook.WaitGroupGo(&wg, func() {
			for n := hook.SpinStart(); hook.Int32Load(&waiting) < 2; {
				hook.Spin(n)
			}
			for k := range 2 {
				hook.MutexLock(&mu)
				hook.CondSignal(c)
				hook.MutexUnlock(&mu)
				for n := hook.SpinStart(); hook.Int32Load(&order) <= int32(k); {
					hook.Spin(n) // until the one it woke has said so
				}
			}
		})
		hook.WaitGroupWait(&wg)
		woken[first] = true
	})
	require.Nil(t, r.Failure)
	require.Len(t, woken, 2)
}

func TestChooseGivesEveryValueWithEverySchedule(t *testing.T) {
	seen := map[[3]int]bool{}
	r := all(func() {
		var x atomic.Int32
		var a, b int
		spawn(
			func() { a = explore.Choose(3); hook.Int32Store(&x, 1) },
			func() { b = explore.Choose(2); hook.Int32Store(&x, 2) })
		seen[[3]int{a, b, int(x.Load())}] = true
	})
	require.EqualValues(t, 12, r.Complete)
	require.Len(t, seen, 12)
}

// Hours pass at once, and sleeping threads wake in the order of their deadlines, or in any if they
// may wake early.
func TestVirtualClock(t *testing.T) {
	start := time.Now()
	var firsts map[string]bool
	body := func() {
		var first atomic.Pointer[string]
		nobody := ""
		first.Store(&nobody)
		t0 := hook.Now()
		sleeper := func(name string, d time.Duration) func() {
			return func() {
				hook.Sleep(d)
				if hook.Since(t0) < d {
					panic("woke early")
				}
				hook.PointerCompareAndSwap(&first, &nobody, &name)
			}
		}
		spawn(sleeper("a", time.Hour), sleeper("b", 2*time.Hour))
		firsts[*first.Load()] = true
		if hook.Since(t0) < 2*time.Hour {
			panic(hook.Since(t0))
		}
	}
	for early, want := range []map[string]bool{{"a": true}, {"a": true, "b": true}} {
		firsts = map[string]bool{}
		r := explore.Run(explore.Config{Preemptions: -1, EarlyTimeouts: early}, body)
		require.Nil(t, r.Failure)
		require.Equal(t, want, firsts)
	}
	require.Less(t, time.Since(start), time.Minute)
}

// RWMutex keeps its state where probes look for it.
func TestProbesSeeTheRealState(t *testing.T) {
	var m sync.RWMutex
	state := func() [2]bool {
		return [2]bool{explore.RWMutexReading(&m), explore.RWMutexWriting(&m)}
	}
	require.Equal(t, [2]bool{false, false}, state())
	m.RLock()
	require.Equal(t, [2]bool{true, false}, state())
	m.RUnlock()
	m.Lock()
	require.Equal(t, [2]bool{false, true}, state())
	m.Unlock()
	require.Equal(t, [2]bool{false, false}, state())
	var mu sync.Mutex
	require.False(t, explore.MutexLocked(&mu))
	mu.Lock()
	require.True(t, explore.MutexLocked(&mu))
}

// A failure that a thread meets says where it was, whatever the checker did there.
func TestAFailureNamesItsPlace(t *testing.T) {
	var flag atomic.Int32
	line := func() int {
		_, _, n, _ := runtime.Caller(1)
		return n
	}
	at := 0
	for name, body := range map[string]func(){
		"panic": func() {
			spawn(func() { at = line(); panic("boom") })
		},
		"assertion": func() {
			spawn(func() { at = line(); explore.Fail(explore.KindAssert, "no") })
		},
		"quiet limit": func() {
			for at = line() + 1; ; {
				hook.Int32Add(&flag, 1)
			}
		},
		"coroutine": func() {
			spawn(func() {
				next, _ := hook.Pull(func(func(int) bool) { at = line(); panic("boom") })
				next()
			})
		},
		"refused": func() {
			spawn(func() { at = line(); hook.Refused(1, "channels") })
		},
		"in the standard library": func() {
			spawn(func() { at = line(); _ = strings.Repeat("x", -len("y")) })
		},
	} {
		f := all(body).Failure
		require.NotNil(t, f, name)
		require.Equal(t, at, f.At.Line, "%s: %+v", name, f.At)
		require.Equal(t, "failure_test.go", filepath.Base(f.At.File), name)
	}
}

// The watchdog takes an execution for stuck when the count stands still: a long one must move it.
func TestBeatsCountTheStepsOfALongExecution(t *testing.T) {
	var flag atomic.Int32
	for name, body := range map[string]func(func()){
		"alone":  func(work func()) { work() },
		"beside": func(work func()) { spawn(work, func() { hook.Int32Load(&flag) }) },
	} {
		before, after := int64(0), int64(0)
		r := explore.Run(explore.Config{Preemptions: 0, Executions: 1}, func() {
			flag.Store(0)
			body(func() {
				before = explore.Beats.Load()
				for range 10_000 {
					hook.Int32Add(&flag, 1)
				}
				after = explore.Beats.Load()
			})
		})
		require.Nil(t, r.Failure, name)
		require.Greater(t, after, before+4, name)
		require.Zero(t, (after-before)%2, "%s: odd while an execution runs", name)
	}
}
