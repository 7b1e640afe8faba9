package main

import "fmt"

// A claim compares a line of ours with another one, by medians.
type claim struct {
	key   string // of the row
	what  string
	ours  string // the name of our line
	by    string // whose the other line is
	other string // its name; "" for a bound in the unit of the row
	form  form
	// What the figure has to reach, and what would be good; 0 where nobody has set a number: then
	// the claim is to be no slower than the other.
	must, goal float64
	why        string // why it is lost, if it is
}

// A form is which figure is compared, and how.
type form int

const (
	ratio    form = iota // ours / other, at most
	speedup              // other / ours, at least
	absolute             // ours, at most
	relative             // (ours / plain code in Go) / (other / plain code in Rust), at most
)

// The names of plain code, by language.
const plainCode = "plain code"

func claims() []claim {
	var all []claim
	for _, n := range []int{25, 30, 32} {
		all = append(all, forkClaims(fmt.Sprint("fib-", n), n)...)
	}
	all = append(all, loopClaims()...)
	all = append(all, divisionClaims()...)
	all = append(all, taskClaims()...)
	all = append(all, manyClaims()...)
	all = append(all, waitClaims()...)
	all = append(all, limitClaims()...)
	all = append(all, callClaims()...)
	all = append(all, sliceClaims()...)
	return append(all, outsideClaims()...)
}

// forkClaims are those of fib(n). 12 ns and 8 ns were set where plain recursion takes 3.5.
func forkClaims(key string, n int) []claim {
	const plain, rayon = "plain recursion", "Rayon, join, 2 workers"
	title := func(what string) string { return fmt.Sprintf("fib(%d), a fork: %s", n, what) }
	all := []claim{
		{key, title("package fork, 1 worker"), "package fork, Join, 1 worker", byGo, plain, ratio,
			12 / 3.5, 8 / 3.5, ""},
		{key, title("runtime, 1 worker"), "Fork, Join, 1 worker", byGo, plain, ratio,
			12 / 3.5, 8 / 3.5, "the stack of the running task is found through its Cx, and compared"},
		{key, title("package fork, 2 workers"), "package fork, Join, 2 workers", byRust, rayon,
			ratio, 1, 0.7, ""},
		{key, title("runtime, 2 workers"), "Fork, Join, 2 workers", byRust, rayon, ratio, 1, 0.7,
			"see the same with one worker"},
	}
	if n <= 30 {
		all = append(all, claim{key, title("runtime, two closures, 2 workers"), "Both, 2 workers",
			byRust, rayon, ratio, 0, 0,
			"a closure that others may call is an allocation; Rayon's is on the stack"})
	}
	if n == 25 {
		all = append(all,
			claim{key, title("runtime, 2 workers"), "Fork, Join, 2 workers", byGo, "go + channel",
				ratio, 0, 0, ""},
			claim{"spawn-fib", "fib(25), a spawn of a closure, 2 workers",
				"Spawn of a closure, 2 workers", byRust, "Tokio", ratio, 0, 0, ""},
			claim{"spawn-fib", "fib(25), a spawn of a closure, 2 workers",
				"Spawn of a closure, 2 workers", byGo, "go + channel", ratio, 0, 0, ""})
	}
	return all
}

func loopClaims() []claim {
	var all []claim
	for _, length := range []struct{ key, name, why string }{
		{"range-10us", "10 µs", "to wake a worker takes as long as the loop"},
		{"range-100us", "100 µs", ""}, {"range-1ms", "1 ms", ""},
	} {
		all = append(all,
			claim{length.key, "Range over trivial bodies, " + length.name + ", 1 worker",
				"Range, 1 worker", byGo, "plain loop", ratio, 1.10, 1.03, ""},
			claim{length.key, "Reduce over trivial bodies, " + length.name + ", 1 worker",
				"Reduce, 1 worker", byGo, "plain sum", ratio, 1.10, 1.03, ""},
			claim{length.key, "Range over trivial bodies, " + length.name + ", 2 workers",
				"Range, 2 workers", byGo, "plain loop", ratio, 0, 0,
				length.why})
	}
	for _, length := range []struct{ key, name string }{
		{"leaves-1us", "1 µs"}, {"leaves-10us", "10 µs"},
		{"leaves-100us", "100 µs"}, {"leaves-1ms", "1 ms"},
	} {
		for _, by := range []string{"For", "Fork"} {
			all = append(all, claim{length.key,
				"leaves of " + length.name + ", " + by + ": speed-up on 2 processors",
				by + ", 2 workers", byGo, plainCode, speedup, 1.85, 1.95, ""})
		}
	}
	return append(all,
		claim{"triangle", "a triangular loop, For: speed-up on 2 processors", "For, 2 workers",
			byGo, plainCode, speedup, 1.85, 1.95, ""},
		claim{"long-leaf", "16 forks of 1 ms, then a leaf of 16 ms by the owner",
			"Fork, 2 workers", "", "", absolute, 21, 18,
			"up to 8 forks are hidden from other workers while their owner computes"},
		claim{"long-leaf", "the same, with Share before the leaf", "Fork and Share, 2 workers", "",
			"", absolute, 21, 18, ""},
		claim{"long-leaf", "the same, without Share", "Fork, 2 workers", byRust,
			"Rayon, scope, 2 workers", ratio, 0, 0, "see above; with Share it is as fast"})
}

func divisionClaims() []claim {
	var all []claim
	for _, work := range []struct{ key, name string }{
		{"quicksort", "quicksort"}, {"matrices", "matrices"},
		{"queens", "11 queens"}, {"tree", "an unbalanced tree"},
	} {
		const ours, rayon = "Fork, 2 workers", "Rayon, join, 2 workers"
		all = append(all,
			claim{work.key, work.name + ", 2 workers", ours, byRust, rayon, ratio, 0, 0, ""},
			claim{work.key, work.name + ", in units of plain code of the language", ours, byRust,
				rayon, relative, 0, 0, ""},
			claim{work.key, work.name + ": speed-up on 2 processors", ours, byGo, plainCode,
				speedup, minimalSpeedup(work.key), 0, ""})
	}
	return append(all,
		claim{"sort", "SortFunc, stable, 2 workers", "SortFunc, stable, 2 workers", byGo,
			"slices.SortStableFunc", ratio, 0, 0, ""},
		claim{"sort", "SortFunc, stable, 2 workers", "SortFunc, stable, 2 workers", byGo,
			"slices.SortFunc", ratio, 0, 0, ""},
		claim{"sort", "SortFunc, stable, 2 workers", "SortFunc, stable, 2 workers", byRust,
			"Rayon, par_sort_by, stable, 2 workers", ratio, 0, 0,
			"Rust's sort inlines the comparison and has no branches in its inner loops; ours calls " +
				"a function for each comparison"})
}

// minimalSpeedup is that of leaves of 1 µs and more, for work that has such leaves.
func minimalSpeedup(key string) float64 {
	if key == "matrices" {
		return 1.85
	}
	return 1
}

func taskClaims() []claim {
	const pull, wait = "iter.Pull, a round trip", "goroutine ping-pong over channels"
	const suspension = "spawn, both yield, Join: each of 3 suspensions, "
	const future = "spawn of a future that wakes itself once, Join, "
	const stacks = "a wait in the middle of a function changes stacks, and tells other workers " +
		"what it leaves"
	spawnJoin := func(by, other string, must, goal float64) claim {
		return claim{"spawn-join", "spawn + join", "Spawn, Join", by, other, speedup, must, goal,
			""}
	}
	many := func(ours, by, other string, must, goal float64, why string) claim {
		return claim{"many", "10,000 empty tasks: " + ours, ours, by, other, ratio, must, goal, why}
	}
	const fixed = "buffered channel, fixed workers, WaitGroup"
	return []claim{
		spawnJoin(byGo, "go + channel", 7, 10),
		spawnJoin(byRust, "Tokio", 5, 7),
		many("Spawn, Join", byGo, fixed, 1, 0,
			"each of our tasks has a handle, with a result and an error, which is an allocation"),
		many("Spawn, Join", byRust, "Tokio, from inside", 0, 0, ""),
		many("SpawnBatch, Join", byGo, fixed, 1/1.5, 0, ""),
		many("Submit, Wait (from outside)", byGo, fixed, 1.3, 0, "as from inside"),
		many("Submit, Wait (from outside)", byRust, "Tokio, from outside", 0, 0, ""),
		many("Submit, Wait (from outside)", byRust, "crossbeam channel, fixed workers", 0, 0,
			"as with Go's channel"),
		many("SubmitBatch, Wait (from outside)", byGo, fixed, 0, 0, ""),
		{"pool-outside", "the pool of examples/pool, from outside", "examples/pool, Submit", byGo,
			"buffered channel, fixed workers", ratio, 0, 0, "each task takes a lock, as there"},
		{"pool-inside", "the pool of examples/pool, from inside", "examples/pool, Spawn", byGo,
			"buffered channel, fixed workers", ratio, 0, 0, ""},
		{"yield", "a yield to another task, 1 worker", "Yield, two tasks, 1 worker", byGo, pull, ratio,
			1.4, 0, stacks},
		{"yield", "a yield to another task, 1 worker", "Yield, two tasks, 1 worker", byGo,
			"Gosched, two goroutines", ratio, 0, 0, stacks},
		{"yield", "yields of two tasks, 2 workers", "Yield, two tasks, 2 workers", byGo,
			"Gosched, two goroutines", ratio, 0, 0, stacks},
		{"yield", "a yield with nobody else there", "Yield, one task, 2 workers", byRust, "Tokio",
			ratio, 0, 0, ""},
		{"suspend", "a suspension, 1 worker", suspension + "1 worker", byGo, pull, ratio, 1.7, 1.4,
			stacks},
		{"suspend", "a suspension, 2 workers", suspension + "2 workers", byGo, pull, ratio, 1.9,
			1.5, stacks},
		{"suspend", "a suspension, 1 worker", suspension + "1 worker", byGo, wait, ratio, 0, 0,
			stacks},
		{"suspend", "a suspension, 2 workers", suspension + "2 workers", byRust, "Tokio", ratio, 0,
			0, "a task of Tokio's has no stack to change"},
		{"suspend", "a suspension, 2 workers", suspension + "2 workers", byOurs,
			suspension + "1 worker", ratio, 1, 0, ""},
		{"suspend", "a future that waits, one that wakes it, and joins",
			"spawn of a future and of another that wakes it, Join of both", byGo, pull, ratio, 2.5, 0,
			"a join that waits changes stacks, as a suspension does"},
		{"suspend", "a future that wakes itself, and a join, 2 workers", future + "2 workers", byGo,
			pull, ratio, 0, 0, "two polls, and a task to keep the result"},
	}
}

func outsideClaims() []claim {
	const one = "InjectorBatch(32, LocalRing)"
	const call = "a worker that sleeps is woken by a system call, and wakes the caller; a goroutine " +
		"stays within the Go scheduler"
	all := []claim{
		{"outside-busy", "1,000 from outside while all workers are busy", one, "", "", absolute,
			11.5, 0, ""},
		{"outside-busy", "1,000 from outside while all workers are busy", one, byRust, "Tokio",
			ratio, 0, 0, ""},
		{"outside-idle", "spawn + wait from outside after 2 ms of nothing", "Submit, Wait", byGo,
			"bare futex, there and back", ratio, 2, 0, ""},
		{"outside-idle", "spawn + wait from outside after 2 ms of nothing", "Submit, Wait", byRust,
			"Tokio", ratio, 0, 0, ""},
		{"outside-idle", "spawn + wait from outside after 2 ms of nothing", "Submit, Wait", byGo,
			"go + channel", ratio, 0, 0, call},
		{"outside", "spawn + wait from outside, one after the other", "Submit, Wait", byRust,
			"Tokio", ratio, 0, 0, ""},
		{"outside", "spawn + wait from outside, one after the other", "Submit, Wait", byGo,
			"go + channel", ratio, 0, 0, call},
		{"wake", "wake to run, from inside", "Spawn, the waker is a task", byGo, "channel", ratio,
			0, 0, ""},
		{"wake", "wake to run, from inside", "Spawn, the waker is a task", byGo, "bare futex",
			ratio, 0, 0, "there is nothing below a futex"},
		{"wake", "wake to run, from outside", "Submit, the waker is outside", byGo, "channel",
			ratio, 0, 0, ""},
		{"echo", "64 bytes and their echo over one of 100 connections", "tasks with a Conn", byGo,
			"goroutines with a net.Conn", ratio, 0, 0,
			"a Conn waits by means of a net.Conn, and allocates"},
	}
	for _, w := range []struct{ key, name, ours, goPeer string }{
		{"local-10000", "spawn_many_local", "Cx.Go", "go"},
		{"idle-10000", "spawn_many_remote_idle", "Runtime.Go", "go"},
		{"yielding-10000", "spawn_many_remote_busy1", "Runtime.Go, Cx.Yield", "go, Gosched"},
		{"ping-pong", "ping_pong", "Cx.Go, Oneshot", "go, channels of capacity 1"},
		{"chain", "chained_spawn", "Cx.Go", "go"},
		{"yield-many", "yield_many", "Cx.Yield", "Gosched"},
	} {
		all = append(all,
			claim{w.key, "Tokio's " + w.name, w.ours, byRust, "Tokio", ratio, 0, 0,
				map[string]string{"yield-many": "a task of Tokio's has no stack to change"}[w.key]},
			claim{w.key, "Tokio's " + w.name, w.ours, byGo, w.goPeer, ratio, 0, 0, ""})
	}
	return all
}
