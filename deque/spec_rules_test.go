package deque_test

import "fmt"

// predicate says what an order of the operations cannot: a steal may report contention only if
// somebody else took from the same deque meanwhile. It also refuses histories of tests that break
// the rules themselves.
func (d spec) predicate(history []specOperation) error {
	for _, o := range history {
		if err := d.rules(o, history); err != nil {
			return err
		}
	}
	for _, o := range history {
		if o.Op.Kind != specSteal || o.Result.Outcome != specContended {
			continue
		}
		excuse := false
		for _, other := range history {
			excuse = excuse || other.ID != o.ID && other.Overlaps(o) && takesFrom(other, o.Op.Deque)
		}
		if !excuse {
			return fmt.Errorf("%s by thread %d is Contended, "+
				"but no steal, pop or overflow took from %s while it ran",
				describeSpecOp(o.Op), o.Thread, specName(o.Op.Deque))
		}
	}
	return nil
}

// takesFrom reports whether o moved the head of a deque. What failed itself, and a push that merely
// appended, are no excuse for others.
func takesFrom(o specOperation, deque int) bool {
	if o.Op.Deque != deque {
		return false
	}
	switch o.Op.Kind {
	case specPop, specSteal:
		return o.Result.Outcome == specTaken
	case specPush:
		return len(o.Result.Batch.Slice()) > 1
	}
	return false
}

// rules returns an error if the test used the deques as nobody may.
func (d spec) rules(o specOperation, history []specOperation) error {
	if o.Op.Kind < specPush || o.Op.Kind > specLen || o.Op.Deque < 0 || o.Op.Into < 0 {
		return fmt.Errorf("%w: unknown operation %+v", errSpecRules, o.Op)
	}
	if o.Op.Kind == specSteal && o.Op.Deque == o.Op.Into {
		return fmt.Errorf("%w: %s", errSpecRules, describeSpecOp(o.Op))
	}
	mine := owned(o.Op)
	if mine < 0 {
		return nil
	}
	for _, other := range history {
		// Both calls within the other operation: the owner itself may push while overflow runs, on
		// the same thread.
		if other.ID < o.ID && owned(other.Op) == mine && other.Overlaps(o) &&
			other.Thread != o.Thread {
			return fmt.Errorf("%w: %s and %s overlap, and both are for the owner of %s",
				errSpecRules,
				describeSpecOp(other.Op), describeSpecOp(o.Op), specName(mine))
		}
	}
	return nil
}

// owned returns the deque whose owner may make this call, or -1 if anyone may.
func owned(op specOp) int {
	switch op.Kind {
	case specPush, specPop, specOwnerLen:
		return op.Deque
	case specSteal:
		return op.Into
	}
	return -1
}

// diagnose puts a name to the fault of a history for which there is no order. It may find none: it
// looks for the plain cases only, and takes pushed values for distinct.
func (d spec) diagnose(history []specOperation) string {
	pushed := map[int]specOperation{}
	for _, o := range history {
		if o.Op.Kind != specPush {
			continue
		}
		if _, again := pushed[o.Op.Value]; again {
			return ""
		}
		pushed[o.Op.Value] = o
	}
	gone := map[int]specOperation{} // values that left the deques for good
	for _, o := range history {
		for _, v := range leaving(o) {
			if _, ok := pushed[v]; !ok {
				return fmt.Sprintf("%d came out, which was never pushed: %s", v,
					describeSpecOp(o.Op))
			}
			if first, again := gone[v]; again {
				return fmt.Sprintf("%d came out twice: %s and %s",
					v, describeSpecOp(first.Op), describeSpecOp(o.Op))
			}
			gone[v] = o
		}
	}
	if v, ok := d.lost(history, pushed, gone); ok {
		return fmt.Sprintf("%d was lost: every deque was empty in the end, and it never came out",
			v)
	}
	// a pushed before b, taken after it, by the same side from the same deque
	for _, a := range history {
		for _, b := range history {
			if a.Op.Kind != specPush || b.Op.Kind != specPush || a.Op.Deque != b.Op.Deque ||
				!a.Before(b) {
				continue
			}
			x, okX := gone[a.Op.Value]
			y, okY := gone[b.Op.Value]
			if okX && okY && y.Before(x) && x.Op.Kind == y.Op.Kind && x.Thread == y.Thread &&
				x.Op.Deque == a.Op.Deque && y.Op.Deque == a.Op.Deque && x.Op.Kind != specPush {
				return fmt.Sprintf("order: %d was pushed before %d, and %s took it after it",
					a.Op.Value, b.Op.Value, describeSpecOp(x.Op))
			}
		}
	}
	for _, o := range history {
		if o.Result.Outcome != specEmpty {
			continue
		}
		for _, p := range history {
			v := p.Op.Value
			out, ok := gone[v]
			if ok && p.Op.Kind == specPush && p.Op.Deque == o.Op.Deque &&
				out.Op.Deque == o.Op.Deque && out.Op.Kind != specPush &&
				p.Before(o) && o.Before(out) {
				return fmt.Sprintf("%s is Empty, but %d was in it all the while",
					describeSpecOp(o.Op), v)
			}
		}
	}
	return ""
}

// leaving returns the values that an operation took out of the deques.
func leaving(o specOperation) []int {
	switch {
	case o.Op.Kind == specPush:
		return o.Result.Batch.Slice()
	case o.Result.Outcome == specTaken:
		return []int{o.Result.Value}
	}
	return nil
}

// lost returns a value that never came out, if each deque was found empty after the last operation
// that changed one.
func (d spec) lost(history []specOperation, pushed, gone map[int]specOperation) (int, bool) {
	last := 0
	deques := map[int]bool{} // found empty since?
	for _, o := range history {
		deques[o.Op.Deque] = false
		if o.Op.Kind == specSteal {
			deques[o.Op.Into] = false
		}
		if o.Op.Kind == specPush || o.Result.Outcome == specTaken {
			last = max(last, o.Return)
		}
	}
	for _, o := range history {
		if o.Call > last && (o.Result.Outcome == specEmpty ||
			o.Op.Kind == specOwnerLen && o.Result.Value == 0) {
			deques[o.Op.Deque] = true
		}
	}
	for _, empty := range deques {
		if !empty {
			return 0, false
		}
	}
	for _, o := range history {
		if _, ok := gone[o.Op.Value]; !ok && o.Op.Kind == specPush {
			return o.Op.Value, true
		}
	}
	return 0, false
}
