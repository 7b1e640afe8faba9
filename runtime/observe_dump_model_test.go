package runtime

import (
	"io"
	"testing"

	"github.com/surewake/surewake/model"
)

// Somebody looks while a named task starts, waits, is woken and ends: nothing that he reads is
// written meanwhile, he waits for nobody, and nothing is left. (runtime/R30, runtime/R31)
func TestDumpMeetsTheLifeOfATask(t *testing.T) {
	for name, options := range map[string][]Option{
		"plain/one preemption": nil, "debug/one preemption": {Debug()},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1, options...)
				var over Notify
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					cx.SetName("named")
					err := over.Wait(cx)
					w.last(cx)
					return 1, err
				})
				x.Go("looker", func() { x.Assert(w.Dump(io.Discard) == nil, "an error") })
				x.Go("waker", over.Signal)
				w.start()
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "%d, %v", v, err)
				x.Assert(Records(w.Runtime) == 0, "a record is left")
			}, model.Preemptions(1))
		})
	}
}
