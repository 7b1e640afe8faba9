package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A machine as those in sync_waiter_machine_test.go.
func placesMachine(t *rapid.T) {
	limit := rapid.IntRange(1, 4).Draw(t, "limit")
	rt := &Runtime{}
	p := &rt.places
	p.limit, p.free = limit, limit
	held, closed := 0, false
	var all, line callers[int]
	fits := func(n int) bool { return held == 0 || held+n <= limit }
	serve := func() {
		for len(line) > 0 && fits(line[0].value) {
			held += line[0].value
			line[0].expect = served
			line = line[1:]
		}
	}
	some := rapid.IntRange(1, limit+2)
	t.Repeat(map[string]func(*rapid.T){
		"submit": func(t *rapid.T) {
			n := some.Draw(t, "n")
			c := &caller[int]{value: n}
			var err error
			c.w, err = p.takeOrQueue(n, &c.bell)
			switch {
			case closed:
				require.Equal(t, ErrClosed, err)
				require.Nil(t, c.w)
			case len(line) == 0 && fits(n):
				require.NoError(t, err)
				require.Nil(t, c.w)
				held += n
			default:
				require.NoError(t, err)
				require.NotNil(t, c.w)
				all, line = append(all, c), append(line, c)
			}
		},
		"try": func(t *rapid.T) {
			n := some.Draw(t, "n")
			taken, err := p.try(n)
			require.Equal(t, !closed && len(line) == 0 && fits(n), taken)
			require.Equal(t, closed, err == ErrClosed)
			if taken {
				held += n
			}
		},
		"exceed": func(t *rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "whether") > 0 {
				return
			}
			err := p.exceed(1)
			require.Equal(t, closed, err == ErrClosed)
			if !closed {
				held++
			}
		},
		"end": func(t *rapid.T) {
			if held == 0 {
				return
			}
			for range rapid.IntRange(1, held).Draw(t, "n") {
				(&task{rt: rt}).leave(nil)
				held--
				serve()
			}
		},
		"give up": func(t *rapid.T) {
			if c, taken := all.giveUp(t, p); taken {
				line = drop(line, c)
				serve()
			}
		},
		"close": func(t *rapid.T) {
			if rapid.IntRange(0, 19).Draw(t, "whether") > 0 {
				return
			}
			p.close()
			closed = true
			for _, c := range line {
				c.expect = refused
			}
			line = nil
		},
		"": func(t *rapid.T) {
			require.Equal(t, limit-held, p.free)
			require.Equal(t, len(line), p.line.count())
			free, waiting := p.stats()
			require.Equal(t, [2]int{limit - held, len(line)}, [2]int{free, waiting})
			all.check(t, func(n int) int { return n })
		},
	})
}

func TestPlacesMachine(t *testing.T) { rapid.Check(t, placesMachine) }

func FuzzPlaces(f *testing.F) { f.Fuzz(rapid.MakeFuzz(placesMachine)) }
