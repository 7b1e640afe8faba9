//go:build !race

package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

const title = "surewake traces 2\ncheck x\n"

// program is what each thread does, in words.
type program []string

func (p program) body() {
	var (
		word  [2]atomic.Int32
		mutex [2]sync.Mutex
		rw    sync.RWMutex
		once  sync.Once
		group sync.WaitGroup
		cond  = sync.NewCond(&mutex[0])
	)
	hook.WaitGroupAdd(&group, 1)
	for _, text := range p {
		explore.Go("", func() {
			var held [2]bool
			for _, op := range strings.Fields(text) {
				op, arg, _ := strings.Cut(op, ":")
				i := len(arg) % 2
				switch op {
				case "load":
					hook.Int32Load(&word[i])
				case "store":
					hook.Int32Store(&word[i], 1)
				case "cas":
					hook.Int32CompareAndSwap(&word[i], 0, 1)
				case "lock":
					if !held[i] {
						hook.MutexLock(&mutex[i])
						held[i] = true
					}
				case "try":
					if hook.MutexTryLock(&mutex[i]) {
						hook.MutexUnlock(&mutex[i])
					}
				case "unlock":
					if held[i] {
						hook.MutexUnlock(&mutex[i])
						held[i] = false
					}
				case "rlock":
					hook.RWMutexRLock(&rw)
					hook.RWMutexRUnlock(&rw)
				case "wlock":
					hook.RWMutexLock(&rw)
					hook.RWMutexUnlock(&rw)
				case "once":
					hook.OnceDo(&once, func() { hook.Int32Store(&word[0], 1) })
				case "done":
					hook.WaitGroupAdd(&group, -1)
				case "wait":
					hook.WaitGroupWait(&group)
				case "condwait":
					hook.MutexLock(&mutex[0])
					hook.CondWait(cond)
					hook.MutexUnlock(&mutex[0])
				case "signal":
					hook.CondSignal(cond)
				case "broadcast":
					hook.CondBroadcast(cond)
				case "await":
					n := explore.SpinStart()
					for hook.Int32Load(&word[i]) == 0 {
						explore.Spin(n)
					}
				case "sleep":
					explore.FutexWait(unsafe.Pointer(&word[0]), 0, time.Second)
				case "woken":
					explore.FutexWait(unsafe.Pointer(&word[1]), 0, -1)
				case "wake":
					hook.Int32Store(&word[0], 1)
					explore.FutexWake(unsafe.Pointer(&word[0]), 1)
					explore.FutexWake(unsafe.Pointer(&word[1]), 1)
				case "waketwo":
					hook.Int32Store(&word[1], 1)
					explore.FutexWake(unsafe.Pointer(&word[1]), 2)
				case "choose":
					if explore.Choose(2) == 1 {
						hook.Int32Store(&word[0], 1)
					}
				default:
					panic(op)
				}
			}
		}, true)
	}
	explore.Join()
}

// explored returns the traces of a program as the search writes them down.
func explored(body func(), cfg explore.Config) (string, explore.Result) {
	cfg.Certify = true
	r := explore.Run(cfg, body)
	return title + r.Certificate, r
}

// parts splits a file into its head and its traces.
func parts(text string) (head string, all []string) {
	all = strings.Split(text, "= trace\n")
	last := len(all) - 1
	all[last] = all[last][:strings.LastIndex(all[last], "end ")]
	return all[0], all[1:]
}

// file is the inverse of parts.
func file(head string, all []string) string {
	return fmt.Sprintf("%s= trace\n%send %d\n", head, strings.Join(all, "= trace\n"), len(all))
}

var groups = map[string][]string{
	"atomics":    {"load", "load:x", "store", "store:x", "cas", "choose"},
	"mutexes":    {"lock", "lock:x", "unlock", "unlock:x", "try", "load"},
	"rwmutex":    {"rlock", "wlock", "load", "store"},
	"once":       {"once", "load", "store"},
	"groups":     {"done", "wait", "store", "load"},
	"conditions": {"condwait", "signal", "broadcast", "store"},
	"loops":      {"await", "store", "cas", "load"},
	"futexes":    {"sleep", "woken", "wake", "store"},
}

// The executions that the search has explored are complete, and without any one of them they are
// not.
func TestCompleteIsCertifiedAndOneMissingIsSeen(t *testing.T) {
	for name, ops := range groups {
		t.Run(name, func(t *testing.T) {
			decided := 0
			rapid.Check(t, func(t *rapid.T) {
				p := make(program, rapid.IntRange(2, 3).Draw(t, "threads"))
				for i := range p {
					words := rapid.SliceOfN(rapid.SampledFrom(ops), 1, 3).Draw(t, "ops")
					p[i] = strings.Join(words, " ")
				}
				text, r := explored(p.body, explore.Config{
					Preemptions: -1, EarlyTimeouts: 1, Executions: 80,
				})
				v := verify(text)
				if v.code == 3 {
					t.Skip(v.says)
				}
				require.Zero(t, v.code, "%q\n%s\n%s", p, v.says, text)
				decided++
				head, all := parts(text)
				require.Len(t, all, int(r.Complete+r.Deadlocked))
				if len(all) == 1 {
					return
				}
				for i := 0; i < len(all); i += 1 + len(all)/4 {
					v := verify(file(head, slices.Delete(slices.Clone(all), i, i+1)))
					require.Equal(t, 1, v.code, "%q\nwithout trace %d: %s\n%s", p, i, v.says, text)
				}
			})
			require.NotZero(t, decided)
		})
	}
}

// The search explores all executions of programs that use each construct in every role that it has.
func TestSearchIsCertified(t *testing.T) {
	for _, p := range []program{
		{"store load:x", "store:x load", "cas load"},
		{"cas cas:x", "cas:x cas", "load load:x"},
		{"lock store unlock", "try", "lock load unlock"},
		{"lock lock:x unlock:x unlock", "lock:x lock unlock unlock:x"},
		{"rlock store", "wlock", "rlock load"},
		{"once load", "once", "store"},
		{"store done", "wait load store:x", "load:x"},
		{"condwait", "condwait", "signal store broadcast"},
		{"await load:x", "store:x store"},
		{"choose load", "store"},
		{"sleep woken", "woken sleep", "wake"},
		{"woken", "woken", "woken", "waketwo wake"},
	} {
		text, r := explored(p.body, explore.Config{Preemptions: -1, EarlyTimeouts: 1})
		require.Greater(t, r.Executions(), int64(1), "%q", p)
		v := verify(text)
		require.Zero(t, v.code, "%q\n%s\n%s", p, v.says, text)
	}
}

// Two threads do something while main waits for them.
const (
	starts = "main - go,main.1 j\nmain - go,main.2 j\n"
	ends   = "main.1 - end j\nmain.2 - end j\nmain - join j\nmain - end -\n"
)

func TestSetsWrittenByHand(t *testing.T) {
	// Two threads write a word; the second reads it. Both orders are there.
	writes := []string{starts + "main.1 - store 0\nmain.2 - swap 0\n" + ends,
		starts + "main.2 - swap 0\nmain.1 - store 0\n" + ends}
	lock := starts + "main.1 - lock 0\n"
	for _, c := range []struct {
		name   string
		traces []string
		code   int
		says   string
	}{
		{"complete", writes, 0, "2 traces, 14 different steps"},
		{"twice the same", append(writes, writes[0]), 0, "3 traces"},
		{"a missing order", writes[:1], 1, "main.2 does swap[] [0]: it can have the outcomes [\"-\"]"},
		{"a missing end", []string{writes[0], starts + "main.2 - swap 0\nmain.2 - end j\n" +
			"main stuck join j\nmain.1 stuck store 0\n"}, 1, "main.1 does store"},
		{"a missing choice", []string{"main 0 choose,2 -\nmain - end -\n"}, 1, `outcomes ["0" "1"]`},
		{"a lock that two hold", []string{lock + "main.2 - lock 0\n" + ends}, 1,
			"main.2 does lock"},
		{"a lock that nobody takes", []string{lock + "main.1 - unlock 0\nmain.1 - end j\n" +
			"main stuck join j\nmain.2 stuck lock 0\n"}, 1, "main.2 does lock"},
		{"a lock that was taken before", []string{"start 0 1\nmain stuck lock 0\n"}, 0, "1 traces"},
		{"a join that does not wait", []string{"main - go,main.1 j\nmain - join j\n" +
			"main.1 - end j\nmain - end -\n"}, 1, "main does join[] [j]: it can have the outcomes []"},
		{"a thread that decides otherwise", []string{writes[0],
			strings.Replace(writes[1], "swap 0", "load 0", 1)}, 1, "with the same past"},
		{"an operation without a rule", []string{"main - unknown:receive -\n"}, 3,
			"unknown:receive"},
		{"a wait for what has no rule", []string{"main stuck unknown:1 -\n"}, 3, "unknown:1"},
		{"two things that a loop waits for", []string{starts + "main - go,main.3 j\n" +
			"main.1 - load 0\nmain.1 - load 1\nmain.2 - store 0\nmain.3 - store 1\n" +
			"main.1 - spin,0,1 -\n"}, 3, "one of several changes"},
		{"an addition to a WaitGroup", []string{"main - wgadd,1 0\nmain - end -\n"}, 3, "wgadd"},
		{"the clock and a timeout", []string{starts +
			"main.1 timeout futexwait,3 0 0@main.1 early clock\nmain.2 - now clock\n" + ends}, 3,
			"time.Now"},
		{"a thread that is lost", []string{"main - go,main.1 j\nmain.1 - store 0\nmain - end -\n"}, 3,
			"main.1 neither ends nor waits"},
		{"a line that is cut off", []string{starts + "main.1 - store\n"}, 3, "does not know"},
		{"a thread that nobody started", []string{"main.1 - store 0\n"}, 3, "no file of traces"},
	} {
		v := verify(title + file("early 0\n", c.traces))
		require.Equal(t, c.code, v.code, "%s: %s", c.name, v.says)
		require.Contains(t, v.says, c.says, c.name)
	}
	for says, text := range map[string]string{
		"no file of traces": "",
		"cut off":           title + strings.TrimSuffix(file("early 0\n", writes), "end 2\n"),
		"not everything":    title + "refused not everything was explored\n",
	} {
		v := verify(text)
		require.Equal(t, 3, v.code)
		require.Contains(t, v.says, says)
	}
}

// Locks may be held, and WaitGroups have something added, before the first step.
func TestWhatIsDoneBeforeTheThreadsStart(t *testing.T) {
	body := func() {
		var (
			mutex sync.Mutex
			rw    sync.RWMutex
			group sync.WaitGroup
		)
		hook.MutexLock(&mutex)
		hook.RWMutexRLock(&rw)
		hook.WaitGroupAdd(&group, 2)
		for range 2 {
			explore.Go("", func() {
				hook.MutexLock(&mutex)
				hook.MutexUnlock(&mutex)
				hook.WaitGroupAdd(&group, -1)
			}, true)
		}
		explore.Go("", func() {
			hook.RWMutexLock(&rw)
			hook.RWMutexUnlock(&rw)
		}, true)
		hook.MutexUnlock(&mutex)
		hook.WaitGroupWait(&group)
		hook.RWMutexRUnlock(&rw)
		explore.Join()
	}
	text, r := explored(body, explore.Config{Preemptions: -1})
	require.Greater(t, r.Executions(), int64(1))
	v := verify(text)
	require.Zero(t, v.code, "%s\n%s", v.says, text)
}

// The program stands alone.
func TestItImportsTheStandardLibraryOnly(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "github.com/surewake/surewake/model/certify", strings.TrimSpace(string(out)))
}
