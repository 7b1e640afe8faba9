/* Package taskstate, as a second model: lifecycle, notified, references, one run queue, two workers.
 *   NW wakers with a reference each
 * Each waker makes an event true and then wakes the task; the task may complete only when it has seen all events, so a lost
 * wake is a task that waits for ever.
 */
#define SCHEDULED 0
#define RUNNING 1
#define IDLE 2
#define COMPLETE 3
byte life = SCHEDULED, queued = 1, refs = 1 + NW, polling, events, seen;
bool notified, released;

inline touch() { assert(!released && refs > 0) }
inline drop() { atomic { touch(); refs--; if :: refs == 0 -> assert(!released); released = true :: else fi } }
inline enqueue() { atomic { assert(queued == 0); queued++ } }
inline wake(mine) {
	atomic {
		touch(); mine = false;
		if
		:: life == IDLE -> life = SCHEDULED; mine = true
		:: life == RUNNING -> notified = true
		:: else -> skip
		fi
	};
	if :: mine -> enqueue() :: else fi
}

proctype waker() {
	bool mine;
	events++;
	wake(mine);
	drop()
}

proctype worker() {
	bool mine, waits;
end:	do
	:: atomic { queued > 0 -> queued-- };
		atomic { touch(); assert(life == SCHEDULED); life = RUNNING; notified = false };
		atomic { assert(polling == 0); polling++; seen = events };
		atomic { waits = (seen < NW); polling-- };
		if
		:: !waits -> atomic { touch(); assert(life == RUNNING); life = COMPLETE }; drop()
		:: else ->
			atomic {
				touch(); assert(life == RUNNING);
				if
				:: notified -> life = SCHEDULED; notified = false; mine = true
				:: else -> life = IDLE; notified = false; mine = false
				fi
			};
			if :: mine -> enqueue() :: else fi
		fi
	od
}

init {
	byte k;
	atomic { do :: k < NW -> run waker(); k++ :: else -> break od; run worker(); run worker() }
}
active proctype monitor() {
	timeout -> assert(life == COMPLETE && released && queued == 0)
}
