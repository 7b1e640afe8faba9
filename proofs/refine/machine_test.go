package refine_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// A toy is a lamp that is lit and put out by whoever has its match; a match is struck before.
type toy struct {
	*refine.Machine
	lamp uint32
	n    int
}

func newToy() *toy {
	table := &spec.System{Name: "lamp", Vars: []string{"lit", "struck", "matches"},
		Rules: []spec.Rule{
			{Name: "strike", When: "struck == 0 && matches > 0", Do: "struck = 1; matches--"},
			{Name: "light", Code: "light: lamp.Store", When: "struck == 1 && lit == 0",
				Do: "lit = 1; struck = 0"},
			{Name: "douse", Code: "douse, blow: lamp.Store, in whatever way", When: "lit == 1",
				Do: "lit = 0"},
			{Name: "flash", Code: "told in words", When: "lit == 0 && matches > 1", Do: "lit = 2"},
		}}
	t := &toy{Machine: refine.NewMachine(refine.Binding{
		System: table, Actors: []string{"a", "b"}, Package: "refine_test",
		Silent: []string{"strike"},
		Code:   map[string]string{"flash": "refine_test.flash"},
		Preconditions: []refine.Precondition{{Code: "look: lamp.Store",
			When: func(a int) string { return []string{"lit == 1", ""}[a] }}},
		Copies: map[string][]string{"struck": {"struck_a", "struck_b"}},
		Instances: func(r *spec.Rule, a int) []refine.Instance {
			return []refine.Instance{{Bind: map[string]string{"struck": []string{"struck_a",
				"struck_b"}[a]}}}
		},
	})}
	t.Share("lamp", "lit", "lit")
	t.Begin(map[string]int{"matches": 1},
		[]refine.Object{{Name: "lamp", Address: unsafe.Pointer(&t.lamp)}},
		func() int { return int(t.lamp) })
	return t
}

// store is a step of the one who calls it.
func (t *toy) store(who string, value uint32) error {
	t.lamp = value
	s := &model.Step{N: t.n, Name: who, Op: explore.OpStore, Address: unsafe.Pointer(&t.lamp)}
	runtime.Callers(2, s.Callers[:])
	t.n++
	return t.Step(s)
}

//go:noinline
func (t *toy) light(who string, value uint32) error { return t.store(who, value) }

//go:noinline
func (t *toy) douse(who string) error { return t.store(who, 0) }

//go:noinline
func (t *toy) flash(who string) error { return t.store(who, 2) }

func TestWhatTheTableDoesIsNoError(t *testing.T) {
	lamp := newToy()
	require.NoError(t, lamp.light("a", 1))
	require.NoError(t, lamp.douse("b"))
	require.NoError(t, lamp.douse("b"), "which means nothing")
	require.True(t, lamp.May("matches == 0 && struck == 0 && lit == 0"))
	require.False(t, lamp.May("lit == 1"))
	used := map[string]bool{}
	require.EqualValues(t, 1, lamp.Used(used))
	require.Equal(t, map[string]bool{"strike": true, "light": true, "douse": true, "flash": false},
		used)
}

//go:noinline
func (t *toy) look(who string) error { return t.store(who, t.lamp) }

// a looks only while the lamp is lit, b whenever it likes.
func TestAnAccessThatMeansNothingMayHaveItsTime(t *testing.T) {
	lamp := newToy()
	require.NoError(t, lamp.look("b"))
	require.ErrorContains(t, lamp.look("a"), "it is done only if  lit == 1")
	lamp = newToy()
	require.NoError(t, lamp.light("a", 1))
	require.NoError(t, lamp.look("a"))
}

func TestWhatTheTableDoesNotDoIsAnError(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(*toy) error
	}{
		{"in another function", "no rule is about this access",
			func(l *toy) error { return l.store("a", 1) }},
		{"by somebody else", "by c", func(l *toy) error { return l.light("c", 1) }},
		{"with another value", "the memory is now  lit=5",
			func(l *toy) error { return l.light("a", 5) }},
		{"against its condition", "if lit == 0 && matches > 1 then lit = 2",
			func(l *toy) error { return l.flash("a") }},
		{"once more, without a match", "the table was in  ", func(l *toy) error {
			if l.light("a", 1) != nil || l.douse("a") != nil {
				return nil
			}
			return l.light("a", 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(newToy())
			require.ErrorContains(t, err,
				"table lamp has no such step: Store of lamp in refine_test.")
			require.ErrorContains(t, err, c.want)
			require.Regexp(t, `\nby the table \w+ may now do  (\w+(, \w+)*|nothing.*)\n`, err.Error())
		})
	}
}

// What was seen in the execution before is not looked at again, and what follows it goes on from
// there.
func TestStepsSeenBefore(t *testing.T) {
	lamp := newToy()
	require.NoError(t, lamp.light("a", 1))
	require.NoError(t, lamp.douse("a"))
	require.NoError(t, lamp.Step(&model.Step{N: 0, Again: true}))
	lamp.n = 1
	require.ErrorContains(t, lamp.light("b", 0), "the table was in   lit=1")
	require.Panics(t, func() { _ = lamp.Step(&model.Step{N: 7, Again: true}) })
}

func TestCodeThatNamesNoAccessIsRefused(t *testing.T) {
	for _, code := range []string{"", "told in words", "the caller's push, then Notify",
		"a-b: x.Load"} {
		require.PanicsWithValue(t, "refine: table t, rule r: \""+code+"\" names no access", func() {
			refine.NewMachine(refine.Binding{System: &spec.System{Name: "t",
				Rules: []spec.Rule{{Name: "r", Code: code, When: "true"}}}})
		}, code)
	}
}

func TestFieldThatIsNotThereIsNoticed(t *testing.T) {
	var x struct{ a, b [2]uint32 }
	require.Equal(t, unsafe.Pointer(&x.b[1]), refine.Field(&x, "b", 1))
	require.PanicsWithValue(t, "refine: *struct { a [2]uint32; b [2]uint32 } has no field c",
		func() { refine.Field(&x, "c") })
	require.Panics(t, func() { refine.Field(x, "a") })
}

func TestAStartThatTheMemoryContradictsIsRefused(t *testing.T) {
	lamp := newToy()
	require.PanicsWithValue(t, "refine: at the start lit is 0, and in the table 1", func() {
		lamp.Begin(map[string]int{"lit": 1}, nil, func() int { return 0 })
	})
}
