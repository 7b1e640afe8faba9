package hook

import (
	"math/rand"
	randv2 "math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Functions of math/rand and math/rand/v2 that draw from the source of the process draw from one of
// these: in an execution it gives what is the same in every execution, and before, in initialisers
// say, what is the same in every process. The verdict names both.

// A source is a source of both packages; it says where it was made.
type source struct{ assumption, site string }

// Uint64 draws.
//
//go:norace
func (s source) Uint64() uint64 {
	note(s.assumption, s.site)
	if !explore.InExecution() {
		return mixed(drawnBefore.Add(1))
	}
	return explore.Draw()
}

// note has verdicts name an assumption, and where it is made.
//
//go:norace
func note(assumption, site string) {
	use := explore.Use{Assumption: assumption, Site: site}
	if explore.InExecution() {
		explore.NoteUse(use, false)
	} else {
		explore.NoteBefore(use)
	}
}

var drawnBefore atomic.Uint64

// mixed is the n-th number of SplitMix64.
func mixed(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// Int63 draws.
func (s source) Int63() int64 { return int64(s.Uint64() >> 1) }

// Seed does nothing: there is one sequence.
func (s source) Seed(int64) {}

// Rand stands for the functions of math/rand: rand.Intn becomes Rand(rand.Intn, ...).Intn.
//
//go:norace
//go:noinline
func Rand[F any](_ F, assumption, site string) *rand.Rand {
	return rand.New(source{assumption, site})
}

// RandV2 stands for those of math/rand/v2.
//
//go:norace
//go:noinline
func RandV2[F any](_ F, assumption, site string) *randv2.Rand {
	return randv2.New(source{assumption, site})
}

// Seeds gives back what stands for maphash.MakeSeed: in an execution it draws. S is maphash.Seed, a
// number in a structure, which is only here for those who import its package.
//
//go:norace
//go:noinline
func Seeds[S any](makeSeed func() S, assumption, site string) func() S {
	return func() S {
		seed := makeSeed()
		if explore.InExecution() && unsafe.Sizeof(seed) == unsafe.Sizeof(uint64(0)) {
			drawn := source{assumption, site}.Uint64() | 1 // 0 is no seed
			*(*uint64)(unsafe.Pointer(&seed)) = drawn      // its field is not exported
		}
		return seed
	}
}
