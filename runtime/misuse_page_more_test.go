//go:build linux && (amd64 || arm64)

package runtime_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"os"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
	sw "github.com/surewake/surewake/runtime"
)

func newMistakes(t *testing.T) *mistakes {
	t.Helper()
	sw.Default() // before the goroutines are counted
	m := &mistakes{rt: start(t, 1), other: start(t, 1), closed: start(t, 1), ctx: t.Context()}
	require.NoError(t, m.closed.Close())
	run(t, m.other, func(cx sw.Cx) error {
		m.foreignTicker = cx.NewTicker(time.Hour, sw.Skip)
		return nil
	})
	m.foreign = sw.Submit(m.other, forever)
	m.foreignBatch = sw.SubmitBatch(m.other, 1, func(cx sw.Cx, _ int) (int, error) {
		return forever(cx)
	})
	scoped := make(chan *sw.TaskScope)
	sw.Submit(m.other, func(cx sw.Cx) (int, error) {
		return 0, sw.Scope(cx, func(cx sw.Cx, s *sw.TaskScope) error {
			scoped <- s
			return cx.Sleep(time.Hour)
		})
	})
	m.foreignScope = receive(t, scoped)
	t.Cleanup(func() { _ = m.other.Close() })
	synctest.Test(t, func(*testing.T) {
		_, m.bubble = sw.New(sw.Parker(park.Futex))
		m.bubbleDefault = panics(func() { sw.Default() })
	})
	m.pipe, _ = pipe(t)
	var err error
	m.file, err = os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.file.Close() })
	return m
}

// onAnyMachine returns what the page has for text.
func onAnyMachine(text string) string {
	text = regexp.MustCompile("descriptor [0-9]+").ReplaceAllString(text, "descriptor 7")
	return strings.Replace(text, " on "+goruntime.GOOS, " on GOOS", 1)
}

func moreMistakes() []mistake {
	return []mistake{
		option("sw.New(sw.InjectorBatch(257, sw.LocalRing))", sw.InjectorBatch(257, sw.LocalRing)),
		option("sw.New(sw.InjectorInterval(2*time.Hour, 8, 255))",
			sw.InjectorInterval(2*time.Hour, 8, 255)),
		option("sw.New(sw.Poller(7))", sw.Poller(7)),
		option("sw.New(sw.Parker(7))", sw.Parker(7)),
		{"sw.New(sw.Workers(10000), sw.Parker(park.Futex))", func(*mistakes) any {
			_, err := sw.New(sw.Workers(10000), sw.Parker(park.Futex))
			return err
		}},
		{"in a bubble of testing/synctest: sw.New(sw.Parker(park.Futex))", func(m *mistakes) any {
			return m.bubble
		}},
		{"in a bubble of testing/synctest: sw.Default()", func(m *mistakes) any {
			return m.bubbleDefault
		}},

		refused("sw.SpawnFuture[int](cx, nil)", func(m *mistakes) {
			sw.SpawnFuture[int](m.cx, sw.Future[int](nil))
		}),
		refused("h.WakeOnEnd(sw.Waker{})", func(m *mistakes) { m.h.WakeOnEnd(sw.Waker{}) }),
		refused("new(sw.Limiter).Allow()", func(*mistakes) { new(sw.Limiter).Allow() }),
		refused("new(sw.Ticker).Next(cx)", func(m *mistakes) { _ = new(sw.Ticker).Next(m.cx) }),
		refused("new(sw.Group).Wait()", func(*mistakes) { _ = new(sw.Group).Wait() }),
		refused("new(sw.Results[int]).Wait()", func(*mistakes) {
			_, _ = new(sw.Results[int]).Wait()
		}),
		refused("new(sw.TaskBatch[int]).Len()", func(*mistakes) { new(sw.TaskBatch[int]).Len() }),
		refused("new(sw.Task[int]).Join(cx)", func(m *mistakes) {
			_, _ = new(sw.Task[int]).Join(m.cx)
		}),
		refused("new(sw.Watch).Close()", func(*mistakes) { _ = new(sw.Watch).Close() }),
		refused("new(sw.Conn).Close()", func(*mistakes) { _ = new(sw.Conn).Close() }),
		refused("new(sw.Listener).Close()", func(*mistakes) { _ = new(sw.Listener).Close() }),
		refused("sw.NewCond(nil)", func(*mistakes) { sw.NewCond(nil) }),
		refused("sw.Select(cx, nilOneshot.ReceiveCase(&v))", func(m *mistakes) {
			_, _ = sw.Select(m.cx, (*sw.Oneshot[int])(nil).ReceiveCase(new(int)))
		}),
		refused("sw.Select(cx, nilNotify.WaitCase())", func(m *mistakes) {
			_, _ = sw.Select(m.cx, (*sw.Notify)(nil).WaitCase())
		}),
		refused("rt.Listener(nil)", func(m *mistakes) { _, _ = m.rt.Listener(nil) }),
		refused("rt.Dump(nil)", func(m *mistakes) { _ = m.rt.Dump(nil) }),

		{"rt.Watch(pipe), the second time", func(m *mistakes) any {
			w, err := m.rt.Watch(m.pipe)
			if err != nil {
				return err
			}
			defer w.Close()
			_, err = m.rt.Watch(m.pipe)
			return err
		}},
		{"rt.Watch(file)", func(m *mistakes) any {
			_, err := m.rt.Watch(m.file)
			return err
		}},
		{"rt.Conn(one end of a net.Pipe)", func(m *mistakes) any {
			a, b := net.Pipe()
			defer a.Close()
			defer b.Close()
			_, err := m.rt.Conn(a)
			return err
		}},

		refused("cx of a task that waits: cx.Yield()", func(m *mistakes) { m.waiting.Yield() }),
		refused("sw.Default().Close()", func(*mistakes) { _ = sw.Default().Close() }),

		refused("scope of another runtime: sw.SpawnIn(cx, s, fn)", func(m *mistakes) {
			sw.SpawnIn(m.cx, m.foreignScope, answer)
		}),
		refused("group of another runtime: group.Spawn(cx, fn)", func(m *mistakes) {
			_ = sw.NewGroup(m.ctx, m.other).Spawn(m.cx, noError)
		}),
		refused("batch of another runtime: batch.Join(cx)", func(m *mistakes) {
			_, _ = m.foreignBatch.Join(m.cx)
		}),
		{"while a function of it runs: group.SetLimit(1)", func(m *mistakes) any {
			g := sw.NewGroup(m.ctx, m.rt)
			_ = g.Spawn(m.cx, noError)
			told := panics(func() { g.SetLimit(1) })
			_ = g.Join(m.cx)
			return told
		}},
		refused("sw.SpawnBatch(cx, 1<<31, fn)", func(m *mistakes) {
			n := 1
			n <<= 31 // at run time: an int may have 32 bits
			sw.SpawnBatch(m.cx, n, fib)
		}),
		{"again.Spawn(cx, fn); copy := again; copy.Join(cx)", func(m *mistakes) any {
			again := new(sw.Task[int])
			again.Spawn(m.cx, answer)
			copied := *again
			told := panics(func() { _, _ = copied.Join(m.cx) })
			_, _ = again.Join(m.cx)
			return told
		}},

		refused("rwmutex.Unlock()", func(*mistakes) { new(sw.RWMutex).Unlock() }),
		refused("one of 3 permits is taken: semaphore.Release(2)", func(*mistakes) {
			s := sw.NewSemaphore(3)
			s.TryAcquire(1)
			s.Release(2)
		}),
		refused("cx.NewTicker(time.Second, 9)", func(m *mistakes) {
			m.cx.NewTicker(time.Second, 9)
		}),
		refused("ticker of another runtime: ticker.Next(cx)", func(m *mistakes) {
			_ = m.foreignTicker.Next(m.cx)
		}),
		{"in a fork of a future: new(sw.Nap).Over(cx, time.Second)", func(m *mistakes) any {
			return inAFuture(m, func(cx sw.Cx) any {
				told, _ := sw.Both(cx, func(cx sw.Cx) any {
					return panics(func() { new(sw.Nap).Over(cx, time.Second) })
				}, waitsOnce)
				return told
			})
		}},
		{"pending of another future: pending.Poll(cx, case)", func(m *mistakes) any {
			var p sw.Pending
			c := sw.NewChannel[int](0)
			first := sw.SubmitFuture(m.rt, pollFunc(func(cx sw.Cx) (int, error, bool) {
				_, _, ready := p.Poll(cx, c.ReceiveCase(nil))
				return 0, nil, ready
			}))
			for sw.Waiting(c) == 0 {
				m.cx.Yield()
			}
			told := inAFuture(m, func(cx sw.Cx) any {
				return panics(func() { _, _, _ = p.Poll(cx, c.ReceiveCase(nil)) })
			})
			_ = c.Send(m.cx, 1)
			_, _ = first.Join(m.cx)
			return told
		}},
		{"pending.Poll(cx, case); pending.Poll(cx, case, case)", func(m *mistakes) any {
			return inAFuture(m, func(cx sw.Cx) any {
				var p sw.Pending
				c := sw.NewChannel[int](0)
				_, _, _ = p.Poll(cx, c.ReceiveCase(nil))
				defer p.Stop(cx)
				return panics(func() { _, _, _ = p.Poll(cx, c.ReceiveCase(nil), nil) })
			})
		}},
	}
}

// inAFuture calls fn in a poll of a future, and returns what it returns.
func inAFuture(m *mistakes, fn func(cx sw.Cx) any) (told any) {
	_, err := sw.SpawnFuture(m.cx, pollFunc(func(cx sw.Cx) (int, error, bool) {
		told = fn(cx)
		return 0, nil, true
	})).Join(m.cx)
	if err != nil {
		return err
	}
	return told
}

// rules returns the rules that the messages of the package in a folder say: what comes after the
// name of the call, as a regular expression.
func rules(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if text := textOf(call.Args[0]); strings.HasPrefix(text, "surewake: ") {
				_, rule, _ := strings.Cut(strings.TrimPrefix(text, "surewake: "), ": ")
				if rule != "" {
					all[pattern(rule)] = files.Position(call.Pos()).String()
				}
			}
			return true
		})
	}
	return all
}

// textOf returns the string that an expression is, with %s for what is not constant.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return textOf(e.X) + textOf(e.Y)
	}
	return "%s"
}

func pattern(format string) string {
	verbs := regexp.MustCompile(`%[a-z]`)
	return verbs.ReplaceAllString(regexp.QuoteMeta(format), ".*") + "$"
}

// The page has every rule that a message names, said of one call that breaks it. Those that are
// left out are told in its text, or belong to what no test can do.
func TestThePageOfMisusesHasEveryRule(t *testing.T) {
	page := pageOfMisuses(t)
	left := map[string]bool{}
	for _, rule := range []string{
		"internal error: a suspended task was used as an unstarted one",
		"more than %d forks that are not joined", // a billion
		"%v\n\n%s",                               // of a panic that is told
	} {
		left[pattern(rule)] = true
	}
	for _, folder := range []string{".", "../fork"} {
		for rule, at := range rules(t, folder) {
			line := regexp.MustCompile("(?m): " + rule)
			found := false
			for _, told := range page {
				found = found || line.MatchString(told)
			}
			if !found && !left[rule] {
				t.Errorf("%s: no row is told %s", at, rule)
			}
		}
	}
}
