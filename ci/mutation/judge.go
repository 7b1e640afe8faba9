package main

import (
	"fmt"
	"slices"
)

// judge prints what is known of the parts, and returns an error if an edit survives that has no
// argument, or an argument is about none that does.
func judge(edits []edit, known map[string]result, why map[string]string) error {
	wrong := 0
	count := map[string]map[string]int{}
	for _, p := range parts {
		count[p] = map[string]int{}
	}
	for _, e := range edits {
		r, ok := known[e.ID]
		switch {
		case !ok:
			count[e.pkg]["not tried"]++
		case r.verdict == survived && why[e.ID] != "":
			count[e.pkg]["harmless"]++
		default:
			count[e.pkg][r.verdict]++
			if r.verdict == survived || r.verdict == unnoticed && why[e.ID] == "" {
				wrong++
				fmt.Printf("\nnobody notices %s\n%s", e.ID, e.Text())
			}
			if why[e.ID] != "" && r.verdict != unnoticed {
				wrong++
				fmt.Printf("\n%s is %s, and is argued to be harmless\n", e.ID, r.verdict)
			}
		}
	}
	for id := range why {
		if !slices.ContainsFunc(edits, func(e edit) bool { return e.ID == id }) {
			wrong++
			fmt.Printf("\nan argument is about %s, which is no edit\n", id)
		}
	}
	columns := []string{killed, "harmless", unnoticed, survived, "not tried"}
	fmt.Printf("\n%-10s", "")
	for _, c := range columns {
		fmt.Printf(" %10s", c)
	}
	for _, p := range parts {
		fmt.Printf("\n%-10s", p)
		for _, c := range columns {
			fmt.Printf(" %10d", count[p][c])
		}
	}
	fmt.Println()
	if wrong > 0 {
		return fmt.Errorf("%d edits survive without an argument, or have one and do not", wrong)
	}
	return nil
}
