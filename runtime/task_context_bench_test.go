package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkContext is the context of a task: the first call of Context, with the task that makes it
// and its end, and each later call; of a task that has none of outside, and of one that was given a
// value and a deadline. Beside them are the task alone, and contexts of package context that are
// made and cancelled.
func BenchmarkContext(b *testing.B) {
	type key struct{}
	given, stop := context.WithTimeout(context.WithValue(context.Background(), key{}, 1), time.Hour)
	defer stop()
	asks := func(cx runtime.Cx) (int, error) { return 1, cx.Context().Err() }
	tasks := map[string]func(cx runtime.Cx) *runtime.Handle[int]{
		"task-alone": func(cx runtime.Cx) *runtime.Handle[int] {
			return runtime.Spawn(cx, empty)
		},
		"task-first-call": func(cx runtime.Cx) *runtime.Handle[int] {
			return runtime.Spawn(cx, asks)
		},
		"given-alone": func(cx runtime.Cx) *runtime.Handle[int] {
			return runtime.SpawnContext(given, cx, empty)
		},
		"given-first-call": func(cx runtime.Cx) *runtime.Handle[int] {
			return runtime.SpawnContext(given, cx, asks)
		},
	}
	for name, spawn := range tasks {
		b.Run(name, func(b *testing.B) {
			inside(b, func(cx runtime.Cx) {
				for b.Loop() {
					if _, err := spawn(cx).Join(cx); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
	b.Run("timeout-first-call", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			for b.Loop() {
				if _, err := runtime.Timeout(cx, time.Hour, asks); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
	b.Run("later-call", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			for b.Loop() {
				_ = cx.Context()
			}
		})
	})
	b.Run("later-value", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			_, err := runtime.SpawnContext(given, cx, func(cx runtime.Cx) (int, error) {
				for b.Loop() {
					if cx.Context().Value(key{}) != 1 {
						return 0, errors.New("no value")
					}
				}
				return 1, nil
			}).Join(cx)
			if err != nil {
				b.Error(err)
			}
		})
	})
	b.Run("WithCancel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, stop := context.WithCancel(context.Background())
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			stop()
		}
	})
	b.Run("WithCancel-given", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, stop := context.WithCancel(given)
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			stop()
		}
	})
	b.Run("WithDeadline-given", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, stop := context.WithDeadline(given, time.Now().Add(time.Minute))
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			stop()
		}
	})
	b.Run("WithCancel-value", func(b *testing.B) {
		ctx, stop := context.WithCancel(given)
		defer stop()
		b.ReportAllocs()
		for b.Loop() {
			if ctx.Value(key{}) != 1 {
				b.Fatal("no value")
			}
		}
	})
}
