package explore

// Channels are of two kinds: those whose values have a size, and those of signals, struct{} for
// example, which often are only closed. What a select does with a channel without room decides how
// the search treats those of its kind (chan_request.go, chan_rendezvous.go): a goroutine that sends
// values in a select makes no difference to others that wait for a signal. The kind is part of the
// type, so that a channel is of the same kind in every execution.
const (
	ofValues = iota
	ofSignals
	chanKinds
)

// perKind has a property of the channels without room of each kind.
type perKind [chanKinds]bool

func (p perKind) any() bool { return p[ofValues] || p[ofSignals] }

func (p perKind) or(o perKind) (out perKind) {
	for k := range out {
		out[k] = p[k] || o[k]
	}
	return out
}

// kind returns the kind of a channel of which the caller says whether its values have no size.
func kind(signals bool) int {
	if signals {
		return ofSignals
	}
	return ofValues
}

// queues reports whether threads that wait at ch have a queue.
func (e *engine) queues(ch *channel) bool { return ch.cap == 0 && e.rendezvous[ch.kind] }
