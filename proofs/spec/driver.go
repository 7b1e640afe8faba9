package spec

import "strings"

// Driver is who sleeps until the earliest deadline (runtime/sched_idle.go), with any number of
// workers, timers, callers that set them, claims and timeouts.
//
// A worker is counted by where it is:
//
//	R  awake, its bit of package idle not set
//	F  its bit set, has yet to try to become the driver
//	S  sleeps without a timeout: it has found a driver
//	N  is the driver, has yet to load the deadline
//	D  is the driver, sleeps until the deadline that it has loaded
//	L  is not the driver any more, has yet to learn what has become of its bit
//
// and, in all but the first, by whether it still has its bit, _b, or has been claimed, _c: then its
// token comes, by idle/I2.
//
// next is the earliest deadline, in any unit, and none is a late one; until is what the last driver
// has loaded. Who has stored an earlier deadline is early before it looks for a driver, and saw
// between that and its claim, or late if that driver has left meanwhile: its claim may hit anybody.
func Driver() *System {
	s := &System{
		Name: "driver",
		Vars: append(each(driverPlaces, "_b", "_c"), "R", "next", "until", "early", "saw", "late"),
		// A deadline is a number n.
		Params:  []string{"n"},
		Samples: []Sample{{Start: map[string]int{"R": 2, "next": 2}, Params: 2}},
		Rules: []Rule{
			{"publish", "idle.Publish: word.Or", "R > 0", "R--; F_b++"},
			{"become_b", "parkOrDrive: driver.CompareAndSwap", "F_b > 0 && " + noDriver,
				"F_b--; N_b++"},
			{"become_c", "parkOrDrive: driver.CompareAndSwap", "F_c > 0 && " + noDriver,
				"F_c--; N_c++"},
			{"follow_b", "parkOrDrive: driver.CompareAndSwap", "F_b > 0 && " + aDriver,
				"F_b--; S_b++"},
			{"follow_c", "parkOrDrive: driver.CompareAndSwap", "F_c > 0 && " + aDriver,
				"F_c--; S_c++"},
			{"load_b", "drive: next.Load", "N_b > 0", "N_b--; D_b++; until = next"},
			{"load_c", "drive: next.Load", "N_c > 0", "N_c--; D_c++; until = next"},
			{"leave_b", "parkOrDrive: driver.Store", "D_b > 0",
				"D_b--; L_b++; late += saw; saw = 0"},
			{"leave_c", "parkOrDrive: driver.Store", "D_c > 0",
				"D_c--; L_c++; late += saw; saw = 0"},
			{"timeout", "idle.Woke: word.And had the bit", "L_b > 0", "L_b--; R++"},
			{"told", "idle.Publish: word.And had the bit, closed", "F_b > 0", "F_b--; R++"},
			{"woke_F", "the token, closed", "F_c > 0", "F_c--; R++"},
			{"woke_S", "the token", "S_c > 0", "S_c--; R++"},
			{"woke_L", "the token", "L_c > 0", "L_c--; R++"},
			{"set", "setLocked, atOnce: next.Store", "0 <= n && n < next", "next = n; early++"},
			{"publish_next", "publish: next.Store", "n > next", "next = n"},
			{"look_none", "wakeDriver: driver.Load", "early > 0 && " + noDriver, "early--"},
			{"look", "wakeDriver: driver.Load", "early > 0 && " + aDriver, "early--; saw++"},
			{"ask", "wakeDriver: driver.Load, for another reason", aDriver, "saw++"},
			{"wake_none", "idle.Claim: word.And", "saw > 0 && N_b + D_b == 0", "saw--"},
			{"wake_late", "idle.Claim: word.And", "late > 0", "late--"},
		},
	}
	for _, place := range []string{"N", "D"} {
		s = s.With(Rule{"wake_" + place, "idle.Claim: word.And", "saw > 0 && P_b > 0",
			"saw--; P_b--; P_c++"}.in(place))
	}
	for _, place := range driverPlaces {
		s = s.With(Rule{"wake_late_" + place, "idle.Claim: word.And", "late > 0 && P_b > 0",
			"late--; P_b--; P_c++"}.in(place)).
			With(Rule{"claim_" + place, "idle.Notify, idle.Close: word.And", "P_b > 0",
				"P_b--; P_c++"}.in(place))
	}
	s.Init = s.startsRunning("next", "until")
	return s
}

var driverPlaces = []string{"F", "S", "N", "D", "L"}

const (
	aDriver  = "N_b + N_c + D_b + D_c > 0"
	noDriver = "N_b + N_c + D_b + D_c == 0"
)

// in puts a place for P in the condition and the effect of a rule.
func (r Rule) in(place string) Rule {
	r.When = strings.ReplaceAll(r.When, "P_", place+"_")
	r.Do = strings.ReplaceAll(r.Do, "P_", place+"_")
	return r
}

const (
	// OneDriver: there is one at most, and who has yet to claim the one that it saw is right.
	OneDriver = "N_b + N_c + D_b + D_c <= 1 && implies(saw > 0, " + aDriver + ")"

	// DeadlineKept: if the driver sleeps for longer than until the earliest deadline, somebody is
	// about to claim it.
	DeadlineKept = "implies(D_b > 0 && until > next, early + saw > 0)"

	// SomebodyDrives: without a driver, a worker is awake, or about to be, or to become it.
	SomebodyDrives = "implies(" + noDriver + ", R + F_b + F_c + S_c + L_b + L_c > 0)"

	// DriverAtRest: when nobody is under way, one worker sleeps until the earliest deadline, or an
	// earlier time.
	DriverAtRest = "implies(R + F_b + F_c + S_c + N_b + N_c + D_c + L_b + L_c + early + saw == 0, " +
		"D_b == 1 && until <= next)"
)
