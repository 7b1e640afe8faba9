package buggy

import (
	"sync/atomic"
	"testing"
)

// The configuration is reloaded while requests read it. Host and port belong together.
type endpointConfig struct {
	host atomic.Pointer[string]
	port atomic.Int32
}

type endpoint struct {
	host string
	port int32
}

func (c *endpointConfig) set(e endpoint) {
	c.host.Store(&e.host)
	c.port.Store(e.port)
}

func (c *endpointConfig) get() endpoint {
	return endpoint{*c.host.Load(), c.port.Load()}
}

// verdict: FAILED ^assertion failed: .*a:2
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
