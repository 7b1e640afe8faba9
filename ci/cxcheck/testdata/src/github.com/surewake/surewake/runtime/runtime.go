// Package runtime is as much of the real one as the tests of cxcheck need.
package runtime

type Cx struct{ n int }

func (Cx) Yield()          {}
func (Cx) Shield(f func()) { f() }

type Handle[T any] struct{ value T }

func (h *Handle[T]) Join(Cx) (T, error) { return h.value, nil }

type Runtime struct{}

type TaskScope struct{}

func Spawn[T any](Cx, func(Cx) (T, error)) *Handle[T]               { return nil }
func SpawnBatch[T any](Cx, int, func(Cx, int) (T, error))           {}
func SpawnIn[T any](Cx, *TaskScope, func(Cx) (T, error)) *Handle[T] { return nil }
func SpawnBlocking[T any](Cx, func() (T, error)) *Handle[T]         { return nil }
func Submit[T any](*Runtime, func(Cx) (T, error)) *Handle[T]        { return nil }
func SubmitBlocking[T any](*Runtime, func() (T, error)) *Handle[T]  { return nil }
func Scope(cx Cx, body func(Cx, *TaskScope) error) error            { return body(cx, nil) }
