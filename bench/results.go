package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
)

// Results is what a session has measured: the content of results.json.
type Results struct {
	Machine string   `json:"machine"`
	Tools   string   `json:"tools"`
	Before  string   `json:"before,omitempty"` // what -against was given
	Load    []string `json:"load"`             // at the begin and at the end
	Seconds int      `json:"seconds"`
	Later   []Later  `json:"later,omitempty"`
	Rows    []Result `json:"rows,omitempty"`
	Surveys []Survey `json:"surveys,omitempty"`
}

// A Later is a session of some rows, which have been put among those of another one.
type Later struct {
	Machine string   `json:"machine"`
	Tools   string   `json:"tools"`
	Load    []string `json:"load"`
	Seconds int      `json:"seconds"`
	Of      []string `json:"of"` // the keys of its rows, and the titles of its surveys
}

// A Result is a row.
type Result struct {
	Key       string `json:"key"`
	Title     string `json:"title"`
	Unit      string `json:"unit"`
	Turns     int    `json:"turns"`     // that count
	Discarded int    `json:"discarded"` // turns that others disturbed
	Disturbed bool   `json:"disturbed"` // too few were calm, so the least disturbed ones count
	Lines     []Line `json:"lines,omitempty"`
}

// A Line is a contender. Times are of an operation.
type Line struct {
	By     string  `json:"by"`
	Name   string  `json:"name"`
	Rounds int     `json:"rounds"`
	Min    float64 `json:"min"`
	P50    float64 `json:"p50"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
	Allocs float64 `json:"allocs"`
}

// Who a Line is by.
const (
	byOurs   = "ours"
	byGo     = "Go"
	byRust   = "Rust"
	byBefore = "before" // ours, of the binary of -against
)

// A Survey is what is no time of a round.
type Survey struct {
	Title  string      `json:"title"`
	Column string      `json:"column"`
	Lines  [][2]string `json:"lines"`
}

func readResults(name string) (*Results, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	return r, json.Unmarshal(text, r)
}

// write writes a contender a line.
func (r *Results) write(name string) error {
	var to bytes.Buffer
	list := func(before string, n int, element func(i int)) {
		to.WriteString(before + "[")
		for i := range n {
			if i > 0 {
				to.WriteString(",")
			}
			to.WriteString("\n")
			element(i)
		}
		to.WriteString("]")
	}
	var failed error
	// open writes an object but for the brace at its end.
	open := func(value any) {
		text, err := json.Marshal(value)
		failed = errors.Join(failed, err)
		to.Write(bytes.TrimSuffix(text, []byte("}")))
	}
	head := *r
	head.Rows, head.Surveys = nil, nil
	open(head)
	list(`,"rows":`, len(r.Rows), func(i int) {
		row := r.Rows[i]
		row.Lines = nil
		open(row)
		list(`,"lines":`, len(r.Rows[i].Lines), func(j int) {
			open(r.Rows[i].Lines[j])
			to.WriteString("}")
		})
		to.WriteString("}")
	})
	list(`,"surveys":`, len(r.Surveys), func(i int) {
		open(r.Surveys[i])
		to.WriteString("}")
	})
	to.WriteString("}\n")
	if failed != nil {
		return failed
	}
	return os.WriteFile(name, to.Bytes(), 0o644)
}

// find returns a line, or nil. by is one of the constants above.
func (r *Results) find(key, by, name string) *Line {
	for i := range r.Rows {
		if r.Rows[i].Key != key {
			continue
		}
		for j := range r.Rows[i].Lines {
			if l := &r.Rows[i].Lines[j]; l.By == by && l.Name == name {
				return l
			}
		}
	}
	return nil
}

func (r *Results) row(key string) *Result {
	i := slices.IndexFunc(r.Rows, func(row Result) bool { return row.Key == key })
	if i < 0 {
		return nil
	}
	return &r.Rows[i]
}

// round keeps four digits.
func round(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// lineOf is a contender's rounds in the unit.
func lineOf(by string, all []measured, unit float64) Line {
	l := Line{By: by, Name: all[0].Name, Allocs: round(all[0].Allocs)}
	var times []float64
	for _, r := range all {
		for _, t := range r.Times {
			times = append(times, float64(t)/r.Ops/unit)
		}
	}
	slices.Sort(times)
	at := func(quantile float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return round(times[int(quantile*float64(len(times)-1))])
	}
	l.Rounds, l.Min, l.P50, l.P90, l.P99 = len(times), at(0), at(0.5), at(0.9), at(0.99)
	return l
}
