// Package handedon has state that package variables lead to by an error, by a function that one has
// from another, and that reflection changes after a conversion that is hard to see.
package handedon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Errors with a state, however they are made.
type busy struct{ asked int }

func (b *busy) Error() string { return "busy" }

func newBusy() error { return &busy{} }

func busyAndNone() (error, error) { return &busy{}, nil }

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
	errBoth        = errors.Join(errPlain, errEOF)
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
