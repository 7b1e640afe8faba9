package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryOperationIsDescribed(t *testing.T) {
	for op := OpNone + 1; op < opCount; op++ {
		require.NotEmpty(t, ops[op].name, "operation %d has no entry in ops", op)
	}
}

// The search asks isAtomic before it looks for any of these functions.
func TestAtomicOperationsHaveNoModel(t *testing.T) {
	for op := OpLoad; op.isAtomic(); op++ {
		m := &ops[op]
		require.False(t, m.takes, m.name)
		for what, isNil := range map[string]bool{
			"enabled": m.enabled == nil, "enabledBefore": m.enabledBefore == nil,
			"choices": m.choices == nil, "deadline": m.deadline == nil,
			"accesses": m.accesses == nil, "wokenBy": m.wokenBy == nil, "past": m.past == nil,
			"apply": m.apply == nil, "before": m.before == nil, "meet": m.meet == nil,
		} {
			require.True(t, isNil, "%s has %s", m.name, what)
		}
	}
}
