package brokentest

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestWrongType(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert("yes", "") })
}
