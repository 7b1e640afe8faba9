package explore

// chanHistory has the accesses to a channel so far, each kind in the order of the events: an
// operation finds those on which it depends without a look at all of them. The sends of a channel
// happen one after the other, and so do its receives; and their numbers rise.
type chanHistory struct {
	sends, recvs         []access
	sendLooks, recvLooks []access // accLookSend, accLookRecv
	closes               []access // accClose, and accLookSend by closing it again
	lens                 []access
	reads                []access // accClockRead
	all                  []access // everything, of timers, the clock and meetings (isWhole)
}

// closesAgain is the number of the access by which a closed channel is closed.
const closesAgain = -1 << 31

func (h *chanHistory) clear() {
	h.sends, h.recvs, h.closes, h.lens = h.sends[:0], h.recvs[:0], h.closes[:0], h.lens[:0]
	h.sendLooks, h.recvLooks = h.sendLooks[:0], h.recvLooks[:0]
	h.reads, h.all = h.reads[:0], h.all[:0]
}

// note adds an access to the channel. whole says that all of them are in one list, except for looks
// at a clock: these do not depend on one another.
func (h *chanHistory) note(a access, whole bool) {
	list := &h.all
	switch {
	case a.kind == accClockRead:
		list = &h.reads
	case !whole:
		switch a.kind {
		case accSend:
			list = &h.sends
		case accRecv:
			list = &h.recvs
		case accLookSend:
			list = &h.sendLooks
			if a.n == closesAgain {
				list = &h.closes
			}
		case accLookRecv:
			list = &h.recvLooks
		case accClose:
			list = &h.closes
		case accLen:
			list = &h.lens
		default:
			panic("explore: an access to all of a channel that has parts")
		}
	}
	*list = append(*list, a)
}

// isWhole reports whether the accesses to ch are in one list, apart from looks at a clock.
func (e *engine) isWhole(ch *channel) bool {
	return ch.timer != nil || ch.clock != nil || e.queues(ch)
}

// eachDependence calls meet with earlier accesses that a depends on. meet reports whether b now
// happens before the operation of a. Those that are left out happen before one of which this is so.
func (e *engine) eachDependence(a *access, meet func(b *access) bool) {
	ch := e.objs[a.obj].ch
	h := &ch.history
	if e.isWhole(ch) {
		reads := h.reads
		if a.kind == accClockRead {
			reads = nil
		}
		for all := h.all; len(all)+len(reads) > 0; {
			b := takeLatest(&all, &reads)
			if e.dependent(a, b) && meet(b) && (b.kind == accAll || b.kind == accClockSet) {
				return // on which everything before it depends
			}
		}
		return
	}
	dependences := dependences{e, a, meet}
	switch a.kind {
	case accSend, accLookSend:
		since := dependences.since(h.sends)
		if a.kind == accSend {
			dependences.after(h.sendLooks, since)
			dependences.after(h.lens, since)
			dependences.looks(h.recvLooks, a.n-1, since)
			dependences.numbered(h.recvs, a.n)
			dependences.numbered(h.recvs, a.n-ch.cap)
		} else {
			dependences.seen(h.recvs, a.n+1-ch.cap)
		}
	case accRecv, accLookRecv:
		since := dependences.since(h.recvs)
		if a.kind == accRecv {
			dependences.after(h.recvLooks, since)
			dependences.after(h.lens, since)
			dependences.looks(h.sendLooks, a.n+ch.cap-1, since)
			dependences.numbered(h.sends, a.n)
			dependences.numbered(h.sends, a.n+ch.cap)
		} else {
			dependences.seen(h.sends, a.n+1)
		}
	case accClose:
		dependences.since(h.sends)
		dependences.since(h.recvs)
		dependences.after(h.sendLooks, -1)
		dependences.after(h.recvLooks, -1)
	case accLen:
		dependences.since(h.sends)
		dependences.since(h.recvs)
	}
	dependences.after(h.closes, -1)
}

// takeLatest removes the last access from that of two lists which has the later one.
func takeLatest(one, other *[]access) *access {
	n, m := len(*one), len(*other)
	if n == 0 || m > 0 && (*other)[m-1].event > (*one)[n-1].event {
		one, n = other, m
	}
	last := &(*one)[n-1]
	*one = (*one)[:n-1]
	return last
}

// dependences are those of an access, for eachDependence.
type dependences struct {
	e    *engine
	of   *access
	meet func(b *access) bool
}

// since finds those in the list of a side back to one that happens before, and returns the event of
// that, -1 if there is none. A send on a closed channel is not one: looks do not depend on it.
func (s *dependences) since(list []access) int32 {
	for j := len(list) - 1; j >= 0; j-- {
		if b := &list[j]; s.e.dependent(s.of, b) && s.meet(b) && (b.kind != accSend || !b.found) {
			return b.event
		}
	}
	return -1
}

// after finds those in the list that came after an event.
func (s *dependences) after(list []access, event int32) {
	for j := len(list) - 1; j >= 0 && list[j].event > event; j-- {
		if b := &list[j]; s.e.dependent(s.of, b) {
			s.meet(b)
		}
	}
}

// numbered finds those in the list with the number n.
func (s *dependences) numbered(list []access, n int32) {
	j := firstWhere(list, func(b *access) bool { return b.n >= n })
	for ; j < len(list) && list[j].n == n; j++ {
		if b := &list[j]; s.e.dependent(s.of, b) {
			s.meet(b)
		}
	}
}

// looks finds the looks of the other side at the operation of the access, that before which there
// were n of theirs. The one before it on its own side is the event last.
func (s *dependences) looks(list []access, n, last int32) {
	if s.unbuffered() {
		s.after(list, last)
	} else {
		s.numbered(list, n)
	}
}

// seen finds the operation with the number n of the other side, which a look looks at.
func (s *dependences) seen(list []access, n int32) {
	if s.unbuffered() {
		s.since(list)
	} else {
		s.numbered(list, n)
	}
}

func (s *dependences) unbuffered() bool { return s.e.objs[s.of.obj].ch.cap == 0 }

// firstWhere returns the place of the first access that is so, if those after it are so, too.
func firstWhere(list []access, so func(b *access) bool) int {
	low, high := 0, len(list)
	for low < high {
		if mid := (low + high) / 2; so(&list[mid]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// leftWithout returns how many values there are in ch, and whether it is closed, if neither event f
// nor any event that happens after f had been executed (couldRunWithout).
func (e *engine) leftWithout(ch *channel, f, past int32) (n int32, closed bool) {
	h := &ch.history
	left := func(list []access) int {
		return firstWhere(list, func(a *access) bool { return e.without(a, f, past) })
	}
	isClose := func(a *access) bool { return a.kind == accClose }
	closes := h.closes
	if e.isWhole(ch) {
		closes = h.all
	}
	closed = ch.baseClosed
	for i := range closes {
		closed = closed || isClose(&closes[i]) && !e.without(&closes[i], f, past)
	}
	return ch.base + int32(left(h.sends)) - int32(left(h.recvs)), closed
}

// changedSince returns the first event after w by which a thread other than t changed ch, -1 if
// there is none.
func (e *engine) changedSince(ch *channel, t *thread, w int32) int32 {
	first := int32(-1)
	h := &ch.history
	for _, list := range [][]access{h.sends, h.recvs, h.closes, h.all} {
		j := firstWhere(list, func(a *access) bool { return a.event > w })
		for ; j < len(list) && (first < 0 || list[j].event < first); j++ {
			if a := &list[j]; a.changes() && int(e.stack[a.event].tid) != t.id {
				first = a.event
			}
		}
	}
	return first
}

// madeAfter returns how many accesses of the list, to one side of a channel, are of events below
// end that happen after event f or are it.
func (e *engine) madeAfter(list []access, f, end int32) int {
	from := firstWhere(list, func(a *access) bool { return e.without(a, f, wholePast) })
	return max(0, firstWhere(list, func(a *access) bool { return a.event >= end })-from)
}
