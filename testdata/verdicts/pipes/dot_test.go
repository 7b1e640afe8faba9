package pipes

import (
	. "io"
	"maps"
	"testing"

	"github.com/surewake/surewake/model"
)

type embedded struct{ *PipeReader }

// verdict: proved
func TestPipeOfADotImport(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := Pipe()
		e := embedded{PipeReader: r}
		keys := maps.Keys[map[*PipeReader]*PipeWriter]
		n := 0
		for k := range keys(map[*PipeReader]*PipeWriter{r: w}) {
			n++
			x.Assert(k == e.PipeReader, "%v", k)
		}
		x.Go("close", func() { w.Close() })
		_, err := ReadAll(e)
		x.Assert(err == nil && n == 1, "%v", err)
		x.Join()
	})
}
