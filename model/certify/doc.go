// Certify verifies that a set of executions of a check is complete.
//
//	surewake check -certify DIR ./deque
//	go run github.com/surewake/surewake/model/certify DIR
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
// A step is an operation with its outcome, or the birth of a thread. Two steps of different threads
// depend on one another as the table dependent says, or as gates does; all others commute. Steps of
// one thread depend on one another. In an execution, step f happens before step e if a chain of
// dependent steps leads from f to e. A configuration is a set of steps of an execution that with a
// step contains all that happens before it: a beginning of the execution, up to the order of steps
// that commute. Two executions are equivalent if they consist of the same steps, where a step is
// known by its thread, operation, outcome, and the steps that happen before it. Such a step has one
// number in all traces (book.identify), so that a configuration is known by the last step of each
// thread, and whether an execution contains it is a question about these.
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
// the tables kinds, dependent and taken, and gates and options, case by case. For words A4 holds
// because what changes the outcome of a CompareAndSwap is a write, and a write commutes with
// nothing on its word. Two holders of a lock (A5) cannot come without its release. The test removes
// executions from complete sets of random programs, and each time the verifier must object. D is
// what the checker requires of a program; it is verified as far as the file shows it: if two
// executions have the same past of a thread and another operation after it, that refutes the set
// (book.comesNext). A step that is shown although it was not possible refutes it, too.
//
// Two rules go beyond commuting steps:
//
//   - Early ends of futex waits are bounded in number, so that one takes away the chance of another
//     though they commute: A2 fails for them. In the proof take for B and E only steps that do not
//     end early: every wait has such an outcome, for which A2 holds.
//   - A loop that only reads waits until something that it has read changes. It comes after the
//     first change, which must be the same one in every order. Else the set is not certifiable.
//
// A timeout that is forced because nothing else can run depends on everything; which of several
// comes first is not verified.
//
// # Limits
//
// Sets that were cut (budgets, preemptions, iterations of loops that wait) are refused. So are
// operations that the program has no rule for: channels, timers, sleeps, sync.Map, sync.Pool,
// TryLock of an RWMutex, additions to a WaitGroup beside other goroutines. So are executions of
// more than 64 goroutines. Nothing unknown is taken to commute. The program trusts that a file
// shows what happened: which thread did what to which object. That is what show_certify.go in
// package explore writes, which looks at no race and at no set of the search.
//
// # Files
//
// A file is text. It begins with these lines; in place of the third may stand "refused REASON".
//
//	surewake traces 1
//	check PACKAGE NAME
//	early N                     so many futex waits of an execution may end early
//
// Then, for each execution, a line "= trace" and its lines, and at the end of all "end N" with
// their number. Objects are numbers, threads are numbers, main is 0; steps are counted from 0.
//
//	group OBJECT N              the counter of a WaitGroup before the first step
//	go THREAD PARENT STEP BOOL  a birth, after that step (-1: none); whether Join waits for it
//	THREAD OUTCOME OP ARGS      a step; the object comes first
//	stuck THREAD OP ARGS        what a thread waits for when nothing can go on
package main
