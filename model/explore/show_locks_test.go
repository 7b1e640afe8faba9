//go:build !race

package explore_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// blocked runs the first execution, recorded, and returns what is said of the threads that wait at
// its end, by name.
func blocked(t *testing.T, outer bool, body func()) (notes map[string]string, message string) {
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: outer}, body)
	require.NotNil(t, r.Failure)
	notes = map[string]string{}
	for _, b := range r.Failure.Blocked {
		notes[b.Name] = b.Note
	}
	return notes, r.Failure.Message
}

func TestWhoHoldsAMutexIsNamed(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	const here = `since show_locks_test.go:\d+`
	for _, c := range []struct {
		name string
		body []func()
		want map[string]string
	}{
		{"a mutex", []func(){
			func() { hook.MutexLock(&mu); hook.MutexLock(&mu) },
			func() { hook.MutexLock(&mu) },
		}, map[string]string{
			"t0": "^held by itself " + here + "$", "t1": "^held by t0 " + here + "$",
		}},
		{"one that was unlocked by another", []func(){
			func() { hook.MutexLock(&mu) },
			func() { hook.MutexUnlock(&mu); hook.MutexLock(&mu) },
			func() { hook.MutexLock(&mu) },
		}, map[string]string{"t2": "^held by t1 " + here + "$"}},
		{"an attempt that succeeded", []func(){
			func() { hook.MutexTryLock(&mu); hook.MutexTryLock(&mu) },
			func() { hook.MutexLock(&mu) },
		}, map[string]string{"t1": "^held by t0 " + here + "$"}},
		{"two readers", []func(){
			func() { hook.RWMutexRLock(&rw) },
			func() { hook.RWMutexRLock(&rw); hook.RWMutexRLock(&rw); hook.RWMutexRUnlock(&rw) },
			func() { hook.RWMutexLock(&rw) },
		}, map[string]string{"t2": "^held by t0 " + here + ", held by t1 " + here + "$"}},
		{"a reader behind a writer", []func(){
			func() { hook.RWMutexRLock(&rw) },
			func() { hook.RWMutexLock(&rw) },
			func() { hook.RWMutexRLock(&rw) },
		}, map[string]string{
			"t1": "^held by t0 " + here + "$",
			"t2": "^held by t0 " + here + "; behind the Lock of t1, which waits$",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			notes, _ := blocked(t, true, func() {
				mu, rw = sync.Mutex{}, sync.RWMutex{}
				spawn(c.body...)
			})
			require.Len(t, notes, len(c.want))
			for who, want := range c.want {
				require.Regexp(t, want, notes[who])
			}
		})
	}
}

// A body that only waits for what it starts is not worth telling, unless it is the only one.
func TestTheOuterBodyIsLeftOut(t *testing.T) {
	var mu sync.Mutex
	twice := func() {
		mu = sync.Mutex{}
		spawn(func() { hook.MutexLock(&mu); hook.MutexLock(&mu) })
	}
	_, message := blocked(t, true, twice)
	require.Equal(t, "every goroutine waits for ever: t0 in Lock", message)
	_, message = blocked(t, false, twice)
	require.Equal(t, "every goroutine waits for ever: main in Join, t0 in Lock", message)
}

func namedByItself() { hook.Recv(make(chan int)) }

func TestGoroutinesAreNamedByTheirFunctions(t *testing.T) {
	var wg sync.WaitGroup
	_, message := blocked(t, false, func() {
		hook.Go(namedByItself)
		hook.Go(namedByItself)
		hook.WaitGroupGo(&wg, namedByItself)
	})
	require.Contains(t, message, ": namedByItself in channel receive, namedByItself#2 in "+
		"channel receive, namedByItself#3 in channel receive")
}
