package main

import (
	"cmp"
	"fmt"
	"slices"
)

// add puts the rows and surveys of a later session among those of r, in place of the same ones. It
// is an error, and r is not to be used, if a row would lose lines of a peer.
func (r *Results) add(later *Results) error {
	l := Later{later.Machine, later.Tools, later.Load, later.Seconds, nil}
	for _, row := range later.Rows {
		l.Of = append(l.Of, row.Key)
		old := r.row(row.Key)
		if old == nil {
			r.Rows = append(r.Rows, row)
			continue
		}
		for _, line := range old.Lines {
			if line.By == byRust && later.find(row.Key, byRust, line.Name) == nil {
				return fmt.Errorf("%s: no line %q by %s", row.Key, line.Name, byRust)
			}
		}
		*old = row
	}
	for _, s := range later.Surveys {
		l.Of = append(l.Of, s.Title)
		r.Surveys = slices.DeleteFunc(r.Surveys, func(old Survey) bool {
			return old.Title == s.Title
		})
		r.Surveys = append(r.Surveys, s)
	}
	for i := range r.Later { // which are measured once more
		r.Later[i].Of = slices.DeleteFunc(r.Later[i].Of, func(name string) bool {
			return slices.Contains(l.Of, name)
		})
	}
	r.Later = slices.DeleteFunc(append(r.Later, l), func(l Later) bool {
		return len(l.Of) == 0
	})
	r.sort()
	return nil
}

// sort puts rows and surveys into the order in which a session measures them.
func (r *Results) sort() {
	places := make(map[string]int)
	for i, row := range rows() {
		places[row.key] = i
	}
	slices.SortStableFunc(r.Rows, func(a, b Result) int {
		return cmp.Compare(places[a.Key], places[b.Key])
	})
	for i, s := range surveys() {
		places[s.title] = i
	}
	slices.SortStableFunc(r.Surveys, func(a, b Survey) int {
		return cmp.Compare(places[a.Title], places[b.Title])
	})
}
