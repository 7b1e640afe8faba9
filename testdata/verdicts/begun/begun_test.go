package begun

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func writes(t *testing.T, loud *int) {
	t.Helper()
	model.Check(t, func(x *model.Exec) { *loud = 1 })
}

// verdict: FAILED race
func TestByExpression(t *testing.T) { writes(t, &byExpression) }

// verdict: FAILED race
func TestByInstance(t *testing.T) { writes(t, &byInstance) }

// verdict: FAILED race
func TestByDeclared(t *testing.T) { writes(t, &byDeclared) }

// verdict: FAILED race
func TestByField(t *testing.T) { writes(t, &byField) }

// verdict: FAILED race
func TestByRange(t *testing.T) { writes(t, &byRange) }

// verdict: FAILED race
func TestByReflection(t *testing.T) { writes(t, &byReflection) }

// verdict: FAILED race
func TestByMethodValue(t *testing.T) { writes(t, &byMethodValue) }
