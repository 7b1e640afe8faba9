package proofs

import "strings"

// An Access is an atomic access of the shipped code, or several that are alike, and the weakest
// order of C11's that would do for it. MEMORY.md explains the table.
type Access struct {
	Package string
	Where   string // functions, and "Type.Method" never: names are enough
	What    string // as the code has it: the last name before the operation, and the operation
	Order   string
	Why     string
	Litmus  string // ids of theorems, or "" if nothing rests on the order
}

// Functions returns the functions that the access stands in.
func (a *Access) Functions() []string { return strings.Split(a.Where, ", ") }

// Tests returns the ids of the litmus tests.
func (a *Access) Tests() []string { return strings.Fields(strings.ReplaceAll(a.Litmus, ",", " ")) }

// The orders of C11.
const (
	relaxed = "relaxed"
	acquire = "acquire"
	release = "release"
	acqRel  = "acq_rel"
	seqCst  = "seq_cst"
)

// Accesses returns the table, package by package.
func Accesses() []Access {
	return []Access{
		{"idle", "Notify", "searching.Load", seqCst,
			"the pusher's load against uncount in Publish and Found", "memory/M1, memory/M11"},
		{"idle", "Close", "closed.Store", seqCst, "against Or and closed.Load in Publish",
			"memory/M1"},
		{"idle", "Close, claim", "word.Load", seqCst,
			"the pusher's load, or Close's, against Or in Publish", "memory/M1"},
		{"idle", "take", "word.And", acqRel,
			"who clears the bit has it; Claim's caller has published before, and Or comes after it",
			"memory/M7, memory/M2"},
		{"idle", "count", "searching.Add", relaxed,
			"the token that follows orders it before the worker's own Add", "memory/M10"},
		{"idle", "uncount", "searching.Add", seqCst,
			"in Publish it is what a pusher's load misses, before the recheck; in Found, see M11",
			"memory/M1, memory/M11"},
		{"idle", "Search", "searching.Load", relaxed, "a hint; the exchange looks again",
			"memory/M7"},
		{"idle", "Search", "searching.CompareAndSwap", relaxed,
			"who is seen on the count looks at the queues when it takes itself off, which is later",
			"memory/M7"},
		{"idle", "Publish", "word.Or", seqCst,
			"it is what a notifier's load misses, before the recheck", "memory/M1, memory/M2"},
		{"idle", "Publish", "closed.Load", seqCst, "against Close", "memory/M1"},
		{"idle", "Woke", "word.Load", relaxed,
			"the token orders it after the And that cleared the bit; it only panics", "memory/M4"},
		{"idle", "Searching", "searching.Load", relaxed, "a snapshot", ""},
		{"idle", "Parked", "words.Load", relaxed, "a snapshot", ""},
		{"idle", "IsParked", "word.Load", relaxed, "a snapshot", ""},

		{"park", "Unpark", "word.Swap", acqRel,
			"releases what the waker did, acquires the parker's sleeper; a second waker's Swap " +
				"goes on where the first one's was", "memory/M4"},
		{"park", "take", "word.CompareAndSwap", acqRel,
			"acquires what the wakers did; after a failure, the same at the Swap in leave",
			"memory/M4"},
		{"park", "announce", "word.CompareAndSwap", acqRel,
			"releases the sleeper to the waker; it fails if there is a token, or the waker sees it",
			"memory/M4, memory/M7"},
		{"park", "wait", "word.Load", relaxed, "the Swap in leave looks again", "memory/M7"},
		{"park", "leave", "word.Swap", acqRel,
			"as take; and releases this call to the next parker's", "memory/M4"},

		{"deque", "Push, publish", "tail.Store", seqCst,
			"release for the slots; but it is what publishes work, before the look for a sleeper",
			"memory/M3, memory/M1"},
		{"deque", "Push, PushBatch, pushFull, room", "head.Load", acquire,
			"the slot's last thief has read and cleared it", "memory/M5"},
		{"deque", "pushFull, Pop", "head.CompareAndSwap", release,
			"who sees this head sees the tail that it has run up to; one takes a value",
			"memory/M6, memory/M7"},
		{"deque", "Pop", "head.Load", relaxed,
			"the exchange looks again; the slots are the owner's own", "memory/M7"},
		{"deque", "look", "head.Load", acquire, "before the load of the tail", "memory/M6"},
		{"deque", "look", "tail.Load", acquire,
			"the slots were written before; as a searcher's look at the queues, seq_cst is " +
				"needed only in the recheck, which is Len", "memory/M3"},
		{"deque", "claim", "head.CompareAndSwap", acquire,
			"one takes a value; the slots are cleared after it", "memory/M7"},
		{"deque", "release", "head.Load", relaxed, "the exchange looks again", "memory/M7"},
		{"deque", "release", "head.CompareAndSwap", release, "the slots have been read and cleared",
			"memory/M5"},
		{"deque", "release", "tail.Load", relaxed, "for the message of a panic", ""},
		{"deque", "Len", "head.Load", acquire, "before the load of the tail", "memory/M6"},
		{"deque", "Len", "tail.Load", seqCst, "a worker's recheck of the queues is a call of Len",
			"memory/M1"},

		{"fork", "isHungry", "word.Load", relaxed, "whoever acts on it looks again", "memory/M7"},
		{"fork", "joinsAtOnce", "word.Load", relaxed, "the join looks again, and waits if it must",
			"memory/M7"},
		{"fork", "expose", "word.Load", relaxed,
			"where nothing is public, only the bit can change; the exchange looks again",
			"memory/M7"},
		{"fork", "expose", "word.Store", seqCst,
			"release for the frames and the table; and it publishes work, before the look for a " +
				"sleeper", "memory/M3, memory/M1"},
		{"fork", "expose", "word.CompareAndSwap", seqCst, "as the store", "memory/M3, memory/M1"},
		{"fork", "take", "word.Load", relaxed,
			"the exchange looks again; what was claimed is waited for", "memory/M7"},
		{"fork", "take", "word.CompareAndSwap", relaxed, "one takes a fork; it is the owner's own",
			"memory/M7"},
		{"fork", "Claim, Ask", "word.Load", seqCst,
			"the last look of a worker that is about to sleep is a call of one of these",
			"memory/M1"},
		{"fork", "Claim, Ask", "word.CompareAndSwap", seqCst,
			"acquire for the frame and the table; as an ask it is part of the last look",
			"memory/M3, memory/M1"},
		{"fork", "Claim", "table.Load", relaxed, "after the claim, which acquires it", "memory/M3"},
		{"fork", "grow", "table.Store", relaxed, "before the word, which releases it", "memory/M3"},
		{"fork", "Run", "by.Store", release, "the Stack was made before", "memory/M3"},
		{"fork", "Run", "state.Swap", acqRel,
			"releases the result; acquires what the host did before it sleeps", "memory/M4"},
		{"fork", "Ended", "state.Load", acquire, "the result is read next", "memory/M3"},
		{"fork", "Wait", "state.CompareAndSwap", acqRel,
			"releases the host's sleep to the thief; after a failure, the result is read next",
			"memory/M4"},
		{"fork", "By", "by.Load", acquire, "the Stack is used next", "memory/M3"},
		{"fork", "ended", "state.Store", relaxed, "before the word, which releases it",
			"memory/M3"},
		{"fork", "ended", "by.Store", relaxed, "before the word, which releases it", "memory/M3"},

		{"taskstate", "Wake", "w.Load", seqCst,
			"a Wake that finds the task SCHEDULED, or notified, writes nothing", "memory/M12"},
		{"taskstate", "WakeDrop, ToRunning, Claim, ToIdle, Yield, Complete, Cancel, " +
			"EnterShield, LeaveShield, Detach, Clone, Drop, Renew", "w.Load", relaxed,
			"the exchange looks again; where a state stays, nothing is read on its account",
			"memory/M7"},
		{"taskstate", "Join, Unjoin", "w.Load", acquire,
			"if it finds COMPLETE, the result is read next", "memory/M9, memory/M3"},
		{"taskstate", "ToRunning, Claim", "w.swap", seqCst,
			"acquires what earlier runners and the wakers did; and is what a Wake's load " +
				"misses, before the poll looks", "memory/M4, memory/M12"},
		{"taskstate", "Wake, WakeDrop, Cancel", "w.swap", acqRel,
			"releases what the waker did to the poll to come; who makes it SCHEDULED enqueues",
			"memory/M4, memory/M7"},
		{"taskstate", "ToIdle, Yield", "w.swap", acqRel,
			"releases this poll to the next; sees a notify, or the waker sees IDLE",
			"memory/M4, memory/M2"},
		{"taskstate", "Complete", "w.swap", acqRel, "releases the result, acquires the waker",
			"memory/M9"},
		{"taskstate", "Join, Unjoin, Detach", "w.swap", acqRel,
			"releases the waker, acquires the result", "memory/M9"},
		{"taskstate", "Drop, Renew", "w.swap", acqRel,
			"the last one comes after all that the others did", "memory/M8"},
		{"taskstate", "Clone, EnterShield, LeaveShield", "w.swap", relaxed,
			"the order of the exchanges of one word is enough: Cancel's comes before it or " +
				"after it",
			"memory/M7"},
		{"taskstate", "Load", "bits.LoadUint64", seqCst, "as the strongest of its callers",
			"memory/M12"},
		{"taskstate", "swap", "bits.CompareAndSwapUint64", seqCst,
			"as the strongest of its callers", "memory/M12"},

		{"injector", "push, fill", "length.Store", seqCst,
			"publishes work, before the look for a sleeper; the queue itself is under the lock",
			"memory/M1"},
		{"injector", "push, fill, TakeFunc", "length.Load", relaxed,
			"under the lock; before it, a hint", "memory/M7"},
		{"injector", "Len", "length.Load", seqCst,
			"a worker's recheck of the queues is a call of Len", "memory/M1"},
		{"injector", "TakeFunc", "length.Store", relaxed,
			"it goes down: who is late sees work that is gone", "memory/M7"},
		{"injector", "TakeFunc, Accepted", "public.Load", relaxed, "a statistic", ""},
		{"injector", "TakeFunc", "public.Store", relaxed, "a statistic", ""},
	}
}
