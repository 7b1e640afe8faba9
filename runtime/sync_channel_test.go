package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// eachCapacity runs a test with 1, 2 and 4 workers and channels of several capacities.
func eachCapacity(t *testing.T, test func(t *testing.T, rt *runtime.Runtime, capacity int)) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for _, capacity := range []int{0, 1, 3, 64} {
			t.Run(fmt.Sprintf("capacity %d", capacity),
				func(t *testing.T) { test(t, rt, capacity) })
		}
	})
}

func TestChannelKeepsTheOrder(t *testing.T) {
	eachCapacity(t, func(t *testing.T, rt *runtime.Runtime, capacity int) {
		c := runtime.NewChannel[int](capacity)
		require.Equal(t, capacity, c.Cap())
		const n = 500
		sender := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			for i := range n {
				if err := c.Send(cx, i); err != nil {
					return err
				}
			}
			return c.Close()
		}))
		receiver := runtime.Submit(rt, func(cx runtime.Cx) (got []int, err error) {
			for {
				v, err := c.Receive(cx)
				if err == runtime.ErrChannelClosed {
					return got, nil
				} else if err != nil {
					return got, err
				}
				got = append(got, v)
			}
		})
		got, err := get(t, receiver)
		require.NoError(t, err)
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		require.Equal(t, want, got)
		_, err = get(t, sender)
		require.NoError(t, err)
		require.Zero(t, c.Len())
	})
}

// Back-pressure: the sender is never more than the capacity ahead of the receiver, and the one
// value that it waits with.
func TestSenderIsHeldBack(t *testing.T) {
	rt := start(t, 1)
	for _, capacity := range []int{0, 1, 4} {
		run(t, rt, func(cx runtime.Cx) error {
			c := runtime.NewChannel[int](capacity)
			sent := 0
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				for i := range 20 {
					if err := c.Send(cx, i); err != nil {
						return err
					}
					sent++
				}
				return nil
			}))
			for received := range 20 {
				settle(cx)
				require.Equal(t, min(received+capacity, 20), sent)
				require.Equal(t, min(20-received, capacity), c.Len())
				v, err := c.Receive(cx)
				require.NoError(t, err)
				require.Equal(t, received, v)
			}
			_, err := h.Join(cx)
			return err
		})
	}
}

func TestWhoWaitsLongestReceivesAndSendsFirst(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := runtime.NewChannel[int](1)
		var receivers []*runtime.Handle[int]
		for range 3 {
			receivers = append(receivers, runtime.Spawn(cx, c.Receive))
			settle(cx)
		}
		for i := range 3 {
			require.NoError(t, c.TrySend(i))
		}
		for i, h := range receivers {
			v, err := h.Join(cx)
			require.NoError(t, err)
			require.Equal(t, i, v)
		}
		require.NoError(t, c.TrySend(100))
		require.ErrorIs(t, c.TrySend(0), runtime.ErrWouldWait)
		var senders []*runtime.Handle[struct{}]
		for i := range 3 {
			senders = append(senders,
				runtime.Spawn(cx, does(func(cx runtime.Cx) error { return c.Send(cx, 101+i) })))
			settle(cx)
		}
		for i := range 4 {
			v, err := c.TryReceive()
			require.NoError(t, err)
			require.Equal(t, 100+i, v)
		}
		_, err := c.TryReceive()
		require.ErrorIs(t, err, runtime.ErrWouldWait)
		for _, h := range senders {
			_, err := h.Join(cx)
			require.NoError(t, err)
		}
		return nil
	})
}

func TestClosedChannelGivesWhatItHasAccepted(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := runtime.NewChannel[int](2)
		require.NoError(t, c.Send(cx, 1))
		require.NoError(t, c.Send(cx, 2))
		waits := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return c.Send(cx, 3) }))
		settle(cx)
		require.NoError(t, c.Close())
		require.ErrorIs(t, c.Close(), runtime.ErrChannelClosed)
		_, err := waits.Join(cx)
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		require.ErrorIs(t, c.Send(cx, 4), runtime.ErrChannelClosed)
		require.ErrorIs(t, c.TrySend(4), runtime.ErrChannelClosed)
		require.ErrorIs(t, c.SendContext(context.Background(), 4), runtime.ErrChannelClosed)
		for want := range 2 {
			v, err := c.Receive(cx)
			require.NoError(t, err)
			require.Equal(t, want+1, v)
		}
		_, err = c.Receive(cx)
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		_, err = c.TryReceive()
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		_, err = c.ReceiveContext(context.Background())
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		return nil
	})
}

func TestCloseWakesWhoReceives(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		c := runtime.NewChannel[int](1)
		h := runtime.Submit(rt, c.Receive)
		outside := make(chan error)
		go func() {
			_, err := c.ReceiveContext(context.Background())
			outside <- err
		}()
		waits(t, func() bool { return runtime.Waiting(c) == 2 }, "nobody waits")
		require.NoError(t, c.Close())
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		require.ErrorIs(t, <-outside, runtime.ErrChannelClosed)
	})
}

// Senders and receivers, tasks and goroutines, are cancelled at random: every value that was
// accepted is received, once, and no other.
func TestWhatIsAcceptedIsReceivedOnce(t *testing.T) {
	eachCapacity(t, func(t *testing.T, rt *runtime.Runtime, capacity int) {
		c := runtime.NewChannel[int](capacity)
		var lock sync.Mutex
		var accepted, received []int
		add := func(to *[]int, v int) {
			lock.Lock()
			defer lock.Unlock()
			*to = append(*to, v)
		}
		var last atomic.Int64
		var senders, receivers []*runtime.Handle[struct{}]
		var racing, goroutines sync.WaitGroup
		maybeCancel := func(i int, h *runtime.Handle[struct{}]) {
			if i%3 == 0 {
				racing.Go(h.Cancel)
			}
		}
		for i := range 60 {
			r := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for {
					v, err := c.Receive(cx)
					if err != nil {
						return nil
					}
					add(&received, v)
					if v%5 == 0 {
						cx.Yield()
					}
				}
			}))
			s := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for range 10 {
					v := int(last.Add(1))
					if c.Send(cx, v) == nil {
						add(&accepted, v)
					}
				}
				return nil
			}))
			senders, receivers = append(senders, s), append(receivers, r)
			maybeCancel(i, s)
			maybeCancel(i+1, r)
			if i%10 == 0 {
				goroutines.Go(func() {
					ctx, stop := context.WithTimeout(context.Background(),
						time.Duration(i)*10*time.Microsecond)
					defer stop()
					for {
						v := int(last.Add(1))
						if c.SendContext(ctx, v) != nil {
							return
						}
						add(&accepted, v)
					}
				})
				goroutines.Go(func() {
					ctx, stop := context.WithTimeout(context.Background(),
						time.Duration(60-i)*10*time.Microsecond)
					defer stop()
					for {
						v, err := c.ReceiveContext(ctx)
						if err != nil {
							return
						}
						add(&received, v)
					}
				})
			}
		}
		racing.Wait()
		goroutines.Wait()
		for _, h := range senders {
			_, _ = get(t, h) // cancelled before it began, or nil
		}
		require.NoError(t, c.Close())
		for _, h := range receivers {
			_, _ = get(t, h)
		}
		for {
			v, err := c.TryReceive()
			if err != nil {
				break
			}
			received = append(received, v)
		}
		slices.Sort(accepted)
		slices.Sort(received)
		require.Equal(t, accepted, received)
	})
}

func TestCancelledSenderTakesItsValueBack(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := runtime.NewChannel[int](1)
		require.NoError(t, c.Send(cx, 1))
		cancelled := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return c.Send(cx, 2) }))
		settle(cx)
		patient := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return c.Send(cx, 3) }))
		settle(cx)
		cancelled.Cancel()
		_, err := cancelled.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		for _, want := range []int{1, 3} {
			v, err := c.Receive(cx)
			require.NoError(t, err)
			require.Equal(t, want, v)
		}
		_, err = patient.Join(cx)
		return err
	})
}

// A sender and a receiver that are always ready let others run.
func TestChannelDoesNotStarveOthers(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		over := false
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
			c := runtime.NewChannel[int](1)
			for !over {
				if err := c.Send(cx, 1); err != nil {
					return err
				}
				if _, err := c.Receive(cx); err != nil {
					return err
				}
			}
			return nil
		}))
		cx.Yield()
		cx.Yield()
		over = true
		_, err := h.Join(cx)
		return err
	})
}

func TestChannelInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	c := runtime.NewChannel[int](2)
	require.NoError(t, c.TrySend(1))
	_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
		require.ErrorIs(t, c.Send(cx, 2), runtime.ErrCancelled)
		return c.Receive(cx)
	})
	require.ErrorIs(t, err, runtime.ErrCancelled)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	require.ErrorIs(t, c.SendContext(ctx, 2), errOver)
	_, err = c.ReceiveContext(ctx)
	require.ErrorIs(t, err, errOver)
	require.Equal(t, 1, c.Len())
}

func TestChannelMisuse(t *testing.T) {
	require.Equal(t, "surewake: NewChannel(-1): must be 0 to 1073741824",
		panics(func() { runtime.NewChannel[int](-1) }))
	c := runtime.NewChannel[int](1)
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: Channel.Send"+zero, panics(func() { _ = c.Send(runtime.Cx{}, 1) }))
	require.Equal(t, "surewake: Channel.Receive"+zero,
		panics(func() { _, _ = c.Receive(runtime.Cx{}) }))
	require.Equal(t, "surewake: Channel.SendContext: nil context",
		panics(func() { _ = c.SendContext(noContext, 1) }))
	require.Equal(t, "surewake: Channel.ReceiveContext: nil context",
		panics(func() { _, _ = c.ReceiveContext(noContext) }))
	require.Zero(t, c.Len())
}

// What a channel that holds two values may do: a state is what it holds, in order, and whether it
// is closed.
type channelCall struct {
	kind  byte // of 's'end, 'r'eceive and 'c'lose
	tries bool // it does not wait
	value byte
}

type channelResult struct {
	err   error
	value byte
}

type channelState struct {
	held   string
	closed bool
}

var channelModel = porcupine.Model{
	Init: func() any { return channelState{} },
	Step: func(state, input, output any) (bool, any) {
		s, call, result := state.(channelState), input.(channelCall), output.(channelResult)
		switch call.kind {
		case 's':
			switch result.err {
			case nil:
				return !s.closed &&
						len(s.held) < 2, channelState{
						s.held + string(rune(call.value)),
						s.closed,
					}
			case runtime.ErrWouldWait:
				return call.tries && !s.closed && len(s.held) == 2, s
			case runtime.ErrChannelClosed:
				return s.closed, s
			}
		case 'r':
			switch result.err {
			case nil:
				if s.held == "" || s.held[0] != result.value {
					return false, s
				}
				return true, channelState{s.held[1:], s.closed}
			case runtime.ErrWouldWait:
				return call.tries && !s.closed && s.held == "", s
			case runtime.ErrChannelClosed:
				return s.closed && s.held == "", s
			}
		case 'c':
			return s.closed == (result.err != nil), channelState{s.held, true}
		}
		return result.err == runtime.ErrCancelled, s
	},
}

func TestChannelIsLinearizable(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for round := range 30 {
			c := runtime.NewChannel[byte](2)
			var log history
			var tasks []*runtime.Handle[struct{}]
			for i := range 6 {
				tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
					for j := range 6 {
						call := channelCall{
							kind:  "sr"[i%2],
							tries: j%3 == 2,
							value: byte('A' + i*6 + j),
						}
						if round%2 == 0 && i == 4 && j == 3 {
							call = channelCall{kind: 'c'}
						}
						log.do(i, call, func() any {
							var r channelResult
							switch {
							case call.kind == 'c':
								r.err = c.Close()
							case call.kind == 's' && call.tries:
								r.err = c.TrySend(call.value)
							case call.kind == 's':
								r.err = c.Send(cx, call.value)
							case call.tries:
								r.value, r.err = c.TryReceive()
							default:
								r.value, r.err = c.Receive(cx)
							}
							return r
						})
						if (i+j)%4 == 0 {
							cx.Yield()
						}
					}
					return nil
				})))
			}
			if round%3 == 0 {
				tasks[1].Cancel()
				tasks[2].Cancel()
			}
			// What is left waits for one another: senders if receivers were cancelled, and the
			// other way round.
			waits(t, func() bool {
				if runtime.Waiting(c) > 0 && round%2 != 0 {
					for _, h := range tasks {
						if !hasEnded(h) && runtime.Waiting(c) == living(tasks) {
							h.Cancel()
						}
					}
				}
				return living(tasks) == 0
			}, "no end")
			for _, h := range tasks {
				if _, err := get(t, h); err != nil {
					require.ErrorIs(t, err, runtime.ErrCancelled)
				}
			}
			log.check(t, channelModel)
		}
	})
}

func living[T any](tasks []*runtime.Handle[T]) (n int) {
	for _, h := range tasks {
		if !hasEnded(h) {
			n++
		}
	}
	return n
}

func BenchmarkChannel(b *testing.B) {
	for _, capacity := range []int{0, 1, 64} {
		b.Run(fmt.Sprintf("capacity-%d", capacity), func(b *testing.B) {
			b.Run("tasks", func(b *testing.B) {
				b.ReportAllocs()
				benchIn(b, 1, func(cx runtime.Cx) {
					c := runtime.NewChannel[int](capacity)
					h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
						for {
							if _, err := c.Receive(cx); err != nil {
								return nil
							}
						}
					}))
					for b.Loop() {
						_ = c.Send(cx, 1)
					}
					_ = c.Close()
					_, _ = h.Join(cx)
				})
			})
			b.Run("goroutines-and-a-go-channel", func(b *testing.B) { sendsToARange(b, capacity) })
		})
	}
}

// sendsToARange is the benchmark of a channel of Go's that one goroutine ranges over.
func sendsToARange(b *testing.B, capacity int) {
	b.ReportAllocs()
	c := make(chan int, capacity)
	var receiver sync.WaitGroup
	receiver.Go(func() {
		for range c {
		}
	})
	for b.Loop() {
		c <- 1
	}
	close(c)
	receiver.Wait()
}
