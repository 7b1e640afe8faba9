package explore

// Random numbers of checked code. Each goroutine has a sequence of its own, which depends on its
// parent and on what that has drawn and started before: it is the same in every execution, and in
// whichever order the goroutines draw.

// Draw returns the next random number of the running goroutine.
//
//go:noinline
func Draw() uint64 { return eng.cur.draw() }

// draw is the generator SplitMix64.
func (t *thread) draw() uint64 {
	t.random += 0x9e3779b97f4a7c15
	z := t.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
