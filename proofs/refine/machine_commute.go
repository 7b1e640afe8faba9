package refine

import (
	"fmt"
	"slices"
)

// Commutes checks that consecutive moves by different actors on different objects commute in every
// reachable state, except the rules listed: another move of the second actor on its object, and
// then one of the first actor on its own, lead to the same state. Each move must change what is
// shared of its own object only. So what was seen of one order of independent accesses holds of the
// others.
//
// The states are those reachable from where the last execution began. Commutes returns how many
// pairs it has checked, and an error that names the first pair that does not commute, or that there
// are more states than limit.
func (m *Machine) Commutes(limit int, except ...string) (pairs int, err error) {
	m.hops = map[int][]hop{}
	defer func() { m.hops = nil }()
	states := slices.Clone(m.numbers(m.sets.at(m.start)))
	seen := map[int]bool{states[0]: true}
	for i := 0; i < len(states); i++ {
		s := states[i]
		if len(states) > limit {
			return pairs, fmt.Errorf("more than %d states", limit)
		}
		first, err := m.onward(s)
		if err != nil {
			return pairs, err
		}
		for _, a := range first {
			if !seen[a.to] {
				seen[a.to] = true
				states = append(states, a.to)
			}
			second, err := m.onward(a.to)
			if err != nil {
				return pairs, err
			}
			for _, b := range second {
				if b.actor == a.actor || b.object == a.object || slices.Contains(except, b.rule) ||
					slices.Contains(except, a.rule) {
					continue
				}
				pairs++
				if !m.swapped(first, a, b) {
					return pairs, fmt.Errorf("in %s, %s by %s and then %s by %s is possible, "+
						"and not in the other order", m.describe(m.numbers(m.states.at(s))),
						a.rule, m.binding.Actors[a.actor], b.rule, m.binding.Actors[b.actor])
				}
			}
		}
	}
	return pairs, nil
}

// hop is a move from a state.
type hop struct {
	rule   string
	actor  int
	object string
	to     int
}

// swapped reports whether b's actor can act first, on the same object, and then a's on its own,
// with the same end.
func (m *Machine) swapped(first []hop, a, b hop) bool {
	for _, c := range first {
		if c.actor != b.actor || c.object != b.object {
			continue
		}
		next, err := m.onward(c.to)
		if err == nil && slices.ContainsFunc(next,
			func(d hop) bool {
				return d.actor == a.actor && d.object == a.object &&
					d.to == b.to
			}) {
			return true
		}
	}
	return false
}

// onward returns the moves from a state. Silent ones are on an object of their actor's own.
func (m *Machine) onward(state int) (all []hop, err error) {
	if all, ok := m.hops[state]; ok {
		return all, nil
	}
	before := m.numbers(m.states.at(state))
	for i := range m.moves {
		v := &m.moves[i]
		m.fire(v, before, func(after []int) {
			h := hop{rule: v.rule.Name, actor: v.actor, object: v.access.object,
				to: m.state(after[:len(m.names)])}
			for j := range m.shared {
				if m.shared[j].of(m.whole(before)) == m.shared[j].of(after) {
					continue
				}
				if h.object == "" && !v.silent {
					h.object = m.shared[j].object
				}
				if h.object != m.shared[j].object {
					err = fmt.Errorf("rule %s, which is about %s, changes %s", h.rule, h.object,
						m.shared[j].name)
				}
			}
			if v.silent {
				h.object = "nothing of " + m.binding.Actors[v.actor]
			}
			all = append(all, h)
		})
	}
	m.hops[state] = all
	return all, err
}
