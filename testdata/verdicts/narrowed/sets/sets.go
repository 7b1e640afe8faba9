// Package sets changes another package when it is initialised.
package sets

import "github.com/surewake/surewake/testdata/verdicts/narrowed/shared"

func init() { shared.Limit = 1 }

// Use is what a benchmark imports the package for.
func Use() {}
