/* The injector between an outsider and the workers, as a second model, written by hand and without the tables of spec/. Every access to
 * shared memory is a step of its own. Rings are short queues whose operations are one step each (deque/D11), the mutex is a variable;
 * tokens are there or not, and sleep has no timeout.
 *   N workers, one outsider that pushes T tasks and then, unless OPEN is defined, closes
 */
#define BIT(i) (1 << (i))
#define CAP 2

byte inj[T + 1], n;             /* the injector, under the lock */
byte length;                    /* what is published of n */
bool lock, shut;
byte ring[N * CAP], rn[N];
byte ran[T + 2], accepted, ndone, nlong, ended;
byte searching, bits;
bool closed, token[N];

#define QUEUED (length + rn[0] + rn[1])

inline lowest() { id = 0; do :: (b & BIT(id)) == 0 -> id++ :: else -> break od }
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
				atomic { token[id] = true; b = 0; id = 0 };
				break
			:: atomic { (bits & BIT(id)) == 0 -> b = 0; id = 0 }
			fi
		od
	fi
}
inline push(t) {
	atomic { !lock -> lock = true };
	if
	:: atomic { shut -> lock = false }
	:: atomic { !shut -> inj[n] = t; n++; accepted = accepted + 1 };
		length = n;
		lock = false;
		notify()
	fi
}
/* a batch: t is its first task, 0 if there is none */
inline fetch(t) {
	if
	:: atomic { length == 0 -> skip }
	:: atomic { length != 0 -> skip };
		atomic { !lock -> lock = true };
		atomic {
			if
			:: n == 0 -> lock = false
			:: else ->
				k = n / N + 1;
				if :: k > n -> k = n :: else fi;
				if :: k > CAP - rn[_pid] + 1 -> k = CAP - rn[_pid] + 1 :: else fi;
				t = inj[0]; h = (k > 1 -> inj[1] : 0); n = n - k;
				x = 0; do :: x < n -> inj[x] = inj[x + k]; x++ :: else -> break od; x = 0
			fi
		};
		if
		:: k > 0 -> length = n; lock = false
		:: else
		fi;
		if
		:: k > 1 ->
			atomic { ring[_pid * CAP + rn[_pid]] = h; rn[_pid]++; h = 0 };
			notify()
		:: else
		fi;
		atomic { k = 0; h = 0 }
	fi
}
#define SHIFT(w) ring[(w) * CAP] = ring[(w) * CAP + 1]; ring[(w) * CAP + 1] = 0; rn[w]--

active [N] proctype worker() {
	byte b, id, t, h, k, x; bool s;
loop:
	if
	:: atomic { rn[_pid] > 0 -> t = ring[_pid * CAP]; SHIFT(_pid); goto found }
	:: atomic { rn[_pid] == 0 -> skip }
	fi;
	fetch(t);
	if :: t != 0 -> goto found :: else fi;
	if
	:: s -> skip
	:: else ->
		if
		:: atomic { 2 * searching < N -> searching++; s = true }
		:: atomic { 2 * searching >= N -> goto park }
		fi
	fi;
	if
	:: atomic { rn[1 - _pid] > 0 -> t = ring[(1 - _pid) * CAP]; SHIFT(1 - _pid); goto found }
	:: atomic { rn[1 - _pid] == 0 -> skip }
	fi;
	fetch(t);
	if :: t != 0 -> goto found :: else fi;
park:
	bits = bits | BIT(_pid);
	if :: s -> atomic { searching--; s = false } :: else fi;
	if
	:: atomic { closed -> skip };
		if
		:: atomic { (bits & BIT(_pid)) != 0 -> bits = bits & ~BIT(_pid) };
			if
			:: atomic { QUEUED == 0 -> goto over }
			:: atomic { QUEUED != 0 -> goto loop }
			fi
		:: atomic { (bits & BIT(_pid)) == 0 -> skip }
		fi
	:: atomic { !closed -> skip };
		if
		:: atomic { length == 0 -> skip };
			if :: atomic { rn[0] + rn[1] == 0 -> skip } :: atomic { rn[0] + rn[1] != 0 -> skip }; notify() fi
		:: atomic { length != 0 -> skip }; notify()
		fi
	fi;
	atomic { token[_pid] -> token[_pid] = false; s = true };
	goto loop;
found:
	if :: s -> atomic { s = false; searching--; x = (searching == 0) }; if :: x == 1 -> x = 0; notify() :: else fi :: else fi;
	if /* a long task: the others must empty the queues, until they end */
	:: atomic { nlong < N - 1 -> nlong++ }; atomic { QUEUED + n == 0 || closed -> nlong-- }
	:: skip
	fi;
	atomic { ran[t] = ran[t] + 1; assert(ran[t] == 1); ndone++; t = 0 };
	goto loop;
over:	ended++
}

active proctype outsider() {
	byte b, id, i;
	do :: i < T -> i++; push(i) :: else -> break od;
#ifndef OPEN
	atomic { !lock -> lock = true }; atomic { shut = true; lock = false };
	closed = true;
	b = bits; i = 0;
	do
	:: i < N ->
		if
		:: (b & BIT(i)) != 0 ->
			if
			:: atomic { (bits & BIT(i)) != 0 -> bits = bits & ~BIT(i) }; searching++; token[i] = true
			:: atomic { (bits & BIT(i)) == 0 -> skip }
			fi
		:: else
		fi;
		i++
	:: else -> break
	od
#endif
}

#ifdef LIVE
#ifdef OPEN
ltl live { <> (ndone == T) }
#else
ltl live { <> (ended == N && ndone == T) }
#endif
#else
active proctype monitor() {
	timeout -> assert(ndone == accepted && n == 0 && searching == 0);
#ifdef OPEN
	assert(bits == (1 << N) - 1)
#else
	assert(ended == N)
#endif
}
#endif
