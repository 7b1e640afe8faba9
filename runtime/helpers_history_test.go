package runtime_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

var errOver = errors.New("over")

// A history is what was called and what came back, and when.
type history struct {
	clock      atomic.Int64
	lock       sync.Mutex
	operations []porcupine.Operation
}

// do calls f, which does what input says, and records it.
func (h *history) do(client int, input any, f func() any) any {
	call := h.clock.Add(1)
	output := f()
	end := h.clock.Add(1)
	h.lock.Lock()
	defer h.lock.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client,
		Input:    input,
		Output:   output,
		Call:     call,
		Return:   end,
	})
	return output
}

// check holds the history against a model.
func (h *history) check(t *testing.T, m porcupine.Model) {
	t.Helper()
	ok := porcupine.CheckOperations(m, h.operations)
	if !ok {
		slices.SortFunc(h.operations,
			func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	}
	require.True(t, ok, "not linearizable: %+v", h.operations)
}
