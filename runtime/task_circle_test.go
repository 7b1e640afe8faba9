package runtime_test

import (
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// inCircle requires that err is the panic of a join that would have closed a circle of so many.
func inCircle(t *testing.T, err error, joins int) {
	t.Helper()
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	text, ok := p.Value.(string)
	require.True(t, ok)
	require.Contains(t, text, "surewake: Join: tasks must not wait for each other in a circle:\n")
	lines := text[len("surewake: Join: tasks must not wait for each other in a circle:"):]
	require.Regexp(t, `^(\n\t.*runtime_test\..* (waits in .*_test\.go:\d+|`+
		`waits in a join that runs it|ends after .*runtime_test\..*)){`+
		string(rune('0'+joins))+`}$`, lines)
}

// Tasks that join each other in a circle are told so, with Debug, and all end. (runtime/R19)
func TestDebugRefusesCirclesOfJoins(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for n := 2; n <= 4; n++ {
			rt := start(t, workers, runtime.Debug())
			ready := make(chan struct{})
			all := make([]*runtime.Handle[int], n)
			for i := range all {
				all[i] = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if _, _, err := runtime.Receive(cx, ready); err != nil {
						return 0, err
					}
					return all[(i+1)%n].Join(cx)
				})
			}
			close(ready)
			for _, h := range all {
				_, err := get(t, h)
				inCircle(t, err, n)
			}
		}
	})
}

// So is a task that joins the one that runs it on its own stack, or that waits for it.
func TestDebugRefusesAJoinOfTheParentThatWaits(t *testing.T) {
	for _, depth := range []int{0, 256} {
		rt := start(t, 1, runtime.Debug(), runtime.InlineDepth(depth))
		var parent *runtime.Handle[int]
		ready := make(chan struct{})
		parent = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			<-ready
			return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				return parent.Join(cx)
			}).Join(cx)
		})
		close(ready)
		_, err := get(t, parent)
		inCircle(t, err, 2)
	}
}

// A join that has given up is no part of a circle, nor is one whose task is cancelled.
func TestDebugAllowsAJoinOfATaskThatHasGivenUp(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), runtime.InlineDepth(0))
	var first, second *runtime.Handle[int]
	ready, over, joins := make(chan struct{}), make(chan struct{}), make(chan struct{})
	gaveUp := make(chan error, 1)
	first = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if _, _, err := runtime.Receive(cx, ready); err != nil {
			return 0, err
		}
		_, err := second.Join(cx)
		gaveUp <- err
		cx.Shield(func() { _, _, _ = runtime.Receive(cx, over) })
		return 7, nil
	})
	second = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if _, _, err := runtime.Receive(cx, joins); err != nil {
			return 0, err
		}
		runtime.Spawn(cx, func(runtime.Cx) (int, error) { close(over); return 0, nil }).Detach()
		return first.Join(cx)
	})
	close(ready)
	waits(t, func() bool { return second.Joiners() == 1 }, "the first does not join")
	first.Cancel()
	require.ErrorIs(t, receive(t, gaveUp), runtime.ErrCancelled)
	close(joins)
	v, err := get(t, second)
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

// A task that is cancelled while it joins its child does not give up, so it is part of a circle all
// the same if the child is in a shield. (runtime/R19)
func TestDebugRefusesACircleThroughACancelledParent(t *testing.T) {
	for name, depth := range map[string]int{"beneath": 1, "elsewhere": 0} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1, runtime.Debug(), runtime.InlineDepth(depth))
			var parent, third *runtime.Handle[int]
			ready, cancelled := make(chan struct{}), make(chan struct{})
			parent = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				<-ready
				return runtime.Spawn(cx, func(cx runtime.Cx) (v int, err error) {
					cx.Shield(func() {
						if _, _, err = runtime.Receive(cx, cancelled); err == nil {
							v, err = third.Join(cx)
						}
					})
					return v, err
				}).Join(cx)
			})
			third = runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return parent.Join(cx) })
			close(ready)
			waits(t, func() bool { return parent.Joiners() == 1 }, "the third does not join")
			parent.Cancel()
			close(cancelled)
			_, err := get(t, third)
			inCircle(t, err, 3)
		})
	}
}

// A join that panics because the thread is locked is no part of a circle.
func TestDebugForgetsAJoinThatPanicked(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), runtime.InlineDepth(0))
	var first, second *runtime.Handle[int]
	ready, refused, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	first = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		<-ready
		func() {
			defer func() { _ = recover() }()
			goruntime.LockOSThread()
			_, _ = second.Join(cx)
		}()
		close(refused)
		_, _, err := runtime.Receive(cx, over)
		return 7, err
	})
	second = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if _, _, err := runtime.Receive(cx, refused); err != nil {
			return 0, err
		}
		return first.Join(cx)
	})
	close(ready)
	waits(t, func() bool {
		_, _, ended := second.TryJoin()
		return ended || first.Joiners() == 1
	}, "the second does not join")
	close(over)
	v, err := get(t, second)
	require.NoError(t, err)
	require.Equal(t, 7, v)
}
