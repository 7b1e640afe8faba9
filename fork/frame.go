package fork

import "unsafe"

// A Frame is a call that was forked. The function that has forked it joins it: once, and the
// youngest fork first. It is used again by later forks, so it must not be used after the join.
type Frame[W, A, R any] struct {
	claim Claim[W] // must be the first field; see Fork
	fn    func(W, A) R
	arg   A
	res   R
}

func (f *Frame[W, A, R]) run(w W) { f.res = f.fn(w, f.arg) }

func (f *Frame[W, A, R]) call() any {
	if part, ok := any(&f.arg).(caller); ok {
		return part.calls()
	}
	return f.fn
}

// A caller is a pointer to the argument of what this package forks for a loop or a sort. calls
// returns the function of the user that it calls in the end.
type caller interface{ calls() any }

func (f *Frame[W, A, R]) forget() {
	var arg A
	var res R
	f.arg, f.res = arg, res
}

// Fork makes the call fn(w, arg) available to other workers; w is that of the worker that makes it.
// The caller joins it with [Frame.Join], or [Frame.Mine] and [Frame.Result]. It panics if 1<<30
// forks were not joined. The owner of s calls it.
//
// The call synchronizes before fn. It does not allocate if a call of the same function was forked
// last at this depth; a function value that is made anew for each fork, such as a closure, is not
// the same function.
func Fork[W, A, R any](s *Stack[W], fn func(W, A) R, arg A) *Frame[W, A, R] {
	if i := s.top; i < s.limit && !s.isHungry() {
		if c := s.slots[i]; c.key == keyOf(fn) {
			// A frame keeps the function whose key it has; so no other function, and so none of
			// another type, has this key, and this is a frame of fn's type. A type assertion
			// instead costs as much as the rest of a fork.
			f := (*Frame[W, A, R])(unsafe.Pointer(c))
			f.arg = arg
			s.top = i + 1
			return f
		}
	}
	return forkSlowly(s, fn, arg)
}

// keyOf identifies a function value.
func keyOf[W, A, R any](fn func(W, A) R) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&fn))
}

//go:noinline
func forkSlowly[W, A, R any](s *Stack[W], fn func(W, A) R, arg A) *Frame[W, A, R] {
	if fn == nil {
		panic("surewake: Fork: nil function")
	}
	s.makeRoom()
	f, ok := find[*Frame[W, A, R]](s)
	if !ok {
		f = new(Frame[W, A, R])
		f.claim.frame = f
		s.place(&f.claim)
	}
	f.claim.key = keyOf(fn)
	f.fn, f.arg = fn, arg
	s.top++
	s.Poll()
	return f
}

// find moves a frame of type F that was used at the depth of the next fork to its slot, if there is
// one.
func find[F, W any](s *Stack[W]) (f F, ok bool) {
	var before *Claim[W]
	for c := s.slots[s.top]; c != nil; before, c = c, c.next {
		if f, ok = c.frame.(F); ok {
			if before != nil {
				before.next = c.next
				s.place(c)
			}
			return f, true
		}
	}
	return f, false
}

// place puts c into the slot of the next fork.
func (s *Stack[W]) place(c *Claim[W]) {
	c.stack, c.index = s, s.top
	c.next = s.slots[s.top]
	s.slots[s.top] = c
}

// Join returns the result of the call: it makes it if nobody has begun it, and waits until it has
// ended otherwise. If the call panicked, or called [runtime.Goexit], so does Join. Forks that are
// younger, left by a panic that was recovered since, are abandoned. Join panics if f was joined.
// The owner calls it.
func (f *Frame[W, A, R]) Join(w W) R {
	if f.Mine() {
		arg := f.arg
		var zero A
		f.arg = zero
		return f.fn(w, arg)
	}
	return f.Result()
}

// Mine ends the fork and reports whether the caller is to make the call itself, because nobody has
// begun it. It saves what Join adds to the call:
//
//	if f.Mine() {
//		a = fib(w, n-1)
//	} else {
//		a = f.Result()
//	}
//
// Otherwise it is Join, and Result has the result. The argument stays where the collector sees it
// until this depth is used again. The owner calls it.
func (f *Frame[W, A, R]) Mine() bool {
	s := f.claim.stack
	if i := f.claim.index; i == s.top-1 && i >= s.plain && !s.isHungry() {
		s.top = i
		return true
	}
	return s.join(&f.claim)
}

// Result returns the result of the call, after Mine has returned false and before another fork. The
// owner calls it.
func (f *Frame[W, A, R]) Result() R {
	res := f.res
	f.forget()
	return res
}

// noKey is the key of what is no Frame.
var noKey = unsafe.Pointer(new(byte))

// A thunk is the frame of a function without argument, which may be a closure.
type thunk[W, R any] struct {
	claim Claim[W]
	fn    func(W) R
	res   R
}

func (t *thunk[W, R]) run(w W) { t.res = t.fn(w) }

func (t *thunk[W, R]) call() any { return t.fn }

func (t *thunk[W, R]) forget() {
	var res R
	t.fn, t.res = nil, res
}

// Both calls both functions, perhaps at the same time, and returns their results; w is that of the
// caller. A closure costs an allocation, since others may call it. If one of them panics, so does
// Both, after the other one has ended or was abandoned. The owner of s calls it.
func Both[W, A, B any](s *Stack[W], w W, a func(W) A, b func(W) B) (A, B) {
	if a == nil || b == nil {
		panic("surewake: Both: nil function")
	}
	if s.top >= s.limit {
		s.makeRoom()
	}
	t, ok := find[*thunk[W, A]](s)
	if !ok {
		t = new(thunk[W, A])
		t.claim.frame, t.claim.key = t, noKey
		s.place(&t.claim)
	}
	t.fn = a
	s.top++
	s.Poll()
	returned := false
	defer s.abandonUnless(&returned, t.claim.index)
	rb := b(w)
	returned = true
	if i := t.claim.index; i == s.top-1 && i >= s.plain && !s.isHungry() {
		s.top = i
	} else if !s.join(&t.claim) {
		ra := t.res
		t.forget()
		return ra, rb
	}
	t.fn = nil
	return a(w), rb
}
