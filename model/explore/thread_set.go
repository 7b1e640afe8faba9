package explore

import (
	"math/bits"
	"slices"
)

// A threadSet is a set of threads, by number. The zero value is the empty set. A set is copied by
// assignment; two copies change independently.
type threadSet struct {
	low  uint64     // a bit for each of the threads 0 to 63
	high *highWords // the other threads, nil if there are none
}

// wordThreads is how many threads one word has room for.
const wordThreads = 64

// highWords has the threads of a set from number 64 on, 64 to a word. The last word is not 0.
// Several sets may share one, so none of its methods changes it. Executions of at most 64 threads
// have none of them: all that they pay for larger ones is to find nil. Therefore methods of
// threadSet are small enough to be inlined, and what they call here is not.
type highWords []uint64

func (s *threadSet) add(i int) {
	if uint(i) < wordThreads {
		s.low |= 1 << uint(i)
		return
	}
	s.high = s.high.with(i)
}

func (s *threadSet) remove(i int) {
	if uint(i) < wordThreads {
		s.low &^= 1 << uint(i)
		return
	}
	s.high = s.high.less(i)
}

func (s threadSet) has(i int) bool {
	if uint(i) < wordThreads {
		return s.low>>uint(i)&1 == 1
	}
	return s.high.has(i)
}

func (s threadSet) empty() bool { return s.low == 0 && s.high == nil }

// next returns the thread with the least number from i on, -1 if there is none.
func (s threadSet) next(i int) int {
	if rest := s.low >> i; rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	return s.high.next(i)
}

// first returns the thread with the least number, -1 if there is none.
func (s threadSet) first() int {
	if s.low != 0 {
		return bits.TrailingZeros64(s.low)
	}
	if s.high == nil {
		return -1
	}
	return s.high.next(wordThreads)
}

// only returns the set of thread i.
func only(i int) threadSet {
	if uint(i) < wordThreads {
		return threadSet{low: 1 << uint(i)}
	}
	return threadSet{high: (*highWords)(nil).with(i)}
}

func (s threadSet) union(o threadSet) threadSet {
	s.low |= o.low
	if o.high != nil {
		s.high = s.high.or(o.high)
	}
	return s
}

func (s threadSet) intersection(o threadSet) threadSet {
	s.low &= o.low
	if s.high != nil {
		s.high = s.high.and(o.high)
	}
	return s
}

// without returns the threads of s that are not in o.
func (s threadSet) without(o threadSet) threadSet {
	s.low &^= o.low
	if s.high != nil {
		s.high = s.high.andNot(o.high)
	}
	return s
}

// meets reports whether s and o have a thread in common.
func (s threadSet) meets(o threadSet) bool {
	return s.low&o.low != 0 || s.high != nil && s.high.and(o.high) != nil
}

// count returns how many threads there are.
func (s threadSet) count() int {
	n := bits.OnesCount64(s.low)
	for _, w := range s.high.words() {
		n += bits.OnesCount64(w)
	}
	return n
}

func (h *highWords) words() []uint64 {
	if h == nil {
		return nil
	}
	return *h
}

// highPlace returns the word of thread i, and its bit there.
func highPlace(i int) (word int, bit uint64) {
	return i/wordThreads - 1, 1 << (uint(i) % wordThreads)
}

func (h *highWords) has(i int) bool {
	k, bit := highPlace(i)
	w := h.words()
	return k < len(w) && w[k]&bit != 0
}

func (h *highWords) with(i int) *highWords {
	if h.has(i) {
		return h
	}
	k, bit := highPlace(i)
	w := make(highWords, max(k+1, len(h.words())))
	copy(w, h.words())
	w[k] |= bit
	return &w
}

func (h *highWords) less(i int) *highWords {
	if !h.has(i) {
		return h
	}
	k, bit := highPlace(i)
	w := slices.Clone(*h)
	w[k] &^= bit
	return trimmed(w)
}

// trimmed returns w, which no set has yet, without the zeros at its end.
func trimmed(w highWords) *highWords {
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return nil
	}
	return &w
}

//go:noinline
func (h *highWords) next(i int) int {
	if h == nil {
		return -1
	}
	i = max(i, wordThreads)
	w := *h
	for k, _ := highPlace(i); k < len(w); k++ {
		if rest := w[k] >> (uint(i) % wordThreads); rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
		i = (k + 2) * wordThreads
	}
	return -1
}

//go:noinline
func (h *highWords) or(o *highWords) *highWords {
	long, short := h.words(), o.words()
	if len(long) < len(short) {
		long, short = short, long
	}
	w := highWords(slices.Clone(long))
	for k := range short {
		w[k] |= short[k]
	}
	return &w
}

func (h *highWords) and(o *highWords) *highWords {
	a, b := h.words(), o.words()
	w := make(highWords, min(len(a), len(b)))
	for k := range w {
		w[k] = a[k] & b[k]
	}
	return trimmed(w)
}

func (h *highWords) andNot(o *highWords) *highWords {
	a, b := h.words(), o.words()
	w := highWords(slices.Clone(a))
	for k := range min(len(a), len(b)) {
		w[k] &^= b[k]
	}
	return trimmed(w)
}
