package hook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type level int

func (level) String() string { panic("String was called") }

func TestValuesAreShownWithoutTheirMethods(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{level(-3), "-3"},
		{struct{ l level }{7}, "{7}"},
		{time.Second, "1s"},
		{float32(0.1), "0.1"},
		{complex(1, -2), "(1-2i)"},
		{uint8(200), "200"},
		{"text", `"text"`},
		{true, "true"},
		{nil, "nil"},
	} {
		require.Equal(t, c.want, show(c.value))
	}
}
