package spec

import (
	"slices"
	"strings"
)

// The variables of the tables of idle.
//
// A worker is counted by where it is:
//
//	R  running: not on the count, bit not set    S  searching, counted
//	F  has found a task, still counted           Z  has seen all queues empty (in IdleRuns only)
//	A  in Publish, bit set, still counted        C  in Publish, off the count, loads closed next
//	B  told Recheck, has yet to look             P  in the sleep, or about to be
//
// and, in the last four, by which one of four things it has, see stages:
//
//	_b  its bit    _c  a claim, not counted    _i  a claim, counted    _t  its token
//
// A notifier is m0 before it loads searching, m1 before it reads the words; from its claim on it is
// the worker's _c or _i. q is the length of one queue, whichever; left and other are how often
// something will still be put into it, and how often something will be put elsewhere, or concern
// one worker only (Claim); hands, how many notifiers there may be at a time, since each has a
// goroutine. searching is the Coordinator's; closed is 0, 1 from Close's store on, and 2 when Close
// is through.
var (
	parking = []string{"A", "C", "B", "P"}
	stages  = []string{"_b", "_c", "_i", "_t"}
)

// each returns the names of places with stages, "A_b" and so on.
func each(places []string, stages ...string) []string {
	var names []string
	for _, p := range places {
		for _, s := range stages {
			names = append(names, p+s)
		}
	}
	return names
}

func sum(names ...string) string { return "(" + strings.Join(names, " + ") + ")" }

// notifying are the rules of Notify and of the claims in Found and Publish's caller, for workers in
// these places of parking.
func notifying(places []string) []Rule {
	rules := []Rule{
		{"notify_leave", "Notify: searching.Load", "m0 > 0 && searching > 0", "m0--"},
		{"notify_go", "Notify: searching.Load", "m0 > 0 && searching == 0", "m0--; m1++"},
		{"claim_none", "claim: word.Load", "m1 > 0 && " + sum(each(places, "_b")...) + " == 0",
			"m1--"},
	}
	for _, p := range places {
		rules = append(rules,
			Rule{"claim_" + p, "take: word.And", "m1 > 0 && " + p + "_b > 0", "m1--; " + p +
				"_b--; " + p + "_c++"},
			Rule{"count_" + p, "count: searching.Add(1)", p + "_c > 0", p + "_c--; " + p +
				"_i++; searching++"},
			Rule{"token_" + p, "the claimer's Unpark", p + "_i > 0", p + "_i--; " + p + "_t++"})
	}
	return rules
}

// leaving are the rules of Search, Woke, Found, and of Publish up to its look at closed; may is the
// condition for another notifier.
func leaving(may string) []Rule {
	rules := []Rule{
		{"found_last", "Found: searching.Add(-1) is 0", "F > 0 && searching == 1" + may,
			"F--; R++; searching--; m0++"},
		{"found", "Found: searching.Add(-1) is not 0", "F > 0 && searching != 1",
			"F--; R++; searching--"},
		{"search", "Search: searching.CompareAndSwap", "R > 0", "R--; S++; searching++"},
		{"woke", "Woke(true), after the token was taken", "P_t > 0", "P_t--; S++"},
	}
	for _, s := range stages {
		rules = append(rules, Rule{"uncount" + s, "Publish: searching.Add(-1)", "A" + s + " > 0",
			"A" + s + "--; C" + s + "++; searching--"})
	}
	return rules
}

// unjoining are the rules of Found for a searcher that has found nothing: what it waited for has
// ended.
func unjoining(may string) []Rule {
	return []Rule{
		{"leave_last", "Found: searching.Add(-1) is 0, by one who leaves a join",
			"S > 0 && searching == 1" + may, "S--; R++; searching--; m0++"},
		{"leave", "Found: searching.Add(-1) is not 0, by one who leaves a join",
			"S > 0 && searching != 1", "S--; R++; searching--"},
	}
}

// rechecking are the rules of the look at the queue that follows Publish.
func rechecking(may string) []Rule {
	var rules []Rule
	for _, s := range stages {
		rules = append(rules,
			Rule{"recheck_none" + s, "the caller's recheck", "B" + s + " > 0 && q == 0", "B" + s +
				"--; P" + s + "++"},
			Rule{"recheck_work" + s, "the caller's recheck", "B" + s + " > 0 && q > 0" + may, "B" +
				s + "--; P" + s + "++; m0++"})
	}
	return rules
}

// Idle is the protocol of package idle with everything that can happen: timeouts, tasks elsewhere,
// a Close. Of the words of the bitmap it knows one; proofs/coq has all.
func Idle() *System {
	s := &System{
		Name: "idle",
		Vars: append([]string{"left", "other", "hands", "q", "searching", "closed", "R", "S", "F",
			"m0", "m1"}, each(parking, stages...)...),
		Rules: []Rule{
			{"push", "the caller's push, then Notify", "left > 0", "left--; q++; m0++"},
			{"push_elsewhere", "a push to another queue", "other > 0", "other--; m0++"},
			{"take", "the caller's look at the queue", "R > 0 && q > 0", "q--"},
			{"take_searching", "the caller's look at the queue", "S > 0 && q > 0", "S--; F++; q--"},
			{"take_elsewhere", "the caller's look at another queue", "S > 0", "S--; F++"},
			{"publish", "Publish: word.Or, not a searcher", "R > 0", "R--; C_b++"},
			{"publish_searching", "Publish: word.Or, a searcher", "S > 0", "S--; A_b++"},
			{"timeout", "Woke(false): word.And had the bit", "P_b > 0", "P_b--; R++"},
			{"close", "Close: closed.Store", "closed == 0", "closed = 1"},
			{"close_done", "Close returns: see idle/I10", "closed == 1 && B_b + P_b == 0",
				"closed = 2"},
			{"closed_own", "Publish: word.And had the bit", "C_b > 0 && closed > 0", "C_b--; R++"},
		},
	}
	for _, p := range parking {
		s.Rules = append(s.Rules,
			Rule{"claim_one_" + p, "Claim: word.And", "other > 0 && " + p + "_b > 0", "other--; " +
				p + "_b--; " + p + "_c++"},
			Rule{"close_claim_" + p, "Close: word.And", "closed == 1 && " + p + "_b > 0", p +
				"_b--; " + p + "_c++"})
	}
	for _, k := range stages {
		s.Rules = append(s.Rules, Rule{"open" + k, "Publish: closed.Load", "C" + k +
			" > 0 && closed == 0", "C" + k + "--; B" + k + "++"})
		if k != "_b" {
			s.Rules = append(s.Rules,
				Rule{"closed" + k, "Publish: word.And had no bit", "C" + k + " > 0 && closed > 0",
					"C" + k + "--; P" + k + "++"})
		}
		s.Rules = append(s.Rules, Rule{"recheck_elsewhere" + k,
			"the caller's recheck of another queue",
			"B" + k + " > 0 && q == 0 && other > 0", "B" + k + "--; P" + k + "++; other--; m0++"})
	}
	may := " && m0 + m1 < hands"
	s.Rules = slices.Concat(s.Rules, notifying(parking), leaving(may), unjoining(may),
		rechecking(may))
	s.Init = s.startsRunning("left", "other", "hands")
	s.Samples = []Sample{{Start: map[string]int{"R": 2, "left": 2, "other": 1, "hands": 3}}}
	return s
}

// startsRunning says that everybody is running and what is not mentioned is zero.
func (s *System) startsRunning(free ...string) string {
	conditions := []string{"R >= 1"}
	for _, v := range s.Vars {
		op := " == 0"
		for _, f := range append([]string{"R"}, free...) {
			if v == f {
				op = " >= 0"
			}
		}
		conditions = append(conditions, v+op)
	}
	return And(conditions...)
}

// IdleRuns is the same protocol without timeouts, other queues and Close, for what is said about
// whole runs: after the last push, somebody must do each task without any such help. A worker gives
// up only when it has seen the queue empty.
func IdleRuns() *System {
	s := &System{
		Name: "idle, without timeouts",
		Vars: append([]string{"left", "q", "searching", "closed", "R", "Z", "S", "F", "m0", "m1"},
			each(parking, stages...)...),
		Rules: []Rule{
			{"push", "the caller's push, then Notify", "left > 0", "left--; q++; m0++"},
			{"take", "the caller's look at the queue", "R > 0 && q > 0", "q--"},
			{"look_empty", "the caller's look at the queue", "R > 0 && q == 0", "R--; Z++"},
			{"publish", "Publish: word.Or, not a searcher", "Z > 0", "Z--; C_b++"},
			{"take_searching", "the caller's look at the queue", "S > 0 && q > 0", "S--; F++; q--"},
			{"publish_searching", "the look at the queue, then Publish: word.Or", "S > 0 && q == 0",
				"S--; A_b++"},
		},
	}
	for _, k := range stages {
		s.Rules = append(s.Rules, Rule{"open" + k, "Publish: closed.Load", "C" + k + " > 0", "C" +
			k + "--; B" + k + "++"})
	}
	s.Rules = slices.Concat(s.Rules, notifying(parking), leaving(""), rechecking(""))
	s.Init = s.startsRunning("left")
	s.Samples = []Sample{{Start: map[string]int{"R": 3, "left": 2}}}
	return s
}

var (
	// SearchingExact: searching is the number of those who should be on the count, at every
	// instant.
	SearchingExact = "searching == " +
		sum(append([]string{"S", "F", "A_b", "A_c", "A_i", "A_t"}, each(parking, "_i", "_t")...)...)

	// Somebody is under way who looks, or makes somebody look, after the push of every task that is
	// queued now.
	underWay = sum(append([]string{"S", "F", "A_b", "C_b", "B_b", "m0", "m1"},
		each(parking, "_c", "_i", "_t")...)...) +
		" + either(closed == 1, 1, 0)"

	// NoLostWakeup: if a task is queued and somebody is asleep, somebody is under way, Close if
	// nobody else. (After Close nobody is asleep, see CloseIsThrough.)
	NoLostWakeup = "implies(q > 0 && P_b > 0, " + underWay + " > 0)"

	// CloseIsThrough: after Close nobody is asleep.
	CloseIsThrough = "closed <= 2 && implies(closed == 2, B_b + P_b == 0)"

	// AtRest: nobody is under way. Workers run long tasks, or sleep.
	AtRest = underWay + " == 0"

	idleWorkers = sum(append([]string{"R", "Z", "S", "F"}, each(parking, stages...)...)...)

	// AllDone: every task was pushed and taken, nobody searches, and everybody is asleep with the
	// bit set.
	AllDone = "left == 0 && q == 0 && searching == 0 && m0 + m1 == 0 && P_b == " + idleWorkers
)

// IdleMeasure goes down, in this order of importance, with each step of IdleRuns: pushes to come,
// tasks, workers on the way to sleep while there are tasks, and how far everybody is from being
// asleep.
var IdleMeasure = []string{
	"left",
	"q",
	"either(q > 0, " + sum(append([]string{"Z"}, each([]string{"A", "C", "B"}, stages...)...)...) +
		", 0)",
	"B_b + 2*C_b + 3*A_b + 3*Z + 4*S + 5*R + 21*F + 15*m0 + 14*m1" +
		" + 5*P_t + 6*B_t + 7*C_t + 8*A_t + 9*P_i + 10*B_i + 11*C_i + 12*A_i + 13*P_c + 14*B_c " +
		"+ 15*C_c + 16*A_c",
}

// Close is Close against Publish and claims, in one word of the bitmap, whichever it is. What Close
// has read as set and not yet gone through is counted as _s, other bits as _b; phase is 0 before
// closed.Store, 1 before Close reads the word, 2 while it goes through what it read, and 3
// afterwards. Whoever is claimed, or has a token, is in gone.
func Close() *System {
	s := &System{Name: "close", Vars: []string{"phase", "R", "gone", "C_b", "B_b", "P_b", "C_s",
		"B_s", "P_s"}, Samples: []Sample{{Start: map[string]int{"R": 2}}}}
	s.Init = "phase == 0 && R >= 0 && gone == 0 && " +
		sum(each([]string{"C", "B", "P"}, "_b", "_s")...) + " == 0 && " + s.NonNegative()
	s.Rules = []Rule{
		{"publish", "Publish: word.Or", "R > 0", "R--; C_b++"},
		{"woke", "Woke(true)", "gone > 0", "gone--; R++"},
		{"store", "Close: closed.Store", "phase == 0", "phase = 1"},
		{"load", "Close: word.Load", "phase == 1",
			"phase = 2; C_s = C_b; B_s = B_b; P_s = P_b; C_b = 0; B_b = 0; P_b = 0"},
		{"done", "Close: the bits it read are gone through", "phase == 2 && C_s + B_s + P_s == 0",
			"phase = 3"},
	}
	s.Rules = append(s.Rules, Rule{"open", "Publish: closed.Load", "phase == 0 && C_b > 0",
		"C_b--; B_b++"})
	for _, k := range []string{"_b", "_s"} {
		s.Rules = append(s.Rules,
			Rule{"closed" + k, "Publish: word.And", "phase > 0 && C" + k + " > 0", "C" + k +
				"--; R++"},
			Rule{"recheck" + k, "the caller's recheck", "B" + k + " > 0", "B" + k + "--; P" + k +
				"++"},
			Rule{"timeout" + k, "Woke(false): word.And", "P" + k + " > 0", "P" + k + "--; R++"})
		for _, p := range []string{"C", "B", "P"} {
			s.Rules = append(s.Rules,
				Rule{"claim_" + p + k, "take: word.And, by anybody", p + k + " > 0", p + k +
					"--; gone++"})
		}
	}
	return s
}

// NobodySleepsOn: once Close is through with the word, nobody sleeps there, or will before the next
// look at closed.
const NobodySleepsOn = "implies(phase == 3, B_b + B_s + P_b + P_s == 0)"

// CloseInvariant is why: nobody gets past closed.Load after the store, and what was set before is
// in what Close reads.
const CloseInvariant = "phase >= 0 && phase <= 3 && implies(phase >= 2, B_b + P_b == 0)" +
	" && implies(phase < 2, C_s + B_s + P_s == 0) && implies(phase == 3, C_s + B_s + P_s == 0)"

// Claim is Claim against one worker: whoever has published something for it, such as a deadline,
// claims it or leaves it to its recheck. at is where the worker is: 0 awake, 1 its bit set, has yet
// to recheck, 2 asleep with its bit, 3 claimed, or its token there. pub counts what has been
// published, known what the last recheck saw of it; claimers have published and have yet to claim.
func Claim() *System {
	return &System{
		Name:    "claim",
		Vars:    []string{"at", "pub", "known", "claimers"},
		Init:    "at == 0 && pub >= 0 && known == pub && claimers == 0",
		Samples: []Sample{{}},
		Rules: []Rule{
			{"post", "the caller's store, before Claim", "true", "pub++; claimers++"},
			{"hit", "Claim: word.And had the bit", "claimers > 0 && (at == 1 || at == 2)",
				"claimers--; at = 3"},
			{"miss", "Claim: word.And had no bit", "claimers > 0 && (at == 0 || at == 3)",
				"claimers--"},
			{"notified", "take: word.And, by a notifier", "at == 1 || at == 2", "at = 3"},
			{"publish", "Publish: word.Or", "at == 0", "at = 1"},
			{"recheck", "the caller's recheck", "at == 1", "at = 2; known = pub"},
			{"timeout", "Woke(false): word.And had the bit", "at == 2", "at = 0"},
			{"woke", "Woke(true)", "at == 3", "at = 0"},
		},
	}
}

const (
	// ClaimHeard: a worker that sleeps unclaimed while nobody is about to claim it knows all that
	// was published for it.
	ClaimHeard = "implies(at == 2 && claimers == 0, known == pub)"

	// ClaimInvariant is why: what the recheck has not seen was published after it, and its claim is
	// still to come.
	ClaimInvariant = "at >= 0 && at <= 3 && known <= pub && claimers >= 0 && implies(at == 2, " +
		"pub - known <= claimers)"
)

// SomebodyThere: there is a worker, without whom IdleRuns could not end well.
var SomebodyThere = idleWorkers + " >= 1"
