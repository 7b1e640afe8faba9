package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Machines as those in sync_waiter_machine_test.go.

// A lockModel is what an RWMutex must do.
type lockModel struct {
	readers, writers int // inside
	all, line        callers[bool]
}

// admits says whether nobody who is inside is in the way of who comes.
func (m *lockModel) admits(writes bool) bool {
	return m.writers == 0 && (m.readers == 0 || !writes)
}

func (m *lockModel) enter(writes bool) {
	if writes {
		m.writers++
	} else {
		m.readers++
	}
}

// come is a call that locks: c.w is what came of it.
func (m *lockModel) come(t require.TestingT, c *caller[bool], writes bool) {
	if len(m.line) == 0 && m.admits(writes) {
		require.Nil(t, c.w, "it need not wait")
		m.enter(writes)
		return
	}
	require.NotNil(t, c.w, "it must wait")
	m.all, m.line = append(m.all, c), append(m.line, c)
}

// serve lets in whose turn it is.
func (m *lockModel) serve(writes func(*caller[bool]) bool) {
	for len(m.line) > 0 && m.admits(writes(m.line[0])) {
		m.enter(writes(m.line[0]))
		m.line[0].expect = served
		m.line = m.line[1:]
	}
}

func rwMutexMachine(t *rapid.T) {
	var m RWMutex
	var want lockModel
	writes := func(c *caller[bool]) bool { return c.w.payload }
	come := func(t *rapid.T, writes bool) {
		c := &caller[bool]{}
		c.w = m.takeOrQueue(writes, &c.bell)
		want.come(t, c, writes)
	}
	t.Repeat(map[string]func(*rapid.T){
		"lock":  func(t *rapid.T) { come(t, true) },
		"rlock": func(t *rapid.T) { come(t, false) },
		"try": func(t *rapid.T) {
			may := len(want.line) == 0 && want.admits(true)
			require.Equal(t, may, m.TryLock())
			if may {
				want.enter(true)
			}
		},
		"try to read": func(t *rapid.T) {
			may := len(want.line) == 0 && want.admits(false)
			require.Equal(t, may, m.TryRLock())
			if may {
				want.enter(false)
			}
		},
		"unlock": func(t *rapid.T) {
			if want.writers == 0 {
				require.Panics(t, m.Unlock)
				return
			}
			m.Unlock()
			want.writers--
			want.serve(writes)
		},
		"runlock": func(t *rapid.T) {
			if want.readers == 0 {
				require.Panics(t, m.RUnlock)
				return
			}
			m.RUnlock()
			want.readers--
			want.serve(writes)
		},
		"give up": func(t *rapid.T) {
			if c, taken := want.all.giveUp(t, &m); taken {
				want.line = drop(want.line, c)
				want.serve(writes)
			}
		},
		"": func(t *rapid.T) {
			want.all.check(t, nil)
			word := uint64(want.writers)*rwWriter + uint64(want.readers)*rwReader
			if len(want.line) > 0 {
				word |= rwWaited
			}
			require.Equal(t, word, m.word.Load())
		},
	})
}

func mutexMachine(t *rapid.T) {
	var m Mutex
	held := false
	var all, line callers[struct{}]
	t.Repeat(map[string]func(*rapid.T){
		"lock": func(t *rapid.T) {
			c := &caller[struct{}]{}
			c.w = m.takeOrQueue(&c.bell)
			if !held {
				require.Nil(t, c.w)
				held = true
				return
			}
			require.NotNil(t, c.w)
			all, line = append(all, c), append(line, c)
		},
		"try": func(t *rapid.T) {
			require.Equal(t, !held, m.TryLock())
			held = true
		},
		"unlock": func(t *rapid.T) {
			if !held {
				require.Panics(t, m.Unlock)
				return
			}
			m.Unlock()
			if len(line) == 0 {
				held = false
				return
			}
			line[0].expect = served
			line = line[1:]
		},
		"give up": func(t *rapid.T) {
			if c, taken := all.giveUp(t, &m); taken {
				line = drop(line, c)
			}
		},
		"": func(t *rapid.T) {
			all.check(t, nil)
			word := uint32(0)
			if held {
				word |= mutexHeld
			}
			if len(line) > 0 {
				word |= mutexWaited
			}
			require.Equal(t, word, m.word.Load())
		},
	})
}

func TestMutexDoesWhatItsModelDoes(t *testing.T)   { rapid.Check(t, mutexMachine) }
func TestRWMutexDoesWhatItsModelDoes(t *testing.T) { rapid.Check(t, rwMutexMachine) }

func FuzzMutex(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(mutexMachine)) }
func FuzzRWMutex(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rwMutexMachine)) }
