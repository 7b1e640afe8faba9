package broken

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestF(t *testing.T) {
	model.Check(t, func(x *model.Exec) { f() })
}
