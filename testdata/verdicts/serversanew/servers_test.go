// Package serversanew has a check of a goroutine that initialisation began, where TestMain has
// changed what that does not hold.
package serversanew

import (
	"os"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/testdata/verdicts/servers"
)

var (
	anew  = servers.Start()
	limit = 1
)

func init() {
	limit = 2
	go func() {}()
}

func TestMain(m *testing.M) {
	limit = 5
	os.Exit(m.Run())
}

// verdict: proved without assumptions
func TestServerThatIsMadeAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		anew.Limit++
		got := anew.Ask()
		x.Assert(got == 1 && limit == 5, "%d, %d", got, limit)
		limit++
	})
}
