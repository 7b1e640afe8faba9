package spec

import (
	"fmt"
	"strings"
)

// Text returns the table as text, by the given name, which [Parse] reads: the form in which mutants
// edit it.
func (s *System) Text(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s\nvars %s\nparams %s\ninit %s\n",
		name, strings.Join(s.Vars, " "), strings.Join(s.Params, " "), s.Init)
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "\nrule %s\ncode %s\nwhen %s\ndo %s\n", r.Name, r.Code, r.When, r.Do)
	}
	return b.String()
}

// Parse reads a table from text. A line is an attribute of the table or of the rule that was begun
// last.
func Parse(text string) (*System, error) {
	s := &System{}
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == "" {
			continue
		}
		attributes := map[string]*string{"table": &s.Name, "init": &s.Init}
		if len(s.Rules) > 0 {
			r := &s.Rules[len(s.Rules)-1]
			attributes = map[string]*string{"code": &r.Code, "when": &r.When, "do": &r.Do}
		}
		switch attribute := attributes[key]; {
		case key == "rule" && seen[value]:
			return nil, fmt.Errorf("line %d: a second rule %s", i+1, value)
		case key == "rule":
			seen[value] = true
			s.Rules = append(s.Rules, Rule{Name: value})
		case len(s.Rules) == 0 && key == "vars":
			s.Vars = strings.Fields(value)
		case len(s.Rules) == 0 && key == "params":
			s.Params = strings.Fields(value)
		case attribute == nil:
			return nil, fmt.Errorf("line %d: no attribute of a table or rule: %q", i+1, line)
		default:
			*attribute = value
		}
	}
	return s, nil
}
