package idle_test

import "testing"

// FuzzOperations holds strings of operations on a Coordinator against the model, see fleet. An
// operation is one byte: the low four bits say what, the others on which worker. What does not fit
// is skipped, so that every string means something.
func FuzzOperations(f *testing.F) {
	const publish, notify, give, woke, search, found, claim, slowly, count, closing = 0, 1, 2, 3, 4,
		5, 6, 7, 8, 9
	const w1, w2 = 1 << 4, 2 << 4 // added: worker 1 or 2 of the few
	add := func(size byte, ops ...byte) { f.Add(size, ops) }
	add(0, publish, notify, give, woke, found)
	// a timeout against a claim
	add(0, publish, slowly, woke, count, woke, give, woke, found)
	// one claimed, one timed out
	add(1, publish, w1+publish, notify, notify, woke, w1+woke, give, woke, found)
	// the cap
	add(1, search, w1+search, publish, found, w1+found)
	// a chain
	add(4, publish, w1+publish, w2+publish, notify, give, woke, found, w1+give, w1+woke, found)
	// close
	add(4, search, w1+search, w2+publish, found, w1+publish, notify, w2+give, closing, w2+woke)
	// one of them
	add(5, w2+publish, w2+claim, w2+woke, publish, closing, w2+give, w2+woke, w2+publish, give,
		woke)
	f.Fuzz(func(t *testing.T, size byte, code []byte) {
		if len(code) > 200 {
			t.Skip("long strings show no more than short ones")
		}
		fleet := newFleet(t, sizes[int(size)%6])
		last := len(fleet.workers) - 1
		few := []int{0, min(1, last), last, max(0, last-1), last / 2}
		for _, b := range code {
			o, i := ops[int(b&15)%len(ops)], few[int(b>>4)%len(few)]
			if o.fits(&fleet.workers[i]) {
				o.do(fleet, i)
			}
		}
		fleet.check()
		fleet.drain()
	})
}
