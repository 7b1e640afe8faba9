package runtime

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/taskstate"
)

// A sleeperCount counts how often a joiner is woken.
type sleeperCount struct{ atomic.Int32 }

func (s *sleeperCount) wake(*worker) { s.Add(1) }

// runningTask returns a task that runs on a runtime without workers.
func runningTask() *task {
	t := &task{rt: &Runtime{}}
	t.rt.live.Store(2) // so that its end does not stop the runtime
	t.state = taskstate.New(references)
	t.state.ToRunning()
	return t
}

func (t *task) listJoiners() (all []*joiner) {
	for j := t.joiners.Load(); j != nil; j = j.next.Load() {
		all = append(all, j)
	}
	return all
}

// Joiners are added and give up while the task ends. One that waits on is woken, once, or is told
// that the task has ended; one that has given up is woken at most once; and none is left.
// (runtime/R12)
func TestJoinersComeAndGoWhileTheTaskEnds(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, leave int // how many are there, from the oldest, and how many of these give up
		comes, goes   int // how many are added meanwhile, and how many of these give up
		ends          bool
	}{
		{"the oldest and the one above it leave", 3, 2, 0, 0, true},
		{"the newest leaves while another comes", 1, 1, 1, 0, true},
		{"two leave under one that comes", 2, 2, 1, 0, false},
		{"two come and leave", 0, 0, 2, 2, true},
		{"one comes and leaves above one that stays", 1, 0, 1, 1, true},
		{"all leave at once", 3, 3, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				target := runningTask()
				count := make([]sleeperCount, c.before+c.comes)
				js := make([]joiner, len(count))
				var told [5]bool // that the task has ended
				stays := func(i int) bool {
					return c.leave <= i && i < c.before || i >= c.before+c.goes
				}
				for i := range js {
					js[i].waker = &count[i]
					if i < c.before {
						target.addJoiner(&js[i])
					}
				}
				for i := range js {
					if i < c.before && stays(i) {
						continue
					}
					x.Go("joiner", func() {
						if i >= c.before && !target.addJoiner(&js[i]) {
							told[i] = true
						} else if !stays(i) {
							target.removeJoiner(&js[i])
						}
					})
				}
				if c.ends {
					target.complete(nil)
				}
				x.Join()
				left := target.listJoiners()
				for i := range js {
					n := count[i].Load()
					x.Assert(n <= 1, "joiner %d is woken %d times", i, n)
					if !stays(i) {
						x.Assert(!slices.Contains(left, &js[i]), "joiner %d is left", i)
					} else if c.ends {
						x.Assert(n == 1 || told[i], "joiner %d sleeps for ever", i)
					} else {
						x.Assert(slices.Contains(left, &js[i]), "joiner %d is lost", i)
					}
				}
				x.Assert(!c.ends || len(left) == 0, "%d joiners are left", len(left))
			})
		})
	}
}

// Goroutines ask that futures be woken at the end, while it comes: a future of which one of them
// was told that it will be woken is woken. So is one for which that was said before, and which is
// there twice.
func TestFuturesAskWhileTheTaskEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int   // how often they have asked in turn; the next one drops what is there twice
		ask    []int // which futures ask
	}{
		{"twice at once", 0, []int{0, 0}},
		{"what is there twice is dropped", futureJoinersMin + 1, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				target, futures := runningTask(), [2]*task{runningTask(), runningTask()}
				var waits [2]atomic.Bool
				for i := range c.before {
					waits[i%2].Store(target.wakeOnEnd(futures[i%2]))
				}
				for _, f := range c.ask {
					x.Go("asks", func() {
						if target.wakeOnEnd(futures[f]) {
							waits[f].Store(true)
						}
					})
				}
				target.complete(nil)
				x.Join()
				for i, f := range futures {
					x.Assert(!waits[i].Load() || f.state.Load().Notified(),
						"future %d sleeps for ever", i)
				}
			})
		})
	}
}

// Two goroutines ask for the channel of Done while the task ends: it is closed for both.
func TestDoneClosesWhileTheTaskEnds(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		target := runningTask()
		for range 2 {
			x.Go("waits", func() { <-target.rt.ends.get(target) })
		}
		target.complete(nil)
		x.Join()
		x.Assert(len(target.rt.ends.all) == 0, "a channel is left")
	})
}

// The joiners of a task against a list. (runtime/R12)
func joinersMachine(t *rapid.T) {
	target := runningTask()
	var list []*joiner // without those of futures, newest first
	futures := []*task{runningTask(), runningTask(), runningTask(), runningTask()}
	asked := map[*task]bool{}
	t.Repeat(map[string]func(*rapid.T){
		"add": func(*rapid.T) {
			j := &joiner{waker: &sleeperCount{}}
			require.True(t, target.addJoiner(j))
			list = slices.Insert(list, 0, j)
		},
		"remove": func(t *rapid.T) {
			if len(list) == 0 {
				t.Skip("nobody waits")
			}
			i := rapid.IntRange(0, len(list)-1).Draw(t, "joiner")
			target.removeJoiner(list[i])
			list = slices.Delete(list, i, i+1)
		},
		"a future asks": func(t *rapid.T) {
			f := rapid.SampledFrom(futures).Draw(t, "future")
			require.True(t, target.wakeOnEnd(f))
			if !f.ended() {
				asked[f] = true
			}
		},
		"a future ends": func(t *rapid.T) {
			f := rapid.SampledFrom(futures).Draw(t, "future")
			if f.ended() {
				t.Skip("it has ended")
			}
			f.complete(nil)
			delete(asked, f)
		},
		"drop": func(*rapid.T) {
			target.dropUselessJoiners()
			require.LessOrEqual(t, len(target.listJoiners()), len(list)+len(asked)+1)
		},
		"": func(t *rapid.T) {
			all := target.listJoiners()
			var plain []*joiner
			missing := maps.Clone(asked)
			for _, j := range all {
				if f, ok := j.waker.(*futureJoiner); ok {
					delete(missing, f.task)
				} else {
					plain = append(plain, j)
				}
			}
			require.True(t, slices.Equal(list, plain), "%d joiners, not %d", len(plain), len(list))
			require.Empty(t, missing, "futures that are in the list no more")
			require.LessOrEqual(t, len(all), 2*(len(list)+len(futures)+futureJoinersMin+1))
		},
	})
}

func TestJoinersDoWhatAListDoes(t *testing.T) { rapid.Check(t, joinersMachine) }
