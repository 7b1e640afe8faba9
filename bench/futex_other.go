//go:build !linux

package main

import "sync/atomic"

// bareFutex has nothing to measure here.
func bareFutex(*atomic.Int64) ([]contender, func()) { return nil, func() {} }

// futexRoundTrip neither.
func futexRoundTrip(int, func()) ([]contender, func()) { return nil, func() {} }
