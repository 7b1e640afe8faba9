package model

import (
	"os"
	"reflect"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

type inner struct {
	n    int
	list []int
}

// everything has what a variable may lead to.
type everything struct {
	n        int
	text     string
	at       time.Time
	ratio    float64
	is       bool
	pointer  *inner
	array    [2]*inner
	names    map[string]*inner
	byValue  map[inner1]inner
	value    any
	function func() int
	sync     sync.Map
	current  atomic.Pointer[inner]
	held     atomic.Value
	handle   uintptr
	pool     sync.Pool
	mu       sync.Mutex
	queue    chan int
	nothing  []int
	file     *os.File
}

type inner1 struct{ a, b int }

func (i *inner) count() int { return i.n }

func newEverything() *everything {
	e := &everything{
		n: 1, text: "a", at: time.Unix(1, 0), ratio: 1.5, handle: 3,
		pointer: &inner{n: 1, list: []int{1, 2}}, array: [2]*inner{{n: 1}, {n: 2}},
		names:   map[string]*inner{"a": {n: 1}},
		byValue: map[inner1]inner{{1, 2}: {list: []int{7}}}, value: inner{list: []int{1}},
		queue: make(chan int, 2),
	}
	e.function = e.pointer.count
	e.sync.Store("a", &inner{n: 1})
	e.current.Store(&inner{n: 1})
	e.held.Store(&inner{n: 1})
	e.pool.New = func() any { return 1 }
	return e
}

// changes has, by what they change, changes of everything that are seen and put back.
var changes = map[string]func(e *everything){
	"number":           func(e *everything) { e.n++ },
	"text":             func(e *everything) { e.text = "b" },
	"time":             func(e *everything) { e.at = e.at.Add(1) },
	"ratio":            func(e *everything) { e.ratio = 2 },
	"flag":             func(e *everything) { e.is = true },
	"pointer":          func(e *everything) { e.pointer = &inner{n: 1, list: e.pointer.list} },
	"pointed":          func(e *everything) { e.pointer.n++ },
	"element":          func(e *everything) { e.pointer.list[1]++ },
	"appended":         func(e *everything) { e.pointer.list = append(e.pointer.list, 1) },
	"array":            func(e *everything) { e.array[1].n++ },
	"entry":            func(e *everything) { e.names["a"].n++ },
	"new entry":        func(e *everything) { e.names["b"] = nil },
	"no entry":         func(e *everything) { delete(e.names, "a") },
	"map":              func(e *everything) { e.names = map[string]*inner{"a": e.names["a"]} },
	"entry by value":   func(e *everything) { e.byValue[inner1{1, 2}].list[0]++ },
	"interface":        func(e *everything) { e.value = 1 },
	"in an interface":  func(e *everything) { e.value.(inner).list[0]++ },
	"function":         func(e *everything) { e.function = e.array[0].count },
	"in a sync.Map":    func(e *everything) { v, _ := e.sync.Load("a"); v.(*inner).n++ },
	"atomic pointer":   func(e *everything) { e.current.Store(&inner{n: 1}) },
	"behind that":      func(e *everything) { e.current.Load().n++ },
	"behind an atomic": func(e *everything) { e.held.Load().(*inner).n++ },
	"handle":           func(e *everything) { e.handle = 4 },
	"lock":             func(e *everything) { e.mu.Lock() },
	"empty slice":      func(e *everything) { e.nothing = []int{} },
}

func TestMemoryIsComparedAndPutBack(t *testing.T) {
	for what, change := range changes {
		e := newEverything()
		v := reflect.ValueOf(&e).Elem()
		m := memoryOf(v, true)
		require.Equal(t, m.hash, memoryOf(v, false).hash, what)
		change(e)
		require.NotEqual(t, m.hash, memoryOf(v, false).hash, what)
		m.putBack()
		require.Equal(t, m.hash, memoryOf(v, false).hash, what)
	}
}

func TestMemoryPutBackIsNotThatOfTheProcess(t *testing.T) {
	e := newEverything()
	e.file = os.Stdout
	v := reflect.ValueOf(&e).Elem()
	m := memoryOf(v, true)
	e.pool.Put(new(int))
	e.pool.New = nil
	require.NotEqual(t, m.hash, memoryOf(v, false).hash)
	m.putBack()
	require.Nil(t, e.pool.New, "a pool is in use by the process")
	for _, o := range m.objects {
		require.NotEqual(t, reflect.TypeFor[os.File](), o.at.Type())
	}
}

func TestBytesThatMayOnlyBeReadArePutBackIfTheyChange(t *testing.T) {
	text := "a constant"
	bytes := [][]byte{unsafe.Slice(unsafe.StringData(text), len(text)), []byte(text)}
	m := memoryOf(reflect.ValueOf(&bytes).Elem(), true)
	bytes[1][0] = 'A'
	m.putBack()
	require.Equal(t, text, string(bytes[1]))
}

// inaccessible has a pointer that is only a number, as libraries for lock-free lists have, and
// memory that may not be written to.
type inaccessible struct {
	before *inner
	mark   *inner
	fixed  *[4]int32
	after  *inner
}

func TestWhatIsNotAccessibleIsLeftOut(t *testing.T) {
	text := "sixteen letters."
	v := &inaccessible{before: &inner{n: 1}, after: &inner{n: 1},
		fixed: (*[4]int32)(unsafe.Pointer(unsafe.StringData(text)))}
	*(*uintptr)(unsafe.Pointer(&v.mark)) = 16
	defer func() { v.mark = nil }()
	require.NotZero(t, shapeOf(reflect.ValueOf(&v).Elem()))
	m := memoryOf(reflect.ValueOf(&v).Elem(), true)
	v.before.n, v.after.n = 2, 2
	m.putBack()
	require.Equal(t, 2, v.before.n+v.after.n)

	*(*uintptr)(unsafe.Pointer(&v.mark)) = 2 * lowest
	require.NotZero(t, shapeOf(reflect.ValueOf(&v).Elem()))
	m = memoryOf(reflect.ValueOf(&v).Elem(), true)
	require.True(t, m.unseen)
	require.False(t, m.whole)
	v.before.n, v.after.n = 2, 2
	m.putBack()
	require.Equal(t, 2, v.before.n+v.after.n)
}

func TestClosuresAreToldFromFunctions(t *testing.T) {
	closes := func(f func() int) bool { return memoryOf(reflect.ValueOf(&f).Elem(), false).hides }
	require.False(t, closes(nil))
	require.False(t, closes(plain))
	require.False(t, closes(func() int { return 2 }))
	require.True(t, closes(stepOf(3)))
}

func plain() int { return 1 }

func TestFilesInMemoryAreNotLookedAt(t *testing.T) {
	file := make([]byte, memoryBytes+1)
	v := reflect.ValueOf(&file).Elem()
	m := memoryOf(v, true)
	file[0] = 1
	require.Equal(t, m.hash, memoryOf(v, false).hash)
	m.putBack()
	require.Equal(t, byte(1), file[0])
	require.True(t, m.unseen)
	v = reflect.ValueOf(new([memoryBytes/8 + 1]int64)).Elem()
	m = memoryOf(v, false)
	v.Index(0).SetInt(1)
	require.Equal(t, m.hash, memoryOf(v, false).hash)
	require.True(t, m.unseen)
}

func TestWhatIsTooLargeIsNotPutBackButSeen(t *testing.T) {
	require.False(t, memoryOf(reflect.ValueOf(&[]*everything{newEverything()}).Elem(), true).unseen)
	list := make([]*int, putBackValues)
	v := reflect.ValueOf(&list).Elem()
	m := memoryOf(v, true)
	list[5] = new(int)
	m.putBack()
	require.NotNil(t, list[5])
	require.NotEqual(t, m.hash, memoryOf(v, false).hash)
}

// gap has three bytes in which anything may stand.
type gap struct {
	of byte
	n  int32
}

func TestPlainMemoryIsItsBytes(t *testing.T) {
	for _, v := range []any{1, 1.5, true, 'a', [3]uint16{}, struct{ lo, hi, stride uint16 }{},
		[2]struct{ a, b int32 }{}, struct{}{}, uintptr(1), complex(1, 2)} {
		require.True(t, isPlain(reflect.TypeOf(v)), "%T", v)
	}
	for _, v := range []any{"a", new(int), []int{1}, gap{}, [2]gap{}, struct{ of [1]gap }{},
		struct{ text string }{}, [1]any{}, time.Time{}, syscall.Timespec{}, func() {}} {
		require.False(t, isPlain(reflect.TypeOf(v)), "%T", v)
	}
}

func TestWhatStandsInAGapIsNoChange(t *testing.T) {
	list := []gap{{of: 1, n: 2}}
	v := reflect.ValueOf(&list).Elem()
	m := memoryOf(v, true)
	*(*byte)(unsafe.Add(unsafe.Pointer(&list[0]), 1)) = 7
	require.Equal(t, m.hash, memoryOf(v, false).hash)
}

func TestTablesAreFewValues(t *testing.T) {
	tables := struct {
		list  [][3]uint16
		array *[30_000]int64
	}{make([][3]uint16, 50_000), new([30_000]int64)}
	v := reflect.ValueOf(&tables).Elem()
	m := memoryOf(v, true)
	require.Less(t, m.values, 10_000)
	require.Greater(t, m.values, largeValues)
	for _, change := range []func(){
		func() { tables.list[49_999][2]++ },
		func() { tables.array[29_999]++ },
	} {
		change()
		require.NotEqual(t, m.hash, memoryOf(v, false).hash)
		m.putBack()
		require.Equal(t, m.hash, memoryOf(v, false).hash)
	}
}

func TestListsAreLong(t *testing.T) {
	type link struct {
		n    int
		next *link
	}
	list := &link{}
	for range 2 * shapeNodes {
		list = &link{next: list}
	}
	v := reflect.ValueOf(&list).Elem()
	require.True(t, memoryOf(v, false).unseen)
	shape, last := shapeOf(v), list
	for range shapeDepth {
		last = last.next
	}
	last.n = 1
	require.Equal(t, shape, shapeOf(v))
}

func TestMemoriesShareWhatPartsOfThemLieIn(t *testing.T) {
	e, other := newEverything(), newEverything()
	of := func(p any) *memory { return memoryOf(reflect.ValueOf(p).Elem(), false) }
	all := of(&e)
	for what, p := range map[string]any{
		"pointer": &[]*inner{e.pointer}, "field": &[]*[]int{&e.pointer.list},
		"slice": &[][]int{e.pointer.list[1:]}, "map": &[]any{e.names},
		"method":  &[]any{e.pointer.count},
		"channel": &[]any{e.queue}, "beyond its length": &[][]int{e.pointer.list[:0]},
		"the variable": &[]**everything{&e},
	} {
		require.True(t, of(p).shares(all), what)
		require.True(t, all.shares(of(p)), what)
	}
	require.False(t, all.shares(of(&other)))
	same := regexp.MustCompile("a")
	e.value, other.value = same, same
	require.False(t, of(&e).shares(of(&other)), "nothing changes it")
}

func TestShapesSeeWhatStandsBehindTypesOfTheLibrary(t *testing.T) {
	shape := func(change func(e *everything)) uint64 {
		e := newEverything()
		change(e)
		return shapeOf(reflect.ValueOf(&e).Elem())
	}
	as := shape(func(*everything) {})
	require.Equal(t, as, shape(func(*everything) {}))
	for what, change := range map[string]func(e *everything){
		"atomic pointer": func(e *everything) { e.current.Store(nil) },
		"behind that":    changes["behind that"],
		"sync.Map":       func(e *everything) { e.sync.Store("b", 1) },
		"pool":           func(e *everything) { e.pool.New = nil },
		"file":           func(e *everything) { e.file = os.Stdout },
		"empty slice":    changes["empty slice"],
	} {
		require.NotEqual(t, as, shape(change), what)
	}
}

// A change is seen where bytes tell it, and where they do not: in a map, a queue or a sync.Map.
func TestChangesAreSeenByBytesAndWithout(t *testing.T) {
	chain := struct{ first *inner }{&inner{n: 1, list: []int{1, 2}}}
	names := map[string]int{"a": 1}
	queue := make(chan int, 2)
	var table sync.Map
	table.Store("a", 1)
	for what, c := range map[string]struct {
		v      any
		change func()
		whole  bool
	}{
		"a chain":    {&chain, func() { chain.first.list[1]++ }, true},
		"a map":      {&names, func() { names["a"]++ }, true},
		"a queue":    {&queue, func() { queue <- 1 }, false},
		"a sync.Map": {&table, func() { table.Store("a", 2) }, false},
	} {
		v := reflect.ValueOf(c.v).Elem()
		m := memoryOf(v, true)
		require.Equal(t, c.whole, m.whole, what)
		require.False(t, m.hasChanged(v), what)
		c.change()
		require.True(t, m.hasChanged(v), what)
	}
}

// Without its hash the memory of a chain is compared by its bytes alone.
func TestWhatIsSameByBytesIsNotWalkedAgain(t *testing.T) {
	chain := struct{ first *inner }{&inner{n: 1, list: []int{1, 2}}}
	v := reflect.ValueOf(&chain).Elem()
	m := memoryOf(v, true)
	m.hash++
	require.False(t, m.hasChanged(v))
	chain.first.list[0]++
	require.True(t, m.hasChanged(v))
}
