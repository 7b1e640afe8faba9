package refine_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// A lonePark is one goroutine at a Parker.
type lonePark struct {
	*refine.ParkCrowd
	name  string
	x     *model.Exec
	p     *park.Parker
	run   func()
	slept [2]unsafe.Pointer
}

// Every access of one goroutine that parks, or unparks, among any number of wakers, is a transition
// of the table or changes nothing.
func TestOneParkerAmongAnyNumber(t *testing.T) {
	var all []*refine.Solo
	for _, who := range []string{"parker", "waker"} {
		l := &lonePark{ParkCrowd: refine.NewParkCrowd(who == "waker"), name: who}
		do := l.park
		if who == "waker" {
			do = l.unpark
		}
		l.run = func() { l.Run(do) }
		t.Run(who, func(t *testing.T) {
			if !park.Futex.Available() || unsafe.Sizeof(uintptr(0)) < 8 {
				t.Skip("there is no futex here, or the words are too short to tell addresses")
			}
			p := park.New(park.Futex)
			p.ParkTimeout(1)
			l.slept = *(*[2]unsafe.Pointer)(refine.Field(p, "sleeper"))
			alone(t, l.Solo, l.body)
		})
		all = append(all, l.Solo)
	}
	everyRuleOf(t, 170, all, func(rule string) string { return rule })
}

func (l *lonePark) body(x *model.Exec) {
	if !refine.Explored() {
		return
	}
	l.x, l.p = x, park.New(park.Futex)
	if l.name == "waker" { // it may find a parker asleep
		*(*[2]unsafe.Pointer)(refine.Field(l.p, "sleeper")) = l.slept
	}
	l.Begin(x.Choose, l.p)
	l.Refer(unsafe.Pointer(x), unsafe.Sizeof(*x))
	l.Refer(unsafe.Pointer(l), unsafe.Sizeof(*l))
	l.Refer(unsafe.Pointer(l.Solo), unsafe.Sizeof(*l.Solo))
	l.Refer(unsafe.Pointer(l.ParkCrowd), unsafe.Sizeof(*l.ParkCrowd))
	l.Refer(refine.FuncOf(l.run), 1)
	x.Go(l.name, l.run)
	x.Join()
}

// park is one call of the parker, from any state in which one may end.
func (l *lonePark) park() {
	var token bool
	switch l.x.Choose(3) {
	case 0:
		l.p.Park()
		token = true
	case 1:
		token = l.p.ParkTimeout(time.Second)
	case 2:
		token = l.p.ParkTimeout(0)
		l.x.Assert(token == (l.Get("at") == 0), "ParkTimeout(0) is %v: the table is in %v", token,
			l.Solo)
	}
	taken := l.Get("taken") == 1
	l.x.Assert(l.Get("at") <= 1 && token == taken, "token is %v: the table is in %v", token, l.Solo)
}

func (l *lonePark) unpark() {
	l.p.Unpark()
	l.x.Assert(l.Get("left") == 98, "no step was an Unpark: the table is in %v", l.Solo)
	l.x.Assert(l.Get("owed_a1") == 0, "a wake is owed: the table is in %v", l.Solo)
}
