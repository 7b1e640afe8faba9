package servers

import (
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

var changed = Start()

func TestMain(m *testing.M) {
	changed.Limit = 5
	os.Exit(m.Run())
}

// verdict: undecided goroutines that are begun at .*servers_test.go:10:.* may work on .*changed
func TestServerThatTestMainHasChanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		got := changed.Ask()
		x.Assert(got == 5, "%d", got)
		changed.Limit = 6
	})
}
