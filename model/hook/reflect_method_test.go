package hook_test

import (
	"bytes"
	"log"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/hook"
)

type printer interface {
	Printf(format string, args ...any)
}

// Outside an execution a method that is found by reflection is what Go finds.
func TestReflectedMethodsAreCalledAsTheyAre(t *testing.T) {
	var out bytes.Buffer
	logger := reflect.ValueOf(struct{ printer }{log.New(&out, "", 0)})
	args := []reflect.Value{reflect.ValueOf("%d %d"), reflect.ValueOf(1), reflect.ValueOf(2)}
	hook.ReflectedValue(logger, "never said").MethodByName("Printf").Call(args)
	printf, ok := hook.ReflectedType(logger.Type(), "never said").MethodByName("Printf")
	require.True(t, ok)
	printf.Func.Call(append([]reflect.Value{logger}, args...))
	require.Equal(t, "1 2\n1 2\n", out.String())

	var mu sync.Mutex
	locked := 0
	for m, f := range hook.ReflectedValue(reflect.ValueOf(&mu), "never said").Methods() {
		if m.Name == "TryLock" {
			require.True(t, f.Call(nil)[0].Bool())
			locked++
			require.False(t, m.Func.Call([]reflect.Value{reflect.ValueOf(&mu)})[0].Bool())
		}
	}
	var names []string
	for m := range hook.ReflectedType(reflect.TypeFor[*sync.Mutex](), "never said").Methods() {
		names = append(names, m.Name)
	}
	require.Equal(t, []string{"Lock", "TryLock", "Unlock"}, names)
	require.Equal(t, 1, locked)
}

// What Go refuses panics with its words.
func TestReflectedMethodsThatAreNotThere(t *testing.T) {
	locker := reflect.TypeFor[sync.Locker]()
	require.False(t, hook.ReflectedType(locker, "").Method(0).Func.IsValid())
	_, ok := hook.ReflectedType(locker, "").MethodByName("None")
	require.False(t, ok)
	require.False(t, hook.ReflectedValue(reflect.ValueOf(1), "").MethodByName("None").IsValid())
	for _, call := range []struct{ hooked, plain func() }{
		{
			func() { hook.ReflectedValue(reflect.Value{}, "").Method(0) },
			func() { reflect.Value{}.Method(0) },
		},
		{
			func() { hook.ReflectedValue(reflect.New(locker).Elem(), "").Method(0) },
			func() { reflect.New(locker).Elem().Method(0) },
		},
		{
			func() { hook.ReflectedValue(reflect.ValueOf(1), "").Method(7) },
			func() { reflect.ValueOf(1).Method(7) },
		},
		{
			func() { hook.ReflectedType(locker, "").Method(7) },
			func() { locker.Method(7) },
		},
	} {
		require.Equal(t, panicOf(call.plain), panicOf(call.hooked))
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
