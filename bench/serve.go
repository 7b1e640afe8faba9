package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// A server measures rows for a driver: each line that it reads is a request, each that it writes an
// answer. The program in folder rust does the same.
//
//	open KEY    sets up the contenders of a row, instead of those of the row before, and lets each
//	            do its work twice; no contenders if there is no such row
//	run MS      lets the contenders take turns for so many milliseconds, at least one round each
type server struct {
	all    []contender
	allocs []float64
	done   func()
}

// measured is what a contender did.
type measured struct {
	Name   string  `json:"name"`
	Peer   bool    `json:"peer"`
	Ops    float64 `json:"ops"`
	Allocs float64 `json:"allocs"`
	Times  []int64 `json:"times"` // of each round, in ns
}

func serve(requests io.Reader, answers io.Writer) error {
	s := &server{done: func() {}}
	defer func() { s.done() }()
	lines := bufio.NewScanner(requests)
	to := json.NewEncoder(answers)
	for lines.Scan() {
		answer, err := s.answer(lines.Text())
		if err == nil {
			err = to.Encode(answer)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

func (s *server) answer(request string) ([]measured, error) {
	what, argument, _ := strings.Cut(request, " ")
	switch what {
	case "open":
		s.open(argument)
		return s.run(nil), nil
	case "run":
		var millis int
		if _, err := fmt.Sscan(argument, &millis); err != nil {
			return nil, err
		}
		return s.run(s.turns(time.Duration(millis) * time.Millisecond)), nil
	}
	return nil, fmt.Errorf("no such request: %q", request)
}

func (s *server) open(key string) {
	s.done()
	s.all, s.allocs, s.done = nil, nil, func() {}
	for _, r := range rows() {
		if r.key == key {
			s.all, s.done = r.open()
			s.allocs = warmUp(s.all)
		}
	}
}

// turns returns the times of each contender. Those that take long have one round.
func (s *server) turns(length time.Duration) [][]int64 {
	times := make([][]int64, len(s.all))
	for begin, first := time.Now(), true; first || time.Since(begin) < length; first = false {
		for i, c := range s.all {
			if c.rarely && !first {
				continue
			}
			times[i] = append(times[i], c.run().Nanoseconds())
			time.Sleep(settle)
		}
		if len(s.all) == 0 {
			break
		}
	}
	return times
}

func (s *server) run(times [][]int64) []measured {
	all := []measured{}
	for i, c := range s.all {
		r := measured{Name: c.name, Peer: c.peer, Ops: float64(c.ops), Allocs: s.allocs[i]}
		if times != nil {
			r.Times = times[i]
		}
		all = append(all, r)
	}
	return all
}
