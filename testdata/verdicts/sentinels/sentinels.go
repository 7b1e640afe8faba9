// Package sentinels has errors that programs compare by identity, beside one that has a state.
package sentinels

import (
	"errors"
	"fmt"
)

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }

type operation struct {
	Name string
	Err  error
}

func (o *operation) Error() string { return o.Name + ": " + o.Err.Error() }

func (o *operation) Unwrap() error { return o.Err }

type crowded struct{ by map[string]int }

func (c *crowded) Error() string { return "crowded" }

func (c *crowded) count() int { c.by["all"]++; return c.by["all"] }

func pair() (error, error) { return errors.New("left"), &notFound{"right"} }

var (
	limit = 3

	errClosed               = errors.New("closed")
	errMissing        error = &notFound{"x"}
	errOpen           error = &operation{"open", errClosed}
	errLimit                = fmt.Errorf("more than %d", limit)
	errLeft, errRight       = pair()
	errByName               = map[string]error{"closed": errClosed, "own": errors.New("own")}
	errList                 = []error{errors.New("first"), nil}
	settings                = struct {
		retries int
		err     error
	}{3, errors.New("settings")}

	errCrowded error = &crowded{map[string]int{}}
)

func missing(err error) string {
	var nf *notFound
	if errors.As(err, &nf) {
		return nf.name
	}
	var op *operation
	if errors.As(err, &op) {
		return op.Name
	}
	return ""
}
