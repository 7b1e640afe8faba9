package deque_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/history"
)

// A stealing ring in small, whose every access to shared memory is a step, so that random schedules
// show whether the specification accepts all that a right ring does, and refuses what a broken one
// does.
type simRing struct {
	steal, real, tail int
	slots             []int
	step              func()
	fault             string
}

type simResult string

func (r simResult) String() string { return string(r) }

func (d *simRing) Push(v int, overflow func([]int)) {
	for {
		d.step()
		steal, real := d.steal, d.real
		n := len(d.slots)
		switch {
		case d.tail-steal < n || d.fault == "push overwrites" && d.tail-real < n:
			d.slots[d.tail%n] = v
			d.step()
			d.tail++
			return
		case steal != real:
			if d.fault == "push loses" {
				return
			}
			overflow([]int{v})
			return
		}
		d.step()
		if d.steal != steal || d.real != real {
			continue
		}
		half := n / 2
		d.steal, d.real = steal+half, real+half
		var batch []int
		for i := range half {
			batch = append(batch, d.slots[(real+i)%n])
		}
		if d.fault == "overflow leaves one behind" {
			batch = batch[1:]
		}
		overflow(append(batch, v))
		return
	}
}

func (d *simRing) Pop() (int, bool) {
	for {
		d.step()
		steal, real := d.steal, d.real
		if real == d.tail {
			return 0, false
		}
		d.step()
		if d.steal != steal || d.real != real {
			if d.fault == "pop gives up" {
				return 0, false
			}
			if d.fault != "pop does not compare" {
				continue
			}
		}
		d.real = real + 1
		if steal == real {
			d.steal = real + 1
		}
		if d.fault == "pop last" {
			return d.slots[(d.tail-1)%len(d.slots)], true
		}
		return d.slots[real%len(d.slots)], true
	}
}

func (d *simRing) Len() int {
	d.step()
	real := d.real
	d.step()
	return min(d.tail-real, len(d.slots))
}

func (d *simRing) StealInto(dst *simRing) (int, simResult) {
	d.step()
	steal, real := d.steal, d.real
	d.step()
	queued := d.tail - real
	if queued == 0 {
		return 0, "Empty"
	}
	if steal != real {
		if d.fault == "busy is empty" {
			return 0, "Empty"
		}
		return 0, "Contended"
	}
	if queued > len(d.slots) {
		return 0, "Contended"
	}
	n := queued - queued/2
	switch d.fault {
	case "steal of one":
		n = 1
	case "steal of all":
		n = queued
	case "contended alone":
		if queued == 2 {
			return 0, "Contended"
		}
	}
	d.step()
	room := len(dst.slots) - (dst.tail - dst.steal)
	if d.fault == "room from the real head" { // D1
		room = len(dst.slots) - (dst.tail - dst.real)
	}
	if d.fault != "no room" {
		n = min(n, room+1)
	}
	d.step()
	if (d.steal != steal || d.real != real) && d.fault != "claim does not compare" {
		return 0, "Contended"
	}
	d.real = real + n
	var moved []int
	for i := range n {
		d.step()
		moved = append(moved, d.slots[(real+i)%len(d.slots)])
	}
	v, rest := moved[0], moved[1:]
	switch d.fault {
	case "newest first":
		v, rest = moved[n-1], moved[:n-1]
	case "order turned round":
		for i, j := 0, len(rest)-1; i < j; i, j = i+1, j-1 {
			rest[i], rest[j] = rest[j], rest[i]
		}
	case "release drops one":
		if d.real != real+n && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	for i, m := range rest {
		d.step()
		dst.slots[(dst.tail+i)%len(dst.slots)] = m
	}
	d.step()
	switch d.fault {
	case "release gives up": // D4
		if d.real == real+n {
			d.steal = d.real
		}
	default:
		d.steal = d.real
	}
	d.step()
	dst.tail += len(rest)
	return v, "Stolen"
}

// simulate runs random operations on rings under a random schedule, and judges the history.
func simulate(seed uint64, fault string, judge *history.Judge, capacity int) *history.Violation {
	rng := rand.New(rand.NewPCG(seed, 1))
	rings := make([]*simRing, 2+rng.IntN(2))
	current := 0
	h := judge.Recorder(history.Options{Thread: func() int { return current }})
	yields := make([]func(struct{}) bool, len(rings))
	step := func() { yields[current](struct{}{}) }
	for i := range rings {
		rings[i] = &simRing{slots: make([]int, capacity), step: step, fault: fault}
		start := rng.IntN(3 * capacity) // the indices wrap
		rings[i].steal, rings[i].real, rings[i].tail = start, start, start
	}
	deques := recordDeques(h, rings...)
	value := 0
	threads := make([]func() (struct{}, bool), len(rings))
	for i := range rings {
		own := rand.New(rand.NewPCG(seed, uint64(i)+2))
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			yields[i] = yield
			for range 2 + own.IntN(2*capacity) {
				step()
				switch k := own.IntN(10); {
				case k < 5:
					value++
					deques[i].Push(value)
				case k < 6:
					deques[i].Pop()
				case k < 7:
					deques[own.IntN(len(deques))].Len()
				case k < 8:
					deques[i].OwnerLen()
				default:
					victim := own.IntN(len(deques) - 1)
					if victim >= i {
						victim++
					}
					deques[victim].StealInto(deques[i])
				}
			}
			for range capacity + 2 {
				if _, ok := deques[i].Pop(); !ok {
					break
				}
			}
		})
		defer stop()
		threads[i] = next
	}
	// A thread must stall for long, at the right place, for some faults to show: the lowest live
	// thread in a random order runs, and sometimes the running one becomes the last.
	order := rng.Perm(len(threads))
	for len(order) > 0 {
		current = order[0]
		if _, ok := threads[current](); !ok {
			order = order[1:]
		} else if rng.IntN(8) == 0 {
			order = append(order[1:], current)
		}
	}
	current = 0
	yields[0] = func(struct{}) bool { return true }
	for i := range deques {
		for range 2*capacity + 2 {
			if _, ok := deques[i].Pop(); !ok {
				break
			}
		}
	}
	return judge.Judge(h)
}

// TestDequeAcceptsWhatARightRingDoes: whatever the schedule.
func TestDequeAcceptsWhatARightRingDoes(t *testing.T) {
	runs := 2000
	if testing.Short() {
		runs = 500
	}
	for _, capacity := range []int{2, 4, 8} {
		judge := history.NewJudge(specification(capacity))
		for seed := range runs {
			v := simulate(uint64(seed), "", judge, capacity)
			require.Nil(t, v, "seed %d, capacity %d: %v", seed, capacity, v)
		}
	}
}

// TestDequeRefusesWhatABrokenRingDoes: each fault shows in some schedule.
func TestDequeRefusesWhatABrokenRingDoes(t *testing.T) {
	for _, fault := range []string{
		"push overwrites", "push loses", "overflow leaves one behind", "pop gives up",
		"pop does not compare", "pop last",
		"busy is empty", "steal of one", "steal of all", "contended alone",
		"room from the real head", "no room",
		"claim does not compare", "newest first", "order turned round", "release drops one",
		"release gives up",
	} {
		t.Run(fault, func(t *testing.T) {
			for seed := range 20000 {
				judge := history.NewJudge(specification(8))
				if v := tried(uint64(seed), fault, judge); v != "" {
					t.Logf("seed %d: %s", seed, v)
					return
				}
			}
			t.Fatal("not seen")
		})
	}
}

// tried is simulate for rings that may also panic.
func tried(seed uint64, fault string, judge *history.Judge) (reason string) {
	defer func() {
		if p := recover(); p != nil {
			reason = ""
		}
	}()
	if v := simulate(seed, fault, judge, 8); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}
