// Certify verifies that a set of executions of a check is complete.
//
//	surewake check -certify DIR ./deque
//	go run github.com/surewake/surewake/model/certify DIR/*.traces
//
// The search of package explore decides which executions it runs and which it leaves out. This
// program does not trust it. From the executions that were run, which the first command writes
// down, it computes by its own relation what depends on what, and verifies that no other execution
// exists. It imports nothing of the rest of the project. It prints one line per check: certified;
// REFUTED, with an execution that is missing; or not certifiable, with the reason. The exit code is
// 0, 1 if something is refuted, 2 if a file cannot be read, 3 if something is not certifiable.
//
// # Terms
//
// A step is an operation with its outcome; the birth of a thread is a step of its parent, and the
// end of a thread is its last step. Two steps of different threads depend on one another if they
// use one object in ways that the table dependent has; all others commute. Steps of one thread
// depend on one another. In an execution, step f happens before step e if a chain of dependent
// steps leads from f to e. A configuration is a set of steps of an execution that with a step
// contains all that happens before it: a beginning of the execution, up to the order of steps that
// commute. Two executions are equivalent if they consist of the same steps, where a step is known
// by its thread, operation, outcome, and the steps that happen before it. Such a step has one
// number in all traces (book.ids), so that a configuration is known by the last step of each
// thread, and whether an execution contains it is a question about these (trace.front).
//
// # Theorem
//
// Let S be a finite set of executions of a program, not empty, such that for each E in S and each
// configuration C that is E itself, or E without a step b and all that b happens before:
//
//	each thread that can take a step after C is at an operation of which S has, for each outcome
//	that is possible after C, an execution that contains C and that step right after it.
//
// Then S contains every maximal execution of the program, up to equivalence.
//
// The program has these properties:
//
//	D   what a thread does next depends on nothing but what happens before: its last step with its
//	    past, and for the outcome on the configuration
//	A1  neighbours that commute can change places, and lead to the same state
//	A2  a step that commutes with another one is possible, with the same outcome, before that and
//	    after it
//	A3  if a and b depend on one another, both are possible, and b leaves a's thread a step, then
//	    it leaves it one, a', that depends on b
//	A4  if moreover z commutes with b and depends on a, then it depends on a'
//	A5  two steps that each leave a's thread no step depend on one another
//
// Proof. Write p ~> for "p is contained in an execution of S", and p.a for p with a step a after
// it. Claim: if p ~>, every maximal execution that begins with p is in S. By induction on the
// number of steps that the longest execution of S has more than p. Let a be possible after p; it is
// enough that p.a ~>, for the claim then holds of p.a. S is not empty, so the claim for the empty p
// is the theorem. Let B be the steps b with p.b ~>. It is not empty: if S has p but nothing longer,
// the condition for C = p gives p.a. The claim holds of each p.b.
//
//  1. Some b in B commutes with a. By A2, p.b.a is possible; by the claim S has an execution that
//     begins with it. By A1 it also begins with p.a.
//  2. Every b in B depends on a, and some b of another thread leaves a's thread a step, a' as in
//     A3. By the claim S has an execution E that begins with p.b.a'. Suppose a step of E, not in p,
//     does not come after b, and let z be a first such step. Then z is in B, commutes with b and
//     with a', and depends on a; this contradicts A4. So E without b and what comes after it is p,
//     and the condition gives p.a.
//  3. Some b in B are of other threads, and each of them leaves a's thread no step. Take one, and E
//     in S that begins with p.b. A first step z of E, not in p, that does not come after b is in B
//     and commutes with b. By A2 it is possible after b, so it is not of a's thread, and
//     contradicts A5. So E without b and what comes after it is p.
//  4. All of B are other outcomes of a's operation. Take E in S that begins with p.b, b in B. A
//     first step of E, not in p, is in B, so it is b. E without b and what comes after it is p.
//
// So the number of configurations to look at is that of the steps of S, though the number of all
// beginnings grows exponentially.
//
// # Where the premises come from
//
// A1 to A5 are facts about the operations and no longer about the search: a reader can go through
// the tables rules and dependent, and outcomes, case by case. An operation waits only for a counter
// to be 0, except for loops that wait. Each use that adds to such a counter either excludes others
// like it (the holders of a lock), or is made before the wait can begin (births before Join,
// the begin of a sleep before its end), or is itself excluded then (a reader, once a writer has
// announced itself). For words A4 holds because what changes the outcome of a CompareAndSwap is a
// write, and a write commutes with nothing on its word. Two holders of a lock (A5) cannot come
// without its release. The test removes
// executions from complete sets of random programs, and each time the verifier must object. D is
// what the checker requires of a program; it is verified as far as the file shows it: if two
// executions have the same past of a thread and another operation after it, that refutes the set
// (trace.add). A step that is shown although it was not possible refutes it, too.
//
// Two rules go beyond commuting steps:
//
//   - Early ends of futex waits are bounded in number, so that one takes away the chance of another
//     though they commute: A2 fails for them. In the proof take for B and E only steps that do not
//     end early: every wait has such an outcome, for which A2 holds.
//   - A loop that only reads waits until something that it has read changes (trace.change). It
//     comes after the first change, which must be the same one in every order. Else the set is not
//     certifiable.
//
// A timeout that is forced because nothing else can run depends on everything; which of several
// comes first is not verified.
//
// # Limits
//
// Sets that were cut (budgets, preemptions, iterations of loops that wait) are refused. So are
// operations that the program has no rule for: channels, timers, sleeps, sync.Map, sync.Pool,
// TryLock of an RWMutex, additions to a WaitGroup beside other goroutines. So are wakes of more
// than one but not all of those who sleep on a futex, and time.Now beside an early timeout of
// another goroutine. Nothing unknown is taken to commute. The program trusts that a file shows what
// happened: which thread did what to which object. That is what show_certify.go in package explore
// writes, which looks at no race and at no set of the search. All traces of a file are held in
// memory.
//
// # Files
//
// A file is text. It begins with these lines; in place of the third may stand "refused REASON".
//
//	surewake traces 2
//	check PACKAGE NAME
//	early N                     so many futex waits of an execution may end early
//
// Then, for each execution, a line "= trace" and its lines, and at the end of all "end N" with
// their number. Threads have names: main, main.1 for its first child, main.1.1 for the first child
// of that. Objects have names that are good for one execution.
//
//	start OBJECT N              the counter of an object before the first step, if not 0
//	THREAD OUTCOME OP OBJECT... a step
//	THREAD stuck OP OBJECT...   what a thread waits for when nothing can go on
//
// OUTCOME is "-" if the operation has only one; those that a signal or wake has woken, in order and
// with commas; else a word. OP is the name of the operation and its numbers, with commas. OBJECT is
// "-" if there is none. The operations whose objects and numbers are not plain:
//
//	go,CHILD GROUP              the birth of a thread; GROUP is what Join of its parent waits for
//	end GROUP                   the end of a thread
//	rlock M Mr, rwlock M Mr     M is the writer's part of an RWMutex, Mr that of the readers
//	runlock Mr
//	wgdone,N GROUP              WaitGroup.Add of -N
//	condadd C C@THREAD          the begin of Cond.Wait; C@THREAD is the thread's sleep on C
//	condwait C@THREAD           its end
//	signal,1 C C@WOKEN...       broadcast and futexwake are the same with other numbers
//	futexwait,N F F@THREAD      N of the outcomes sleeps, signal, timeout are possible; the last
//	                            two have the object early, too, and the last one the clock
//	futexsleep F@THREAD         the end of a sleep; if it is forced, the object is there twice
//	futexend F F@THREAD         the end of a wait that ends early, F alone if a wake came first
//	choose,N -                  has one of the outcomes 0 to N-1
//	spin,I,... -                a loop waits for a change of what these steps have read
package main
