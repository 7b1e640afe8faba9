package idle_test

import (
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/idle"
)

// A fleet is a Coordinator beside what it must know, in plain variables, and its methods are the
// package's operations that check themselves against it. Claims can be taken apart, and tokens be
// late, so that one goroutine reaches the states in which a notifier stands between its steps. The
// property tests and the fuzz target drive it.
type fleet struct {
	t         require.TestingT
	c         *idle.Coordinator
	workers   []sleeper
	searching int
	closed    bool
}

// A sleeper is the model of one worker.
type sleeper struct {
	searches, parked bool
	bit              bool            // in the bitmap
	claim            *idle.SlowClaim // cleared the bit, not counted yet
	claimed          bool            // counted, the token not given yet
	token            bool
}

func newFleet(t require.TestingT, workers int) *fleet {
	return &fleet{t: t, c: idle.New(workers), workers: make([]sleeper, workers)}
}

// lowest is whom the next claim must get, -1 for nobody.
func (f *fleet) lowest() int {
	for i := range f.workers {
		if f.workers[i].bit {
			return i
		}
	}
	return -1
}

// claims accounts for what an operation returned that may have claimed somebody; may says whether
// it was to look for one.
func (f *fleet) claims(may bool, worker int, ok bool) {
	want := -1
	if may {
		want = f.lowest()
	}
	require.Equal(f.t, want, worker)
	require.Equal(f.t, want >= 0, ok)
	if ok {
		f.searching++
		f.workers[worker].bit, f.workers[worker].claimed = false, true
	}
}

func (f *fleet) notify() {
	worker, ok := f.c.Notify()
	f.claims(f.searching == 0, worker, ok)
}

func (f *fleet) claimOne(i int) {
	w := &f.workers[i]
	require.Equal(f.t, w.bit, f.c.Claim(i))
	if w.bit {
		f.searching++
		w.bit, w.claimed = false, true
	}
}

// claimSlowly is claimOne up to before the worker is counted.
func (f *fleet) claimSlowly(i int) {
	w := &f.workers[i]
	claim := f.c.ClaimSlowly(i)
	require.Equal(f.t, w.bit, claim != nil)
	if claim != nil {
		w.bit, w.claim = false, claim
	}
}

// count is the rest of claimSlowly.
func (f *fleet) count(i int) {
	w := &f.workers[i]
	w.claim.Count()
	w.claim, w.claimed = nil, true
	f.searching++
}

// give gives a claimed worker its token.
func (f *fleet) give(i int) {
	w := &f.workers[i]
	require.False(f.t, w.token, "a second token")
	w.claimed, w.token = false, true
}

func (f *fleet) search(i int) {
	w := &f.workers[i]
	want := w.searches || f.searching < (len(f.workers)+1)/2
	require.Equal(f.t, want, f.c.Worker(i).Search())
	if want && !w.searches {
		w.searches = true
		f.searching++
	}
}

func (f *fleet) found(i int) {
	w := &f.workers[i]
	worker, ok := f.c.Worker(i).Found()
	last := false
	if w.searches {
		w.searches = false
		f.searching--
		last = f.searching == 0
	}
	f.claims(last, worker, ok)
}

func (f *fleet) publish(i int) {
	w := &f.workers[i]
	if w.searches {
		w.searches = false
		f.searching--
	}
	want := idle.Recheck
	if f.closed {
		want = idle.Closed
	} else {
		w.parked, w.bit = true, true
	}
	require.Equal(f.t, want, f.c.Worker(i).Publish())
}

// woke ends a sleep: with the token if there is one.
func (f *fleet) woke(i int) {
	w := &f.workers[i]
	outcome := f.c.Worker(i).Woke(w.token)
	switch {
	case w.token:
		require.Equal(f.t, idle.Searching, outcome)
		w.token, w.parked, w.searches = false, false, true
	case w.bit:
		require.Equal(f.t, idle.Running, outcome)
		w.bit, w.parked = false, false
	default:
		require.Equal(f.t, idle.AwaitToken, outcome)
	}
}

func (f *fleet) close() {
	f.closed = true
	next := 0
	f.c.Close(func(worker int) {
		for next < len(f.workers) && !f.workers[next].bit {
			next++
		}
		require.Equal(f.t, next, worker)
		f.claims(true, worker, true)
	})
	require.Equal(f.t, -1, f.lowest())
}

// check compares everything that can be seen.
func (f *fleet) check() {
	parked := 0
	for i, w := range f.workers {
		require.Equal(f.t, w.bit, f.c.IsParked(i), "the bit of worker %d", i)
		one := 0
		for _, has := range []bool{w.bit, w.claim != nil, w.claimed, w.token} {
			if has {
				one++
			}
		}
		require.Equal(f.t, w.parked, one == 1, "worker %d has %d of bit, claim and token", i, one)
		if w.bit {
			parked++
		}
	}
	require.Equal(f.t, parked, f.c.Parked())
	require.Equal(f.t, f.searching, f.c.Searching())
}

// An op is one operation on one worker. It says whether it fits the state; if so, and do, it is
// done.
type op struct {
	name string
	fits func(w *sleeper) bool
	do   func(f *fleet, i int)
}

func anyState(*sleeper) bool   { return true }
func awake(w *sleeper) bool    { return !w.parked }
func sleeping(w *sleeper) bool { return w.parked }

var ops = []op{
	{"publish", awake, (*fleet).publish},
	{"notify", anyState, func(f *fleet, _ int) { f.notify() }},
	{"give", func(w *sleeper) bool { return w.claimed }, (*fleet).give},
	{"woke", sleeping, (*fleet).woke},
	{"search", awake, (*fleet).search},
	{"found", awake, (*fleet).found},
	{"claim", anyState, (*fleet).claimOne},
	{"claim slowly", anyState, (*fleet).claimSlowly},
	{"count", func(w *sleeper) bool { return w.claim != nil }, (*fleet).count},
	{"close", anyState, func(f *fleet, _ int) { f.close() }},
}

// drain lets everything come to rest: every claim ends, everybody who has a token or can time out
// wakes, and ceases to search.
func (f *fleet) drain() {
	for i := range f.workers {
		w := &f.workers[i]
		if w.claim != nil {
			f.count(i)
		}
		if w.claimed {
			f.give(i)
		}
		if w.parked {
			f.woke(i)
		}
	}
	for i := range f.workers {
		f.found(i) // nobody is parked, so that nobody is claimed
	}
	f.check()
	require.Zero(f.t, f.c.Searching())
	require.Zero(f.t, f.c.Parked())
}
