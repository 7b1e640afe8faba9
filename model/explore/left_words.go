package explore

import (
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// A word of sync/atomic that was not made in an execution is found by each as those before it have
// left it. A test may count executions in it, or note what one of them has come to; but if what an
// execution reads of the word decides what it does, then those that follow are executions of
// another program. The results of one schedule that is run twice differ then, and mostly that is
// found. It is not if the word is the same from the second execution on: a flag that the first one
// has set.
//
// So the words that the first executions come to are noted, with what they hold then. What lies at
// one of these addresses stays the same while they are. Among the next executions are some that
// look whether they find the same: the first ones and then every one whose number is a power of
// two, so that it costs nothing. If they do not, and something reads the word before it is set, the
// verdict names the assumption that the value does not matter. Of what may be a pointer, it matters
// whether it is nil: what is made anew for each execution lies elsewhere.

// A metWord is a word that one of the first executions has come to.
type metWord struct {
	ptr   unsafe.Pointer // nil: none
	val   uint64
	at    int64 // the execution that has come to it last
	first Op    // what that did with it first, while nothing else could happen; or OpNone
	stale bool  // and found another value
	place Frame
}

const (
	metBits    = 12
	metTries   = 8  // places for a word
	metNoting  = 16 // executions that note words
	metLooking = 64 // executions that look at them, before the powers of two
	// LeavesNothing begins the assumption about words that executions share.
	LeavesNothing = "executions do not depend on what those before them left in"
	metAssumes    = LeavesNothing + " words of sync/atomic"
)

// metWords has them by the hashes of their addresses. Like lefts, it is an array.
var (
	metWords     [1 << metBits]metWord
	metExecution int64
)

func forgetWords() {
	clear(metWords[:])
	metExecution = 0
}

func (e *engine) beginLooking() {
	metExecution++
	n := metExecution
	e.meetsOld = n <= metLooking || n&(n-1) == 0
}

// lookAt is called when an execution comes to a word: before the operation op that nothing else can
// precede, or with OpNone.
func (e *engine) lookAt(p unsafe.Pointer, op, word Op) {
	at := uint64(uintptr(p)) * 0x9E3779B97F4A7C15 >> (64 - metBits)
	for i := range uint64(metTries) {
		w := &metWords[(at+i)%(1<<metBits)]
		switch {
		case w.ptr == p:
			if w.at != metExecution {
				w.at, w.first = metExecution, op
				if valueAt(p, word) != w.val {
					w.stale = true
					w.place = here()
				}
			}
			return
		case w.ptr == nil:
			if metExecution <= metNoting {
				*w = metWord{ptr: p, val: valueAt(p, word), at: metExecution}
			}
			return
		}
	}
}

// valueAt is what a word holds: of what may be a pointer, whether it is nil.
func valueAt(p unsafe.Pointer, word Op) uint64 {
	v := uint64(0)
	switch {
	case word&Wide == 0:
		v = uint64(atomic.LoadUint32((*uint32)(p)))
	case uintptr(p)%8 == 0:
		v = atomic.LoadUint64((*uint64)(p))
	}
	if word&pointing != 0 && v != 0 {
		return 1
	}
	return v
}

// endLooking finds the words that the execution found changed and has read before they were set.
func (e *engine) endLooking() {
	if !e.meetsOld || metExecution == 1 {
		return
	}
	for i := range metWords {
		w := &metWords[i]
		if !w.stale {
			continue
		}
		w.stale = false
		if op := w.first; op == OpStore || op == OpNone && e.setsFirst(w.ptr) {
			continue
		}
		e.sharedAt(w.place, metAssumes)
	}
}

// sharedAt notes that an execution depends on others only if assumption does not hold of what it
// uses at a place.
func (e *engine) sharedAt(place Frame, assumption string) {
	site := "made outside of the body"
	if place.File != "" {
		site += " and used at " + filepath.Base(place.File) + ":" + strconv.Itoa(place.Line)
	}
	if u := (Use{assumption, site}); !slices.Contains(e.res.Uses, u) {
		e.res.Uses = append(e.res.Uses, u)
	}
}

// setsFirst reports whether the first that the execution does with a word is to set it.
func (e *engine) setsFirst(p unsafe.Pointer) bool {
	id := e.table.find(uintptr(p))
	for d := range e.stack[:e.depth] {
		if ev := &e.stack[d]; ev.obj == id {
			return ev.op == OpStore
		}
	}
	return false
}
