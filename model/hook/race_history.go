//go:build race

package hook

import "github.com/surewake/surewake/model/explore"

func init() { explore.WriteMark, explore.ReadMark = writeMark, readMark }

//go:noinline
func writeMark(word *uint64) { *word = 1 }

//go:noinline
func readMark(word *uint64) { seenMark = *word }

var seenMark uint64 // the dispatcher's
