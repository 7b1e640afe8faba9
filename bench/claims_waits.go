package main

// looks is what a call costs that a task makes.
const looks = "a call looks whether its task is running and must end, and lets others have " +
	"a turn"

// stacks is what a wait of a task costs.
const stacks = "the change of a stack, and what tells other workers"

// beside is a claim without a bound: ours is no slower than a peer in Go.
func beside(key, what, ours, other, why string) claim {
	return claim{key, what, ours, byGo, other, ratio, 0, 0, why}
}

// manyClaims are those of a task that waits for many others.
func manyClaims() []claim {
	const inside, outside = "Group, Spawn, Join (from inside)", "Group, Go, Wait (from outside)"
	const next = "Spawn, Next of those that are left"
	const sends = "goroutines that send to one channel"
	return []claim{
		beside("group", "1,000 in a group, from inside", inside, "errgroup", ""),
		beside("group", "1,000 in a group, from outside", outside, "errgroup", ""),
		beside("group-limit", "1,000 in a group, at most 2 at a time, from inside", inside,
			"errgroup", "a spawn that has no place suspends its task"),
		beside("group-limit", "1,000 in a group, at most 2 at a time, from outside", outside,
			"errgroup", "a call that has no place blocks its goroutine, and a worker wakes it"),
		beside("waitgroup", "1,000 that a WaitGroup counts down", "Cx.Go, WaitGroup",
			"go, sync.WaitGroup", ""),
		beside("next", "100 as they end, AsEnded", "Spawn, AsEnded", sends, ""),
		beside("next", "100 as they end, Next", next, sends,
			"each Next asks all that are left; AsEnded asks each once"),
		beside("next", "100 as they end, Next", next,
			"goroutines with a channel each, reflect.Select of those that are left", ""),
	}
}

// waitClaims are those of channels, selects, locks and conditions.
func waitClaims() []claim {
	const finds = "a select that finds a value, "
	const cases = "cases are values of a running program, those of Go's select are compiled"
	const turns = "the lock is handed over in the order of the calls; sync's goes to who runs"
	all := []claim{
		beside("channel", "a value through a channel of capacity 0, 2 workers",
			"Channel, capacity 0, 2 workers", "Go's channel, capacity 0", stacks),
		beside("channel", "a value through a channel of capacity 128, 2 workers",
			"Channel, capacity 128, 2 workers", "Go's channel, capacity 128", ""),
		beside("select-ready", finds+"2 cases", "Select, 2 cases", "Go's select, 2 cases", cases),
		beside("select-ready", finds+"8 cases", "Select, 8 cases", "Go's select, 8 cases", cases),
		beside("select-wait", "a select that waits, 2 cases, 2 workers", "Select, 2 workers",
			"Go's select", "each wait allocates what the sources know of it"),
		beside("select-wait", "a Pending that waits, 2 cases, 2 workers",
			"Pending of a future, 2 workers", "Go's select",
			"each wait allocates what the sources know of it"),
	}
	all = append(all,
		beside("select-signal", "a select for a signal, 2 workers", "Select, WaitCase, 2 workers",
			"Go's select, channels of capacity 1", stacks),
		beside("select-end", "a start, and a select for its end, 2 workers",
			"Spawn, Select, EndCase, 2 workers", "go, Go's select, channel of capacity 1", ""),
		beside("select-outside", "a select of a goroutine that waits, 2 cases",
			"SelectContext, SendContext", "Go's select, Context.Done",
			"each wait allocates what the sources know of it"))
	for _, timer := range []string{"Go's select, NewTimer, Stop", "Go's select, time.After"} {
		all = append(all, beside("select-time", "a select that waits with a timer, 2 workers",
			"Select, AfterCase, 2 workers", timer, "as without a timer"))
	}
	for _, lock := range []string{"Mutex", "RWMutex, RLock", "RWMutex, Lock"} {
		all = append(all, beside("lock-free", "a lock that is free: "+lock, lock, "sync."+lock, looks))
	}
	for _, lock := range []string{"Mutex", "RWMutex, 1 of 16 writes"} {
		all = append(all,
			beside("lock-shared", "a lock that 4 want: "+lock, lock, "sync."+lock, turns))
	}
	return append(all,
		beside("lock-held", "a lock that 4 want, held during a yield: Mutex", "Mutex, Yield",
			"sync.Mutex, Gosched", ""),
		beside("cond", "a wait of two that take turns by a Cond, 2 workers",
			"Cond, Mutex, 2 workers", "sync.Cond, sync.Mutex", stacks))
}

// limitClaims are those of what bounds how many there are, and how many in a time.
func limitClaims() []claim {
	const free, held = "a semaphore that is free", "a semaphore of 2, held during a yield by 4"
	const semaphore, yields = "Semaphore, free", "Semaphore, 2 permits, 4 tasks that yield"
	const place = "a task that finds a place"
	const call = "a worker that sleeps is woken by a system call"
	all := []claim{
		beside("semaphore", free, semaphore, "semaphore.Weighted, free",
			looks),
		beside("semaphore", free, semaphore, "tokens of a channel, free", ""),
		beside("semaphore", held, yields,
			"semaphore.Weighted, 2 permits, 4 goroutines that yield", ""),
		beside("semaphore", held, yields,
			"tokens of a channel, 2 tokens, 4 goroutines that yield", ""),
		beside("try-submit", place, "TrySubmit, Wait", "token of a channel, go, channel", call),
		beside("try-submit", place, "TrySubmit, Wait", "semaphore.Weighted, go, channel", call),
		beside("try-refused", "a task that finds no place", "TrySubmit", "token of a channel", ""),
		beside("try-refused", "a task that finds no place", "TrySubmit", "semaphore.Weighted", ""),
	}
	for _, other := range []string{"tokens of a channel, go", "semaphore.Weighted, go"} {
		all = append(all, beside("bounded", "1,000 from outside, at most 16 at a time",
			"MaxTasks, Runtime.Go", other,
			"a call that has no place blocks its goroutine, and a worker wakes it"))
	}
	for _, how := range []string{"Allow, granted", "Allow, refused", "Wait, granted"} {
		all = append(all, beside("limiter", "a permit of a rate limiter, "+how, "Limiter."+how,
			"rate.Limiter."+how, ""))
	}
	return append(all, beside("limiter", "a permit of a rate limiter, asked for by 2 at a time",
		"Limiter.Allow, granted, 2 tasks at a time",
		"rate.Limiter.Allow, granted, 2 goroutines at a time", ""))
}

// callClaims are those of calls that wait for a function, a value, a signal or a time.
func callClaims() []claim {
	const threads = "the function runs on a thread that is kept for such, and a task waits for it"
	return []claim{
		beside("timeout", "a call with a timeout that does not pass", "Timeout",
			"context.WithTimeout, go, select", ""),
		beside("scope", "a scope of two tasks", "Scope, SpawnIn", "errgroup",
			"the body is a task, too, which the scope can cancel"),
		beside("results", "1,000 with results, from inside", "Results, Spawn, Join (from inside)",
			"errgroup, a slice", ""),
		beside("results", "1,000 with results, from outside", "Results, Go, Wait (from outside)",
			"errgroup, a slice", ""),
		beside("blocking", "a function that may block, from inside", "SpawnBlocking, Join",
			"go + channel", threads),
		beside("blocking", "a function that may block, from outside", "SubmitBlocking, Wait",
			"go + channel", threads),
		beside("oneshot", "a Oneshot, by oneself", "Oneshot, by oneself",
			"channel of capacity 1, by oneself", ""),
		beside("oneshot", "a Oneshot, from another task", "Oneshot, from a task",
			"channel of capacity 1, from a goroutine", stacks),
		beside("notify", "a wait of two that take turns by Notify, 2 workers", "Notify, 2 workers",
			"channels of capacity 1", stacks),
		beside("ticker", "a tick that is due", "Ticker.Next", "time.Ticker", ""),
	}
}

// sliceClaims are those of loops over slices and sequences.
func sliceClaims() []claim {
	const results = "1,000 results of 1 µs, "
	return []claim{
		beside("map", results+"Map, 2 workers", "Map, 2 workers", "2 goroutines, a half each", ""),
		beside("map-seq", results+"MapSeq, 2 workers", "MapSeq, 2 workers", channelOfValues, ""),
		beside("reduce-seq", "their sum, ReduceSeq, 2 workers", "ReduceSeq, 2 workers",
			channelOfValues, ""),
		beside("for-err", "1,000 calls of 1 µs, ForErr, 2 workers", "ForErr, 2 workers",
			"errgroup, at most 2 at a time", ""),
	}
}
