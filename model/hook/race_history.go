//go:build race

package hook

import "github.com/surewake/surewake/model/explore"

func init() {
	explore.WriteMark = [...]func(*uint64){writeMark0, writeMark1, writeMark2, writeMark3}
	explore.ReadMark = readMark
}

//go:noinline
func writeMark0(word *uint64) { *word = 0 }

//go:noinline
func writeMark1(word *uint64) { *word = 1 }

//go:noinline
func writeMark2(word *uint64) { *word = 2 }

//go:noinline
func writeMark3(word *uint64) { *word = 3 }

//go:noinline
func readMark(word *uint64) { seenMark = *word }

var seenMark uint64 // the dispatcher's
