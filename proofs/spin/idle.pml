/* Packages idle and park, as a second model, written by hand and without the tables of spec/. Every access to shared memory
 * is a step of its own; what a worker computes alone belongs to the step before.
 *   N workers, S submitters of T tasks each, at most X timeouts
 */
#define UNPARKED 0
#define PARKED 1
#define TOKEN 2
#define BIT(i) (1 << (i))

byte q, ndone, nlong, searching, timeouts;
byte bits;              /* one word of the bitmap */
byte word[N];           /* of the parkers */
bool asleep[N];         /* in the kernel */

inline lowest() { id = 0; do :: (b & BIT(id)) == 0 -> id++ :: else -> break od }

inline unpark() {
	atomic { old = word[id]; word[id] = TOKEN };
	if
	:: old == PARKED -> atomic { asleep[id] = false; id = 0; b = 0; old = 0 } /* the futex wake, possibly late */
	:: else -> atomic { id = 0; b = 0; old = 0 }
	fi
}

inline notify() {
	if
	:: atomic { searching != 0 -> skip }
	:: atomic { searching == 0 -> skip };
		do
		:: atomic { bits == 0 -> b = 0; break }
		:: atomic { bits != 0 -> b = bits; lowest() };
			if
			:: atomic { (bits & BIT(id)) != 0 -> bits = bits & ~BIT(id) };
				searching++;
				unpark();
				break
			:: atomic { (bits & BIT(id)) == 0 -> b = 0; id = 0 } /* somebody was faster */
			fi
		od
	fi
}

active [N] proctype worker() {
	byte b, id, old; bool s, recheck;
loop:
	if
	:: atomic { q > 0 -> q--; goto found }
	:: atomic { q == 0 -> skip }
	fi;
	if
	:: s -> skip
	:: else ->
		if
		:: atomic { 2 * searching < N -> searching++; s = true }
		:: atomic { 2 * searching >= N -> skip }
		fi
	fi;
	if
	:: atomic { q > 0 -> q--; goto found }
	:: atomic { q == 0 -> skip }
	fi;
	bits = bits | BIT(_pid);
	recheck = true;
	if
	:: s -> atomic { searching--; s = false }
	:: else
	fi;
	if
	:: recheck ->
		recheck = false;
		if
		:: atomic { q == 0 -> skip }
		:: atomic { q > 0 -> skip }; notify()
		fi
	:: else
	fi;
sleep:
	if
	:: atomic { word[_pid] == UNPARKED -> word[_pid] = PARKED };
		if
		:: atomic { word[_pid] != PARKED -> skip } /* the kernel compares */
		:: atomic { word[_pid] == PARKED -> asleep[_pid] = true };
			if
			:: atomic { !asleep[_pid] -> skip }
			:: atomic { asleep[_pid] && timeouts < X -> timeouts++; asleep[_pid] = false }
			fi
		fi
	:: atomic { word[_pid] != UNPARKED -> skip }
	fi;
	atomic { s = (word[_pid] == TOKEN); word[_pid] = UNPARKED }; /* the Swap on the way out */
	if
	:: s -> skip /* whoever gave the token has counted it */
	:: else ->
		if
		:: atomic { (bits & BIT(_pid)) != 0 -> bits = bits & ~BIT(_pid) }
		:: atomic { (bits & BIT(_pid)) == 0 -> goto sleep } /* claimed: a token is on its way */
		fi
	fi;
	goto loop;
found:
	if
	:: s -> atomic { s = false; searching--; recheck = (searching == 0) };
		if
		:: recheck -> recheck = false; notify()
		:: else
		fi
	:: else
	fi;
	if /* a long task: it ends only when the queue is empty, so the others must empty it */
	:: atomic { nlong < N - 1 -> nlong++ }; atomic { q == 0 -> nlong-- }
	:: skip
	fi;
	ndone++;
	goto loop
}

active [S] proctype submitter() {
	byte b, id, old, k;
	do
	:: atomic { k < T -> k++; q++ }; notify()
	:: atomic { k == T -> break }
	od
}

#ifdef LIVE
ltl live { <> (ndone == S * T) }
#else
active proctype monitor() { /* where nothing else can happen */
	timeout -> assert(q == 0 && ndone == S * T); assert(searching == 0 && bits == (1 << N) - 1)
}
#endif
