package spec

import (
	"fmt"
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
var parking = []string{"A", "C", "B", "P"}

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

// IdleAgents is the protocol of package idle with everything that can happen: timeouts, tasks
// elsewhere, a Close, any number of workers, notifiers and words of the bitmap. All that is proved
// of idle for any number of words is proved of what is made from it.
func IdleAgents() *Agents {
	return &Agents{
		Name: "Idle", Vars: []string{"q", "searching"}, Bounds: []string{"left", "other", "hands"},
		Workers: []string{"R", "S", "F"}, Parked: parking,
		Notifiers: []string{"M0", "M1(k)", "M2(j)", "M3(j)"},
		Rules: slices.Concat(notifyingAgents(), []Rule{
			{"push", "the caller's push, then Notify", "left > 0", "left--; q++; start(M0)"},
			{"push_elsewhere", "a push to another queue", "other > 0", "other--; start(M0)"},
			{"claim_one", "Claim: word.And", "other > 0 && j.bit == 1",
				"other--; j.bit = 0; start(M2(j))"},
			{"take", "the caller's look at the queue", "i.at == R && q > 0", "q--"},
			{"take_searching", "the caller's look at the queue", "i.at == S && q > 0",
				"i.at = F; q--"},
			{"take_elsewhere", "the caller's look at another queue", "i.at == S", "i.at = F"},
			{"publish", "Publish: word.Or, not a searcher", "i.at == R", "i.at = C; i.bit = 1"},
			{"publish_searching", "Publish: word.Or, a searcher", "i.at == S",
				"i.at = A; i.bit = 1"},
			{"open", "Publish: closed.Load", "i.at == C && close.at == Open", "i.at = B"},
			{"closed_own", "Publish: word.And had the bit",
				"i.at == C && i.bit == 1 && close.at != Open", "i.at = R; i.bit = 0"},
			{"closed", "Publish: word.And had no bit",
				"i.at == C && i.bit == 0 && close.at != Open", "i.at = P"},
			{"recheck_none", "the caller's recheck", "i.at == B && q == 0", "i.at = P"},
			{"recheck_work", "the caller's recheck", "i.at == B && q > 0 && notifiers < hands",
				"i.at = P; start(M0)"},
			{"recheck_elsewhere", "the caller's recheck of another queue",
				"i.at == B && q == 0 && other > 0", "i.at = P; other--; start(M0)"},
			{"timeout", "Woke(false): word.And had the bit", "i.at == P && i.bit == 1",
				"i.at = R; i.bit = 0"},
		}, leavingAgents(), unjoiningAgents(), []Rule{
			{"close", "Close: closed.Store", "close.at == Open", "close.at = Load(0)"},
			{"close_load", "Close: word.Load", "close.at == Load(k)",
				"close.at = Claims(k, bits(k))"},
			{"close_claim", "Close: word.And", "close.at == Claims(k, j, l) && j.bit == 1",
				"j.bit = 0; start(M2(j)); close.at = Claims(k, l)"},
			{"close_miss", "Close: word.And", "close.at == Claims(k, j, l) && j.bit == 0",
				"close.at = Claims(k, l)"},
			{"close_pass", "Close: it is through with the word", "close.at == Claims(k, none)",
				"close.at = Load(k + 1)"},
			{"close_done", "Close returns: see idle/I9", "close.at == Load(k) && k >= words",
				"close.at = Done"},
		}),
	}
}

// notifyingAgents are the rules of Notify and of the claims in Found and Publish's caller.
func notifyingAgents() []Rule {
	return []Rule{
		{"notify_leave", "Notify: searching.Load", "m.at == M0 && searching > 0", "end(m)"},
		{"notify_go", "Notify: searching.Load", "m.at == M0 && searching == 0", "m.at = M1(0)"},
		{"claim_none", "claim: word.Load", "m.at == M1(k) && zero(k)", "m.at = M1(k + 1)"},
		{"claim_end", "claim: it is through with the words", "m.at == M1(k) && k >= words",
			"end(m)"},
		{"claim", "take: word.And", "m.at == M1(k) && j.word == k && j.bit == 1",
			"j.bit = 0; m.at = M2(j)"},
		{"count", "count: searching.Add(1)", "m.at == M2(j)", "searching++; m.at = M3(j)"},
		{"token", "the claimer's Unpark", "m.at == M3(j)", "j.tok++; end(m)"},
	}
}

// leavingAgents are the rules of Search, Woke, Found, and of Publish up to its look at closed.
func leavingAgents() []Rule {
	return []Rule{
		{"found_last", "Found: searching.Add(-1) is 0",
			"i.at == F && searching == 1 && notifiers < hands", "i.at = R; searching--; start(M0)"},
		{"found", "Found: searching.Add(-1) is not 0", "i.at == F && searching != 1",
			"i.at = R; searching--"},
		{"search", "Search: searching.CompareAndSwap", "i.at == R", "i.at = S; searching++"},
		{"woke", "Woke(true), after the token was taken", "i.at == P && i.tok > 0",
			"i.at = S; i.tok--"},
		{"uncount", "Publish: searching.Add(-1)", "i.at == A", "i.at = C; searching--"},
	}
}

// unjoiningAgents are the rules of Found for a searcher that has found nothing: what it waited for
// has ended.
func unjoiningAgents() []Rule {
	return []Rule{
		{"leave_last", "Found: searching.Add(-1) is 0, by one who leaves a join",
			"i.at == S && searching == 1 && notifiers < hands", "i.at = R; searching--; start(M0)"},
		{"leave", "Found: searching.Add(-1) is not 0, by one who leaves a join",
			"i.at == S && searching != 1", "i.at = R; searching--"},
	}
}

// Idle is the table that counts the agents of [IdleAgents].
func Idle() *System { return must(CountIdle(IdleAgents())) }

// CountIdle is the table that counts these.
func CountIdle(a *Agents) (*System, error) {
	s, err := a.Counted("idle")
	if err == nil {
		s.Samples = []Sample{{Start: map[string]int{"R": 2, "left": 2, "other": 1, "hands": 3}}}
	}
	return s, err
}

// must panics if a table cannot be counted, which is a mistake of this program.
func must(s *System, err error) *System {
	if err != nil {
		panic(fmt.Sprintf("spec: %v", err))
	}
	return s
}

// handingOver counts some agents of idle for a table with other parked places, and maybe without a
// bound for notifiers.
func handingOver(parked []string, may string, rules []Rule) []Rule {
	a := IdleAgents()
	a.Parked, a.Rules = parked, rules
	if may == "" {
		a = a.Unbounded("hands")
	}
	return must(a.Counted("")).Rules
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
// up only when it has seen the queue empty: then it is at Z, or at Y if it is a searcher.
func IdleRuns() *System { return must(CountIdleRuns(IdleRunsAgents())) }

// IdleRunsAgents is what [IdleRuns] counts.
func IdleRunsAgents() *Agents { return idleRuns().Without("timeout") }

// IdleLivesAgents is [IdleRunsAgents] with pushes and timeouts without end.
func IdleLivesAgents() *Agents { return idleRuns().Unbounded("left") }

func idleRuns() *Agents {
	a := IdleAgents().Unbounded("hands").Without("push_elsewhere", "claim_one", "take_elsewhere",
		"closed_own", "closed", "recheck_elsewhere", "leave_last", "leave", "close",
		"close_load", "close_claim", "close_miss", "close_pass", "close_done").Unbounded("other")
	a.Workers = []string{"R", "Z", "S", "Y", "F"}
	return a.With(Rule{"look_empty", "the caller's look at the queue", "i.at == R && q == 0",
		"i.at = Z"}).
		With(Rule{"publish", "Publish: word.Or, not a searcher", "i.at == Z",
			"i.at = C; i.bit = 1"}).
		With(Rule{"look_none", "the searcher's look at the queue", "i.at == S && q == 0",
			"i.at = Y"}).
		With(Rule{"publish_searching", "Publish: word.Or, a searcher", "i.at == Y",
			"i.at = A; i.bit = 1"})
}

// CountIdleRuns is the table that counts these.
func CountIdleRuns(a *Agents) (*System, error) {
	s, err := a.Counted("idle, without timeouts")
	if err == nil {
		s.Samples = []Sample{{Start: map[string]int{"R": 3, "left": 2}}}
	}
	return s, err
}

var (
	// SearchingExact: searching is the number of those who should be on the count, at every
	// instant.
	SearchingExact = searchingExact("S")

	// RunsExact is SearchingExact for IdleRuns and IdleLives.
	RunsExact = searchingExact("S", "Y")

	// Somebody is under way who looks, or makes somebody look, after the push of every task that is
	// queued now.
	underWay = onTheWay("S")

	// NoLostWakeup: if a task is queued and somebody is asleep, somebody is under way, Close if
	// nobody else. (After Close nobody is asleep, see CloseIsThrough.)
	NoLostWakeup = "implies(q > 0 && P_b > 0, " + underWay + " > 0)"

	// RunsNoLostWakeup is NoLostWakeup for IdleRuns and IdleLives.
	RunsNoLostWakeup = "implies(q > 0 && P_b > 0, " + onTheWay("S", "Y") + " > 0)"

	// CloseIsThrough: after Close nobody is asleep.
	CloseIsThrough = "closed <= 2 && implies(closed == 2, B_b + P_b == 0)"

	// AtRest: nobody is under way. Workers run long tasks, or sleep.
	AtRest = underWay + " == 0"

	idleWorkers = sum(append([]string{"R", "Z", "S", "Y", "F"}, each(parking, stages...)...)...)

	// AllDone: every task was pushed and taken, nobody searches, and everybody is asleep with the
	// bit set.
	AllDone = "left == 0 && q == 0 && searching == 0 && m0 + m1 == 0 && P_b == " + idleWorkers
)

// searchingExact says that searching counts searchers at these places, and whoever else it should.
func searchingExact(searchers ...string) string {
	return "searching == " + sum(slices.Concat(searchers,
		[]string{"F", "A_b", "A_c", "A_i", "A_t"}, each(parking, "_i", "_t"))...)
}

// onTheWay counts those who are under way, with searchers at these places.
func onTheWay(searchers ...string) string {
	return sum(slices.Concat(searchers, []string{"F", "A_b", "C_b", "B_b", "m0", "m1"},
		each(parking, "_c", "_i", "_t"))...) + " + either(closed == 1, 1, 0)"
}

// IdleMeasure goes down, in this order of importance, with each step of IdleRuns: pushes to come,
// tasks, workers on the way to sleep while there are tasks, and how far everybody is from being
// asleep.
var IdleMeasure = []string{
	"left",
	"q",
	"either(q > 0, " +
		sum(append([]string{"Z", "Y"}, each([]string{"A", "C", "B"}, stages...)...)...) + ", 0)",
	"B_b + 2*C_b + 3*A_b + 3*Z + 4*Y + 5*S + 6*R + 23*F + 16*m0 + 15*m1" +
		" + 6*P_t + 7*B_t + 8*C_t + 9*A_t + 10*P_i + 11*B_i + 12*C_i + 13*A_i + 14*P_c + 15*B_c " +
		"+ 16*C_c + 17*A_c",
}

// CountIdleLives is the table that counts these.
func CountIdleLives(a *Agents) (*System, error) {
	s, err := a.Counted("idle, without an end")
	if err == nil {
		s.Samples = []Sample{{Start: map[string]int{"R": 2}}}
	}
	return s, err
}

// IdleRank is not raised by any step of IdleLives while a task is queued: how far workers are from
// the sleep, and the fewest steps that anybody else is from a look at the queue.
var IdleRank = []string{
	"5*Z + 5*Y + 4*" + sum(each([]string{"A"}, stages...)...) + " + 3*" +
		sum(each([]string{"C"}, stages...)...) + " + 2*" + sum(each([]string{"B"}, stages...)...),
	"either(S + Z + Y + " + sum(each([]string{"A", "C", "B"}, stages...)...) + " > 0, 0, " +
		"either(R + P_t > 0, 1, either(F + P_i > 0, 2, either(P_c > 0, 3, either(m1 > 0, 4, 5)))))",
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
