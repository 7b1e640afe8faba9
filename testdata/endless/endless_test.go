// Package endless has a check that nobody waits for.
package endless

import (
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
)

// TestLong makes the file that STARTED names when its second check begins.
func TestLong(t *testing.T) {
	t.Run("first", func(t *testing.T) { model.Check(t, func(*model.Exec) {}) })
	require.NoError(t, os.WriteFile(os.Getenv("STARTED"), nil, 0o600))
	t.Run("second", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n atomic.Int64
			for range 8 {
				x.Go("adds", func() {
					for range 8 {
						n.Add(1)
					}
				})
			}
		})
	})
}
