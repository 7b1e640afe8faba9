package prog

import (
	"context"
	"iter"
	"runtime"
	"strconv"
	"sync/atomic"
)

func (t *thread) run(f *frame, b Block) {
	for i := range b {
		if t.over() || f.gone {
			return
		}
		t.pause()
		in := &b[i]
		if in.Odd && t.last&1 == 0 {
			continue
		}
		t.begun++
		t.op = in.Op
		t.step(f, in)
	}
}

// step runs one instruction.
func (t *thread) step(f *frame, in *Instr) {
	switch in.Op {
	case "load", "store", "swap", "add", "cas", "or":
		t.atomic(in)
	case "lock", "unlock", "trylock", "rlock", "tryrlock", "wlock", "trywlock", "runlock",
		"wait", "signal", "broadcast":
		t.locks(in)
	case "wgadd", "wgdone", "wgfinish", "wgwait", "wggo", "once", "oncevalue":
		t.groups(f, in)
	case "send", "recv", "close", "len", "range", "select", "select or default":
		t.channels(in)
	case "cancel", "err", "cause", "ctxdone", "poll ctxdone",
		"derive", "drop", "without", "afterfunc", "stopfunc":
		t.contexts(in)
	case "sleep", "now", "expire", "poll timer", "stop timer", "reset timer", "after",
		"after or recv", "timer func", "tick", "reset ticker", "timeout", "quiet":
		t.time(in)
	default:
		t.control(f, in)
	}
}

func (t *thread) atomic(in *Instr) {
	w, v := t.w, int32(in.B)
	switch in.A % 4 {
	case 0:
		switch in.Op {
		case "load":
			t.saw(w.i32.Load())
		case "store":
			w.i32.Store(v)
		case "swap":
			t.saw(w.i32.Swap(v))
		case "add":
			t.saw(w.i32.Add(v))
		case "cas":
			t.sawBool(w.i32.CompareAndSwap(v, v+1))
		case "or":
			t.saw(w.i32.Or(v))
		}
	case 1:
		p := &w.i64
		switch in.Op {
		case "load":
			t.saw(int32(atomic.LoadInt64(p)))
		case "store":
			atomic.StoreInt64(p, int64(v))
		case "swap":
			t.saw(int32(atomic.SwapInt64(p, int64(v))))
		case "add":
			t.saw(int32(atomic.AddInt64(p, int64(v))))
		case "cas":
			t.sawBool(atomic.CompareAndSwapInt64(p, int64(v), int64(v+1)))
		case "or":
			t.saw(int32(atomic.OrInt64(p, int64(v))))
		}
	case 2:
		p := &w.ints[uint32(v)%4]
		switch in.Op {
		case "load":
			t.saw(*w.ptr.Load())
		case "store":
			w.ptr.Store(p)
		case "swap", "add", "or":
			t.saw(*w.ptr.Swap(p))
		case "cas":
			t.sawBool(w.ptr.CompareAndSwap(p, &w.ints[3]))
		}
	case 3:
		switch in.Op {
		case "load":
			t.saw(w.val.Load().(int32))
		case "store":
			w.val.Store(v)
		case "swap", "add", "or":
			t.saw(w.val.Swap(v).(int32))
		case "cas":
			t.sawBool(w.val.CompareAndSwap(v, v+1))
		}
	}
}

// locks does what is done to locks. A goroutine unlocks only what it has
// locked: the rest ends the process.
func (t *thread) locks(in *Instr) {
	w, i := t.w, in.A%2
	switch in.Op {
	case "lock":
		w.mu[i].Lock()
		t.held[i] = true
		t.after(&w.locked[i], true)
	case "trylock":
		if t.sawBool(w.mu[i].TryLock()) {
			t.held[i] = true
			t.after(&w.locked[i], true)
		}
	case "unlock":
		if t.held[i] {
			t.held[i] = false
			w.mu[i].Unlock()
		}
	case "rlock":
		w.rw.RLock()
		t.readers++
		t.after(&w.written, false)
	case "tryrlock":
		if t.sawBool(w.rw.TryRLock()) {
			t.readers++
			t.after(&w.written, false)
		}
	case "wlock":
		w.rw.Lock()
		t.writes = true
		t.after(&w.written, true)
	case "trywlock":
		if t.sawBool(w.rw.TryLock()) {
			t.writes = true
			t.after(&w.written, true)
		}
	case "runlock":
		switch {
		case t.writes:
			t.writes = false
			w.rw.Unlock()
		case t.readers > 0:
			t.readers--
			w.rw.RUnlock()
		}
	case "wait":
		if t.held[0] {
			w.cond.Wait()
			t.said("woken")
		}
	case "signal":
		w.cond.Signal()
	case "broadcast":
		w.cond.Broadcast()
	}
}

// after notes how many critical sections of a lock came before that of t, which holds it.
func (t *thread) after(n *int, exclusive bool) {
	t.log = append(t.log, '@')
	t.log = strconv.AppendInt(t.log, int64(*n), 10)
	if exclusive {
		*n++
	}
}

func (t *thread) groups(f *frame, in *Instr) {
	w := t.w
	switch in.Op {
	case "wgadd":
		w.wg.Add(in.B)
	case "wgdone":
		w.wg.Done()
	case "wgfinish":
		w.wg.Done()
		t.finished++
	case "wgwait":
		w.wg.Wait()
	case "wggo":
		c := t.spawn()
		w.wg.Go(func() { c.main(in.Body) })
	case "once":
		w.once[in.A%2].Do(func() { t.run(f, in.Body) })
	case "oncevalue":
		t.saw(w.onceV())
	}
}

func (t *thread) channels(in *Instr) {
	c := t.w.ch[in.A%4]
	switch in.Op {
	case "send":
		c <- int32(in.B)
		t.said("sent")
	case "recv":
		if in.B == 0 {
			t.saw(<-c)
			return
		}
		v, ok := <-c
		t.received(0, v, ok)
	case "close":
		close(c)
	case "len":
		t.saw(int32(len(c)))
	case "range":
		for v := range c {
			t.saw(v)
		}
	default:
		t.choose(in)
	}
}

func (t *thread) received(which, v int32, ok bool) {
	if !ok {
		v = -1
	}
	t.saw(10*which + v)
}

// choose runs a select of up to two receives and two sends; those it lacks
// have a nil channel.
func (t *thread) choose(in *Instr) {
	var recv, send [2]chan int32
	for _, c := range in.Cases {
		ch := t.w.ch[c.Chan%4]
		switch {
		case c.Send && send[0] == nil:
			send[0] = ch
		case c.Send:
			send[1] = ch
		case recv[0] == nil:
			recv[0] = ch
		default:
			recv[1] = ch
		}
	}
	v := int32(in.B)
	if in.Op == "select or default" {
		select {
		case v, ok := <-recv[0]:
			t.received(1, v, ok)
		case send[0] <- v:
			t.saw(20)
		case v, ok := <-recv[1]:
			t.received(3, v, ok)
		case send[1] <- v + 1:
			t.saw(40)
		default:
			t.saw(50)
		}
		return
	}
	select {
	case v, ok := <-recv[0]:
		t.received(1, v, ok)
	case send[0] <- v:
		t.saw(20)
	case v, ok := <-recv[1]:
		t.received(3, v, ok)
	case send[1] <- v + 1:
		t.saw(40)
	}
}

// context gives one of the program's contexts, or that of the goroutine.
func (t *thread) context(i int) (context.Context, context.CancelCauseFunc) {
	if n := len(t.w.ctx); i%(n+1) < n {
		return t.w.ctx[i%(n+1)], t.w.stop[i%(n+1)]
	}
	if t.own == nil {
		return t.w.ctx[0], t.w.stop[0]
	}
	return t.own, t.cancel
}

func (t *thread) contexts(in *Instr) {
	c, cancel := t.context(in.A)
	switch in.Op {
	case "cancel":
		cancel(causes[in.B%3])
	case "err":
		t.sawError(c.Err())
	case "cause":
		t.sawError(context.Cause(c))
	case "ctxdone":
		<-c.Done()
		t.said("done")
	case "poll ctxdone":
		select {
		case <-c.Done():
			t.saw(1)
		default:
			t.saw(0)
		}
	case "derive":
		t.own, t.cancel = context.WithCancelCause(c)
	case "drop":
		plain, cancel := context.WithCancel(c)
		cancel()
		t.sawError(context.Cause(plain))
	case "without":
		t.own, t.cancel = context.WithCancelCause(context.WithoutCancel(c))
	case "afterfunc":
		f := t.spawn()
		t.stopFunc = context.AfterFunc(c, func() { f.main(in.Body) })
	case "stopfunc":
		if t.stopFunc != nil {
			t.sawBool(t.stopFunc())
		}
	}
}

func (t *thread) sawError(err error) {
	if err == nil {
		t.saw(0)
		return
	}
	t.saw(1)
	t.said(err.Error())
}

// control does what changes the order of instructions, and plain accesses.
func (t *thread) control(f *frame, in *Instr) {
	switch in.Op {
	case "get":
		t.saw(t.w.plain[in.A%2].v)
	case "put":
		t.w.plain[in.A%2].v = int32(in.B)
	case "go":
		c := t.spawn()
		go c.main(in.Body)
	case "gosched":
		runtime.Gosched()
	case "try":
		t.try(f, in.Body)
	case "defer":
		t.deferred(f, in)
	case "panic":
		t.panics(in.B)
	case "goexit":
		runtime.Goexit()
	case "pull", "next", "stop", "yield":
		t.coroutine(f, in)
	default:
		panic("no operation " + in.Op)
	}
}

// try runs b, and recovers from its panic.
func (t *thread) try(f *frame, b Block) {
	defer func() {
		if r := recover(); r != nil {
			t.said(text(r))
			t.last = 1
		}
	}()
	t.run(f, b)
}

// deferred runs the first half of the body with the second half deferred.
func (t *thread) deferred(f *frame, in *Instr) {
	half := len(in.Body) / 2
	defer t.run(f, in.Body[half:])
	t.run(f, in.Body[:half])
}

func (t *thread) panics(kind int) {
	var none *int32
	switch kind % 5 {
	case 0:
		panic(causes[0])
	case 1:
		panic("a string")
	case 2:
		t.saw(*none)
	case 3:
		t.saw(t.w.ints[int(uint32(t.last)%4)+4*len(t.w.ch)])
	case 4:
		panic(nil)
	}
}

// coroutine runs bodies in coroutines of the goroutine.
func (t *thread) coroutine(f *frame, in *Instr) {
	i := in.A % 2
	switch in.Op {
	case "pull":
		if t.stopCo[i] == nil {
			t.next[i], t.stopCo[i] = iter.Pull(func(yield func(int32) bool) {
				t.run(&frame{yield: yield}, in.Body)
			})
		}
	case "next":
		if t.next[i] != nil {
			v, ok := t.next[i]()
			t.received(6, v, ok)
		}
	case "stop":
		if t.stopCo[i] != nil {
			t.stopCo[i]()
		}
	case "yield":
		if f.yield != nil {
			f.gone = !f.yield(int32(in.B))
		}
	}
}
