// Package servers has a check of a goroutine that initialisation began, where TestMain has changed
// what it works on.
package servers

import (
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

type server struct {
	limit int
	req   chan chan int
}

func start() *server {
	s := &server{req: make(chan chan int)}
	go s.serve()
	return s
}

func (s *server) serve() {
	for r := range s.req {
		r <- s.limit
	}
}

func (s *server) ask() int {
	r := make(chan int, 1)
	s.req <- r
	return <-r
}

var changed = start()

func TestMain(m *testing.M) {
	changed.limit = 5
	os.Exit(m.Run())
}

// verdict: undecided goroutines that are begun at .*servers_test.go:35:.* may work on .*changed
func TestServerThatTestMainHasChanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		got := changed.ask()
		x.Assert(got == 5, "%d", got)
		changed.limit = 6
	})
}
