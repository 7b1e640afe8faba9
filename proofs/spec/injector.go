package spec

import "slices"

// The variables of the table of the injector, beside those of package idle.
//
// The injector is a queue for everybody, under a mutex: outsiders push, workers push what does not
// fit their rings, and workers take batches. q is its length, and len what has been published of
// it: whoever looks without the lock sees len. lock is 0 if the mutex is free, else where its
// holder is:
//
//	1  outsider, has found it open          2  has stored the new length
//	3  worker, about to take                4  has taken several      5  has taken one
//	6  searcher, about to take              7  has taken several      8  has taken one
//	9  worker, about to push an overflow   10  has stored the new length
//	11 closer, has the lock
//	12 outsider, about to push a woken task
//	13 has stored the new length
//
// shut is set under the lock; closed is package idle's, as before, and comes after it. r is how
// many tasks are in the rings. Workers are in more places than those of idle:
//
//	L  running, has seen a length above 0 and wants the lock       G  the same, searching, counted
//	T  running, has a batch in hand                                U  the same, counted
//	V  running, has an overflow batch in hand
//	J  after Publish, has seen the rings empty, and has yet to look at len
//	K  after Publish, has seen len 0, and has yet to look at the rings
//	X  was told Closed                                             E  has ended
//
// h is how many tasks are in the hands of T and U, and v in those of V. accepted counts tasks that
// somebody was told are accepted, refused those that were refused; done, those that a worker has
// taken to run. left, spawns and closing are what is still to come: pushes from outside, spawns by
// workers, and the end; wakes, how often a task that has run before will be woken from outside and
// so be queued again.
var handing = []string{"A", "C", "B", "J", "K", "P"}

// The rule for one of several hands, with n of the h tasks in them: each has one at least, and the
// last one has what is left.
const (
	takers   = "(T + U + either(lock == 4 || lock == 7, 1, 0))"
	oneOfTwo = "n >= 1 && n <= h && h - n >= " + takers + " - 1 && implies(" + takers +
		" == 1, n == h)"
	spillers = "(V + either(lock == 9, 1, 0))"
)

// living counts the workers that have not ended, whoever of them has the lock included.
var living = "(" + sum(append([]string{"R", "L", "S", "G", "F", "T", "U", "V", "X"},
	each(handing, stages...)...)...) +
	" + either(lock >= 3 && lock <= 10, 1, 0))"

// Injector is the hand-off from outside to the workers' rings: the injector, what is in transit,
// the rings, and package idle with one word of its bitmap. How many a worker takes is bounded by
// what there is; package runtime bounds it further.
func Injector() *System { return injector("") }

// InjectorWithin is the same with at most hands notifiers at a time.
func InjectorWithin() *System { return injector(" && m0 + m1 < hands") }

// injector has the condition for another notifier.
func injector(may string) *System {
	s := &System{
		Name: "injector",
		Vars: append([]string{"left", "spawns", "closing", "wakes", "hands", "q", "len", "r", "h",
			"v", "accepted", "refused", "done", "lock", "shut", "closed",
			"searching", "R", "L", "S", "G", "F", "T", "U", "V", "X", "E", "m0", "m1"},
			each(handing, stages...)...),
		Params: []string{"n"},
		Rules: []Rule{
			{"push_lock", "push, fill: Lock, the look at closed",
				"left > 0 && lock == 0 && shut == 0", "left--; lock = 1"},
			{"push_refused", "push, fill: Lock, the look at closed",
				"left > 0 && lock == 0 && shut == 1", "left--; refused++"},
			{"push_store", "push, fill: length.Store", "lock == 1 && n >= 1",
				"lock = 2; q += n; len += n; accepted += n"},
			{"push_unlock", "push, fill: Unlock, then the caller's notify", "lock == 2" + may,
				"lock = 0; m0++"},
			{"wake_lock", "schedule: push: Lock",
				"wakes > 0 && done > 0 && lock == 0 && closed == 0", "wakes--; lock = 12"},
			{"wake_store", "schedule: push: length.Store", "lock == 12 && done > 0",
				"lock = 13; done--; q++; len++"},
			{"wake_unlock", "schedule: push: Unlock, then notify", "lock == 13" + may,
				"lock = 0; m0++"},

			{"look", "fetch: length.Load", "R > 0 && len > 0", "R--; L++"},
			{"take_lock", "take: Lock", "L > 0 && lock == 0", "L--; lock = 3"},
			{"take", "take: length.Store", "lock == 3 && n >= 2 && n <= q",
				"lock = 4; q -= n; len -= n; h += n - 1; done++"},
			{"take_one", "take: length.Store", "lock == 3 && q >= 1",
				"lock = 5; q--; len--; done++"},
			{"take_none", "take: Unlock, others were faster", "lock == 3 && q == 0",
				"lock = 0; R++"},
			{"take_unlock", "take: Unlock", "lock == 4", "lock = 0; T++"},
			{"take_one_unlock", "take: Unlock", "lock == 5", "lock = 0; R++"},
			{"land", "fetch: the last Push, then notify", "T > 0 && " + oneOfTwo + may,
				"T--; R++; r += n; h -= n; m0++"},

			{"look_searching", "fetch: length.Load, by a searcher", "S > 0 && len > 0", "S--; G++"},
			{"take_lock_searching", "take: Lock", "G > 0 && lock == 0", "G--; lock = 6"},
			{"take_searching", "take: length.Store", "lock == 6 && n >= 2 && n <= q",
				"lock = 7; q -= n; len -= n; h += n - 1; done++"},
			{"take_one_searching", "take: length.Store", "lock == 6 && q >= 1",
				"lock = 8; q--; len--; done++"},
			{"take_none_searching", "take: Unlock, others were faster", "lock == 6 && q == 0",
				"lock = 0; S++"},
			{"take_unlock_searching", "take: Unlock", "lock == 7", "lock = 0; U++"},
			{"take_one_unlock_searching", "take: Unlock", "lock == 8", "lock = 0; F++"},
			{"land_searching", "fetch, StealInto: the tail.Store of what was not the first; " +
				"Found comes later", "U > 0 && " + oneOfTwo, "U--; F++; r += n; h -= n"},

			{"pop", "pick: Pop", "R > 0 && r > 0", "r--; done++"},
			{"steal", "StealInto: the claim", "S > 0 && n >= 2 && n <= r",
				"S--; U++; r -= n; h += n - 1; done++"},
			{"steal_one", "StealInto: the claim", "S > 0 && r > 0", "S--; F++; r--; done++"},
			{"spawn", "pushLocal: Push, then notify", "R > 0 && spawns > 0" + may,
				"spawns--; r++; accepted++; m0++"},
			{"overflow", "pushFull: head.CompareAndSwap", "R > 0 && spawns > 0 && n >= 1 && n <= r",
				"spawns--; accepted++; R--; V++; r -= n; v += n + 1"},
			{"overflow_lock", "overflow: push: Lock", "V > 0 && lock == 0", "V--; lock = 9"},
			{"overflow_store", "overflow: push: length.Store",
				"lock == 9 && n >= 1 && n <= v && v - n >= V && implies(V == 0, n == v)",
				"lock = 10; q += n; len += n; v -= n"},
			{"overflow_unlock", "overflow: push: Unlock, then notify", "lock == 10" + may,
				"lock = 0; R++; m0++"},

			{"publish", "Publish: word.Or, not a searcher", "R > 0", "R--; C_b++"},
			{"publish_searching", "Publish: word.Or, a searcher", "S > 0", "S--; A_b++"},
			{"timeout", "Woke(false): word.And had the bit", "P_b > 0", "P_b--; R++"},

			{"close_lock", "stopIfDone: Lock", "closing > 0 && lock == 0", "closing--; lock = 11"},
			{"close_unlock", "stopIfDone: closed, Unlock", "lock == 11", "lock = 0; shut = 1"},
			{"close", "stopIfDone: Close: closed.Store", "shut == 1 && closed == 0 && lock < 12",
				"closed = 1"},
			{"close_done", "Close returns: see idle/I10",
				"closed == 1 && B_b + J_b + K_b + P_b == 0", "closed = 2"},
			{"closed_own", "Publish: word.And had the bit", "C_b > 0 && closed > 0", "C_b--; X++"},
			{"last_look", "sleep: holds, after Closed: length.Load", "X > 0 && len > 0",
				"X--; L++"},
			{"last_pop", "sleep: holds, after Closed: its ring", "X > 0 && r > 0",
				"X--; R++; r--; done++"},
			{"end", "sleep: holds, after Closed: there is nothing",
				"X > 0 && len == 0 && implies(" + living + " == 1, r == 0)", "X--; E++"},
		},
	}
	for _, p := range handing {
		s.Rules = append(s.Rules, Rule{"close_claim_" + p, "Close: word.And", "closed == 1 && " +
			p + "_b > 0", p + "_b--; " + p + "_c++"})
	}
	for _, k := range stages {
		s.Rules = append(s.Rules, Rule{"open" + k, "Publish: closed.Load", "C" + k +
			" > 0 && closed == 0", "C" + k + "--; B" + k + "++"})
		if k != "_b" {
			s.Rules = append(s.Rules,
				Rule{"closed" + k, "Publish: word.And had no bit", "C" + k + " > 0 && closed > 0",
					"C" + k + "--; P" + k + "++"})
		}
		// The two looks, in either order.
		for _, look := range []struct{ name, code, from, to, at string }{
			{"recheck_rings", "takeable: the rings", "B", "J", "r"},
			{"recheck_length", "takeable: length.Load", "B", "K", "len"},
			{"recheck_length_last", "takeable: length.Load", "J", "P", "len"},
			{"recheck_rings_last", "takeable: the rings", "K", "P", "r"},
		} {
			from := look.from + k
			s.Rules = append(s.Rules,
				Rule{look.name + k, look.code, from + " > 0 && " + look.at + " == 0", from +
					"--; " + look.to + k + "++"},
				Rule{look.name + "_work" + k, look.code + ", then notify", from + " > 0 && " +
					look.at + " > 0" + may, from + "--; P" + k + "++; m0++"})
		}
	}
	s.Rules = slices.Concat(s.Rules, handingOver(handing, may, notifyingAgents()),
		handingOver(parking, may, leavingAgents()), handingOver(parking, may, unjoiningAgents()))
	s.Init = s.startsRunning("left", "spawns", "closing", "wakes", "hands")
	s.Samples = []Sample{{map[string]int{"R": 2, "left": 1, "spawns": 2, "closing": 1, "wakes": 1,
		"hands": 2}, 2}}
	return s
}

// InjectorRuns is the same without timeouts and joins, for what is said about whole runs: a worker
// gives up only when it has seen the length 0 and the rings empty, and Close claims only who is
// past its look at closed (see idle/I10 for the others, each of whom it may claim once).
func InjectorRuns() *System {
	s := InjectorWithin().Without("timeout").Without("close_claim_A").Without("close_claim_C").
		Without("leave_last").Without("leave")
	s.Name = "injector, without timeouts"
	return s.With(Rule{"publish", "the looks at the queues, then Publish: word.Or",
		"R > 0 && len + r == 0", "R--; C_b++"}).
		With(Rule{"publish_searching", "the looks at the queues, then Publish: word.Or",
			"S > 0 && len + r == 0", "S--; A_b++"})
}

// bearers are those who have something in transit and will notify, or who are on the count.
var bearers = append([]string{"S", "G", "F", "T", "U", "V", "m0", "m1"},
	each(handing, "_c", "_i", "_t")...)

// handOff says that while queue is not empty and a worker sleeps that has looked at it, somebody is
// under way; the places are those in which a worker with its bit has not looked at it yet.
func handOff(queue string, asleep, awake []string) string {
	return "implies(" + queue + " > 0 && " + sum(each(asleep, "_b")...) + " > 0, " +
		sum(append(each(awake, "_b"), bearers...)...) +
		" + either(closed == 1 || lock == 2 || lock == 4 || lock >= 6 && lock <= 10 || lock == " +
		"13, 1, 0) > 0)"
}

var (
	// HandOffCounted: searching is exact, whoever has a batch in hand or the lock included.
	HandOffCounted = "searching == " +
		sum(append([]string{"S", "G", "F", "U", "A_b", "A_c", "A_i", "A_t"},
			each(handing, "_i", "_t")...)...) +
		" + either(lock >= 6 && lock <= 8, 1, 0)"

	// InjectorWakes: no wakeup for a task in the injector is lost across the hand-off.
	InjectorWakes = handOff("q", []string{"K", "P"}, []string{"A", "C", "B", "J"})

	// RingWakes: no wakeup for a task in the rings is lost across the hand-off.
	RingWakes = handOff("r", []string{"J", "P"}, []string{"A", "C", "B", "K"})

	// AtRestTogether: nobody is under way, nobody has anything in transit. Workers run long tasks,
	// or sleep; then none sleeps while there is a task.
	AtRestTogether = "implies(q + r > 0 && " +
		sum(append(each([]string{"A", "C", "B", "J", "K"}, "_b"),
			append([]string{"L", "X", "lock"}, bearers...)...)...) +
		" == 0 && closed != 1, P_b == 0)"

	// EverythingEnds: where nothing can happen any more, all that was accepted was done; all
	// workers have ended if there was a Close, and sleep if there was none.
	EverythingEnds = "left == 0 && q + r + h + v == 0 && accepted == done && lock + m0 + m1 + " +
		"searching == 0 && " +
		"either(shut == 1, " + living + " == 0, closing == 0 && P_b == " + living + ")"
)

const (
	// LengthExact: what is published is the length.
	LengthExact = "len == q"

	// NothingLost: what was accepted is in the injector, in somebody's hands, in a ring, or done,
	// once.
	NothingLost = "accepted == q + h + v + r + done"

	// InHands: in hand is something if and only if somebody has it there.
	InHands = "h >= " + takers + " && implies(" + takers + " == 0, h == 0) && v >= " + spillers +
		" && implies(" + spillers + " == 0, v == 0)"

	// Shutting: one after the other, and whoever has found the injector open has it open.
	Shutting = "lock <= 13 && shut <= 1 && closed <= 2 && implies(lock >= 12, closed == 0) && " +
		"implies(closed > 0, shut == 1) && implies(X + E > 0, closed > 0) && implies(lock == 1, " +
		"shut == 0)" +
		" && implies(closed == 2, B_b + J_b + K_b + P_b == 0)"
)

// Drained: when all workers have ended, everything that was accepted is done, and nothing will be
// accepted any more.
var Drained = "implies(" + living + " == 0, shut == 1 && closed > 0 && q + h + v + r == 0 && " +
	"accepted == done)"
