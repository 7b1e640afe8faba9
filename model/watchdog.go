package model

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// stuck is how long one execution may take.
const stuck = 10 * time.Second

// watch ends the process with an undecided check when an execution does not get
// on: its goroutine blocks outside the checker's control, or loops without a
// scheduling point. Nothing inside the process can stop such code.
func (c *check) watch() (stop func()) {
	if c.set.Debug {
		return func() {}
	}
	done := make(chan struct{})
	ended := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		// time.Now, and what ticks, would read time.Local, which the program may set.
		now := func() time.Duration { return time.Since(began) }
		tick := make(chan struct{}, 1)
		timer := time.AfterFunc(stuck/20, func() { tick <- struct{}{} })
		defer timer.Stop()
		last, since := explore.Beats.Load(), now()
		for {
			select {
			case <-done:
				return
			case <-tick:
				timer.Reset(stuck / 20)
			}
			if n := explore.Beats.Load(); n != last || n&1 == 0 {
				last, since = n, now()
			}
			if now()-since < stuck {
				continue
			}
			if c.decided.Load() {
				os.Exit(1)
			}
			stack := bodyStack()
			r := wire.Result{
				Check: c.name, Verdict: wire.Undecided, Kind: wire.KindLimit,
				Message: fmt.Sprintf("an execution has not reached a scheduling point for %v: "+
					"the body never ends, or blocks outside the checker's control\n%s",
					stuck, stack),
			}
			if r.File, r.Line = c.placeIn(stack); r.File == "" {
				r.File, r.Line = c.file, c.line
			}
			send(wire.Message{Result: &r})
			os.Exit(1)
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// placeIn finds the innermost line of checked code in a stack.
func (c *check) placeIn(stack string) (file string, line int) {
	lines := strings.Split(stack, "\n")
	for i, function := range lines[:len(lines)-1] {
		at, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || !slices.ContainsFunc(c.set.Expect, func(pkg string) bool {
			rest, ok := strings.CutPrefix(function, pkg)
			return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "_test."))
		}) {
			continue
		}
		at, _, _ = strings.Cut(at, " +0x")
		colon := strings.LastIndexByte(at, ':')
		if n, err := strconv.Atoi(at[colon+1:]); err == nil && colon > 0 {
			return at[:colon], n
		}
	}
	return "", 0
}

// bodyStack returns the stacks of at most two goroutines that run a body or a coroutine and wait
// neither for their turn nor for a coroutine.
func bodyStack() string {
	buf := make([]byte, 4<<20)
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	var out []string
	for _, g := range all {
		has := func(fn string) bool { return strings.Contains(g, "model/explore.(*"+fn) }
		runs := has("engine).runBody") || has("engine).runCoro")
		waits := has("engine).handOff") || has("engine).resume") || has("Coro).Yield")
		if runs && !waits {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return "(no goroutine of the body was found)"
	}
	return strings.Join(out[:min(2, len(out))], "\n\n")
}
