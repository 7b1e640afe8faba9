package main

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The table, the charts and RESULTS.md are those of results.json.
func TestPagesAndChartsComeFromTheResults(t *testing.T) {
	r, err := readResults("results.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.files(read(t, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != 4 {
		t.Errorf("%d files", len(made))
	}
	for name, text := range made {
		if read(t, name) != text {
			t.Errorf("%s is not what results.json says: go run . -render results.json", name)
		}
	}
}

// Every claim has its lines in the results, every row its own.
func TestTheTableHasAVerdictForEachClaim(t *testing.T) {
	r, err := readResults("results.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range claims() {
		if _, ok := r.judge(c); !ok {
			t.Errorf("%s: no line %q, or %q by %s", c.key, c.ours, c.other, c.by)
		}
	}
	for _, row := range rows() {
		if row.key != "" && r.row(row.key) == nil {
			t.Errorf("%s: no results", row.key)
		}
	}
}

func read(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// made is the results of one row, in which ours takes 2, the other 4, plain code 3 and 5.
func made() *Results {
	line := func(by, name string, p50 float64) Line {
		return Line{By: by, Name: name, P50: p50, Min: p50}
	}
	return &Results{Before: "the day before", Rows: []Result{{
		Key: "key", Unit: "ns", Lines: []Line{
			line(byOurs, "it", 2), line(byGo, "it", 4), line(byRust, "other", 4),
			line(byGo, plainCode, 3), line(byRust, plainCode, 5), line(byBefore, "it", 1.9),
		},
	}}}
}

// What is written is read.
func TestResultsAreKept(t *testing.T) {
	r, err := readResults("results.json")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	if err := r.write(name); err != nil {
		t.Fatal(err)
	}
	again, err := readResults(name)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Error("other results:", err)
	}
	if read(t, name) != read(t, "results.json") {
		t.Error("results.json is not in the form in which it is written")
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name       string
		by, other  string
		form       form
		must, goal float64
		want       string
		figure     float64
	}{
		{"the bound is allowed", byGo, "it", ratio, 0.5, 0, "must met", 0.5},
		{"and a goal", byGo, "it", ratio, 0.9, 0.5, "goal met", 0.5},
		{"above the goal", byGo, "it", ratio, 0.5, 0.4, "must met", 0.5},
		{"above both", byGo, "it", ratio, 0.49, 0.4, "**lost**", 0.5},
		{"no bound", byGo, "it", ratio, 0, 0, "ahead", 0.5},
		{"no bound, slower", byBefore, "it", ratio, 0, 0, "**lost**", 2 / 1.9},
		{"times as fast", byGo, plainCode, speedup, 1.5, 0, "must met", 1.5},
		{"not so many", byGo, plainCode, speedup, 1.6, 0, "**lost**", 1.5},
		{"a number", "", "", absolute, 2, 0, "must met", 2},
		{"too great a number", "", "", absolute, 1.9, 0, "**lost**", 2},
		{"in plain code", byRust, "other", relative, 0, 0, "ahead", (2.0 / 3) / (4.0 / 5)},
	} {
		v, ok := made().judge(claim{"key", "", "it", c.by, c.other, c.form, c.must, c.goal, ""})
		lost := c.want == "**lost**"
		if !ok || v.text != c.want || v.lost != lost || math.Abs(v.figure-c.figure) > 1e-9 {
			t.Errorf("%s: %v, %q, %v", c.name, ok, v.text, v.figure)
		}
	}
	if _, ok := made().judge(claim{key: "key", ours: "it", by: byGo, other: "gone"}); ok {
		t.Error("a verdict without a line")
	}
}

// A row is slower than before if both its median and its fastest round are.
func TestComparisonWithBefore(t *testing.T) {
	for _, c := range []struct {
		p50, least float64
		kept       bool
		want       string
	}{
		{1.9, 1.9, true, "kept"}, {2, 1.9, true, "median only"}, {2, 2, false, "slower"},
		{1.7, 2, true, "faster"}, {1.99, 2, true, "kept"},
	} {
		r := made()
		r.Rows[0].Lines[0].P50, r.Rows[0].Lines[0].Min = c.p50, c.least
		var text strings.Builder
		if kept := r.compare(&text); kept != c.kept || !strings.Contains(text.String(), c.want) {
			t.Errorf("%v, %v: %v, %s", c.p50, c.least, kept, text.String())
		}
	}
}

// Rows of a later session take the places of the same ones, and the session says so once.
func TestRowsAreAdded(t *testing.T) {
	r := made()
	later := func(seconds int, keys ...string) *Results {
		l := &Results{Seconds: seconds, Surveys: []Survey{{Title: surveys()[0].title}}}
		for _, key := range keys {
			l.Rows = append(l.Rows, Result{Key: key, Title: key, Turns: seconds})
		}
		return l
	}
	if r.add(later(1, "key")) == nil {
		t.Error("a row has lost its lines of Rust")
	}
	r = &Results{Rows: []Result{{Key: "many"}}}
	for _, l := range []*Results{later(1, "limiter", "spawn-join"), later(2, "limiter")} {
		if err := r.add(l); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	for _, row := range r.Rows {
		keys = append(keys, row.Key)
	}
	if !slices.Equal(keys, []string{"spawn-join", "many", "limiter"}) || len(r.Surveys) != 1 ||
		r.row("limiter").Turns != 2 {
		t.Error(r)
	}
	if len(r.Later) != 2 || !slices.Equal(r.Later[0].Of, []string{"spawn-join"}) ||
		!slices.Equal(r.Later[1].Of, []string{"limiter", surveys()[0].title}) {
		t.Error(r.Later)
	}
}

func TestBlocks(t *testing.T) {
	const file = "a\n<!-- x: made by run.sh -->\nold\n<!-- end of x -->\nb\n"
	got, err := replaceBlock(file, "x", "new\n")
	if err != nil || got != strings.Replace(file, "old", "new", 1) {
		t.Error(got, err)
	}
	if _, err := replaceBlock(file, "y", ""); err == nil {
		t.Error("no error for a block that is not there")
	}
}

// A turn is disturbed if others ran, if time was stolen, or if the processor was slow.
func TestDisturbedTurns(t *testing.T) {
	second, loop := time.Second, 200*time.Microsecond
	begin := reading{at: time.Now(), known: true, loop: loop}
	end := func(change func(r *reading)) reading {
		r := begin
		r.at = r.at.Add(second)
		r.busy, r.exact, r.own = second, second, second
		change(&r)
		return r
	}
	for _, c := range []struct {
		name      string
		end       reading
		disturbed bool
	}{
		{"nothing", end(func(*reading) {}), false},
		{"others ran for long", end(func(r *reading) { r.exact += 2 * second }), true},
		{"others ran in ticks", end(func(r *reading) { r.busy += 2 * second }), true},
		{"time was stolen", end(func(r *reading) { r.stolen = 2 * second }), true},
		{"a moment of others", end(func(r *reading) { r.exact += 10 * time.Millisecond }), false},
		{"a slow processor", end(func(r *reading) { r.loop = 2 * loop }), true},
		{"one that has slept", end(func(r *reading) { r.loop = 4 * loop / 3 }), false},
		{"unknown", end(func(r *reading) { r.known, r.busy = false, 5*second }), false},
	} {
		if got := disturbance(begin, c.end, loop) > 1; got != c.disturbed {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Calm turns count; if there are too few, the least disturbed ones, and the row says so.
func TestTurnsThatCount(t *testing.T) {
	const loop = 200 * time.Microsecond
	// Others took so many hundredths of the time of all processors.
	turnOf := func(others time.Duration) turn {
		before := reading{at: time.Now(), known: true, loop: loop}
		after := before
		after.at = after.at.Add(time.Second)
		after.exact = others * time.Second / 100 * time.Duration(runtime.NumCPU())
		return turn{before: before, after: after}
	}
	for _, c := range []struct {
		others    []time.Duration
		want      []time.Duration
		disturbed bool
	}{
		{[]time.Duration{0, 1, 2, 3, 4}, []time.Duration{0, 1, 2, 3, 4}, false},
		{[]time.Duration{90, 1, 2, 80, 0}, []time.Duration{0, 1, 2}, false},
		{[]time.Duration{90, 1, 70, 80, 0}, []time.Duration{0, 1, 70}, true},
		{[]time.Duration{90, 1}, []time.Duration{1, 90}, true},
	} {
		d := &driver{turns: 5, fastest: loop}
		var turns []turn
		for _, others := range c.others {
			turns = append(turns, turnOf(others))
		}
		counted, disturbed := d.choose(turns)
		var got []time.Duration
		for _, turn := range counted {
			got = append(got, turn.after.exact*100/time.Second/time.Duration(runtime.NumCPU()))
		}
		if !slices.Equal(got, c.want) || disturbed != c.disturbed {
			t.Errorf("%v: %v, %v", c.others, got, disturbed)
		}
	}
}

// A server answers each request by one line.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a row")
	}
	var answers strings.Builder
	err := serve(strings.NewReader("open spawn-join\nrun 1\nopen nothing\nrun 1\n"), &answers)
	lines := strings.Split(answers.String(), "\n")
	if err != nil || len(lines) != 5 || !strings.Contains(lines[1], `"Spawn, Join"`) ||
		strings.Contains(lines[1], `"times":null`) || lines[2] != "[]" || lines[3] != "[]" {
		t.Error(err, lines)
	}
	if serve(strings.NewReader("close\n"), &answers) == nil {
		t.Error("no error for a request that is none")
	}
}
