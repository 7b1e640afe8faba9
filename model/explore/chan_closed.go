package explore

import "unsafe"

// Go has no way to ask whether a channel is closed without receiving its values. The runtime keeps
// that in a word of the channel; the offset of this word is determined here, at start, by closing a
// channel and comparing.

// closedAt is the offset of the word that tells whether a channel is closed.
var closedAt = func() uintptr {
	const words = 16 // of 4 bytes; a channel is longer
	place := func() (at uintptr, changed int) {
		c := make(chan [64]byte, 1)
		p := *(*unsafe.Pointer)(unsafe.Pointer(&c))
		before := *(*[words]uint32)(p)
		close(c)
		for i, w := range *(*[words]uint32)(p) {
			if before[i] == 0 && w == 1 {
				at = 4 * uintptr(i)
				changed++
			} else if before[i] != w {
				changed += 2
			}
		}
		return at, changed
	}
	at, changed := place()
	if again, n := place(); changed != 1 || n != 1 || again != at {
		panic("model/explore: where a channel of this Go release keeps that it is closed " +
			"could not be found; the checker does not know it yet")
	}
	return at
}()

// ChanClosed reports whether the channel at p is closed.
func ChanClosed(p unsafe.Pointer) bool { return *(*uint32)(unsafe.Add(p, closedAt)) != 0 }
