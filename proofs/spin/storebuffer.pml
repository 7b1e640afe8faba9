/* Why idle needs sequential consistency: the pairs of its essay as litmus tests, with store buffers that mutants use. Each side
 * stores to one location and then loads the other's. A buffered store is seen by others only when it has been flushed, at any time. An
 * atomic operation of Go's is never buffered; in C11 one with release or acquire-release order may be, exchanges too.
 *   pair 1: a push, then the load of the bitmap    | a bit set, then the recheck of the queue
 *   pair 2: a push, then the load of searching     | searching - 1, then the recheck of the queue
 *   pair 3: closed stored, then the load of a word | a bit set, then the load of closed
 * They are the same program: x is what the first side stores, y what the other does.
 */
byte x, y;              /* memory */
bool waits1, waits2;    /* a store is in the buffer */
bool saw1, saw2, done1, done2;

active proctype first() {
	x = 1;
	atomic { saw1 = (y == 1); done1 = true }
}
active proctype second() {
	y = 1;
	atomic { saw2 = (x == 1); done2 = true }
}
active proctype flush() {
end:	do
	:: atomic { waits1 -> x = 1; waits1 = false }
	:: atomic { waits2 -> y = 1; waits2 = false }
	od
}
active proctype monitor() {
	atomic { done1 && done2 -> assert(saw1 || saw2) }
}
