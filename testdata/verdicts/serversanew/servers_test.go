// Package serversanew has a check of a goroutine that initialisation began, where TestMain has
// changed what that does not hold.
package serversanew

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

var (
	anew  = start()
	limit = 1
)

func init() {
	limit = 2
	go func() {}()
}

func TestMain(m *testing.M) {
	limit = 5
	os.Exit(m.Run())
}

// verdict: proved without assumptions
func TestServerThatIsMadeAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		anew.limit++
		got := anew.ask()
		x.Assert(got == 1 && limit == 5, "%d, %d", got, limit)
		limit++
	})
}
