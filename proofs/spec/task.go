package spec

// Task is the word of package taskstate, with any number of wakers and queues.
//
// life is the lifecycle: 0 SCHEDULED, 1 RUNNING, 2 IDLE, 3 COMPLETE. notified, cancelled, join
// (interest), detached, shield and refs are fields of the word; most is how many references there
// may be, deep how many shields. The rest is beside the word: entries in queues, and those of them
// that a Claim was faster than; whether there is a runner; whether the handle is still there;
// holders of other references; last, the reference that Complete leaves its runner. unseen is 1 if
// a Wake has taken effect and no poll has begun since; told, 1 if a runner was told RunCancelled;
// woken counts how often the joiner was woken, released how often the task was.
func Task() *System {
	s := &System{
		Name: "task",
		Vars: []string{"life", "notified", "cancelled", "join", "detached", "shield", "refs",
			"most", "deep",
			"entries", "stale", "runner", "handle", "holders", "last", "unseen", "told", "woken",
			"released"},
		Init: "life == 0 && notified == 0 && cancelled == 0 && join == 0 && detached == 0 && " +
			"shield == 0 && deep >= 0" +
			" && entries == 1 && stale == 0 && runner == 0 && handle == 1 && holders >= 0 && " +
			"refs == 2 + holders && most >= refs" +
			" && last == 0 && unseen == 0 && told == 0 && woken == 0 && released == 0",
		Samples: []Sample{{Start: map[string]int{"entries": 1, "handle": 1, "holders": 1,
			"refs": 3, "most": 4, "deep": 2}}},
		Rules: []Rule{
			{"to_running", "ToRunning", "entries > 0 && life == 0", "entries--; runner = 1; " +
				toRunning},
			{"stale", "ToRunning: RunStale, the reference is to be dropped",
				"entries > 0 && life != 0", "entries--; stale--; holders++"},
			{"claim", "Claim", anybody + " > 0 && life == 0 && refs < most",
				"runner = 1; refs++; stale++; " + toRunning},
			{"to_idle", "ToIdle: IdleWaits", "runner == 1 && notified == 0",
				"runner = 0; life = 2"},
			{"to_idle_notified", "ToIdle: IdleEnqueue", "runner == 1 && notified == 1",
				"runner = 0; life = 0; notified = 0; entries++"},
			{"yield", "Yield", "runner == 1", "runner = 0; life = 0; notified = 0; entries++"},
			{"complete_join", "Complete: CompleteWakeJoiner",
				"runner == 1 && shield == 0 && join == 1",
				"runner = 0; life = 3; notified = 0; last = 1; woken++"},
			{"complete_release", "Complete: CompleteRelease",
				"runner == 1 && shield == 0 && join == 0 && refs == 1",
				"runner = 0; life = 3; notified = 0; refs = 0; released++"},
			{"complete_discard", "Complete: CompleteDiscard",
				"runner == 1 && shield == 0 && join == 0 && refs > 1 && detached == 1",
				"runner = 0; life = 3; notified = 0; last = 1"},
			{"complete", "Complete: CompleteDone",
				"runner == 1 && shield == 0 && join == 0 && refs > 1 && detached == 0",
				"runner = 0; life = 3; notified = 0; refs--"},
			{"enter", "EnterShield", "runner == 1 && shield < deep", "shield++"},
			{"leave", "LeaveShield", "runner == 1 && shield > 0",
				"shield--; notified = either(shield == 1 && cancelled == 1, 1, notified)"},
			{"join", "Join: JoinWait", "handle == 1 && life != 3", "join = 1"},
			{"unjoin", "Unjoin: JoinWithdrawn", "handle == 1 && life != 3 && join == 1",
				"join = 0"},
			{"detach", "Detach: DetachDone", "handle == 1 && life != 3",
				"handle = 0; detached = 1; join = 0; refs--"},
			{"detach_discard", "Detach: DetachDiscard", "handle == 1 && life == 3 && refs > 1",
				"handle = 0; detached = 1; holders++"},
			{"detach_release", "Detach: DetachRelease", "handle == 1 && life == 3 && refs == 1",
				"handle = 0; detached = 1; refs--; released++"},
			{"clone", "Clone", anybody + " > 0 && refs < most", "holders++; refs++"},
		},
	}
	for _, by := range []string{"holders", "handle", "last"} {
		may := by + " > 0"
		if by == "handle" {
			may += " && life == 3" // it has collected the result
		}
		s.Rules = append(s.Rules,
			Rule{"drop_" + by, "Drop: DropKept", may + " && refs > 1", by + "--; refs--"},
			Rule{"drop_last_" + by, "Drop: DropRelease", may + " && refs == 1 && life == 3", by +
				"--; refs--; released++"})
	}
	s.Rules = append(s.Rules,
		Rule{"wake_drop_complete", "WakeDrop: WakeFinished", "holders > 0 && refs > 1 && life == 3",
			"holders--; refs--"},
		Rule{"wake_drop_release", "WakeDrop: WakeRelease", "holders > 0 && refs == 1 && life == 3",
			"holders--; refs--; released++"})
	for _, w := range []struct{ name, code, may, also string }{
		{"wake", "Wake", anybody + " > 0", ""},
		{"wake_drop", "WakeDrop", "holders > 0 && refs > 1", "; holders--; refs--"},
	} {
		s.Rules = append(s.Rules,
			Rule{w.name + "_idle", w.code + ": WakeEnqueue", w.may + " && life == 2",
				"life = 0; entries++; unseen = 1" + w.also},
			Rule{w.name + "_running", w.code + ": WakeNoted", w.may + " && life == 1",
				"notified = 1; unseen = 1" + w.also},
			Rule{w.name + "_scheduled", w.code + ": WakeNoted", w.may + " && life == 0",
				"unseen = 1" + w.also})
	}
	may := anybody + " > 0 && cancelled == 0 && "
	s.Rules = append(s.Rules,
		Rule{"cancel_deferred", "Cancel: CancelDeferred", may + "life != 3 && shield > 0",
			"cancelled = 1"},
		Rule{"cancel_idle", "Cancel: CancelEnqueue", may + "life == 2 && shield == 0",
			"cancelled = 1; life = 0; entries++"},
		Rule{"cancel_running", "Cancel: CancelNoted", may + "life == 1 && shield == 0",
			"cancelled = 1; notified = 1"},
		Rule{"cancel_scheduled", "Cancel: CancelNoted", may + "life == 0 && shield == 0",
			"cancelled = 1"})
	return s
}

// TaskRefusals are the conditions in which a method of the word refuses its caller, which is a
// panic, though the caller keeps the rules. None of them is ever true: taskstate/T16.
func TaskRefusals() []Rule {
	last := " && (refs == 0 || refs == 1 && life != 3)"
	polls := "runner > 0 && (refs == 0 || life != 1)"
	return []Rule{
		{refuses + "anybody", "Wake, Cancel, Clone, Claim", anybody + " > 0 && refs == 0", ""},
		{refuses + "wake_drop", "WakeDrop", "holders > 0" + last, ""},
		{refuses + "to_running", "ToRunning", "entries > 0 && refs == 0", ""},
		{refuses + "to_idle", "ToIdle", polls, ""},
		{refuses + "yield", "Yield", polls, ""},
		{refuses + "complete", "Complete", polls + " && shield == 0", ""},
		{refuses + "enter", "EnterShield", polls + " && shield < deep", ""},
		{refuses + "leave", "LeaveShield", polls + " && shield > 0", ""},
		{refuses + "join", "Join, Unjoin", "handle > 0 && (refs == 0 || detached == 1)", ""},
		{refuses + "detach", "Detach", "handle > 0 && (detached == 1 || refs == 0 || refs == 1 " +
			"&& life != 3)", ""},
		{refuses + "drop", "Drop", "holders + last > 0" + last, ""},
		{refuses + "drop_handle", "Drop", "handle > 0 && life == 3 && refs == 0", ""},
	}
}

// anybody counts who has a reference and may therefore call Wake, Cancel, Clone and Claim: the
// runner, too, and the holder of an entry.
const anybody = "(holders + handle + runner + entries + last)"

const toRunning = "life = 1; notified = 0; unseen = 0; told = either(cancelled == 1 && shield " +
	"== 0, 1, told)"

const (
	// OneRunner: somebody polls the task exactly while it is RUNNING.
	OneRunner = "runner == either(life == 1, 1, 0)"

	// OneEntry: an entry is queued, or about to be, while it is SCHEDULED, and none otherwise but
	// those that Claim passed by.
	OneEntry = "stale >= 0 && entries == stale + either(life == 0, 1, 0)"

	// ReferencesExact: the word counts those who may touch the task.
	ReferencesExact = "refs == entries + runner + handle + holders + last + either(life == 2, 1, 0)"

	// ReleasedOnce: it is released when nobody has a reference any more, once, and not before.
	ReleasedOnce = "released == either(refs == 0, 1, 0) && refs >= 0"

	// OwnReference: until it is COMPLETE a task has a reference of its own, so no drop can be the
	// last one.
	OwnReference = "implies(life != 3, refs >= 1 + handle + holders)"

	// NoLostNotify: a poll that begins after the Wake is to come, or the task is COMPLETE.
	NoLostNotify = "implies(unseen == 1, life == 0 || life == 3 || life == 1 && notified == 1)"

	// NotifiedMeans: notified is set only while RUNNING.
	NotifiedMeans = "implies(notified == 1, life == 1) && notified >= 0 && notified <= 1"

	// CancelReaches: a cancelled task that no shield protects does not wait before its runner was
	// told.
	CancelReaches = "implies(cancelled == 1 && shield == 0 && told == 0, life == 0 || life == 3 " +
		"|| life == 1 && notified == 1)"

	// JoinerWoken: a joiner that has published a waker and not withdrawn it is woken by the
	// completion, once.
	JoinerWoken = "woken == either(life == 3 && join == 1, 1, 0)"

	// Shields: their number is in range, and 0 after the end.
	Shields = "shield >= 0 && shield <= deep && implies(life == 3, shield == 0)"

	// TaskShape says what values the variables take at all.
	TaskShape = "life >= 0 && life <= 3 && last >= 0 && holders >= 0 && handle >= 0 && handle " +
		"<= 1 && join >= 0 && join <= 1" +
		" && entries >= 0 && cancelled >= 0 && cancelled <= 1 && implies(last > 0, life == 3) " +
		"&& last <= 1"
)
