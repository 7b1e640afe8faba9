// Package pointed keeps state behind pointers to what is rarely changed so.
package pointed

import (
	"errors"
	"flag"
	"fmt"
	"time"
)

// Behind a pointer to a value that the library never changes.

type limiter struct{ last *time.Time }

func (l limiter) wait(d time.Duration) int64 {
	*l.last = l.last.Add(d)
	return l.last.Unix()
}

var limit = limiter{at(100)}

func at(s int64) *time.Time {
	t := time.Unix(s, 0)
	return &t
}

// Behind a pointer to an error.

type group struct{ first *error }

func (g group) fail(err error) error {
	if *g.first == nil {
		*g.first = err
	}
	return *g.first
}

var all = group{new(error)}

// Set by a set of flags that is made by each call.

var verbose bool

func parse(args ...string) (was bool) {
	was = verbose
	set := flag.NewFlagSet("pointed", flag.ContinueOnError)
	set.BoolVar(&verbose, "v", verbose, "")
	if err := set.Parse(args); err != nil {
		panic(err)
	}
	return was
}

// Set by errors.As, through a pointer that is no address of a variable.

type codeError struct{ code int }

func (e codeError) Error() string { return fmt.Sprint(e.code) }

var last = &codeError{}

func note(err error) (before int) {
	before = last.code
	errors.As(err, last)
	return before
}

// In types that point at each other.

type server struct {
	conn *conn
	seen calls
}

type conn struct{ server *server }

type calls map[string]int

func (c calls) count(name string) int {
	c[name]++
	return c[name]
}

func (s *server) name() string { return "server" }

func (c *conn) call() int { return c.server.seen.count("call") }

var (
	idle = &server{seen: calls{}}
	peer = &conn{&server{seen: calls{}}}
)
