package fork

import (
	"fmt"
	"sync/atomic"
	"time"
)

// A stack is split in three, by two positions besides its ends:
//
//	0 ........ tail ........ split ........ top
//	  claimed       public         private
//
// The private forks are the owner's alone: plain memory. A fork and its join, if the fork is still
// private, are two plain stores, one atomic load and three branches together on top of the call.
// tail and the public end of split lie in one word, so that one compare-and-swap decides who runs
// a fork:
//
//	claim    thief   (t, s, -) -> (t+1, s, -)     if t < s; hungry if t+1 = s and it wants more
//	ask      thief   (t, t, -) -> (t, t, hungry)
//	expose   owner   (t, t, *) -> (p, p+n, -)     p is the owner's split; a plain store will do
//	         owner   (t, s, -) -> (t, s+n, -)     if t < s
//	take     owner   (t, s, -) -> (t, q, -)       if t < s; t <= q < s
//
// hungry implies that nothing is public, so a fork and a join learn all that they need to know of
// thieves from the sign of the word. An empty word is changed by its owner, except for the bit: so
// expose may store (fork/K2). A thief reads the slot after it has claimed it, and the owner leaves
// a claimed fork alone until it has ended (fork/K1). So a word that comes back does no harm:
// whoever changes (t, s) to (t+1, s) has claimed what is at t at that instant, whatever was there
// before.
//
// Slot i keeps the frame that was last used at depth i, and the next fork at that depth finds it:
// no free list, no allocation, no pointer is stored, and the collector has no barrier to run.
//
// Which accesses rely on which
//
//	owner    1 slots, the frame's argument   2 table.Store   3 word: expose
//	thief    1 word: claim                   2 table.Load    3 slots, the frame's argument
//	         The thief sees the frame as it was forked, in a table that has it. (fork/K3)
//	thief    1 result, fault                 2 state.Swap
//	owner    1 state: Ended, or its host woken              2 result, fault
//	         The owner sees the result, and may use the frame again. (K6)
//	thief    1 word: ask                     2 it sleeps
//	owner    1 word: expose                  2 Host.Exposed
//	         The host sees the sleeper, or the sleeper the fork. (K7)
//
// Proved (package proofs), for any number of thieves, forks, joins and panics:
//
//	fork/K1    a joined fork runs once, and nobody touches it but the one who runs it
//	fork/K2    the store of the word overwrites no claim
//	fork/K3    what is claimed is there
//	fork/K4    all forks but the youngest can be claimed
//	fork/K5    a thief that asks is answered by the next fork, join or poll
//	fork/R1    this code does step by step what the proofs are about
//	fork/R2    so does each goroutine among any number of others
//
// # Rejected alternatives
//
//   - The deque of Chase and Lev: each push publishes, and each pop of the owner has a fence. It is
//     package deque's way for tasks, which are pushed once and may be stolen at any time; a fork is
//     joined by its owner a few nanoseconds later in nearly all cases.
//   - A boundary that only the owner moves, as it sees fit (private deques, the split deque of
//     LCWS): thieves wait for as long as the owner finds nothing to do. The bit makes the wait at
//     most as long as the way to the next fork, join or poll.
//   - A flag of its own for hunger: one more line of the cache to look at, and two words that must
//     agree.
//   - A generation in the word, against a word that comes back: there is nothing to tell apart.

// A Stack holds the forks of one strand of calls that were not joined yet. Its owner is the
// goroutine that runs that strand; W is what is handed to a forked function by whoever runs it, for
// example a pointer to its worker, by which it finds its own Stack.
//
// Call Init before anything else. A Stack must not be copied.
type Stack[W any] struct {
	// The owner's. The first three are positions as drawn above.

	top   int // forks not joined
	split int // from here on they are private; the public end, if something is public
	limit int // a fork at this depth has to make room, or to expose
	// A join from this depth on is a plain call if no thief has asked: split, or beyond all forks
	// if joins are checked.
	plain int
	slots []*Claim[W] // slot i keeps the frame that was last used at depth i
	most  int         // private forks, at most; even
	host  Host[W]
	none  *Claim[W]       // in slots that were not used; never written
	check func(depth int) // of joins, or nil
	// origin is the stack of the panic that a join has raised last, for Traced.
	origin []byte

	minSplit  time.Duration // never changes; see Loops
	iteration float64       // the nanoseconds of one in the last loop
	_         [64]byte

	// word is hungry (bit 63), tail (bits 32 to 62) and split (bits 0 to 31). Changed by thieves
	// and the owner as above; loaded by any goroutine.
	word atomic.Uint64
	// table is slots. Stored by the owner before it exposes what is there, loaded by thieves after
	// a claim.
	table atomic.Pointer[[]*Claim[W]]
	_     [64]byte
}

// A Host is the worker that a Stack belongs to, as the Stack needs it.
type Host[W any] interface {
	// Exposed says that forks have become public: if workers sleep, the host has to wake one. The
	// owner calls it in a fork, a join, Poll or Share.
	Exposed()
	// Await returns when c has ended: c.Ended() is true. c was claimed by another worker. The owner
	// calls it in a join. Until then it may do something else, for instance run what the thief has
	// forked; see Claim.By. It may sleep after Claim.Wait has returned true. If it panics, so does
	// the join, which can be repeated; what is left is abandoned later, by the next call of Await.
	Await(c *Claim[W])
	// Ended says that c has ended after a call of c.Wait: the host has to end the sleep of Await.
	// The thief calls it, with what it has given Run.
	Ended(c *Claim[W], thief W)
}

const (
	hungry   = 1 << 63
	maxDepth = 1 << 30

	// Private is how many of the youngest forks may be private.
	Private = 8

	minSlots = 64
)

func pack(tail, split int) uint64 { return uint64(tail)<<32 | uint64(split) }

func unpack(word uint64) (tail, split int) { return int(word &^ hungry >> 32), int(uint32(word)) }

// Init makes s an empty Stack of host. The owner-to-be calls it, before others know of s. It panics
// if host is nil.
func (s *Stack[W]) Init(host Host[W]) {
	if host == nil {
		panic("fork: Stack.Init: nil host")
	}
	s.host, s.most, s.none = host, Private, &Claim[W]{key: noKey}
	s.minSplit = minSplit
	s.grow(minSlots)
}

// Len returns how many forks were not joined yet. The owner calls it.
func (s *Stack[W]) Len() int { return s.top }

// isHungry reports whether a thief has found nothing, and nothing was made public since.
func (s *Stack[W]) isHungry() bool { return int64(s.word.Load()) < 0 }

// Asked reports whether a thief has asked, and nothing was made public since: the next fork, join
// or Poll answers it. A function that divides its work only if somebody wants a part looks at it,
// as [ForEach] does. Any goroutine may call it.
func (s *Stack[W]) Asked() bool { return s.isHungry() }

// Poll makes forks public if a thief has asked for them: the older half of the private ones. A fork
// and a join do the same. A function that does neither for long calls it now and then. The owner
// calls it.
func (s *Stack[W]) Poll() {
	if s.isHungry() {
		s.feed()
	}
}

//go:noinline
func (s *Stack[W]) feed() {
	if s.expose((s.top - s.split + 1) / 2) {
		s.host.Exposed()
	}
}

// Share makes all forks public. A function that is going to compute for long without a fork, or to
// wait, calls it. The owner calls it.
func (s *Stack[W]) Share() {
	if s.expose(s.top - s.split) {
		s.host.Exposed()
	}
}

func (s *Stack[W]) setSplit(split int) {
	s.split = split
	s.limit = min(len(s.slots), split+s.most)
	if s.check == nil {
		s.plain = split
	}
}

// CheckJoins makes each join of a fork of s call check, before it changes anything, with the number
// of older forks. check is to panic if the join is wrong: on a goroutine that is not the owner's,
// which s cannot tell, for instance. It must not call s. This is for tests: a join calls a function
// then, where it would be three branches. Before the first fork; who calls Init calls it.
func (s *Stack[W]) CheckJoins(check func(depth int)) {
	s.check, s.plain = check, maxDepth
}

// expose makes the n oldest private forks public, if there are so many. It reports whether it has
// made some public; if not, the word stays hungry.
func (s *Stack[W]) expose(n int) bool {
	if n <= 0 {
		return false
	}
	for {
		old := s.word.Load()
		tail, split := unpack(old)
		if tail == split {
			s.word.Store(pack(s.split, s.split+n)) // (fork/K2)
			break
		}
		if s.word.CompareAndSwap(old, pack(tail, s.split+n)) {
			break
		}
	}
	s.setSplit(s.split + n)
	return true
}

// take makes the youngest fork, which is not private, private again, and up to half of most in all,
// of what is public no more than the younger half. It reports false if the fork was claimed.
func (s *Stack[W]) take() bool {
	for {
		old := s.word.Load()
		tail, split := unpack(old)
		if tail >= s.split {
			return false
		}
		keep := max(tail+(split-tail)/2, split-s.most/2)
		if s.word.CompareAndSwap(old, pack(tail, keep)) {
			s.setSplit(keep)
			return true
		}
	}
}

// joinsAtOnce reports whether a join of c, the youngest fork of s, does not wait, unless a thief
// claims it right now. The owner calls it.
func (s *Stack[W]) joinsAtOnce(c *Claim[W]) bool {
	tail, _ := unpack(s.word.Load())
	return c.index >= tail || c.Ended()
}

// Claim claims the oldest public fork of s, and returns nil if there is none. The caller must run
// it. With ask, it asks the owner for more if it leaves nothing public: the next fork, join or poll
// of the owner makes public the older half of what it has. That costs the owner some 300 ns, so
// those whose loot was small should ask less often. Any goroutine may call it, except in a function
// that it runs as the owner of s, unless another goroutine is to run what is claimed.
//
// The fork of what is claimed synchronizes before the return.
func (s *Stack[W]) Claim(ask bool) *Claim[W] {
	for {
		old := s.word.Load()
		tail, split := unpack(old)
		if tail == split {
			if !ask || old&hungry != 0 || s.word.CompareAndSwap(old, old|hungry) {
				return nil
			}
			continue
		}
		next := pack(tail+1, split)
		if tail+1 == split && ask {
			next |= hungry
		}
		if s.word.CompareAndSwap(old, next) {
			return (*s.table.Load())[tail] // Partner: grow. (fork/K3)
		}
	}
}

// Ask reports whether something is public. If not, it asks for it, as Claim does. It is the last
// look of a worker that is about to sleep and must not claim any more. Any goroutine may call it.
func (s *Stack[W]) Ask() bool {
	for {
		old := s.word.Load()
		if tail, split := unpack(old); tail != split {
			return true
		}
		if old&hungry != 0 || s.word.CompareAndSwap(old, old|hungry) {
			return false
		}
	}
}

// makeRoom makes room for one more fork: in the slots, and among the private forks.
//
//go:noinline
func (s *Stack[W]) makeRoom() {
	if s.host == nil {
		panic("fork: Fork on a Stack without Init")
	}
	exposed := s.top-s.split >= s.most && s.expose(s.most/2)
	if s.top == len(s.slots) {
		if s.top >= maxDepth {
			panic(fmt.Sprintf("surewake: Fork: more than %d forks that are not joined", maxDepth))
		}
		s.grow(2 * s.top)
	}
	if exposed {
		s.host.Exposed()
	}
}

// grow makes the slots n, which is more than there are forks.
func (s *Stack[W]) grow(n int) {
	more := make([]*Claim[W], n)
	for i := copy(more, s.slots[:s.top]); i < n; i++ {
		more[i] = s.none
	}
	s.slots = more
	s.table.Store(&more) // Partner: Claim, which loads it after its claim. (fork/K3)
	s.setSplit(s.split)
}

// Trim lets the collector have the frames of greater depths, with what ended calls have left in
// them. A worker calls it before it sleeps. The owner calls it.
func (s *Stack[W]) Trim() {
	n := len(s.slots)
	for n/2 >= max(minSlots, 2*s.top) {
		n /= 2
	}
	if n < len(s.slots) {
		s.grow(n)
		return
	}
	for i := s.top; i < n; i++ {
		s.slots[i] = s.none
	}
}

// abandonUnless is deferred by functions that fork and join by themselves: unless one has returned,
// it panics, and what is left from base on is over before. (K9)
func (s *Stack[W]) abandonUnless(returned *bool, base int) {
	if !*returned {
		s.Abandon(base)
	}
}

// Abandon ends all forks but the n oldest, which nobody will join: those that are not claimed are
// not run, the others are waited for. What they panic with is dropped. A root calls it when its
// function has returned or panicked. It panics unless n is between 0 and Len. The owner calls it.
func (s *Stack[W]) Abandon(n int) {
	if n < 0 || n > s.top {
		panic(fmt.Sprintf("fork: Stack.Abandon(%d) of %d forks", n, s.top))
	}
	for s.top > n {
		c := s.slots[s.top-1]
		if s.top > s.split || s.take() {
			s.top--
		} else {
			s.host.Await(c)
			s.ended(c)
			c.fault = nil
		}
		c.frame.forget()
	}
}

// join ends the fork c and reports whether the caller is to make the call: nobody has begun it. If
// a thief has, join waits until it has ended, and does what the call did if it has not returned.
//
//go:noinline
func (s *Stack[W]) join(c *Claim[W]) bool {
	if s.check != nil {
		s.check(c.index)
	}
	switch i := c.index; {
	case i >= s.top || s.slots[i] != c:
		panic("surewake: join of a fork that was joined or abandoned")
	case i < s.top-1:
		s.Abandon(i + 1) // left by a panic that was recovered since, or forgotten
	}
	if s.top > s.split || s.take() {
		s.top--
		s.Poll()
		return true
	}
	s.host.Await(c)
	s.ended(c)
	s.Poll()
	c.raise()
	return false
}

// ended ends the youngest fork, c, which was claimed and has ended.
func (s *Stack[W]) ended(c *Claim[W]) {
	if !c.Ended() {
		panic("fork: Host.Await has returned before the fork has ended")
	}
	c.state.Store(begun)
	c.by.Store(nil)
	s.top--
	s.setSplit(s.top)
}
