package explore

// A nodeSet is one of the sets of threads of a node of the search tree.
type nodeSet uint8

const (
	nodeEnabled nodeSet = iota // could run
	nodeSleep                  // need not run: explored from here or from a node above
	nodeBack                   // must be explored from here: the backtracking set
	nodeDone                   // were
	nodeHeld                   // could run, but others came first (thread_fair.go)
	nodeSets
)

// nodeHigh has the threads from number 64 on of the sets of a node. A node has one if the execution
// has as many threads then; no set of it gets threads that did not exist.
type nodeHigh [nodeSets]*highWords

// node returns set k of the node from which ev was executed. Its first word is in the event, so
// that events have no pointers and are small.
func (e *engine) node(ev *event, k nodeSet) threadSet {
	s := threadSet{low: ev.low[k]}
	if ev.high != 0 {
		s.high = e.high[ev.high-1][k]
	}
	return s
}

func (e *engine) setNode(ev *event, k nodeSet, s threadSet) {
	ev.low[k] = s.low
	if ev.high != 0 {
		e.high[ev.high-1][k] = s.high
	}
}

// setHigh makes h a part of the new node at depth d.
func (e *engine) setHigh(d int, h nodeHigh) {
	for len(e.high) <= d {
		e.high = append(e.high, nodeHigh{})
	}
	e.high[d], e.stack[d].high = h, int32(d)+1
}

// addTo adds thread i to set k of ev's node.
func (e *engine) addTo(ev *event, k nodeSet, i int) {
	if ev.high == 0 {
		ev.low[k] |= 1 << uint(i)
		return
	}
	s := e.node(ev, k)
	s.add(i)
	e.setNode(ev, k, s)
}

// unexplored returns the threads that must be explored from ev's node and were not.
func (e *engine) unexplored(ev *event) threadSet {
	switch {
	case e.reduce && ev.high == 0:
		return threadSet{low: ev.low[nodeBack] &^ ev.low[nodeSleep] &^ ev.low[nodeDone]}
	case !e.reduce:
		return e.node(ev, nodeEnabled).without(e.node(ev, nodeDone))
	}
	return e.node(ev, nodeBack).without(e.node(ev, nodeSleep)).without(e.node(ev, nodeDone))
}

// backAll makes sure that every thread that does not sleep is explored from ev's node.
func (e *engine) backAll(ev *event) {
	awake := e.node(ev, nodeEnabled).without(e.node(ev, nodeSleep))
	e.setNode(ev, nodeBack, e.node(ev, nodeBack).union(awake))
}
