// Package narrowed has checks beside what is left out, as no check leads to it.
package narrowed

import "github.com/surewake/surewake/testdata/verdicts/narrowed/shared"

func limit() int { return shared.Limit }

type part struct{}

func newPart() part { return part{} }
