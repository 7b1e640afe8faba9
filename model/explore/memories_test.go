package explore

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestWhatIsBehindAFaultIsPutBack(t *testing.T) {
	text := "read only"
	pieces := [][]byte{{1}, unsafe.Slice(unsafe.StringData(text), len(text)), {3}, {4}}
	var m Memories
	for i, now := range pieces {
		m.Add(now, make([]byte, len(now)))
		if i == 3 {
			m.then[i][0] = 4
		}
	}
	require.Equal(t, len(pieces), m.Len())
	require.False(t, m.Equal())
	var put []int
	m.Restore(func(i int) {
		put = append(put, i)
		pieces[i][0] = 0
	})
	require.Equal(t, []int{0, 1, 2}, put, "piece 1 cannot be set, piece 3 is as it was")
	require.Equal(t, byte(0), pieces[2][0])
	require.Equal(t, "read only", text)
}
