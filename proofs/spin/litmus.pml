/* Which C11 orders the accesses of this project need, pair by pair: MEMORY.md has the list. Go's atomics have none to choose from, they
 * are all sequentially consistent; here each access has one: a test (TEST) defines O1, O2, ... and says what must be seen.
 *
 * The machine: a store waits in its process's buffer, until it goes to memory at any time and in any order, except that
 *   - a release store goes after whatever its process has stored before;
 *   - a sequentially consistent load waits until the sequentially consistent stores of its process have gone.
 * An exchange (and compare-and-swap, and addition) reads memory, and its store waits like any other; in between nobody else's
 * store to that place can go, and nobody else's exchange can read it. A process sees its own stores at once. What follows a relaxed
 * load or exchange may be done before it, and what precedes a relaxed store, after it: tests say so where it matters (EITHER). What
 * has gone to memory everybody sees, so this machine is stronger than C11 where three processes do not agree on an order.
 */
#define RLX 0 /* relaxed, and plain accesses */
#define REL 1 /* release; of exchanges, acquire and release */
#define ACQ 1
#define SC 2

#define NP 3
#define NL 4
#define I(p, l) ((p) * NL + (l))
byte mem[NL];           /* memory */
byte value[NP * NL];    /* the buffers: at most one store to a place waits in each */
bool waits[NP * NL], ordered[NP * NL];
byte after[NP * NL];    /* the stores that must go before it, a bit a place */
byte waiting[NP];       /* the stores that wait, a bit a place */
byte held[NL];          /* process + 1 whose exchange has read and not written yet */
byte done;

#define STRICT(p) (waits[I(p, 0)] && ordered[I(p, 0)] || waits[I(p, 1)] && ordered[I(p, 1)] || \
	waits[I(p, 2)] && ordered[I(p, 2)] || waits[I(p, 3)] && ordered[I(p, 3)])
#define SEES(p, l) (waits[I(p, l)] -> value[I(p, l)] : mem[l])

inline put(p, l, v, o) { /* in an atomic step */
	after[I(p, l)] = (o != RLX -> waiting[p] : 0);
	value[I(p, l)] = v; waits[I(p, l)] = true; ordered[I(p, l)] = (o == SC);
	waiting[p] = waiting[p] | (1 << (l))
}
inline store(p, l, v, o) { atomic { !waits[I(p, l)] -> put(p, l, v, o) } }
inline load(p, l, r, o) { atomic { o != SC || !STRICT(p) -> r = SEES(p, l) } }
/* r becomes what was there, and v, an expression of r, what is */
inline exchange(p, l, r, v, o) {
	atomic { !waits[I(p, l)] && held[l] == 0 && (o != SC || !STRICT(p)) -> r = mem[l]; held[l] = p + 1; put(p, l, v, o) }
}
#define GOES(p, l) atomic { waits[I(p, l)] && (after[I(p, l)] & waiting[p]) == 0 && (held[l] == 0 || held[l] == p + 1) -> \
	mem[l] = value[I(p, l)]; waits[I(p, l)] = false; ordered[I(p, l)] = false; held[l] = 0; waiting[p] = waiting[p] & ~(1 << l) }
#define EITHER(o, a, b) if :: a; b :: o == RLX -> b; a fi
#define ALL (done == NP && waiting[0] + waiting[1] + waiting[2] == 0)

active proctype buffers() {
end:	do
	:: GOES(0, 0) :: GOES(0, 1) :: GOES(0, 2) :: GOES(0, 3)
	:: GOES(1, 0) :: GOES(1, 1) :: GOES(1, 2) :: GOES(1, 3)
	:: GOES(2, 0) :: GOES(2, 1) :: GOES(2, 2) :: GOES(2, 3)
	od
}
byte a, b, c, d, e; /* what was read, for the last line */

#if TEST == 1 /* store, then load, on both sides; one side stores by an exchange */
#define O1 SC
#define O2 SC
#define O3 SC
#define O4 SC
active proctype p0() { store(0, 0, 1, O1); load(0, 1, a, O2); done++ }
active proctype p1() {
	exchange(1, 1, c, 1, O3);
	load(1, 0, b, O4); done++
}
active proctype p2() { done++ }
#define MUST (a == 1 || b == 1)

#elif TEST == 2 /* store, then exchange one place, then load on one side */
#define O1 REL
#define O2 REL
active proctype p0() {
	store(0, 0, 1, RLX); exchange(0, 1, a, a, O1);
	done++
}
active proctype p1() { EITHER(O2, exchange(1, 1, c, 1, O2), load(1, 0, b, RLX)); done++ }
active proctype p2() { done++ }
#define MUST (a == 1 || b == 1)

#elif TEST == 3 /* a message: store data, then the flag; load the flag, then the data */
#define O1 REL
#define O2 ACQ
active proctype p0() { store(0, 0, 1, RLX); store(0, 1, 1, O1); done++ }
active proctype p1() { EITHER(O2, load(1, 1, a, O2), load(1, 0, b, RLX)); done++ }
active proctype p2() { done++ }
#define MUST (a == 0 || b == 1)

/* two wakers, one token: data, then exchange; the parker takes the token, then reads both */
#elif TEST == 4
#define O1 REL
#define O2 REL
active proctype p0() { store(0, 0, 1, RLX); exchange(0, 2, a, 1, O1); done++ }
active proctype p1() {
	store(1, 1, 1, RLX);
	exchange(1, 2, b, 1, O1);
	done++
}
active proctype p2() { EITHER(O2, exchange(2, 2, c, 0, O2), load(2, 0, d, RLX); load(2, 1, e, RLX)); done++ }
/* Whoever found a token has come behind the other, and both before it was taken. */
#define MUST (c == 0 || ((d == 1 || e == 1) && (a + b == 0 || (d == 1 && e == 1))))

/* a slot is read and cleared, then released; who sees the release writes it. 0: its value, 1:
   cleared, 2: the new one */
#elif TEST == 5
#define O1 REL
active proctype p0() { /* the thief */
	if
	:: load(0, 0, a, RLX); store(0, 0, 1, RLX); exchange(0, 1, c, 1, O1)
	:: O1 == RLX -> exchange(0, 1, c, 1, O1); load(0, 0, a, RLX); store(0, 0, 1, RLX)
	fi;
	done++
}
active proctype p1() { /* the owner */
	load(1, 1, b, ACQ);
	if :: b == 1 -> store(1, 0, 2, RLX) :: b == 0 fi;
	done++
}
active proctype p2() { done++ }
#define MUST (a == 0 && (b == 0 || mem[0] == 2))

/* the tail goes up, then the head; who loads the head and then the tail finds the tail not
   behind it */
#elif TEST == 6
#define O1 REL
#define O2 ACQ
active proctype p0() { store(0, 1, 1, REL); exchange(0, 0, c, 1, O1); done++ }
active proctype p1() { EITHER(O2, load(1, 0, a, O2), load(1, 1, b, RLX)); done++ }
active proctype p2() { done++ }
#define MUST (a == 0 || b == 1)

#elif TEST == 7 /* who exchanges first has it */
inline take(p, r) {
	exchange(p, 0, r, 1, RLX)
}
active proctype p0() { take(0, a); done++ }
active proctype p1() { take(1, b); done++ }
active proctype p2() { take(2, c); done++ }
#define MUST (a + b + c == 2)

/* references: each owner writes to the object, and counts itself out; the last one reads all of
   it */
#elif TEST == 8
#define O1 REL
#define OWNER(p, mine, other, saw) \
	byte r; \
	store(p, mine, 1, RLX); \
	if \
	:: exchange(p, 2, r, r + 1, O1); load(p, other, saw, RLX) \
	:: O1 == RLX -> load(p, other, saw, RLX); exchange(p, 2, r, r + 1, O1) \
	fi; \
	if :: r == 1 :: else -> saw = 1 fi; \
	done++
active proctype p0() { OWNER(0, 0, 1, a) }
active proctype p1() { OWNER(1, 1, 0, b) }
active proctype p2() { done++ }
#define MUST (a == 1 && b == 1)

#elif TEST == 9 /* join: the waker, then exchange; the result, then exchange of the same word */
#define O1 REL
#define O2 REL
active proctype p0() { /* the joiner; place 0 is the waker, 1 the result, 2 the word: bit 0 join interest, bit 1 COMPLETE */
	store(0, 0, 1, RLX);
	if :: exchange(0, 2, a, a | 1, O1); load(0, 1, b, RLX) :: O1 == RLX -> load(0, 1, b, RLX); exchange(0, 2, a, a | 1, O1) fi;
	done++
}
active proctype p1() { /* the runner */
	store(1, 1, 1, RLX);
	if :: exchange(1, 2, c, c | 2, O2); load(1, 0, d, RLX) :: O2 == RLX -> load(1, 0, d, RLX); exchange(1, 2, c, c | 2, O2) fi;
	done++
}
active proctype p2() { done++ }
#define MUST ((a != 0 || c != 0) && (a == 0 || b == 1) && (c == 0 || d == 1))

/* a claimer counts, then gives the token; who has the token takes itself off the count */
#elif TEST == 10
#define O1 REL
#define O2 ACQ
active proctype p0() { EITHER(O1, exchange(0, 0, c, c + 1, RLX), store(0, 1, 1, O1)); done++ }
active proctype p1() {
	load(1, 1, a, O2);
	if :: a == 1 -> exchange(1, 0, b, b - 1, RLX) :: a == 0 fi;
	done++
}
active proctype p2() { done++ }
#define MUST (a == 0 || b == 1)

/* the last searcher: a push, then a load of the count; off the count, then a token; the token,
   then a look at the queue */
#elif TEST == 11
#define O1 SC
#define O2 SC
active proctype p0() { store(0, 0, 1, O1); load(0, 1, a, O2); done++ } /* 0: somebody searches */
active proctype p1() { exchange(1, 1, c, 1, REL); store(1, 2, 1, REL); done++ }
active proctype p2() { load(2, 2, d, ACQ); load(2, 0, e, ACQ); done++ }
#define MUST (!(a == 0 && d == 1 && e == 0))
#endif

active proctype judge() {
	atomic { ALL -> assert(MUST) }
}
