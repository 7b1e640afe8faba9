// Package trace holds what real threads do against the tables of idle and park: traces of the
// shipped code with as many workers as one likes, at full speed but for the recording.
//
// [Build] builds a program of the shipped code with an overlay, as the checker does. In it package
// proofs/trace/atomic takes the place of sync/atomic: it makes each access and its record under one
// lock, so the records are in the order of the accesses. Some calls are recorded, too: they tell
// whose an access is. No line of the code is moved.
//
// [Judge] reads the records. It keeps what the table has for each Coordinator and each Parker, and
// leads it over each access: by a rule whose Code names the access, done by the agent whose it is,
// from a place in which this agent may be; or, where the access changes nothing, by nothing. What
// the rule leads to must be what the memory then has. The places of an agent are a set, since an
// access may mean a rule and may mean nothing. If it becomes empty, or the memory has changed by no
// rule, the trace is refused, with the access, the rules about it, and where these were last
// possible.
//
// # Calls
//
// A worker is in Park only in P. A call of Unpark for a worker is that of who has claimed it and
// counted it. Whoever owes a notification or a token does nothing else with idle or park before.
// A call ends only in a place that is not within it: Publish is not over in A, Notify not in M1.
// The answer of the runtime's recheck is the rule recheck_none or recheck_work.
//
// # What no trace shows
//
// The queues: conditions on them are taken to hold. What happens in the kernel: between the
// beginning and the end of a futex call, and of a send or a receive, the table of park may do what
// it can. Plain memory. What other timing would have led to: a trace is one order, and the lock of
// the recorder is part of what made it.
package trace
