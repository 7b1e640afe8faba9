package hook_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/hook"
)

// Outside an execution every hook is just the operation.
func TestHooksOutsideAnExecution(t *testing.T) {
	var n atomic.Int64
	hook.Int64Store(&n, 5)
	require.EqualValues(t, 7, hook.Int64Add(&n, 2))
	require.True(t, hook.Int64CompareAndSwap(&n, 7, 8))
	require.False(t, hook.Int64CompareAndSwap(&n, 7, 9))
	require.EqualValues(t, 8, hook.Int64Swap(&n, 12))
	require.EqualValues(t, 12, hook.Int64And(&n, 4))
	require.EqualValues(t, 4, hook.Int64Or(&n, 1))
	require.EqualValues(t, 5, hook.Int64Load(&n))

	var u uint32
	hook.StoreUint32(&u, 1)
	require.EqualValues(t, 3, hook.AddUint32(&u, 2))
	require.True(t, hook.CompareAndSwapUint32(&u, 3, 4))
	require.EqualValues(t, 4, hook.LoadUint32(&u))

	var b atomic.Bool
	hook.BoolStore(&b, true)
	require.True(t, hook.BoolSwap(&b, false))
	require.True(t, hook.BoolCompareAndSwap(&b, false, true))
	require.True(t, hook.BoolLoad(&b))

	var p atomic.Pointer[int]
	one, two := new(int), new(int)
	hook.PointerStore(&p, one)
	require.Same(t, one, hook.PointerSwap(&p, two))
	require.True(t, hook.PointerCompareAndSwap(&p, two, one))
	require.Same(t, one, hook.PointerLoad(&p))

	var v atomic.Value
	hook.ValueStore(&v, "a")
	require.Equal(t, "a", hook.ValueSwap(&v, "b"))
	require.True(t, hook.ValueCompareAndSwap(&v, "b", "c"))
	require.Equal(t, "c", hook.ValueLoad(&v))

	var mu sync.Mutex
	hook.MutexLock(&mu)
	require.False(t, hook.MutexTryLock(&mu))
	hook.MutexUnlock(&mu)
	var rw sync.RWMutex
	hook.RWMutexRLock(&rw)
	require.True(t, hook.RWMutexTryRLock(&rw))
	require.False(t, hook.RWMutexTryLock(&rw))
	hook.RWMutexRUnlock(&rw)
	hook.DynUnlock(hook.RWMutexRLocker(&rw))
	hook.RWMutexLock(&rw)
	hook.RWMutexUnlock(&rw)

	var wg sync.WaitGroup
	ran := false
	hook.WaitGroupGo(&wg, func() { ran = true })
	hook.DynWait(&wg)
	require.True(t, ran)
	var once sync.Once
	calls := 0
	hook.DynDo(&once, func() { calls++ })
	hook.OnceDo(&once, func() { calls++ })
	require.Equal(t, 1, calls)
	f := hook.OnceValues(func() (int, error) { calls++; return calls, nil })
	f()
	got, err := f()
	require.NoError(t, err)
	require.Equal(t, 2, got)

	cond := sync.NewCond(&mu)
	mu.Lock()
	go func() {
		mu.Lock()
		defer mu.Unlock()
		hook.CondSignal(cond)
	}()
	hook.CondWait(cond)
	mu.Unlock()

	start := hook.Now()
	hook.Sleep(time.Millisecond)
	require.GreaterOrEqual(t, hook.Since(start), time.Millisecond)
	require.Negative(t, hook.Until(start))
	require.Equal(t, 3, hook.Refused(3, "never said"))
	require.Same(t, &n, hook.Held(&n, "Load", "never said"))
	require.Nil(t, hook.Recover(nil))
	hook.Gosched()
	require.Equal(t, runtime.GOMAXPROCS(0), hook.GOMAXPROCS(0))
	require.Positive(t, hook.NumGoroutine())
	require.True(t, hook.Register("p"))
	require.True(t, hook.Registered("p"))
	require.False(t, hook.Registered("q"))
}

func TestStackOutsideAnExecution(t *testing.T) {
	buf := make([]byte, 1<<20)
	one := string(buf[:hook.Stack(buf, false)])
	require.Regexp(t, `^goroutine \d+ \[running\]:\n\S*TestStackOutsideAnExecution\(`, one)
	require.Eventually(t, func() bool { // it may just have started this one
		all := string(buf[:hook.Stack(buf, true)])
		return strings.Contains(all, "\n\ngoroutine 1 [chan receive")
	}, 10*time.Second, time.Millisecond, "who runs tests waits for this one")
	require.Equal(t, 64, hook.Stack(buf[:64], false))
}

func TestPullOutsideAnExecution(t *testing.T) {
	next, stop := hook.Pull(slices.Values([]int{3}))
	v, ok := next()
	require.Equal(t, 3, v)
	require.True(t, ok)
	_, ok = next()
	require.False(t, ok)
	stop()
	next2, stop2 := hook.Pull2(slices.All([]string{"a", "b"}))
	k, s, ok := next2()
	require.Equal(t, 0, k)
	require.Equal(t, "a", s)
	require.True(t, ok)
	stop2()
	_, _, ok = next2()
	require.False(t, ok)
}

func TestBind(t *testing.T) {
	var n atomic.Int32
	hook.Bind10(hook.Int32Store, &n)(3)
	require.EqualValues(t, 3, hook.Bind01(hook.Int32Load, &n)())
	require.EqualValues(t, 5, hook.Bind11(hook.Int32Add, &n)(2))
	require.True(t, hook.Bind21(hook.Int32CompareAndSwap, &n)(5, 6))
	var mu sync.Mutex
	hook.Bind00(hook.MutexLock, &mu)()
	require.False(t, mu.TryLock())
}
