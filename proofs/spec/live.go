package spec

// Live is how a closed runtime learns that it has no tasks any more (runtime/sched_live.go), with
// any number of workers, tasks and callers from outside.
//
// An entry of the injector is stale when a join was faster and has run its task: it lies there, and
// is counted there, until it is taken.
//
// q is the length of the injector; out is how many tasks have begun and not ended and are not
// there. live is the counter; credit is what all workers have counted in advance; owed counts tasks
// that were pushed to the injector and are still in live; stale are entries of tasks that are out
// or have ended; due are workers that have taken such an entry and have yet to go to sleep. mode is
// 1 once the runtime is to end, shut the injector's closed flag, fin is 1 when workers have been
// told to end.
//
// closers are about to call finish after they have set mode, lookers after they have brought live
// to 0, and zeros have brought live to 0 and have yet to load mode. lock is 0 if the injector's
// mutex is free, else where its holder is: 1 in finish, 2 has seen length 0, 3 has seen live 0 as
// well, 4 in take, has counted and has yet to store the length. Pushes are one step: nobody looks
// at what they change without the lock, but to take it.
func Live() *System {
	return &System{
		Name: "live",
		Vars: []string{"q", "out", "live", "credit", "owed", "stale", "due", "mode", "shut",
			"fin", "closers", "lookers", "zeros", "lock"},
		Params:  []string{"n"},
		Samples: []Sample{{Params: 2}},
		Init: "q == 0 && out == 0 && live == 0 && credit == 0 && owed == 0 && stale == 0 && due " +
			"== 0 && mode == 0 && shut == 0 && fin == 0" +
			" && closers == 0 && lookers == 0 && zeros == 0 && lock == 0",
		Rules: []Rule{
			{"push", "push, fill: fresh, under the lock", "lock == 0 && shut == 0 && n >= 1",
				"q += n"},
			{"lend", "takeCredit: live.Add", "n >= 1 && (out >= 1 || q >= 1 && lock == 0)",
				"live += n; credit += n"},
			{"take_count", "take: takeCredit", "lock == 0 && q >= 1 && credit >= 1",
				"lock = 4; credit--"},
			{"take_store", "take: length.Store, Unlock", "lock == 4 && stale < q",
				"lock = 0; q--; out++"},
			{"take_stale", "take: length.Store, Unlock, of an entry whose task is not there",
				"lock == 4 && stale >= 1", "lock = 0; q--; stale--; due++"},
			{"join", "join: Claim, of a task in the injector", "out >= 1 && stale < q",
				"stale++; out++"},
			{"flush_look", "flush: live.Load", "due > 0 && mode == 1 && live == 0",
				"due--; lookers++"},
			{"flush_pass", "flush: mode.Load, live.Load",
				"due > 0 && (mode == 0 || live != 0 || credit > 0)", "due--"},
			{"spawn", "spawn: takeCredit", "out >= 1 && credit >= 1", "out++; credit--"},
			{"ends", "complete: addCredit", "out >= 1", "out--; credit++"},
			{"ends_outside", "complete: subtractLive: live.Add", "out >= 1",
				"out--; live--; zeros += either(live == 1, 1, 0)"},
			{"give", "addCredit, flush: subtractLive: live.Add", "n >= 1 && n <= credit",
				"credit -= n; live -= n; zeros += either(live == n, 1, 0)"},
			{"queue", "overflow, schedule: push, under the lock", "lock == 0 && out >= 1",
				"out--; q++; owed++"},
			{"queued_inside", "overflow: addCredit", "owed >= 1", "owed--; credit++"},
			{"queued_outside", "schedule: subtractLive: live.Add", "owed >= 1",
				"owed--; live--; zeros += either(live == 1, 1, 0)"},
			{"zero", "subtractLive: mode.Load", "zeros > 0 && mode == 1", "zeros--; lookers++"},
			{"zero_open", "subtractLive: mode.Load", "zeros > 0 && mode == 0", "zeros--"},
			{"end", "raiseMode: mode.CompareAndSwap", "true", "mode = 1; closers++"},
			{"finish_closes", "stopIfDone: Lock, closed", "closers > 0 && lock == 0",
				"closers--; lock = 1; shut = 1"},
			{"finish", "stopIfDone: Lock", "lookers > 0 && lock == 0", "lookers--; lock = 1"},
			{"finish_length", "stopIfDone: closed, length.Load", "lock == 1 && shut == 1 && q == 0",
				"lock = 2"},
			{"finish_not_empty", "stopIfDone: closed, length.Load",
				"lock == 1 && (shut == 0 || q > 0)", "lock = 0"},
			{"finish_live", "stopIfDone: live.Load", "lock == 2 && live == 0", "lock = 3"},
			{"finish_not_zero", "stopIfDone: live.Load", "lock == 2 && live != 0", "lock = 0"},
			{"over", "stopIfDone: Unlock, then Close", "lock == 3", "lock = 0; fin = 1"},
		},
	}
}

const (
	// LiveCounts: live is the number of tasks outside the injector, those that are on their way
	// into it or out of it included, and the credit, less the stale entries: so it can be less than
	// 0.
	LiveCounts = "live + stale == out + credit + owed + either(lock == 4, 1, 0)"

	// NothingLeft: when workers are told to end there is no task, and none can begin.
	NothingLeft = "implies(fin == 1, shut == 1 && q == 0 && live == 0)"

	// EndNoticed: when a runtime that is to end has no tasks any more, its workers have been told,
	// or somebody is about to look.
	EndNoticed = "implies(mode == 1 && q == 0 && live == 0, fin == 1 || zeros + closers + " +
		"lookers + due + lock > 0)"

	// LiveShape is why, beside them.
	LiveShape = "lock <= 4 && stale <= q && mode <= 1 && fin <= 1 && shut <= 1 && implies(lock " +
		"== 3, shut == 1 && q == 0 && live == 0)" +
		" && implies(lock == 2, shut == 1 && q == 0) && implies(lock == 4, q >= 1) && " +
		"implies(mode == 0, shut == 0 && closers + lookers == 0)" +
		" && implies(mode == 1 && shut == 0, closers > 0)"
)
