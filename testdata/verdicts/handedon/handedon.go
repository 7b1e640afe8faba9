// Package handedon has state that package variables lead to by an error, by a function that one has
// from another, and that reflection changes after a conversion that is hard to see.
package handedon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// Errors with a state, however they are made.
type busy struct{ asked int }

func (b *busy) Error() string { return "busy" }

func newBusy() error { return &busy{} }

func busyAndNone() (error, error) { return &busy{}, nil }

func textAndBusy() (string, error) { return "text: %w", &busy{} }

type pair struct{ first, second error }

func (pair) Error() string { return "pair" }

type function func() int

func (function) Error() string { return "function" }

var (
	errMade           = newBusy()
	errFirst, errNone = busyAndNone()
	errWrapped        = fmt.Errorf("wrapped: %w", &busy{})
	errJoined         = errors.Join(&busy{}, errors.New("other"))
	errByNumber       = map[int]error{1: &busy{}}
	errListed         = []error{&busy{}}
	errHeld           = struct{ err error }{&busy{}}
	errOfInit         error
	errCalled         error = function(newCounter())
	errPair                 = pair{errors.New("first"), &busy{}}
	errConverted            = error(&busy{})
	errOfCall               = fmt.Errorf(textAndBusy())
	errBoth                 = fmt.Errorf("%w, %w", errPlain, errEOF)
	errSliced         error = &number{}
)

func init() { errOfInit = &busy{} }

// Errors that nobody can change, beside those.
type plain struct {
	text   string
	number int
}

func (p *plain) Error() string { return p.text }

func newPlain(text string) error {
	if text == "" {
		return nil
	}
	return &plain{text, 1}
}

var (
	errPlain       = errors.New("plain")
	errEOF         = fmt.Errorf("at %d of %s: %w", 3, "4", io.EOF)
	errOwn   error = &plain{"own", 1}
	errBuilt       = newPlain("built")
	errSame        = error(errBuilt)
	errNil   error
	errSet   = errors.New("set")
	errGiven = errors.New("given")
)

func init() { errSet = &busy{} }

func give(e *error) { *e = &busy{} }

func init() { give(&errGiven) }

// Errors whose state is found by other ways than their own type.
type counter struct{ n int }

func (c *counter) inc() int { c.n++; return c.n }

type counted struct{ counter }

func (*counted) Error() string { return "counted" }

func incremented(err error) int {
	var c interface{ inc() int }
	errors.As(err, &c)
	return c.inc()
}

type seeded struct{ rand.PCG }

func (*seeded) Error() string { return "seeded" }

func draws(err error) int {
	var source rand.Source
	errors.As(err, &source)
	return int(source.Uint64() % 1000)
}

type tallies [2]int

func (t *tallies) inc() int { t[1]++; return t[1] }

type tallied struct{ tallies }

func (*tallied) Error() string { return "tallied" }

type texted struct{ Text string }

func (t *texted) Error() string { return t.Text }

func decodeError(err error) { _ = json.Unmarshal([]byte(`{"Text":"decoded"}`), err) }

func anonymous() error {
	return &struct {
		error
		n int
	}{errors.New("anonymous"), 0}
}

var (
	errCounted   error = &counted{}
	errOfLibrary error = &fs.PathError{Op: "open", Err: errors.New("it")}
	errTexted          = &texted{"begun"}
	errSeeded    error = &seeded{}
	errTallied   error = &tallied{}
	errAnonymous       = anonymous()
)

func nameAgain(err error) string {
	var of *fs.PathError
	errors.As(err, &of)
	of.Op += "+"
	return of.Op
}

// firstOfBoth returns how many errors come before errPlain, and turns their order.
func firstOfBoth() int {
	both := errBoth.(interface{ Unwrap() []error }).Unwrap()
	defer slices.Reverse(both)
	return slices.Index(both, errPlain)
}

type number struct{ n int }

func (*number) Error() string { return "number" }

func slice() int {
	p := unsafe.Slice(errSliced.(*number), 1)
	p[0] = number{p[0].n + 1}
	return p[0].n
}

// Init functions keep an error elsewhere.
var (
	errKept   error
	errByName = map[string]error{}
	isBusy    = map[error]bool{}
	errAround error
)

func init() { errKept = errConverted }
func init() { errByName["busy"] = errConverted }
func init() { isBusy[errConverted] = true }
func init() { errAround = fmt.Errorf("around: %w", errConverted) }

func kept() int {
	n := ask(errConverted)
	if errKept != errConverted || errByName["busy"] != errConverted || !isBusy[errConverted] ||
		!errors.Is(errAround, errConverted) {
		return -1
	}
	return n
}

func ask(err error) int {
	var b *busy
	if errors.As(err, &b) {
		b.asked++
		return b.asked
	}
	return -1
}

// Functions that are those of another variable.
func newCounter() func() int {
	n := 0
	return func() int { n++; return n }
}

type named func() int

var (
	next    = newCounter()
	copied  = next
	held    = struct{ f func() int }{next}
	listed  = [1]func() int{next}
	renamed = named(next)
	ofInit  func() int
)

func init() { ofInit = next }

// What is handed on as an interface is changed by reflection.
type (
	asNamer     struct{ N int }
	asParameter struct{ N int }
	asResult    struct{ N int }
	asArgument  struct{ N int }
	asOneOfTwo  struct{ N int }
	asMessage   struct{ N int }
	asElement   struct{ N int }
	asKey       struct{ N int }
	asDrawn     struct{ N int }
	asField     struct{ N int }
)

var (
	namer     = &asNamer{}
	parameter = &asParameter{}
	result    = &asResult{}
	argument  = &asArgument{}
	oneOfTwo  = &asOneOfTwo{}
	message   = &asMessage{}
	element   = &asElement{}
	key       = &asKey{}
	drawn     = &asDrawn{}
	field     = &asField{}
)

func decode(v any) { _ = json.Unmarshal([]byte(`{"N":1}`), v) }

func (*asNamer) Name() string { return "" }

func decodeNamer(v interface{ Name() string }) { decode(v) }

func decodeAny[P interface{ *asParameter }](v P) { decode(v) }

func twoResults() (*asResult, error) { return result, nil }

func anyAndError() (any, error) { return twoResults() }

func twoArguments() (*asArgument, error) { return argument, nil }

func decodeFirst(v any, _ error) { decode(v) }

func two() (*asOneOfTwo, error) { return oneOfTwo, nil }

func decodeAssigned() {
	var v any
	v, _ = two()
	decode(v)
}

func decodeSent() {
	c := make(chan any, 1)
	c <- message
	decode(<-c)
}

func decodeRanged() {
	var v any
	for _, v = range []*asElement{element} {
		decode(v)
	}
}

func decodeKeys() {
	var v any
	for v = range map[*asKey]int{key: 1} {
		decode(v)
	}
}

func draw(yield func(*asDrawn) bool) { yield(drawn) }

func decodeDrawn() {
	var v any
	for v = range draw {
		decode(v)
	}
}

type box[T any] struct{ v T }

func (b box[T]) decode() { decode(b.v) }
