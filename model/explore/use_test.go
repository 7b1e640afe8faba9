//go:build !race

package explore

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestUsesAreNamedOnceAndWhereTheyCanMatter(t *testing.T) {
	var word [3]byte
	touch := func() { Enter(unsafe.Pointer(&word), OpAdd) }
	res := Run(Config{Preemptions: -1}, func() {
		NoteUse(Use{"order", "alone"}, true)
		NoteUse(Use{"value", "alone"}, false)
		for range 2 {
			Go("", func() {
				touch()
				NoteUse(Use{"order", "together"}, true)
				NoteUse(Use{"value", "together"}, false)
				touch()
			}, true)
		}
		Join()
		NoteUse(Use{"order", "joined"}, true)
	})
	require.Nil(t, res.Failure)
	require.Greater(t, res.Complete, int64(1))
	want := []Use{{"value", "alone"}, {"order", "together"}, {"value", "together"}}
	require.Equal(t, want, res.Uses)
	NoteUse(Use{"order", "outside"}, false) // of no execution
}
