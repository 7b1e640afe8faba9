package explore

// An index finds the entries of a list by their hashes. It is what the recorder has for a map: the
// race detector sees nothing of it.
type index struct {
	slots []indexSlot // their number is a power of two, or 0
	used  int
}

type indexSlot struct {
	hash  uint64
	entry int32 // 1 + the number of the entry; 0: the slot is free
}

// find returns the number of the entry with a hash for which is says so, -1 if there is none.
func (x *index) find(hash uint64, is func(entry int) bool) int {
	if len(x.slots) == 0 {
		return -1
	}
	for k := hash; ; k++ {
		s := &x.slots[k&uint64(len(x.slots)-1)]
		switch {
		case s.entry == 0:
			return -1
		case s.hash == hash && is(int(s.entry-1)):
			return int(s.entry - 1)
		}
	}
}

// add adds an entry, which find does not find.
func (x *index) add(hash uint64, entry int) {
	if 2*x.used >= len(x.slots) {
		old := x.slots
		x.slots = make([]indexSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.entry != 0 {
				x.put(s)
			}
		}
	}
	x.used++
	x.put(indexSlot{hash, int32(entry + 1)})
}

func (x *index) put(s indexSlot) {
	for k := s.hash; ; k++ {
		if to := &x.slots[k&uint64(len(x.slots)-1)]; to.entry == 0 {
			*to = s
			return
		}
	}
}

// mixed returns a hash that has taken in v; the first is 0.
func mixed(hash, v uint64) uint64 {
	hash = (hash ^ v) * 0x9e3779b97f4a7c15
	return hash ^ hash>>32
}
