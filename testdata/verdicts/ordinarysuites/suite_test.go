// Package ordinarysuites has tests that find methods by reflection, as testify's suites do.
package ordinarysuites

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/suite"
)

type counting struct {
	suite.Suite
	mu sync.Mutex
	n  int
}

func (s *counting) SetupTest() { s.n = 0 }

func (s *counting) add(locked bool) {
	if locked {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	s.n++
}

func (s *counting) TearDownTest() { s.Equal(2, s.n) }

type lockedSuite struct{ counting }

func (s *lockedSuite) TestAdd() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.add(true) })
	}
	wg.Wait()
}

func (s *lockedSuite) TestSubtests() {
	for _, name := range []string{"one", "two"} {
		s.Run(name, func() { s.add(true) })
	}
}

// verdict: proved
func TestASuite(t *testing.T) { suite.Run(t, new(lockedSuite)) }

type racySuite struct{ counting }

func (s *racySuite) TestAdd() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.add(false) })
	}
	wg.Wait()
}

// verdict: FAILED race
func TestASuiteWithARace(t *testing.T) { suite.Run(t, new(racySuite)) }
