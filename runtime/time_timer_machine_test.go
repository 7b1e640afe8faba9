package runtime

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A listed is a timer beside what a sorted list knows of it.
type listed struct {
	timer
	when int64
	id   int
}

// The timers of a runtime against a list that is sorted anew for each question. (runtime/R8)
func timersMachine(t *rapid.T) {
	var ts timers
	ts.init()
	ts.order = math.MaxUint32 - 2 // it wraps
	now := int64(0)
	var all, set []*listed
	ids := map[*task]int{}
	var fired, want, ready []int
	// Few different times, so that many timers are set for the same one.
	times := rapid.Int64Range(-3, 12)
	sorted := func() []*listed {
		slices.SortStableFunc(set, func(a, b *listed) int { return cmp.Compare(a.when, b.when) })
		return set
	}
	fire := func(until int64) {
		now = until
		want, ready = append(want, ready...), nil
		for len(set) > 0 && sorted()[0].when <= now {
			want = append(want, set[0].id)
			set = set[1:]
		}
		var due [3]*task
		for n := len(due); n == len(due); {
			were := len(ts.ready)
			var taken int
			n, taken = ts.takeDue(now, due[:], len(due))
			require.Equal(t, min(were, len(due)), taken)
			for _, x := range due[:n] {
				fired = append(fired, ids[x])
			}
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"set": func(t *rapid.T) {
			l := &listed{id: len(all), when: now + times.Draw(t, "in")}
			l.task = new(task)
			ids[l.task] = l.id
			earliest := len(ready) == 0 && (len(set) == 0 || l.when < sorted()[0].when)
			all, set = append(all, l), append(set, l)
			require.Equal(t, earliest, ts.set(&l.timer, l.when))
		},
		"stop": func(t *rapid.T) {
			if len(all) == 0 {
				return
			}
			l := rapid.SampledFrom(all).Draw(t, "timer")
			i := slices.Index(set, l)
			require.Equal(t, i >= 0, ts.stop(&l.timer))
			if i >= 0 {
				set = slices.Delete(set, i, i+1)
			}
		},
		"move": func(t *rapid.T) {
			if len(all) == 0 {
				return
			}
			l := rapid.SampledFrom(all).Draw(t, "timer")
			i, when := slices.Index(set, l), now+times.Draw(t, "to")
			same := i >= 0 && l.when == when
			if i >= 0 && !same {
				set = slices.Delete(set, i, i+1)
			}
			earliest := !same && len(ready) == 0 && (len(set) == 0 || when < sorted()[0].when)
			l.when = when
			if !same {
				set = append(set, l)
			}
			require.Equal(t, earliest, ts.move(&l.timer, when))
		},
		"add": func(t *rapid.T) {
			l := &listed{id: len(all)}
			l.task, l.index = new(task), unset
			ids[l.task] = l.id
			all = append(all, l)
			require.Equal(t, len(ready) == 0, ts.add(l.task))
			ready = append(ready, l.id)
		},
		"time passes": func(t *rapid.T) { fire(now + rapid.Int64Range(0, 8).Draw(t, "by")) },
		"next": func(t *rapid.T) {
			isDue := len(set) > 0 && sorted()[0].when <= now
			wasFired, from := ts.fired, 0
			var next [1]*task
			n, taken := ts.takeNext(now, &next)
			switch {
			case isDue && (!wasFired || len(ready) == 0):
				require.Zero(t, taken)
				from, set = set[0].id, set[1:]
			case len(ready) > 0:
				require.Equal(t, 1, taken)
				from, ready = ready[0], ready[1:]
			default:
				require.Zero(t, n)
				return
			}
			require.Equal(t, 1, n)
			want, fired = append(want, from), append(fired, ids[next[0]])
		},
		"to the next": func(t *rapid.T) {
			if len(set) == 0 {
				return
			}
			if len(ready) > 0 {
				fire(now)
			}
			if len(set) == 0 {
				return
			}
			fire(max(now, sorted()[0].when-1))
			require.Equal(t, want, fired, "nothing that is set for later")
			if len(set) > 0 {
				fire(max(now, set[0].when))
			}
		},
		"": func(t *rapid.T) {
			require.Equal(t, want, fired)
			next, until := int64(math.MaxInt64), int64(never)
			if len(set) > 0 {
				next = sorted()[0].when
				until = max(next-now, 0)
			}
			if len(ready) > 0 {
				next, until = atOnce, 0
			}
			require.Equal(t, next, ts.next.Load())
			require.EqualValues(t, until, ts.until(now))
			require.Len(t, ts.ready, len(ready))
			require.Len(t, ts.heap, len(set))
			for i, x := range ts.heap {
				require.EqualValues(t, i, x.timer.index)
			}
		},
	})
}

// What takes the place of a stopped timer rises if it is due before those above. (runtime/R8)
func TestWhatTakesThePlaceOfATimerRises(t *testing.T) {
	var ts timers
	ts.init()
	all := map[int64]*timer{}
	for _, when := range []int64{1, 100, 2, 7, 8, 101, 102, 103, 104, 5} { // the place of each
		all[when] = &timer{task: new(task)}
		ts.set(all[when], when)
	}
	require.EqualValues(t, 9, all[5].index)
	ts.stop(all[101]) // beneath 100
	for _, when := range []int64{1, 2, 5, 7, 8, 100, 102, 103, 104} {
		require.Equal(t, when, ts.next.Load())
		var due [1]*task
		ts.takeDue(1000, due[:], 0)
		require.Same(t, all[when].task, due[0])
	}
}

func TestTimersDoWhatASortedListDoes(t *testing.T) { rapid.Check(t, timersMachine) }
func FuzzTimers(f *testing.F)                      { f.Fuzz(rapid.MakeFuzz(timersMachine)) }

func BenchmarkTimers(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		b.Run(map[int]string{1: "1", 1000: "1000", 100_000: "100000"}[n], func(b *testing.B) {
			var ts timers
			ts.init()
			for i := range n {
				ts.set(&timer{}, mixed(i))
			}
			var t timer
			i := n
			b.ReportAllocs()
			for b.Loop() {
				i++
				ts.set(&t, mixed(i))
				ts.stop(&t)
			}
		})
	}
}

// mixed spreads i.
func mixed(i int) int64 { return int64(mix(uint64(i)) >> 2) }
