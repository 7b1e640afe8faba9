/* The assumption of package deque: a thief stalls between its loads and its claim while the owner makes OPS pushes and pops. A head
 * that has gone round once, IDX advances, looks the same, and the length that the thief knows is from another time.
 */
#define OPS 31
#define SUB(a, b) (((a) - (b) + IDX) % IDX)
#define ADD(a, b) (((a) + (b)) % IDX)
byte st, re, tail;

active proctype owner() {
	byte k;
	do
	:: k < OPS ->
		if
		:: SUB(tail, st) < CAP -> tail = ADD(tail, 1)
		:: atomic { SUB(tail, re) > 0 -> if :: st == re -> st = ADD(st, 1) :: else fi; re = ADD(re, 1) }
		:: atomic { st == re && SUB(tail, re) == 0 -> skip }
		fi;
		k++
	:: else -> break
	od
}
active proctype thief() {
	byte hs, hr, n;
	atomic { hs = st; hr = re };
	n = SUB(tail, hr);
	if
	:: hs == hr && n > 0 && n <= CAP ->
		n = n - n / 2;
		if
		:: atomic { st == hs && re == hr -> assert(n <= SUB(tail, re)); re = ADD(re, n) }
		:: atomic { !(st == hs && re == hr) -> skip }
		fi
	:: else
	fi
}
