/* Package deque, as a second model: three rings, indices modulo IDX (a stand-in for 2^32), CAP slots each, all of the
 * accesses steps of their own. The worker of ring 1 pops all it has and then steals from ring 0; the thief steals from ring 1
 * into ring 2. Tasks are 1 to NT; each must run once, or still be queued.
 */
#define SUB(a, b) (((a) - (b) + IDX) % IDX)
#define ADD(a, b) (((a) + (b)) % IDX)
#define SLOT(d, i) buf[(d) * CAP + (i) % CAP]
#define ND 3
#define NT (2 * CAP)
byte st[ND], re[ND], tail[ND]; /* st and re are one word: always in one step */
byte buf[ND * CAP];
byte ran[NT + 1];

inline runs(t) { d_step { if :: t != 0 -> ran[t]++; assert(ran[t] == 1) :: else fi } }

inline pop(d, t) {
	atomic { hs = st[d]; hr = re[d] };
	do
	:: atomic { hr == tail[d] -> t = 0; break }
	:: else ->
		if
		:: atomic { st[d] == hs && re[d] == hr -> if :: hs == hr -> st[d] = ADD(hr, 1) :: else fi; re[d] = ADD(hr, 1) };
			t = SLOT(d, hr); break
		:: atomic { !(st[d] == hs && re[d] == hr) -> hs = st[d]; hr = re[d] }
		fi
	od;
	hs = 0; hr = 0
}

inline steal(src, dst, t) {
	t = 0; dt = tail[dst];
	atomic { hs = st[src]; hr = re[src] };
	atomic { av = SUB(tail[src], hr); n = av - av / 2 };
	if :: av == 0 || hs != hr -> goto done :: else fi;
	atomic { av = CAP - SUB(dt, st[dst]); if :: n > av + 1 -> n = av + 1 :: else fi };
	if
	:: atomic { st[src] == hs && re[src] == hr -> re[src] = ADD(re[src], n) }
	:: atomic { !(st[src] == hs && re[src] == hr) -> goto done }
	fi;
	t = SLOT(src, hr);
	i = 1;
	do :: i < n -> x = SLOT(src, hr + i); SLOT(dst, dt + i - 1) = x; i++ :: else -> break od;
	atomic { hs = st[src]; hr = re[src] };
	do
	:: atomic { st[src] == hs && re[src] == hr -> st[src] = hr; break }
	:: atomic { !(st[src] == hs && re[src] == hr) -> hs = st[src]; hr = re[src] }
	od;
	if :: n > 1 -> tail[dst] = ADD(dt, n - 1) :: else fi;
done:	atomic { hs = 0; hr = 0; dt = 0; av = 0; n = 0; i = 0; x = 0 }
}

init {
	byte k;
	d_step {
		do :: k < CAP -> buf[k] = k + 1; buf[CAP + k] = CAP + k + 1; k++ :: else -> break od;
		tail[0] = CAP; tail[1] = CAP; k = 0
	};
	atomic { run worker(); run thief() }
}
proctype worker() {
	byte hs, hr, t, dt, av, n, i, x;
	do :: pop(1, t); if :: t != 0 -> runs(t) :: else -> break fi od;
	steal(0, 1, t); runs(t); t = 0;
	do :: pop(1, t); if :: t != 0 -> runs(t) :: else -> break fi od
}
proctype thief() {
	byte hs, hr, t, dt, av, n, i, x;
	steal(1, 2, t); runs(t); t = 0;
	do :: pop(2, t); if :: t != 0 -> runs(t) :: else -> break fi od
}
active proctype monitor() {
	byte k, left;
	timeout -> d_step {
		do :: k < ND -> left = left + SUB(tail[k], re[k]); k++ :: else -> break od;
		k = 1; do :: k <= NT -> left = left + ran[k]; k++ :: else -> break od
	};
	assert(left == NT);
	assert(st[0] == re[0] && st[1] == re[1]) /* no steal is left open */
}
