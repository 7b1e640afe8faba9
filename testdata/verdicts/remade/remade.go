// Package remade keeps state in places that its package variables lead to, and that are changed by
// code which does not mention the variables.
package remade

import (
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"time"
)

type counter struct{ n int }

func (c *counter) inc() int { c.n++; return c.n }

// A method value has the object of another variable, or one that nothing else has.
var (
	std    = &counter{}
	incStd = std.inc
	next   = new(counter).inc
)

func newCounter() func() int {
	n := 0
	return func() int { n++; return n }
}

type maker struct{}

func (maker) counter() func() int { return newCounter() }

func two() (func() int, error) { return newCounter(), nil }

// Closures have variables of their own, wherever they are kept.
var (
	inStruct      = struct{ next func() int }{newCounter()}
	inMap         = map[string]func() int{"a": newCounter()}
	filled        = map[string]func() int{}
	byMethod      = maker{}.counter()
	ofTwo, errTwo = two()
	ops           = func() struct{ inc, get func() int } {
		n := 0
		return struct{ inc, get func() int }{
			func() int { n++; return n }, func() int { return n },
		}
	}()
	sequence = struct{ all func(func(int) bool) }{newSequence()}
)

func init() { filled["a"] = newCounter() }

var direct [1]func() int

func init() {
	n := 0
	direct[0] = func() int { n++; return n }
}

func newSequence() func(func(int) bool) {
	n := 0
	return func(yield func(int) bool) { n++; yield(n) }
}

// Methods change a part that lies within, or is embedded.
type (
	outer   struct{ in counter }
	derived struct{ counter }
	other   struct{ counter }
)

var nested, embedded = &outer{}, &derived{}

func incNested(o *outer) int     { return o.in.inc() }
func incEmbedded(d *derived) int { return d.inc() }

var incExpression, byExpression = (*other).inc, &other{}

// Arrays are changed as slices.
type ring struct{ buf [4]int }

func (r *ring) fill(v int)  { copy(r.buf[:], []int{v, v}) }
func (r *ring) first(v int) { s := r.buf[:]; s[0] = v }

var copied, sliced = &ring{}, &ring{}

// Others assign by a pointer.
type (
	decodedConfig   struct{ N int }
	genericConfig   struct{ N int }
	rangedConfig    struct{ N int }
	returnedConfig  struct{ N int }
	convertedConfig struct{ N int }
	alike           convertedConfig
)

var (
	decoded   = &decodedConfig{}
	generic   = &genericConfig{}
	ranged    = &rangedConfig{}
	returned  = &returnedConfig{}
	converted = &convertedConfig{}
)

func decode(text string) { _ = json.Unmarshal([]byte(text), decoded) }

func set[T any](p *T, value func() T) { *p = value() }

func genericOne() genericConfig { return genericConfig{1} }

func setField(p any) { reflect.ValueOf(p).Elem().Field(0).SetInt(1) }

func (c *rangedConfig) last(of []int) {
	for _, c.N = range of {
	}
}

func anything() any { return returned }

func (c *convertedConfig) convert() { (*alike)(c).N = 1 }

// An error holds another one, which is made anew.
type state struct{ failures int }

func (s *state) Error() string { s.failures++; return "state" }

var (
	errState = &state{}
	errAbout = wrapped{errState}
	errOuter = outerError()
)

type wrapped struct{ error }

func (w wrapped) Unwrap() error { return w.error }

func outerError() error { return wrapped{errState} }

// Goroutines that begin with the package read what tests change.
var (
	verbose bool
	hook    func()
	lines   int
)

func init() {
	go func() {
		if verbose {
			lines++
		}
	}()
}

func init() {
	time.AfterFunc(time.Millisecond, func() {
		if hook != nil {
			panic("a hook that is set is none of this package")
		}
	})
}

// Init functions call what they do not name: methods of interfaces, functions and literals of tables.
type plugin interface{ install() }

type disk struct{}

func (disk) install() { drivers["disk"] = diskDriver{} }

type driver interface{ use() int }

type diskDriver struct{}

func (diskDriver) use() int { mounted++; return mounted }

var (
	plugins = []plugin{disk{}}
	drivers = map[string]driver{}
	mounted int

	begins = []func(int){begin}
	loud   bool

	setups = []func(string){func(s string) { ready = len(s) }}
	ready  int

	later    = [1]func(bool){func(bool) { assigned = 1 }}
	assigned int
)

func begin(int) {
	go func() {
		if loud {
			lines++
		}
	}()
}

func init() {
	for _, p := range plugins {
		p.install()
	}
}

func init() {
	for i, f := range begins {
		f(i)
	}
}

func init() {
	for _, f := range setups {
		f("a")
	}
}

func init() {
	f := func(bool) {}
	for range 2 {
		f(true)
		f = later[0]
	}
}

// An error has a state of its own.
type busy struct{ asked int }

func (b *busy) Error() string { return "busy" }

var errBusy error = &busy{}

func ask() int {
	var b *busy
	if errors.As(errBusy, &b) {
		b.asked++
	}
	return b.asked
}

// A latch is closed once. Its methods are looked at and closed in two steps.
type latch struct {
	mu sync.Mutex
	on bool
}

func (l *latch) get() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.on }
func (l *latch) set()      { l.mu.Lock(); defer l.mu.Unlock(); l.on = true }

var (
	theLatch           = &latch{}
	getLatch, setLatch = theLatch.get, theLatch.set
)

func start() bool {
	was := getLatch()
	setLatch()
	return !was
}
