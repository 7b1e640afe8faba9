// Package servers has a check of a goroutine that initialisation began, where TestMain has changed
// what it works on.
package servers

// A Server answers by a goroutine of its own.
type Server struct {
	Limit int
	req   chan chan int
}

// Start begins a server.
func Start() *Server {
	s := &Server{req: make(chan chan int)}
	go s.serve()
	return s
}

func (s *Server) serve() {
	for r := range s.req {
		r <- s.Limit
	}
}

// Ask returns the limit of the server.
func (s *Server) Ask() int {
	r := make(chan int, 1)
	s.req <- r
	return <-r
}
