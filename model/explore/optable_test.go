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
