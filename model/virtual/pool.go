package virtual

import (
	"fmt"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// A pool may lose what was put into it, and gives what it has in any order. Get therefore chooses
// among the values that are there, and none of them, within these bounds.
const (
	poolValues = 3 // how many of the values put last Get chooses among
	poolMisses = 2 // how often in an execution Get misses a value that is there
)

// A Pool stands for a sync.Pool during one execution, and is empty at its beginning.
type Pool struct {
	p      unsafe.Pointer // the sync.Pool
	top    *pooled
	n      int // values that are there
	misses int
}

type pooled struct {
	value any
	token uint64 // released by Put, acquired by the Get that gives the value
	next  *pooled
}

// PoolOf returns what stands for the sync.Pool at p in the running execution. A pool that it has
// returned before is marked, until it is assigned to: then it begins anew. mark is where, nil in a
// pool that was used outside of executions. Of that one an assignment is not seen; the values that
// it seems to keep are of those that Get may miss.
func PoolOf(p unsafe.Pointer, mark *unsafe.Pointer) *Pool {
	if v, ok := explore.Model(p).(*Pool); ok && (mark == nil || *mark == unsafe.Pointer(v)) {
		return v
	}
	v := &Pool{p: p}
	explore.SetModel(p, v)
	if mark != nil {
		*mark = unsafe.Pointer(v)
	}
	return v
}

// Put is that of sync.Pool.
func (p *Pool) Put(x any) {
	if x == nil {
		return
	}
	explore.EnterMap(p.p, explore.OpPoolPut, "Pool.Put", nil)
	v := &pooled{value: x, next: p.top}
	explore.Release(&v.token)
	p.top = v
	p.n++
}

// Get gives a value that was put, nil if it chose none.
func (p *Pool) Get() any {
	chosen := explore.EnterPoolGet(p.p, p.options)
	if p.n > poolValues {
		explore.Assume(fmt.Sprintf(
			"sync.Pool.Get gives one of the %d values put last, or none", poolValues))
	}
	if p.n > 0 && p.misses == poolMisses {
		explore.Assume(fmt.Sprintf(
			"sync.Pool.Get misses a value at most %d times in an execution", poolMisses))
	}
	if chosen >= min(p.n, poolValues) {
		if p.n > 0 {
			p.misses++
		}
		return nil
	}
	at := &p.top
	for range chosen {
		at = &(*at).next
	}
	v := *at
	*at = v.next
	p.n--
	explore.Acquire(&v.token)
	return v.value
}

// options is the number of things that Get may do now.
func (p *Pool) options() int {
	n := min(p.n, poolValues)
	if n == 0 || p.misses < poolMisses {
		n++
	}
	return n
}
