package refine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/model"
)

// most is how many states and rules a message shows.
const most = 4

// refusal says what was done, and what the table would have allowed.
func (m *Machine) refusal(e edge, object string, s *model.Step) error {
	var b strings.Builder
	where := ""
	for _, f := range s.Frames() {
		name := f.Func[strings.LastIndexByte(f.Func, '/')+1:]
		where = fmt.Sprintf(" in %s, %s:%d", name, f.File[strings.LastIndexByte(f.File, '/')+1:],
			f.Line)
		break
	}
	fmt.Fprintf(&b, "table %s has no such step: %v of %s%s, by %s", m.binding.System.Name, s.Op,
		object, where, s.Name)
	fmt.Fprintf(&b, "\nthe memory is now  %s", m.list(m.numbers(m.values.at(e.values))))
	states := m.numbers(m.sets.at(e.set))
	for i, n := range states[:min(most, len(states))] {
		word := "the table was in  "
		if i > 0 {
			word = "or in             "
		}
		fmt.Fprintf(&b, "\n%s %s", word, m.describe(m.numbers(m.states.at(n))))
	}
	if left := len(states) - most; left > 0 {
		fmt.Fprintf(&b, "\nor in one of %d more", left)
	}
	fmt.Fprintf(&b, "\nby the table %s may now do  %s", s.Name, m.allowed(states, s.Name))
	k := m.known[e.access]
	for _, n := range k.preconditions {
		fmt.Fprintf(&b, "\nit is done only if  %s", m.preconditions[n].text)
	}
	var rules []string
	for _, n := range k.moves {
		if r := m.moves[n].rule; !slices.Contains(rules, r.Name) {
			rules = append(rules, r.Name)
		}
	}
	if rules == nil && k.preconditions == nil {
		b.WriteString("\nno rule is about this access by this goroutine")
	}
	for i, name := range rules {
		if i == 2*most {
			fmt.Fprintf(&b, "\nand %d rules more", len(rules)-i)
			break
		}
		r := m.binding.System.Rule(name)
		fmt.Fprintf(&b, "\nrule %-15s if %s then %s", name, r.When, r.Do)
	}
	b.WriteString("\nif the code is right, its table has to allow it: " +
		"\"To change a protocol\" in CONTRIBUTING.md")
	return errors.New(b.String())
}

// allowed lists the rules by which an actor can move in one of the states.
func (m *Machine) allowed(states []int, name string) string {
	actor, ok := m.actors[name]
	if !ok {
		return "nothing: it is no actor of the table"
	}
	var rules []string
	for i := range m.moves {
		v := &m.moves[i]
		for _, n := range states {
			if v.actor != actor || slices.Contains(rules, v.rule.Name) {
				break
			}
			can := false
			m.fire(v, m.numbers(m.states.at(n)), func([]int) { can = true })
			if can {
				rules = append(rules, v.rule.Name)
			}
		}
	}
	if rules == nil {
		return "nothing"
	}
	return strings.Join(rules, ", ")
}

func (m *Machine) list(values []int) string {
	var parts []string
	for i, v := range m.shared {
		parts = append(parts, fmt.Sprintf("%s=%d", v.name, values[i]))
	}
	return strings.Join(parts, " ")
}

// describe lists what is not 0.
func (m *Machine) describe(state []int) string {
	var parts []string
	for i, name := range m.names {
		if state[i] != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", name, state[i]))
		}
	}
	return strings.Join(parts, " ")
}
