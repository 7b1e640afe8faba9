package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/runtime"
)

func TestResultsComeInTheOrderOfTheCalls(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for _, limit := range []int{1, 2, 1000} {
			r := runtime.NewResults[int](context.Background(), rt)
			r.SetLimit(limit)
			for range 3 { // it can be used again
				var want []int
				for i := range 100 {
					want = append(want, i)
					r.Go(func(cx runtime.Cx) (int, error) {
						for range (100 - i) % 7 {
							cx.Yield()
						}
						return i, nil
					})
				}
				got, err := r.Wait()
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			got, err := r.Wait()
			require.NoError(t, err)
			require.Equal(t, []int{}, got)
		}
	})
}

func TestResultsOfAFailureAreNone(t *testing.T) {
	rt := start(t, 2)
	failure := errors.New("failure")
	r := runtime.NewResults[int](context.Background(), rt)
	r.Go(func(runtime.Cx) (int, error) { return 1, nil })
	r.Go(func(runtime.Cx) (int, error) { return 2, failure })
	r.Go(func(cx runtime.Cx) (int, error) { return 3, cx.Sleep(time.Hour) })
	for range 2 {
		got, err := r.Wait()
		require.Equal(t, failure, err)
		require.Nil(t, got)
	}
	require.False(t, r.TryGo(func(runtime.Cx) (int, error) { return 1, nil }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, failure,
			r.Spawn(cx, func(runtime.Cx) (int, error) { return 1, nil }))
		_, err := r.Join(cx)
		require.Equal(t, failure, err)
		r := runtime.NewResults[int](cx.Context(), rt)
		require.NoError(t, r.Spawn(cx, func(cx runtime.Cx) (int, error) { return forever(cx) }))
		r.Cancel()
		_, err = r.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		return nil
	})
}

// What has no place, or comes too late, leaves no gap; and what a function starts has its result
// too.
func TestResultsAreThoseOfWhatWasCalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rt, err := runtime.New(runtime.Workers(rapid.IntRange(1, 3).Draw(t, "workers")))
		require.NoError(t, err)
		defer rt.Close()
		ways := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 30).Draw(t, "ways")
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		var got, want []int
		_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			r := runtime.NewResults[int](cx.Context(), rt)
			r.SetLimit(limit)
			for i, way := range ways {
				one := func(cx runtime.Cx) (int, error) { cx.Yield(); return i, nil }
				switch way {
				case 0:
					if r.TryGo(one) {
						want = append(want, i)
					}
				case 1:
					if err := r.Spawn(cx, one); err != nil {
						return 0, err
					}
					want = append(want, i)
				case 2: // its own child's comes after it, and before all that follow
					started := make(chan struct{})
					err := r.Spawn(cx, func(cx runtime.Cx) (int, error) {
						defer close(started)
						return i, r.Spawn(cx, func(runtime.Cx) (int, error) { return -i, nil })
					})
					if err != nil {
						return 0, err
					}
					for open := true; open; {
						select {
						case <-started:
							open = false
						default:
							cx.Yield()
						}
					}
					want = append(want, i, -i)
				case 3:
					all, err := r.Join(cx)
					if err != nil {
						return 0, err
					}
					got = append(got, all...)
				}
			}
			all, err := r.Join(cx)
			got = append(got, all...)
			return 0, err
		}).Wait(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(want) != len(got) {
			t.Fatalf("%v, not %v", got, want)
		}
		for i := range want {
			if want[i] != got[i] {
				t.Fatalf("%v, not %v", got, want)
			}
		}
	})
}

// A function that is refused because its caller must end is missing among the results: the next
// Join tells, and the one after it does not.
func TestResultsTellOfWhatSpawnHasRefused(t *testing.T) {
	rt := start(t, 2)
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		r := runtime.NewResults[int](t.Context(), rt)
		_, err := runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
			_ = cx.Sleep(time.Hour) // up to the timeout
			require.ErrorIs(t, r.Spawn(cx, returns(1)), runtime.ErrCancelled)
			got, err := r.Join(cx)
			require.Nil(t, got)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			return 0, err
		})
		require.Equal(t, runtime.ErrTimeout, err)
		_, err = runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
			_ = cx.Sleep(time.Hour)
			return 0, r.Spawn(cx, returns(2))
		})
		require.Error(t, err)
		_, err = r.Join(cx) // in a task that need not end
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.NoError(t, r.Spawn(cx, returns(3)))
		got, err := r.Join(cx)
		require.Equal(t, []int{3}, got)
		return 0, err
	}))
	require.NoError(t, err)
}

// A join of a task that must end returns no results, and leaves them to the next.
func TestJoinOfATaskThatIsToEndLeavesTheResults(t *testing.T) {
	rt := start(t, 2)
	r := runtime.NewResults[int](t.Context(), rt)
	got, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) ([]int, error) {
		require.NoError(t, r.Spawn(cx, returns(7)))
		_, err := runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
			_ = cx.Sleep(time.Hour) // up to the timeout, and 7 is there
			got, err := r.Join(cx)
			require.Nil(t, got)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			return 0, err
		})
		require.Equal(t, runtime.ErrTimeout, err)
		return r.Join(cx)
	}))
	require.NoError(t, err)
	require.Equal(t, []int{7}, got)
}

func TestMisuseOfResults(t *testing.T) {
	rt := start(t, 1)
	var none *runtime.Results[int]
	var zero runtime.Results[int]
	for _, r := range []*runtime.Results[int]{none, &zero} {
		for what, call := range map[string]func(){
			"SetLimit": func() { r.SetLimit(1) },
			"Go":       func() { r.Go(empty) },
			"TryGo":    func() { r.TryGo(empty) },
			"Spawn":    func() { _ = r.Spawn(runtime.Cx{}, empty) },
			"Wait":     func() { _, _ = r.Wait() },
			"Join":     func() { _, _ = r.Join(runtime.Cx{}) },
			"Cancel":   func() { r.Cancel() },
		} {
			require.Equal(t, "surewake: Results."+what+": a nil or zero Results; NewResults makes one",
				panics(call))
		}
	}
	r := runtime.NewResults[int](context.Background(), rt)
	require.Equal(t, "surewake: Results.Go: nil function", panics(func() { r.Go(nil) }))
	require.Equal(t, "surewake: Results.TryGo: nil function", panics(func() { r.TryGo(nil) }))
	require.Equal(t, "surewake: Results.Spawn: nil function",
		panics(func() { _ = r.Spawn(runtime.Cx{}, nil) }))
	require.Equal(t, "surewake: NewResults: nil context",
		panics(func() { runtime.NewResults[int](nil, rt) })) //nolint:staticcheck // it is refused
}

func BenchmarkResults(b *testing.B) {
	const n = 1000
	b.Run("Results", func(b *testing.B) {
		rt := start(b, 2)
		b.ReportAllocs()
		for b.Loop() {
			r := runtime.NewResults[int](context.Background(), rt)
			for i := range n {
				r.Go(func(runtime.Cx) (int, error) { return i, nil })
			}
			all, err := r.Wait()
			require.NoError(b, err)
			require.Len(b, all, n)
		}
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, end := context.WithCancel(context.Background())
			g := goGroup{end: end}
			all := make([]int, n)
			for i := range n {
				g.run(func() error {
					all[i] = i
					return nil
				})
			}
			require.NoError(b, g.wait())
		}
	})
}

// Calls that start nothing leave nothing, however many there are, and the order of the others is
// kept. (runtime/R47)
func TestResultsKeepNoPlaceForWhatIsNotCalled(t *testing.T) {
	rt := start(t, 1)
	r := runtime.NewResults[int](context.Background(), rt)
	r.SetLimit(3)
	block := make(chan struct{})
	for i := range 3 {
		r.Go(func(cx runtime.Cx) (int, error) {
			_, _, err := runtime.Receive(cx, block)
			return i, err
		})
	}
	none := func(runtime.Cx) (int, error) { return -1, nil }
	for range 1000 {
		require.False(t, r.TryGo(none))
		require.Less(t, runtime.Places(r), 10)
	}
	close(block)
	got, err := r.Wait()
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, got)
	r.Cancel()
	for range 1000 {
		r.Go(none)
		require.Less(t, runtime.Places(r), 10)
	}
	_, err = r.Wait()
	require.ErrorIs(t, err, runtime.ErrCancelled)
}
