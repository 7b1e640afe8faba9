package history

import "fmt"

// Judge decides whether histories agree with one specification, and remembers those it has seen. It
// belongs to one goroutine at a time.
type Judge struct {
	impl judge

	// Seen counts the histories judged, Distinct those among them that were new and went to the
	// specification.
	Seen, Distinct int64
}

// judge is a Judge of known types.
type judge interface {
	recorder(Options) *Recorder
	judge(h *Recorder) (v *Violation, known bool)
}

// NewJudge returns a judge for a specification, which must be complete; otherwise it panics.
func NewJudge(s Specification) *Judge { return &Judge{impl: s.newJudge()} }

// Recorder returns a new recorder for this judge's histories.
func (j *Judge) Recorder(opts Options) *Recorder { return j.impl.recorder(opts) }

// Judge returns nil if the history in h is right, else what is wrong. The execution must be over,
// and its threads must have synchronized with the caller. An operation that has not returned is a
// violation: where a deadlock is allowed, do not ask.
func (j *Judge) Judge(h *Recorder) *Violation {
	v, known := j.impl.judge(h)
	j.Seen++
	if !known {
		j.Distinct++
	}
	return v
}

// Check judges one history that is given as operations, for tests of a specification. The instants
// of the operations may be any numbers that order them; ID is set by Check.
func Check[S any, O, R comparable](s Spec[S, O, R], operations ...Operation[O, R]) *Violation {
	j := NewJudge(s)
	h := j.Recorder(Options{Thread: func() int { return 0 }})
	type instant struct {
		at, op int
		ret    bool
	}
	var all []instant
	for i, o := range operations {
		if o.Return <= o.Call {
			panic(fmt.Sprintf("history: operation %d returns at %d, called at %d",
				i, o.Return, o.Call))
		}
		all = append(all, instant{o.Call, i, false}, instant{o.Return, i, true})
	}
	for i := range all { // insertion sort, stable
		for k := i; k > 0 && all[k].at < all[k-1].at; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
	ids := make([]int, len(operations))
	for _, e := range all {
		o := operations[e.op]
		if !e.ret {
			h.opts.Thread = func() int { return o.Thread }
			ids[e.op] = Call(h, o.Op)
		} else {
			Return(h, ids[e.op], o.Result)
		}
	}
	return j.Judge(h)
}

// typed implements judge.
type typed[S any, O, R comparable] struct {
	spec Spec[S, O, R]

	// The histories seen, as a tree: its edges are events, a history is the path to a node that has
	// a verdict. The children of a node form a list. Nodes and values grow to maxNodes and are then
	// forgotten at once.
	nodes      []node
	calls      *column[O]
	returns    *column[R]
	violations map[int32]*Violation // of the nodes with verdict bad

	order []event // the events of the history in canonical order, reused
}

type node struct {
	code           uint64 // of the event
	value          int32  // index in calls or returns
	child, sibling int32  // 0: none
	verdict        verdict
}

type verdict uint8

const (
	unknown verdict = iota
	good
	bad
)

// maxNodes bounds the memory of a judge, to some 50 MB with small operations.
const maxNodes = 1 << 20

func (t *typed[S, O, R]) recorder(opts Options) *Recorder {
	return newRecorder(&column[O]{make([]O, 0, startOps)}, &column[R]{make([]R, 0, startOps)}, opts)
}

func (t *typed[S, O, R]) judge(h *Recorder) (*Violation, bool) {
	calls, ok := h.calls.(*column[O])
	returns, ok2 := h.returns.(*column[R])
	if !ok || !ok2 {
		panic(fmt.Sprintf("history: a judge of %s was given a recorder of %s and %s", t.spec.Name,
			h.calls.(untyped).typeName(), h.returns.(untyped).typeName()))
	}
	t.sort(h)
	at := t.find(h, calls, returns)
	switch t.nodes[at].verdict {
	case good:
		return nil, true
	case bad:
		return t.violations[at], true
	}
	v := t.decide(h, calls, returns)
	if v == nil {
		t.nodes[at].verdict = good
		return nil, false
	}
	t.nodes[at].verdict = bad
	t.violations[at] = v
	return v, false
}

// sort puts the events in canonical order: within a run of calls, and within a run of returns, the
// order says nothing about which operations overlap, so it is by thread.
func (t *typed[S, O, R]) sort(h *Recorder) {
	t.order = append(t.order[:0], h.events...)
	for i := 1; i < len(t.order); i++ {
		e := t.order[i]
		k := i
		for ; k > 0 && e.isReturn() == t.order[k-1].isReturn() && e.code < t.order[k-1].code; k-- {
			t.order[k] = t.order[k-1]
		}
		t.order[k] = e
	}
}

// find returns the node of a history, a new one if need be.
func (t *typed[S, O, R]) find(h *Recorder, calls *column[O], returns *column[R]) int32 {
	if len(t.nodes)+len(h.events) > maxNodes || t.nodes == nil {
		t.nodes = append(t.nodes[:0], node{})
		t.calls.values = t.calls.values[:0]
		t.returns.values = t.returns.values[:0]
		t.violations = map[int32]*Violation{}
	}
	at := int32(0)
	for _, e := range t.order {
		c := e.code
		next := t.nodes[at].child
		if e.isReturn() {
			value := returns.values[h.ops[e.op].result]
			for next != 0 && (t.nodes[next].code != c ||
				t.returns.values[t.nodes[next].value] != value) {
				next = t.nodes[next].sibling
			}
			if next == 0 {
				next = t.add(at, c, len(t.returns.values))
				t.returns.values = append(t.returns.values, value)
			}
		} else {
			value := calls.values[e.op]
			for next != 0 && (t.nodes[next].code != c ||
				t.calls.values[t.nodes[next].value] != value) {
				next = t.nodes[next].sibling
			}
			if next == 0 {
				next = t.add(at, c, len(t.calls.values))
				t.calls.values = append(t.calls.values, value)
			}
		}
		at = next
	}
	return at
}

func (t *typed[S, O, R]) add(parent int32, code uint64, value int) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{code: code, value: int32(value), sibling: t.nodes[parent].child})
	t.nodes[parent].child = n
	return n
}

// operations returns the finished operations of a history with their instants in canonical order,
// and the open ones.
func (t *typed[S, O, R]) operations(
	h *Recorder, calls *column[O], returns *column[R],
) (done, open []Operation[O, R]) {
	at := make(map[int32]int, len(h.ops)) // operation to index in all
	var all []Operation[O, R]
	for i, e := range t.order {
		if !e.isReturn() {
			at[e.op] = len(all)
			all = append(all, Operation[O, R]{
				ID: len(all), Thread: h.ops[e.op].thread(), Call: i + 1, Op: calls.values[e.op],
			})
			continue
		}
		o := &all[at[e.op]]
		o.Return = i + 1
		o.Result = returns.values[h.ops[e.op].result]
	}
	for _, o := range all {
		if o.Return == 0 {
			open = append(open, o)
		} else {
			o.ID = len(done)
			done = append(done, o)
		}
	}
	return done, open
}
