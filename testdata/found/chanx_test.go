package found

import (
	"context"
	"testing"

	"github.com/smallnest/chanx"
)

// The number of elements may be asked for at any time; it is approximate.
//
// verdict: FAILED data race.*chanx.NewUnboundedChanSize
func TestLengthOfAnUnboundedChannel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := chanx.NewUnboundedChanSize[int](ctx, 1, 1, 1)
	for i := range 2 {
		c.In <- i
	}
	if n := c.Len(); n > 2 {
		t.Errorf("2 elements are %d", n)
	}
}
