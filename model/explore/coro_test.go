//go:build !race

package explore_test

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

type yields = func(int) bool

// requireSettled waits until no goroutine is left that was not there before.
func requireSettled(t *testing.T, before int) {
	t.Helper()
	for i := 0; runtime.NumGoroutine() > before; i++ {
		require.Less(t, i, 5000, "goroutines are left")
		time.Sleep(time.Millisecond)
	}
}

// A coroutine adds no traces: what is done inside counts as done by the caller
// of next, at any depth.
func TestCoroutinesAddNoTraces(t *testing.T) {
	before := runtime.NumGoroutine()
	for depth := range 4 {
		r := all(func() {
			var x atomic.Int32
			var in func(depth int, y yields)
			in = func(depth int, y yields) {
				if depth > 0 {
					next, stop := hook.Pull(func(y yields) { in(depth-1, y) })
					defer stop()
					next()
					y(1)
					next()
					return
				}
				hook.Int32Add(&x, 1)
				y(1)
				hook.Int32Add(&x, 1)
			}
			drive := func() {
				next, stop := hook.Pull(func(y yields) { in(depth, y) })
				next()
				next()
				stop()
			}
			spawn(drive, drive)
			if x.Load() != 4 {
				panic(x.Load())
			}
		})
		require.Nil(t, r.Failure)
		require.EqualValues(t, 6, r.Complete, "four additions, two of each thread")
		require.Zero(t, r.Pruned)
	}
	requireSettled(t, before)
}

// One thread begins a coroutine, another goes on with it, with an order between
// the two or because both hold a lock.
func TestCoroutineMovesBetweenThreads(t *testing.T) {
	traces := func(coroutine bool) int64 {
		r := all(func() {
			var ready, x atomic.Int32
			var where []int
			visit := func() {
				where = append(where, explore.Thread())
				hook.Int32Add(&x, 1)
			}
			next, stop := visit, func() {}
			if coroutine {
				pulled, stopIt := hook.Pull(func(y yields) {
					for i := range 2 {
						visit()
						y(i)
					}
				})
				next, stop = func() { pulled() }, stopIt
			}
			spawn(func() {
				next()
				hook.Int32Store(&ready, 1)
			}, func() {
				for n := hook.SpinStart(); hook.Int32Load(&ready) == 0; {
					hook.Spin(n)
				}
				next()
				stop()
			}, func() { hook.Int32Add(&x, 1) })
			if fmt.Sprint(where) != "[1 2]" || x.Load() != 3 {
				panic(fmt.Sprint(where, x.Load()))
			}
		})
		require.Nil(t, r.Failure)
		return r.Complete
	}
	require.Equal(t, traces(false), traces(true))

	orders := map[string]bool{}
	r := all(func() {
		var mu sync.Mutex
		var x atomic.Int32
		order := ""
		next, _ := hook.Pull(func(y yields) {
			for {
				hook.Int32Add(&x, 1)
				order += fmt.Sprint(explore.Thread())
				hook.Int32Add(&x, 1)
				y(0)
			}
		})
		twice := func() {
			for range 2 {
				hook.MutexLock(&mu)
				next()
				hook.MutexUnlock(&mu)
			}
		}
		spawn(twice, twice)
		orders[order] = true
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 6, r.Complete)
	require.Len(t, orders, 6)
}

// A coroutine suspends from a coroutine of its own, moves on with that, and
// comes back.
func TestYieldFromACoroutineAbove(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, leave := range []bool{false, true} {
		r := all(func() {
			var turn, x atomic.Int32
			steps := ""
			next, _ := hook.Pull(func(outer yields) {
				inner, _ := hook.Pull(func(y yields) {
					hook.Int32Add(&x, 1)
					steps += fmt.Sprint("a", explore.Thread())
					outer(1)
					hook.Int32Add(&x, 1)
					steps += fmt.Sprint("b", explore.Thread())
					y(2)
					steps += fmt.Sprint("d", explore.Thread())
					outer(4)
				})
				v, _ := inner()
				steps += fmt.Sprint("c", v) + fmt.Sprint(explore.Thread())
				outer(3)
				inner()
			})
			take := func(want int32, value int) func() {
				return func() {
					for n := hook.SpinStart(); hook.Int32Load(&turn) != want; {
						hook.Spin(n)
					}
					if v, ok := next(); !ok || v != value {
						panic(fmt.Sprint(v, ok))
					}
					hook.Int32Add(&turn, 1)
				}
			}
			last := func() {}
			if !leave {
				last = take(2, 4)
			}
			spawn(take(0, 1), take(1, 3), last)
			want := "a1b2c22"
			if !leave {
				want += "d3"
			}
			if steps != want {
				panic(steps)
			}
		})
		require.Nil(t, r.Failure)
	}
	requireSettled(t, before)
}

// What is suspended when an execution ends or is cut short, at any depth, is
// torn down: deferred functions run to their first operation.
func TestCoroutinesAreTornDown(t *testing.T) {
	before := runtime.NumGoroutine()
	var deferred, swallowed, ran int
	for _, cut := range []bool{false, true} {
		deferred, swallowed, ran = 0, 0, 0
		var runs int
		r := all(func() {
			runs++
			var x atomic.Int32
			hold := func() {
				next, stop := hook.Pull(func(outer yields) {
					defer func() { deferred++ }()
					inner, _ := hook.Pull(func(y yields) {
						defer func() { deferred++ }()
						defer func() {
							if hook.Recover(recover()) != nil {
								swallowed++
							}
						}()
						hook.Int32Add(&x, 1)
						outer(1)
						ran++
					})
					inner()
					ran++
				})
				_, _ = hook.Pull(func(y yields) { ran++ })
				next()
				defer func() {
					if explore.Aborting() {
						stop() // as a deferred stop, which does nothing then
					}
				}()
				if hook.Int32Add(&x, 1); cut && hook.Int32Load(&x) == 4 {
					explore.Fail(explore.KindAssert, "cut")
				}
			}
			spawn(hold, hold)
		})
		if cut {
			require.Equal(t, explore.KindAssert, r.Failure.Kind)
		} else {
			require.Nil(t, r.Failure)
			require.EqualValues(t, runs, r.Executions()+1)
			require.Equal(t, 4*runs, deferred)
		}
		require.Zero(t, swallowed)
		require.Zero(t, ran)
		requireSettled(t, before)
	}
}

// stop makes the pending yield give false, once; a coroutine that never began
// does not begin then.
func TestStopEndsACoroutine(t *testing.T) {
	r := all(func() {
		var x atomic.Int32
		log := ""
		next, stop := hook.Pull(func(y yields) {
			log += fmt.Sprint(y(1), ",")
			hook.Int32Add(&x, 1)
			log += fmt.Sprint(y(2), ",")
		})
		_, never := hook.Pull(func(yields) { log += "begun" })
		spawn(func() {
			next()
			stop()
			stop()
			_, ok := next()
			log += fmt.Sprint(ok)
			never()
		}, func() { hook.Int32Add(&x, 1) })
		if log != "false,false,false" {
			panic(log)
		}
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 2, r.Complete)
}

// Goexit and panics of a coroutine go on in the caller of next.
func TestCoroutineEndsItsCaller(t *testing.T) {
	before := runtime.NumGoroutine()
	var deferred string
	r := all(func() {
		deferred = ""
		var x atomic.Int32
		spawn(func() {
			defer func() { deferred += "t" }()
			next, _ := hook.Pull(func(y yields) {
				defer func() { deferred += "o" }()
				next, _ := hook.Pull(func(y yields) {
					defer func() { deferred += "i" }()
					hook.Int32Add(&x, 1)
					hook.Goexit()
				})
				next()
				panic("unreachable")
			})
			next()
			panic("unreachable")
		}, func() { hook.Int32Add(&x, 1) })
		if deferred != "iot" {
			panic(deferred)
		}
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 2, r.Complete)

	r = all(func() {
		var x atomic.Int32
		spawn(func() {
			next, stop := hook.Pull(func(y yields) {
				hook.Int32Add(&x, 1)
				panic("boom")
			})
			func() {
				defer func() {
					if p := hook.Recover(recover()); p != "boom" {
						panic(fmt.Sprint("recovered ", p))
					}
				}()
				next()
			}()
			if _, ok := next(); ok {
				panic("a coroutine went on after its panic")
			}
			stop()
		}, func() { hook.Int32Add(&x, 1) })
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 2, r.Complete)
	requireSettled(t, before)
}

// An execution that is cut short while a Goexit is under way ends as any other,
// in a coroutine or not, whether the code asked for the Goexit or not.
func TestGoexitUnderWayWhenAnExecutionIsCut(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, goexit := range []func(){runtime.Goexit, hook.Goexit} {
		for _, inside := range []bool{false, true} {
			r := all(func() {
				var x atomic.Int32
				leave := func() {
					defer hook.Int32Add(&x, 1)
					goexit()
				}
				if inside {
					pulled := leave
					leave = func() {
						next, _ := hook.Pull(func(yields) { pulled() })
						next()
					}
				}
				spawn(func() {
					if hook.Int32Load(&x) == 0 {
						explore.Fail(explore.KindAssert, "cut")
					}
				}, leave)
			})
			require.Equal(t, explore.KindAssert, r.Failure.Kind)
			requireSettled(t, before)
		}
	}
}

func TestRuntimeFunctionsSpeakOfTheExecution(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	r := all(func() {
		var counts []int
		count := func() { counts = append(counts, hook.NumGoroutine()) }
		count()
		next, stop := hook.Pull(func(y yields) { count(); y(1) })
		next()
		stop()
		count()
		hook.Pull(func(yields) {})
		spawn(func() { count() })
		count()
		if fmt.Sprint(counts) != "[1 2 1 3 2]" {
			panic(fmt.Sprint(counts))
		}
		if hook.GOMAXPROCS(0) != procs || hook.GOMAXPROCS(procs) != procs {
			panic(hook.GOMAXPROCS(0))
		}
	})
	require.Nil(t, r.Failure)
	r = all(func() {
		if hook.GOMAXPROCS(procs+1) != procs || hook.GOMAXPROCS(0) != procs+1 {
			panic(hook.GOMAXPROCS(0))
		}
	})
	require.Nil(t, r.Failure)
	require.Equal(t, procs, hook.GOMAXPROCS(0))
	require.Positive(t, hook.NumGoroutine())
}

// The stack of a panic in a coroutine says where it was, also if it passed
// through others; that of a later one does not.
func TestPanicInACoroutineKeepsItsStack(t *testing.T) {
	in := func(f func()) func() {
		return func() {
			next, _ := hook.Pull(func(yields) { f() })
			next()
		}
	}
	r := all(in(in(panicsHere)))
	require.Equal(t, "main panicked: here", r.Failure.Message)
	require.Contains(t, r.Failure.Stack, "explore_test.panicsHere(...)")
	r = all(func() {
		func() {
			defer func() { hook.Recover(recover()) }()
			in(in(panicsHere))()
		}()
		panic("there")
	})
	require.Equal(t, "main panicked: there", r.Failure.Message)
	require.NotContains(t, r.Failure.Stack, "panicsHere")
}

func panicsHere() { panic("here") }

func TestCoroutineFailures(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, c := range []struct {
		name    string
		kind    explore.Kind
		message string
		body    func()
	}{
		{"next in its own body", explore.KindPanic, "main panicked: iter.Pull: next called again before yield", func() {
			var next func() (int, bool)
			next, _ = hook.Pull(func(y yields) { next() })
			next()
		}},
		{"next from two threads", explore.KindPanic, "panicked: iter.Pull2: next called again before yield", func() {
			var x atomic.Int32
			next, _ := hook.Pull2(func(y func(int, int) bool) {
				hook.Int32Add(&x, 1)
				hook.Int32Add(&x, 1)
			})
			drive := func() { hook.Int32Add(&x, 1); next() }
			spawn(drive, drive)
		}},
		{"yield between calls of next", explore.KindPanic, "t0 panicked: iter.Pull: yield called again before next", func() {
			var leaked yields
			next, _ := hook.Pull(func(y yields) { leaked = y; y(1) })
			next()
			spawn(func() { leaked(2) })
		}},
		{"yield of another thread's coroutine", explore.KindRefused, "yield was called by a goroutine that does not run the iterator", func() {
			var x atomic.Int32
			var leaked yields
			next, _ := hook.Pull(func(y yields) {
				leaked = y
				hook.Int32Store(&x, 1)
				hook.Int32Add(&x, 1)
			})
			spawn(func() { next() }, func() {
				if hook.Int32Load(&x) == 1 {
					leaked(2)
				}
			})
		}},
		{"stop in its own body", explore.KindRefused, "iter.Pull: stop was called while the iterator runs", func() {
			var next func() (int, bool)
			var stop func()
			next, stop = hook.Pull(func(y yields) { stop() })
			next()
		}},
		{"Goexit of code that is not rewritten", explore.KindExit, "t0 left its goroutine", func() {
			spawn(func() {
				next, _ := hook.Pull(func(y yields) { runtime.Goexit() })
				next()
			})
		}},
		{"a deadlock inside", explore.KindDeadlock, "t0 in Lock", func() {
			var mu sync.Mutex
			spawn(func() {
				next, _ := hook.Pull(func(y yields) { hook.MutexLock(&mu); hook.MutexLock(&mu) })
				next()
			})
		}},
		{"a coroutine that the checker did not make", explore.KindUncontrolled, "did not start used checked code", func() {
			var x atomic.Int32
			next, stop := iter.Pull(func(y yields) { hook.Int32Load(&x) })
			next()
			stop()
			spawn(func() { hook.Int32Load(&x) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := all(c.body)
			require.NotNil(t, r.Failure, "%+v", r)
			require.Equal(t, c.kind, r.Failure.Kind, r.Failure.Message)
			require.Contains(t, r.Failure.Message, c.message)
		})
	}
	requireSettled(t, before)
}

// A task of a small runtime: it runs on a coroutine, and may wait for another.
type miniTask struct {
	resume  func() (*miniTask, bool) // gives whom it waits for
	state   atomic.Int32             // 0 open, 1 done
	waiter  atomic.Pointer[miniTask]
	workers []int // that ran it
	result  int
}

// miniRuntime has workers that take tasks from one queue. A worker registers the
// task that waits after it has left its coroutine.
type miniRuntime struct {
	mu    sync.Mutex
	queue []*miniTask
	left  int
}

func (rt *miniRuntime) spawn(body func(await func(*miniTask) int) int) *miniTask {
	t := &miniTask{}
	t.resume, _ = hook.Pull(func(yield func(*miniTask) bool) {
		t.result = body(func(other *miniTask) int {
			if hook.Int32Load(&other.state) == 0 {
				yield(other)
			}
			return other.result
		})
	})
	rt.left++
	rt.queue = append(rt.queue, t)
	return t
}

func (rt *miniRuntime) push(t *miniTask) {
	hook.MutexLock(&rt.mu)
	defer hook.MutexUnlock(&rt.mu)
	rt.queue = append(rt.queue, t)
}

func (rt *miniRuntime) work() {
	for n := hook.SpinStart(); ; hook.Spin(n) {
		hook.MutexLock(&rt.mu)
		var t *miniTask
		if len(rt.queue) > 0 {
			t, rt.queue = rt.queue[0], rt.queue[1:]
		}
		left := rt.left
		hook.MutexUnlock(&rt.mu)
		if left == 0 {
			return
		}
		if t == nil {
			continue
		}
		n = hook.SpinStart() // what follows has effects
		t.workers = append(t.workers, explore.Thread())
		other, waits := t.resume()
		if waits {
			hook.PointerStore(&other.waiter, t)
			if hook.Int32Load(&other.state) == 1 && hook.PointerSwap(&other.waiter, nil) != nil {
				rt.push(t)
			}
			continue
		}
		hook.Int32Store(&t.state, 1)
		if w := hook.PointerSwap(&t.waiter, nil); w != nil {
			rt.push(w)
		}
		hook.MutexLock(&rt.mu)
		rt.left--
		hook.MutexUnlock(&rt.mu)
	}
}

// Tasks wait, are woken once, and go on with any worker.
func TestTasksOnCoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	ways := map[string]bool{}
	r := all(func() {
		rt := &miniRuntime{}
		var child *miniTask
		parent := rt.spawn(func(await func(*miniTask) int) int { return await(child) + 1 })
		child = rt.spawn(func(func(*miniTask) int) int { return 41 })
		spawn(rt.work, rt.work)
		if parent.result != 42 {
			panic(parent.result)
		}
		ways[fmt.Sprint(parent.workers)] = true
	})
	require.Nil(t, r.Failure)
	require.Empty(t, r.Bounded)
	for _, way := range []string{"[1]", "[2]", "[1 1]", "[2 2]", "[1 2]", "[2 1]"} {
		require.Contains(t, ways, way)
	}
	requireSettled(t, before)
}
