package runtime

import "github.com/surewake/surewake/taskstate"

// A call is a task that calls a function.
type call[T any] struct {
	Handle[T]
	fn func(Cx) (T, error) // nil once it has been called; accessed by the runner
}

func (c *call[T]) poll(cx Cx) bool {
	fn := c.fn
	c.fn = nil
	value, err := fn(cx)
	c.value = value
	if err != nil {
		c.failWith(err)
	}
	return true
}

func (c *call[T]) discardInput() { c.fn = nil }

// A callWith is a task that calls a function with an argument.
type callWith[A, T any] struct {
	Handle[T]
	fn       func(Cx, A) (T, error) // as in call
	argument A                      // as fn
}

func (c *callWith[A, T]) poll(cx Cx) bool {
	fn, argument := c.fn, c.argument
	c.discardInput()
	value, err := fn(cx, argument)
	c.value = value
	if err != nil {
		c.failWith(err)
	}
	return true
}

func (c *callWith[A, T]) discardInput() {
	var none A
	c.fn, c.argument = nil, none
}

// Spawn starts a task that calls fn, and returns its handle. The task is the next one that the
// caller's worker runs, unless another worker takes it first. If the runtime is being cancelled,
// the task ends with [ErrClosed] and fn is not called.
//
// The call synchronizes before fn. It panics if fn is nil, or if cx is not that of the running
// task.
func Spawn[T any](cx Cx, fn func(Cx) (T, error)) *Handle[T] {
	if fn == nil {
		panic("surewake: Spawn: nil function")
	}
	cx.check("Spawn")
	w := cx.coroutine.worker
	c := &call[T]{fn: fn}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = w.rt
	c.parent = cx.coroutine.asParent()
	w.spawn(&c.task)
	return &c.Handle
}

// SpawnWith is [Spawn] for a function with an argument. It saves the allocation of a closure.
func SpawnWith[A, T any](cx Cx, fn func(Cx, A) (T, error), argument A) *Handle[T] {
	if fn == nil {
		panic("surewake: SpawnWith: nil function")
	}
	cx.check("SpawnWith")
	w := cx.coroutine.worker
	c := &callWith[A, T]{fn: fn, argument: argument}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = w.rt
	c.parent = cx.coroutine.asParent()
	w.spawn(&c.task)
	return &c.Handle
}

// Submit starts a task that calls fn, and returns its handle. Any goroutine may call it. After the
// runtime was closed, the task ends with [ErrClosed] and fn is not called. Submit waits only if
// [MaxTasks] has set a limit.
//
// The call synchronizes before fn. It panics if fn is nil.
func Submit[T any](rt *Runtime, fn func(Cx) (T, error)) *Handle[T] {
	if fn == nil {
		panic("surewake: Submit: nil function")
	}
	rt.check("Submit")
	c := &call[T]{fn: fn}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = rt
	rt.submit(&c.task)
	return &c.Handle
}

// A procedure is a task that calls a function without a result.
type procedure struct {
	Handle[struct{}]
	fn func(Cx) // as in call
}

func (p *procedure) poll(cx Cx) bool {
	fn := p.fn
	p.fn = nil
	fn(cx)
	return true
}

func (p *procedure) discardInput() { p.fn = nil }

func newProcedure(rt *Runtime, fn func(Cx)) *procedure {
	p := &procedure{fn: fn}
	p.state = taskstate.New(references)
	p.body = p
	p.rt = rt
	return p
}

// Go is [Spawn] for a function that has no result and cannot fail. The error of the handle is nil,
// or tells of a panic, of runtime.Goexit, or why fn was not called.
func (cx Cx) Go(fn func(Cx)) *Handle[struct{}] {
	if fn == nil {
		panic("surewake: Cx.Go: nil function")
	}
	cx.check("Cx.Go")
	w := cx.coroutine.worker
	p := newProcedure(w.rt, fn)
	p.parent = cx.coroutine.asParent()
	w.spawn(&p.task)
	return &p.Handle
}

// Go is [Submit] for a function that has no result and cannot fail, as [Cx.Go] is for tasks. Any
// goroutine may call it.
func (rt *Runtime) Go(fn func(Cx)) *Handle[struct{}] {
	if fn == nil {
		panic("surewake: Runtime.Go: nil function")
	}
	rt.check("Runtime.Go")
	p := newProcedure(rt, fn)
	rt.submit(&p.task)
	return &p.Handle
}
