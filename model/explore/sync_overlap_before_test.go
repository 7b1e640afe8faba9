//go:build !race

package explore

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A conversion that was made before an exploration counts for a whole search, and for a part of one
// that somebody has begun who does not know of it.
func TestConversionsBeforeAnExplorationCount(t *testing.T) {
	defer overlaidBefore.Store(overlaidBefore.Load())
	OverlayWords()
	var word uint64
	at := unsafe.Pointer(&word)
	body := func() {
		Go("", func() { Enter(at, OpAdd|Wide) }, true)
		Go("", func() { Enter(unsafe.Add(at, 4), OpAdd) }, true)
		Join()
	}
	cfg := Config{Preemptions: -1}
	require.EqualValues(t, 2, Run(cfg, body).Complete)
	cfg.Subtree = &Subtree{}
	res := Run(cfg, body)
	require.NotNil(t, res.Again)
	cfg.Subtree = res.Again
	res = Run(cfg, body)
	if res.Again != nil { // of words that do overlap
		cfg.Subtree = res.Again
		res = Run(cfg, body)
	}
	require.EqualValues(t, 2, res.Complete)
}
