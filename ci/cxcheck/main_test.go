package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// The comments in testdata say where what is reported. A directive without a reason excepts
// nothing.
func TestCxOfSomebodyElseIsReported(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer, "a")
}
