package runtime

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// A goroutine uses the shared runtime for the first time while another does: one is started, and
// runs what both submit.
func TestTheSharedRuntimeIsStartedOnce(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		shared := lazily(worldOptions(1)...)
		var used [2]*Runtime
		var counts [2]count
		use := func(i int) {
			used[i] = shared()
			wait(x, Submit(used[i], counts[i].run), 1)
		}
		x.Go("other", func() { use(1) })
		use(0)
		x.Join()
		x.Assert(used[0] == used[1], "two are started")
		w := world{used[0], x}
		w.once(&counts[0], &counts[1])
		x.Assert(w.raiseMode(draining), "somebody has closed it")
		<-w.Done()
		w.over()
	})
}
