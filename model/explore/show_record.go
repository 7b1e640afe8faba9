package explore

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// A Frame is a place in checked code.
type Frame struct {
	Func string
	File string
	Line int
}

// recorder is what is noted of an execution for its picture. Threads that have nothing to do with
// one another change it, and the race detector must not see that. So it has no maps, since it sees
// what the runtime does to these. It does without package fmt where it can: that synchronizes those
// who use it, which hides races from the recorded execution.
type recorder struct {
	names   []string // that were given to threads, without numbers
	locks   lockHolders
	order   order
	races   int // reports of the race detector so far
	reports int // of these, in this execution
	steps   []wire.Step
	words   []shownWord
	ptrs    []uintptr // by name
	ptrAt   index     // of ptrs
	sites   []site    // call stacks that have come up
	siteAt  index     // of sites
	at      []uintptr // place of the next operation, or nil
	over    bool      // the present step is left out
	made    []made    // the events
	waits   []made    // the operations in which threads wait for ever
}

// A picture shows so many steps of threads that only repeat themselves, and of the others so many
// at its beginning and at its end.
const (
	shownRepeated = 60
	shownFirst    = 1000
	shownLast     = 200
)

// leavesOut reports whether the picture is without event d of thread t, because threads only repeat
// themselves.
func (r *recorder) leavesOut(t *thread, ev *event, d int) bool {
	over := ev.idle != busy && d-int(eng.restedAt) > shownRepeated
	if over && !r.over {
		rec := r.step(t, t.pcs[:t.npcs])
		rec.Note = "and so on: further iterations are left out"
		r.steps = append(r.steps, rec)
	}
	r.over = over
	r.order.ends = r.order.ends || over
	return over
}

// shown returns the steps of the picture.
func (r *recorder) shown() []wire.Step {
	r.nameWords()
	r.order.apply(r.steps)
	n := len(r.steps)
	if n <= shownFirst+shownLast {
		return r.steps
	}
	gap := r.steps[n-shownLast]
	gap.Op, gap.Object, gap.Value, gap.After = "", "", "", nil
	gap.Note = fmt.Sprintf("%d steps are left out", n-shownFirst-shownLast)
	steps := slices.Concat(r.steps[:shownFirst], []wire.Step{gap}, r.steps[n-shownLast:])
	wire.Renumber(steps, func(k int) int {
		switch {
		case k < shownFirst:
			return k
		case k < n-shownLast:
			return -1
		}
		return k - (n - shownLast) + shownFirst + 1
	})
	return steps
}

// lookForRace adds a step for each report of the race detector since it was called before: that t
// made the later one of two accesses. Which one, and the other, the command finds in the report.
func (r *recorder) lookForRace(t *thread) {
	for n := raceErrors(); r.races < n; r.races++ {
		if eng.aborting {
			continue
		}
		r.reports++
		r.steps = append(r.steps, wire.Step{Thread: t.id, Name: t.name, Race: r.reports})
	}
}

func (r *recorder) announce(t *thread) {
	r.lookForRace(t)
	if t.npcs = r.takeCallSite(&t.pcs); t.npcs == 0 {
		t.npcs = runtime.Callers(3, t.pcs[:])
	}
}

// takeCallSite moves the call stack set by SetCallSite to pcs, and returns its length.
func (r *recorder) takeCallSite(pcs *[24]uintptr) int {
	n := copy(pcs[:], r.at)
	r.at = nil
	return n
}

// CallSite returns the call stack of its caller, nil if the execution is not recorded. SetCallSite
// makes it the call stack of the next operation, for an operation that began there.
func CallSite() []uintptr {
	if e := eng; e != nil && e.rec != nil {
		var pcs [24]uintptr
		return pcs[:runtime.Callers(2, pcs[:])]
	}
	return nil
}

// callSite returns what SetCallSite has set for the operation that begins.
func (e *engine) callSite() []uintptr {
	if e.rec == nil {
		return nil
	}
	return e.rec.at
}

// SetCallSite sets the call stack of the next operation, which CallSite returned.
func SetCallSite(pcs []uintptr) {
	if e := eng; e != nil && e.rec != nil {
		e.rec.at = pcs
	}
}

func (r *recorder) commit(t *thread, ev *event, d int) {
	if r.leavesOut(t, ev, d) {
		r.made = append(r.made, made{tid: t.id, op: ev.op, step: -1})
		return
	}
	rec := r.step(t, t.pcs[:t.npcs])
	rec.Op, rec.Preempt = t.doing(), eng.preemptive(d, t.id)
	rec.Object = objectName(ev.obj)
	m := &ops[ev.op]
	if m.detail != nil {
		rec.Value = m.detail(t, ev)
	}
	if m.takes {
		showCases(&rec, t)
	}
	if ev.op == OpCAS && t.width != 0 && ev.obj >= 0 {
		r.words = append(r.words, shownWord{len(r.steps), ev.obj, true, t.old, t.new})
	}
	r.locks.step(ev, t, Frame{File: rec.File, Line: rec.Line})
	r.steps = append(r.steps, rec)
	r.noteMade(ev)
	r.order.step(t, ev, len(r.steps)-1)
}

func (r *recorder) value(of *event, v uint64) {
	if n := len(r.steps); n > 0 && !r.over {
		ev := &r.steps[n-1]
		if !ops[of.op].boolean {
			ev.Value = hex(v)
			if of.op.isAtomic() && of.obj >= 0 {
				r.words = append(r.words, shownWord{n - 1, of.obj, false, 0, v})
			}
			return
		}
		if v != 0 {
			r.locks.taken(of, eng.threads[of.tid], Frame{File: ev.File, Line: ev.Line})
			r.order.locked(int(of.tid), of)
		}
		s := strconv.FormatBool(v != 0)
		if ev.Value != "" {
			s = ev.Value + ": " + s
		}
		ev.Value = s
	}
}

func (r *recorder) text(s string) {
	if n := len(r.steps); n > 0 && !r.over {
		ev := &r.steps[n-1]
		if ev.Value != "" {
			s = ev.Value + ": " + s
		}
		ev.Value = s
	}
}

// pointer names pointers by their first appearance, so that lanes of different executions can be
// compared.
func (r *recorder) pointer(p unsafe.Pointer) string {
	if p == nil {
		return "nil"
	}
	hash := mixed(0, uint64(uintptr(p)))
	i := r.ptrAt.find(hash, func(i int) bool { return r.ptrs[i] == uintptr(p) })
	if i < 0 {
		i = len(r.ptrs)
		r.ptrs = append(r.ptrs, uintptr(p))
		r.ptrAt.add(hash, i)
	}
	return "&" + strconv.Itoa(i+1)
}

// PointerName returns the name by which lanes show a pointer, "" if the execution is not recorded.
func PointerName(p unsafe.Pointer) string {
	if e := eng; e != nil && e.rec != nil {
		return e.rec.pointer(p)
	}
	return ""
}

// Note adds a line to the lane of the running thread, if the execution is recorded.
func Note(format func() string) {
	e := eng
	if e == nil || e.rec == nil || e.aborting {
		return
	}
	t := e.cur
	var pcs [24]uintptr
	n := runtime.Callers(2, pcs[:])
	rec := e.rec.step(t, pcs[:n])
	rec.Note = format()
	e.rec.steps = append(e.rec.steps, rec)
}

// objectName is what an object is called as long as nobody looks at the source.
func objectName(obj int32) string {
	if obj < 0 {
		return ""
	}
	return "#" + strconv.Itoa(int(obj))
}

// FuncName returns the name of a thread that runs fn, "" if the execution is not recorded.
func FuncName(fn func()) string {
	if e := eng; e != nil && e.rec != nil {
		return e.rec.threadName(fn)
	}
	return ""
}

// threadName names threads in the order in which they are started: worker, worker#2.
func (r *recorder) threadName(fn func()) string {
	if fn == nil {
		return ""
	}
	f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
	if f == nil || own(f.Name()) {
		return ""
	}
	name := wire.ShortFunc(strings.TrimSuffix(f.Name(), "-fm"))
	n := 1
	for _, other := range r.names {
		if other == name {
			n++
		}
	}
	r.names = append(r.names, name)
	if n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	return name
}

func hex(v uint64) string {
	switch {
	case v < 1024:
		return strconv.FormatUint(v, 10)
	case int64(v) < 0 && int64(v) > -1024:
		return strconv.FormatInt(int64(v), 10)
	case v>>32 != 0:
		low := strconv.FormatUint(1<<32|v&math.MaxUint32, 16)[1:]
		return "0x" + strconv.FormatUint(v>>32, 16) + "_" + low
	}
	return "0x" + strconv.FormatUint(v, 16)
}

// step returns a step of t without its operation.
func (r *recorder) step(t *thread, pcs []uintptr) wire.Step {
	at := r.place(pcs)
	return wire.Step{Thread: t.id, Name: t.name, File: at.File, Line: at.Line, Func: at.Func}
}

// A site is a call stack, and the innermost frame of checked code on it.
type site struct {
	pcs   []uintptr
	frame Frame
}

// place is the function place, which takes long, for stacks that come up again and again.
func (r *recorder) place(pcs []uintptr) Frame {
	hash := uint64(0)
	for _, pc := range pcs {
		hash = mixed(hash, uint64(pc))
	}
	i := r.siteAt.find(hash, func(i int) bool { return slices.Equal(r.sites[i].pcs, pcs) })
	if i < 0 {
		i = len(r.sites)
		r.sites = append(r.sites, site{slices.Clone(pcs), place(pcs)})
		r.siteAt.add(hash, i)
	}
	return r.sites[i].frame
}

// place returns the innermost frame of checked code, of the standard library
// only if there is no other.
func place(pcs []uintptr) Frame {
	list := frames(pcs)
	for _, f := range list {
		if standard == "" || !strings.HasPrefix(f.File, standard) {
			return f
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return Frame{}
}

// Here is the innermost frame of checked code on the caller's stack; functions that helper reports
// are passed over if there are others.
func Here(helper func(function string) bool) Frame {
	var pcs [64]uintptr
	list := pcs[:runtime.Callers(2, pcs[:])]
	for _, f := range frames(list) {
		if !helper(f.Func) && (standard == "" || !strings.HasPrefix(f.File, standard)) {
			return f
		}
	}
	return place(list)
}

// standard is the directory of the standard library's source as stacks name it,
// "" if they do not.
var standard = func() string {
	f := runtime.FuncForPC(reflect.ValueOf(strings.Contains).Pointer())
	file, _ := f.FileLine(f.Entry())
	dir, ok := strings.CutSuffix(file, "strings/strings.go")
	if !ok {
		return ""
	}
	return dir
}()

// frames resolves program counters and leaves out the checker's own frames.
func frames(pcs []uintptr) []Frame {
	var out []Frame
	it := runtime.CallersFrames(pcs)
	for {
		f, more := it.Next()
		if f.Function != "" && !own(f.Function) {
			out = append(out, Frame{Func: f.Function, File: f.File, Line: f.Line})
		}
		if !more {
			return out
		}
	}
}

const module = "github.com/surewake/surewake/model"

func own(fn string) bool {
	if strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "iter.") {
		return true
	}
	rest, ok := strings.CutPrefix(fn, module)
	return ok && (rest[0] == '.' ||
		strings.HasPrefix(rest, "/explore.") || strings.HasPrefix(rest, "/hook.") ||
		strings.HasPrefix(rest, "/virtual.") || strings.HasPrefix(rest, "/history."))
}
