package repaired

import (
	"sync/atomic"
	"testing"
)

// The configuration is reloaded while requests read it. Host and port belong together.
type endpointConfig struct {
	current atomic.Pointer[endpoint]
}

type endpoint struct {
	host string
	port int32
}

func (c *endpointConfig) set(e endpoint) {
	c.current.Store(&e)
}

func (c *endpointConfig) get() endpoint {
	return *c.current.Load()
}

// verdict: proved without assumptions
func TestCheckThenActReload(t *testing.T) {
	c := &endpointConfig{}
	c.set(endpoint{"a", 1})
	done := make(chan struct{})
	go func() {
		c.set(endpoint{"b", 2})
		close(done)
	}()
	if e := c.get(); e != (endpoint{"a", 1}) && e != (endpoint{"b", 2}) {
		t.Errorf("%s:%d", e.host, e.port)
	}
	<-done
}
