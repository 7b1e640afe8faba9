package readers

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

const kindsTest = `package kinds

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/history"
)

func TestProved(t *testing.T) {
	model.Check(t, func(x *model.Exec) { reached(x.Choose(2)) })
}

func TestBounded(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Choose(100) })
}

func TestSkipped(t *testing.T) {
	t.Skip("not here")
	model.Check(t, func(x *model.Exec) {})
}

func TestDeadlock(t *testing.T) {
	model.Check(t, func(x *model.Exec) { <-make(chan int) })
}

func TestLeak(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		go func() { c <- 1 }()
	})
}

func TestLivelock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var flag atomic.Bool
		for !flag.Load() {
		}
	})
}

func TestRace(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		x.Go("one", func() { n++ })
		x.Go("two", func() { n++ })
		x.Join()
	})
}

func TestPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) { panic("out of cheese") })
}

func TestAssertion(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(x.Choose(2) == 0, "one was chosen") })
}

type add struct{ n int }

func TestHistory(t *testing.T) {
	counter := history.Spec[int, add, int]{
		Name: "counter",
		Init: func() int { return 0 },
		Step: func(s int, o add, result int) (int, bool) { return s + o.n, result == s+o.n },
	}
	model.Check(t, func(x *model.Exec) {
		history.Do(x.History(), add{1}, func() int { return 2 })
	}, model.Spec(counter))
}

func TestTiming(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		x.Go("worker", func() { close(done) })
		select {
		case <-done:
		case <-time.After(time.Millisecond):
			x.Assert(false, "too slow")
		}
	})
}

func TestRefused(t *testing.T) {
	model.Check(t, func(x *model.Exec) { t.Skip("not now") })
}

func TestNondeterminism(t *testing.T) {
	runs := 0
	model.Check(t, func(x *model.Exec) {
		runs++
		var n atomic.Int64
		x.Go("one", func() {
			for range runs {
				n.Add(1)
			}
		})
		x.Go("two", func() { n.Add(1) })
		x.Join()
	})
}

func TestLimit(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		for n.Add(1) != 0 {
		}
	})
}
`

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	s, err := compiler.Compile(filepath.Join(root, "docs", "check.schema.json"))
	require.NoError(t, err)
	return s
}

func instance(t *testing.T, line string) map[string]any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	require.NoError(t, err, line)
	object, ok := value.(map[string]any)
	require.True(t, ok, line)
	return object
}

// What the command prints is as the schema says, for each verdict and each kind of a failure that a
// program can bring about; and the schema takes none of it with a field less, or of another type.
func TestTheSchemaTakesWhatTheCommandPrints(t *testing.T) {
	s := schema(t)
	dir := newModule(t, map[string]string{
		"kinds.go": `package kinds

func reached(n int) {
	if n > 1 {
		panic(n)
	}
}
`, "kinds_test.go": kindsTest,
	})
	out := surewake(t, dir, 1, "check", "-json", "-budget", "50x", "-coverprofile", "c.out", "./...")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	verdicts, kinds := map[string]bool{}, map[string]bool{}
	for i, line := range lines {
		object := instance(t, line)
		require.NoError(t, s.Validate(object), line)
		if i < len(lines)-1 {
			verdicts[object["verdict"].(string)] = true
			if kind := object["kind"].(string); kind != "" {
				kinds[kind] = true
				require.True(t, strings.EqualFold(object["name"].(string), "Test"+kind), line)
			}
		} else {
			require.Contains(t, object, "skipped")
			require.Contains(t, object, "coverage")
		}
		requireRefused(t, s, line)
	}
	require.ElementsMatch(t, []string{"proved", "bounded", "undecided", "FAILED"},
		slices.Collect(maps.Keys(verdicts)))
	require.ElementsMatch(t, []string{
		"deadlock", "leak", "livelock", "race", "panic", "assertion", "history", "timing", // FAILED
		"refused", "nondeterminism", "limit",
	}, slices.Collect(maps.Keys(kinds)))
}

// optional has the fields that a line can do without.
var optional = []string{"skipped", "coverage", "cut", "left", "passes", "passing", "replayed"}

// requireRefused changes a line field by field.
func requireRefused(t *testing.T, s *jsonschema.Schema, line string) {
	t.Helper()
	for name := range instance(t, line) {
		object := instance(t, line)
		delete(object, name)
		if !slices.Contains(optional, name) {
			require.Error(t, s.Validate(object), "without %s: %s", name, line)
		}
		object[name] = json.Number("-1")
		require.Error(t, s.Validate(object), "%s: -1: %s", name, line)
		object[name] = true
		require.Error(t, s.Validate(object), "%s: true: %s", name, line)
	}
	object := instance(t, line)
	object["version"] = json.Number("2")
	require.Error(t, s.Validate(object))
	object["version"], object["another"] = json.Number("1"), "field"
	require.NoError(t, s.Validate(object))
}
