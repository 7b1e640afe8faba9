package refine_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/fork"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

type (
	forkFrame = fork.Frame[*loneFork, int, int]
	forkClaim = fork.Claim[*loneFork]
	forkStack = fork.Stack[*loneFork]
)

// A loneFork is one goroutine at a stack of forks: its own, or another's.
type loneFork struct {
	*refine.ForkCrowd
	most, deepest, at, base int

	x      *model.Exec
	do     func(l *loneFork)
	run    func()
	made   unsafe.Pointer // what run calls
	stack  *forkStack
	own    *forkStack // the thief's
	frames [2][]*forkFrame
	tables [2][]*forkClaim
	mixed  []*forkClaim
	shown  []*forkClaim // to thieves
	// table is which of both is there; the other one is of other frames.
	table   int
	ending  bool       // this is the last start
	last    bool       // it has come to the last call
	claim   *forkClaim // what the thief has, or the owner waits for
	exposed int        // how often others were told of forks
	ran     int        // how often a call was made
	waits   bool       // an owner waits for the fork that the thief has
	ended   int        // how often the end of it was told
}

func doubled(l *loneFork, n int) int {
	l.ran++
	return 2 * n
}

func doubledElsewhere(l *loneFork, n int) int {
	l.ran++
	return n + n
}

// notMade is what the frame at a depth has as its result as long as the owner has not made the
// call.
func notMade(depth int) int { return -1 - depth }

func (l *loneFork) Exposed()                        { l.exposed++ }
func (l *loneFork) Ended(_ *forkClaim, _ *loneFork) { l.ended++ }

// Await waits in one of the ways in which a host may. If it has looked in vain, all is as before
// the look, and what others do next they could have done then: so an execution need not go on.
func (l *loneFork) Await(c *forkClaim) {
	l.claim = c
	if l.choose(2) == 1 && !c.Wait() {
		return
	}
	if !c.Ended() {
		panic(refine.Cut{})
	}
}

// choose leaves nothing on the stack.
func (l *loneFork) choose(n int) int {
	n = l.chosen(n)
	refine.Wipe()
	return n
}

//go:noinline
func (l *loneFork) chosen(n int) int { return l.x.Choose(n) }

// Every access of one goroutine at a stack of forks, its owner or a thief, among any number of
// thieves, is a transition of the table or changes nothing; and what is returned is what the table
// says.
func TestOneAtForksAmongAnyNumber(t *testing.T) {
	var all []*refine.Solo
	enough := int64(1) // executions; if a check has not been through all calls, none are
	const high = 1<<16 - 2
	for _, who := range []struct {
		name                string
		most, deepest, base int
		followed            []int
	}{
		{"owner", 2, 4, 0, []int{0, 1, 2, 3}}, {"owner", 2, 3, high, []int{2}},
		{"owner", 4, 5, 0, []int{4}},
		{"thief", 2, 3, 0, []int{0, 1, 2}}, {"thief", 2, 3, high, []int{1}},
	} {
		for _, at := range who.followed {
			thief := who.name == "thief"
			l := &loneFork{ForkCrowd: refine.NewForkCrowd(thief, who.deepest), most: who.most,
				deepest: who.deepest, at: at, base: who.base}
			l.do, l.ForkCrowd.Swap = (*loneFork).call, l.end
			starts := refine.NewForkCrowd(true, who.deepest).Starts(who.most, at)
			if thief {
				l.do, l.ForkCrowd.Swap = (*loneFork).look, l.swap
				starts = []map[string]int{{"most": who.most, "at": at}}
			}
			t.Run(fmt.Sprintf("%s, %d of %d private, from %d on, %d", who.name, who.most,
				who.deepest, who.base, at), func(t *testing.T) { l.check(t, starts) })
			all = append(all, l.Solo)
			if !l.last {
				enough = math.MaxInt64
			}
		}
	}
	everyRuleOf(t, enough, all, func(rule string) string { return rule })
}

func (l *loneFork) check(t *testing.T, starts []map[string]int) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("the words are too short to tell addresses")
	}
	do := func() {
		refine.Wipe()
		l.do(l)
	}
	l.run, l.made = func() { l.Run(do) }, refine.FuncOf(do)
	for i := range l.tables {
		l.tables[i] = make([]*forkClaim, l.base+l.deepest)
	}
	l.mixed = make([]*forkClaim, l.base+l.deepest)
	alone(t, l.Solo, func(x *model.Exec) {
		if refine.Explored() {
			start := x.Choose(len(starts))
			l.ending = start == len(starts)-1
			l.body(x, starts[start])
		}
	})
}

// a returns a field of what p points to.
func a[F any](p any, name string) *F { return (*F)(refine.Field(p, name)) }

// body makes the stack that the table is in.
func (l *loneFork) body(x *model.Exec, start map[string]int) {
	l.x, l.exposed, l.ran, l.waits, l.ended, l.table, l.claim = x, 0, 0, false, 0, 0, nil
	l.stack, l.own = new(forkStack), new(forkStack)
	l.stack.Init(l)
	l.own.Init(l)
	*a[int](l.stack, "most") = l.most
	top, split := start["top"]+l.base, start["split"]+l.base
	memory := refine.ForkMemory{Word: refine.Field(l.stack, "word"), Base: l.base,
		Top: refine.Field(l.stack, "top"), Split: refine.Field(l.stack, "split"),
		Table: refine.Field(l.stack, "table")}
	for i := range l.tables {
		l.frames[i] = nil
		for depth := range l.deepest {
			f := fork.Fork(l.stack, doubled, depth)
			l.stack.Abandon(0)
			l.stack.Trim() // so that the next one is another one
			l.frames[i] = append(l.frames[i], f)
			c := claimOf(f)
			*a[int](c, "index") = l.base + depth
			*a[int](f, "arg"), *a[int](f, "res") = depth+50*i, notMade(depth)
			l.tables[i][l.base+depth] = c
			if state := refine.Field(c, "state"); depth == l.at && i == 0 {
				memory.State = state
			} else {
				memory.Others = append(memory.Others, state)
			}
		}
	}
	*a[int](l.stack, "top"), *a[int](l.stack, "split") = top, split
	*a[int](l.stack, "plain") = split
	*a[int](l.stack, "limit") = min(l.base+l.deepest, split+l.most)
	*a[[]*forkClaim](l.stack, "slots") = l.tables[0]
	l.show(l.tables[0])
	l.Begin(x.Choose, memory, start)
	l.keep(memory)
	x.Go("me", l.run)
	x.Join()
}

func claimOf(f *forkFrame) *forkClaim { return (*forkClaim)(unsafe.Pointer(f)) }

// keep says what the goroutine keeps for itself.
func (l *loneFork) keep(memory refine.ForkMemory) {
	for i := range l.tables {
		for _, f := range l.frames[i] {
			l.Keep(unsafe.Pointer(f), unsafe.Sizeof(*f))
			l.Shares(refine.Field(claimOf(f), "state"), 4)
			l.Private(refine.Field(claimOf(f), "by"))
		}
		l.Refer(unsafe.Pointer(&l.frames[i][0]), uintptr(len(l.frames[i]))*8)
		l.Refer(unsafe.Pointer(&l.tables[i][0]), uintptr(len(l.tables[i]))*8)
	}
	l.Refer(unsafe.Pointer(&l.mixed[0]), uintptr(len(l.mixed))*8)
	l.Keep(unsafe.Pointer(l.stack), unsafe.Sizeof(*l.stack))
	l.Shares(memory.Word, 8)
	l.Refer(unsafe.Pointer(l.own), unsafe.Sizeof(*l.own))
	for _, s := range []*forkStack{l.stack, l.own} {
		l.Refer(*a[unsafe.Pointer](s, "none"), 1)
	}
	own := *a[[]*forkClaim](l.own, "slots")
	l.Refer(unsafe.Pointer(&own[0]), uintptr(len(own))*8)
	l.Refer(unsafe.Pointer(*a[*[]*forkClaim](l.own, "table")), 24)
	l.Refer(unsafe.Pointer(l.x), unsafe.Sizeof(*l.x))
	l.Refer(unsafe.Pointer(l), unsafe.Sizeof(*l))
	l.Refer(unsafe.Pointer(l.Solo), unsafe.Sizeof(*l.Solo))
	l.Refer(unsafe.Pointer(l.ForkCrowd), unsafe.Sizeof(*l.ForkCrowd))
	l.Refer(refine.FuncOf(l.run), 1)
	l.Refer(l.made, 1)
}

// is holds what was returned against the table.
func (l *loneFork) is(ok bool, what string) {
	l.x.Assert(ok, "%s: the last access was %q, and the table is in %v", what, l.Last(),
		l.ForkCrowd)
}

// call is one call of the owner's.
func (l *loneFork) call() {
	top := l.get("top")
	switch l.choose(5) {
	case 0:
		l.fork(top)
	case 1:
		if top > 0 {
			l.join(top, l.choose(top))
		}
	case 2:
		left := l.choose(top + 1)
		l.begin(refine.Abandon, left, "")
		l.stack.Abandon(l.base + left)
		l.over("Abandon")
	case 3:
		l.begin(refine.Poll, 0, "poll")
		l.stack.Poll()
		l.over("Poll")
	case 4:
		l.last = l.last || l.ending
		rule := "share"
		if top == l.get("split") {
			rule = ""
		}
		l.begin(refine.Share, 0, rule)
		l.stack.Share()
		l.over("Share")
		l.is(l.get("top") == l.get("split"), "something is private")
	}
}

// begin tells the table of a call, which begins with a rule without an access, or with none, "".
func (l *loneFork) begin(op, goal int, rule string) {
	l.told(op, goal, rule)
	refine.Wipe()
}

//go:noinline
func (l *loneFork) told(op, goal int, rule string) {
	l.Set("op", op)
	l.Set("goal", goal)
	if rule != "" {
		l.Do(rule)
	}
}

// get leaves nothing on the stack.
func (l *loneFork) get(v string) int {
	n := l.got(v)
	refine.Wipe()
	return n
}

//go:noinline
func (l *loneFork) got(v string) int { return l.Get(v) }

// over is what holds at the end of each call.
func (l *loneFork) over(what string) {
	top, split := *a[int](l.stack, "top"), *a[int](l.stack, "split")
	l.x.Assert(l.Settle(), "%s: there are %d forks, split at %d, and the table is in %v", what,
		top-l.base, split-l.base, l.ForkCrowd)
	l.is(l.Get("told") == l.exposed, what+": Exposed")
	slots := *a[[]*forkClaim](l.stack, "slots")
	limit := min(len(slots), split+l.most)
	l.is(*a[int](l.stack, "plain") == split && *a[int](l.stack, "limit") == limit, what+": limits")
	for depth, f := range l.frames[0] {
		c := claimOf(f)
		l.is(l.base+depth < top || *a[uint32](c, "state") == 0, what+": a frame to be used again")
	}
}

func (l *loneFork) fork(top int) {
	fn, op := doubled, refine.ForkFast
	if l.choose(2) == 1 {
		fn, op = doubledElsewhere, refine.ForkSlow
	}
	if top >= l.deepest || top-l.get("split") >= l.most {
		op = refine.ForkSlow
	}
	rule := ""
	if op == refine.ForkSlow {
		rule = "fork_slow"
	}
	l.begin(op, 0, rule)
	f := fork.Fork(l.stack, fn, top+100)
	l.over("Fork")
	l.is(l.Get("top") == top+1 && *a[int](claimOf(f), "index") == l.base+top &&
		*a[int](f, "arg") == top+100, "the fork")
	slots := *a[[]*forkClaim](l.stack, "slots")
	l.is(slots[l.base+top] == claimOf(f), "its slot")
	l.is(top >= l.deepest || f == l.frames[0][top], "a frame that is used again")
	l.is((*a[*[]*forkClaim](l.stack, "table")) != nil &&
		(**a[*[]*forkClaim](l.stack, "table"))[l.base+top] == claimOf(f), "what thieves see")
}

func (l *loneFork) join(top, depth int) {
	op := refine.Join
	if depth < top-1 {
		op = refine.JoinSlow
	}
	l.begin(op, depth, "")
	result := l.frames[0][depth].Join(l)
	l.over("Join")
	l.is(l.Get("top") == depth, "a join")
	switch l.Get("how") {
	case 1:
		l.is(result == 2*depth && l.ran == 1, "the owner has made the call")
	case 2:
		l.is(result == notMade(depth) && l.ran == 0, "a thief has made the call")
	default:
		l.is(false, "a join that is none")
	}
}

// end ends a fork that is not followed, if the owner waits for it.
func (l *loneFork) end(object string) {
	if object == "other" && *a[uint32](l.claim, "state") != 2 && l.choose(2) == 1 {
		*a[uint32](l.claim, "state") = 2
	}
}

// swap is what others do to what a thief sees and the table does not know: the table of the slots
// is another one, with other frames, but for a fork that the thief has claimed; or an owner waits
// for that.
func (l *loneFork) swap(object string) {
	switch {
	case object == "word":
		l.table = l.choose(2)
		l.show(l.tables[l.table])
		l.Follow(refine.Field(l.tables[l.table][l.base+l.at], "state"))
	case object == "table":
		if l.choose(2) == 1 {
			depth := l.base + l.Get("got_a0")
			copy(l.mixed[l.base:], l.tables[1-l.table][l.base:])
			l.mixed[depth] = l.tables[l.table][depth]
			l.show(l.mixed)
		}
	case l.claim != nil:
		if l.waits = l.choose(2) == 1; l.waits {
			*a[uint32](l.claim, "state") = 1
		}
	}
}

func (l *loneFork) show(table []*forkClaim) {
	l.shown = table
	*a[unsafe.Pointer](l.stack, "table") = unsafe.Pointer(&l.shown)
}

// look is one call of a thief's, and the run of what it has claimed.
func (l *loneFork) look() {
	switch l.choose(4) {
	case 0:
		refine.Wipe()
		asked := l.stack.Asked()
		l.is(l.Last() == "" && asked == l.Holds("hungry == 1"), "Asked")
	case 1:
		refine.Wipe()
		public := l.stack.Ask()
		l.is(!l.Failed() && public == l.Holds("tail < pub"), "Ask")
		l.is(public || l.Holds("hungry == 1"), "nothing is public, and the owner is not asked")
	case 2:
		l.steal(true)
	case 3:
		l.last = l.last || l.ending
		l.steal(false)
	}
}

func (l *loneFork) steal(ask bool) {
	refine.Wipe()
	c := l.stack.Claim(ask)
	l.is(!l.Failed(), "a claim that failed")
	if c == nil {
		l.is(l.Get("claims_a0") == 0 && l.Holds("tail == pub"), "nothing is claimed")
		l.is(ask && l.Holds("hungry == 1") || !ask && l.Last() == "", "asked")
		return
	}
	depth, wish := l.Get("got_a0"), l.Get("wish_a0")
	f := l.frames[l.table][depth]
	l.is(l.Get("claims_a0") == 1 && c == claimOf(f), "a claim")
	l.is(wish == 2 || (wish == 1) == ask, "a claim that asks")
	l.claim = c
	refine.Wipe()
	c.Run(l, l.own)
	last := ""
	if depth == l.at {
		last = "end"
	}
	l.is(l.Last() == last && l.Get("mine_a0") == 0 && *a[uint32](c, "state") == 2, "the end")
	l.is(l.ran == 1 && *a[int](f, "res") == 2**a[int](f, "arg"), "a call")
	l.is(l.ended == 0 || l.waits, "the owner is told, and does not wait")
	l.is(l.ended == 1 || !l.waits, "the owner waits, and is not told")
}
