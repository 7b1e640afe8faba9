// Package shared has types that embed locks, for others to embed.
package shared

import (
	"sync"
	"sync/atomic"
	"testing"
)

type inner struct{ sync.Mutex }

// Base has a lock whose way cannot be named elsewhere.
type Base struct{ inner }

// Embed has one whose way can.
type Embed struct{ sync.Mutex }

// Alias stands for a struct without a name.
type Alias = struct{ Embed }

type locker struct{ sync.Locker }

// Locker has one from an interface.
type Locker struct{ locker }

// NewLocker gives one.
func NewLocker() *Locker { return &Locker{locker{&sync.Mutex{}}} }

type word struct{ atomic.Int64 }

// Word is a number.
type Word struct{ word }

type test struct{ *testing.T }

// Test has a test.
type Test struct{ test }

// NewTest gives one.
func NewTest(t *testing.T) *Test { return &Test{test{t}} }

type values struct{ sync.Map }

// Values is a map.
type Values struct{ values }
