//go:build race

package explore

import (
	"slices"
	"strconv"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// The race detector remembers only the last calls, returns and accesses of each goroutine. It drops
// the report of a race, without a word, if it has forgotten where the first of the two accesses was
// made. What it remembers cannot be asked for. But it can be tried: each goroutine begins with a
// write of a mark of its own, which at the end of the execution the dispatcher reads, unordered. That
// is a data race as far apart as two accesses of this execution can be. The command has the detector
// count these reports instead of printing them (wire.Suppressions), and compares how many there were
// with how many there should have been, which is printed here: the processes of one check have one
// standard error. Under load, one execution in some thousand misses reports; so executions take turns
// with the functions by which they mark, which are counted apart, and two have to miss some.
//
// To forget takes some hundred thousand events, and to look back as much as running them again. So
// an execution is looked at only if it and those just before it take long, a quarter longer than any
// that was looked at; and some others that take long. One that takes long alone does not count: the
// machine was busy, or the detector cleared its memory of all accesses, as it does every some
// hundred thousand executions. What it forgets then it sees in the executions around. As marks and
// looks at the clock take time, these are four of each 64 executions.
type history struct {
	began  time.Time
	marks  []*mark          // of this execution
	number int64            // of this execution, from 1 on
	off    bool             // it is none of those that may be looked at
	took   [4]time.Duration // by the last of these, as many as there were
	most   time.Duration    // the least of these when one was looked at
}

// A mark has a word of its own: the detector keeps the accesses to each 8 bytes together.
type mark struct {
	word   uint64
	number int64 // of the execution that has set it last
}

// dearExecution is far less time than to forget takes, and more than most executions do.
const dearExecution = 250 * time.Microsecond

func (h *history) begin() {
	h.number++
	if h.off = (h.number-1)&63 >= int64(len(h.took)); !h.off {
		h.began, h.marks = time.Now(), h.marks[:0]
	}
}

// setMark is called at the beginning of a goroutine, by that.
func (e *engine) setMark(m *mark) {
	h := &e.history
	if h.off || !e.cfg.LooksBack || ReadMark == nil || m.number == h.number {
		return
	}
	m.number = h.number
	h.marks = append(h.marks, m)
	WriteMark[h.number%wire.Marks](&m.word)
}

// Package hook, which the race detector sees, sets these: accesses, each with a function of its own.
var (
	WriteMark [wire.Marks]func(word *uint64) // the functions of wire.Suppression
	ReadMark  func(word *uint64)
)

// lookBack is called by the dispatcher before anything orders it after the goroutines. It prints how
// many reports there should be.
func (e *engine) lookBack() {
	h := &e.history
	if h.off || len(h.marks) == 0 || e.cfg.Record {
		return
	}
	h.took[(h.number-1)&3] = time.Since(h.began)
	least := slices.Min(h.took[:min(h.number, int64(len(h.took)))])
	some := (h.number-1)&(h.number-2) == 0
	if least < dearExecution || least <= h.most+h.most/4 && !some {
		return
	}
	h.most = max(h.most, least)
	for _, m := range h.marks {
		ReadMark(&m.word)
	}
	lookedBack = true
	n, of := strconv.Itoa(len(h.marks)), strconv.Itoa(int(h.number%wire.Marks))
	print(wire.LookedBack + n + " by " + of + "\n")
}

var lookedBack bool
