package fuzz_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
)

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	native.stop()
	exploring.stop()
	if dir, err := buildDir(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var (
	native    = &server{binary: nativeBinary(false)}
	exploring = &server{binary: exploringBinary(false)}
)

const (
	nativeRuns = 60
	oneOutcome = 20    // native runs of programs with one outcome
	executions = 3_000 // of a search
	fewer      = 300   // of most searches without reduction; random schedules sample the rest
	samples    = 100   // so many of them
)

// searches asks for the search with reduction and for the one without. The latter is the costlier
// one by far: it gets as many executions only if all is set, and for some of the seeds.
func searches(p prog.Program, seed uint64, all bool) serve.Request {
	r := serve.Request{
		Program: p, Mode: serve.Both, Seed: seed,
		Runs: executions, Every: fewer, Samples: samples,
	}
	if all || seed%8 == 0 {
		r.Every = executions
	}
	return r
}

// A tally is what the comparison of programs covered.
type tally struct {
	Programs  int
	Large     int // with too many traces: not compared
	Long      int // with too many schedules: compared with a part of the search without reduction
	Refused   int // not modelled
	Crashing  int // with a panic that nobody recovers
	Stuck     int // with an outcome in which goroutines wait for ever
	Early     int // compared with an early timer
	Bubbles   int // compared in a bubble, too
	Explored  int // outcomes
	Witnessed int // those of them that a native run had
}

// difference says in which way what Go does with a program is not what the
// checker does, or "".
func difference(p prog.Program, runs int, seed uint64, sum *tally) (string, error) {
	sum.Programs++
	r := searches(p, seed, runs > nativeRuns)
	got, err := exploring.ask(r)
	switch {
	case err != nil:
		return "", fmt.Errorf("exploring: %w", err)
	case got.Failure != "":
		return "the exploration failed: " + got.Failure, nil
	case got.Refused != "":
		sum.Refused++
		return "", nil
	case got.Bounded:
		sum.Large++
		return "", nil
	}
	all := *got.Every
	switch {
	case all.Failure != "":
		return "the exploration without reduction failed: " + all.Failure, nil
	case got.Crash == "" && all.Crash != "",
		got.Crash != "" && all.Crash == "" && !all.Bounded:
		return fmt.Sprintf("crash with reduction: %q, without: %q", got.Crash, all.Crash), nil
	case got.Crash != "":
		// The search need not find what else there is.
	default:
		if d := lacking(all, got); d != "" {
			return "explored without reduction, but not with:\n" + d, nil
		}
		if all.Bounded {
			sum.Long++
			break
		}
		if d := lacking(got, all); d != "" {
			return "explored with reduction, but not without:\n" + d, nil
		}
	}
	if got.Crash != "" {
		// The process would end, with all that it had seen.
		sum.Crashing++
		return "", nil
	}
	inBubble := got
	if p.Timed() && !p.Bubbled() {
		if d, err := early(r, sum); d != "" || err != nil {
			return d, err
		}
		r.Bubble = true
		if inBubble, err = exploring.ask(r); err != nil || inBubble.Failure != "" {
			return inBubble.Failure, err
		}
		if d := differs(inBubble, sum); d != "" {
			return "in a bubble " + d, nil
		}
	}
	if len(got.Complete)+len(got.Stuck) == 1 && runs == nativeRuns {
		runs = oneOutcome
	}
	ran, err := native.ask(serve.Request{Program: p, Mode: serve.Native, Runs: runs, Seed: seed})
	if err != nil {
		return "", fmt.Errorf("running: %w", err)
	}
	sum.Explored += len(got.Complete) + len(got.Stuck)
	sum.Witnessed += len(ran.Complete) + len(ran.Stuck)
	if len(got.Stuck) > 0 {
		sum.Stuck++
	}
	if d := lacking(ran, got); d != "" {
		return "run by Go, but not explored:\n" + d, nil
	}
	if d := lacking(ran, inBubble); d != "" && !inBubble.Bounded {
		return "run by Go, but not explored in a bubble:\n" + d, nil
	}
	return "", nil
}

// differs says in which way an exploration with reduction is not the one without, or "".
func differs(got serve.Answer, sum *tally) string {
	if got.Bounded || got.Every == nil || got.Crash != "" {
		return ""
	}
	all := *got.Every
	if all.Failure != "" {
		return all.Failure
	}
	if d := lacking(all, got); d != "" {
		return "explored without reduction, but not with:\n" + d
	}
	if all.Bounded {
		return ""
	}
	sum.Bubbles++
	if d := lacking(got, all); d != "" {
		return "explored with reduction, but not without:\n" + d
	}
	return ""
}

// early says in which way what is explored of a program, one timer of which may come early, is not
// what is explored without reduction, or "".
func early(r serve.Request, sum *tally) (string, error) {
	r.Early = 1
	got, err := exploring.ask(r)
	if err != nil || got.Failure != "" || got.Every == nil {
		return got.Failure, err
	}
	all := *got.Every
	switch {
	case all.Failure != "":
		return all.Failure, nil
	case got.Crash != "" || all.Crash != "":
		return "", nil
	}
	if d := lacking(all, got); d != "" {
		return "with an early timer explored without reduction, but not with:\n" + d, nil
	}
	if all.Bounded {
		return "", nil
	}
	sum.Early++
	if d := lacking(got, all); d != "" {
		return "with an early timer explored with reduction, but not without:\n" + d, nil
	}
	return "", nil
}

// lacking lists the outcomes of a that b lacks, and then those that b has.
func lacking(a, b serve.Answer) string {
	var out strings.Builder
	missing := func(what string, a, b map[string]int) {
		for _, o := range slices.Sorted(maps.Keys(a)) {
			if b[o] == 0 {
				fmt.Fprintf(&out, "  %s, %d times: %s\n", what, a[o], o)
			}
		}
	}
	missing("complete", a.Complete, b.Complete)
	missing("stuck", a.Stuck, b.Stuck)
	if out.Len() == 0 {
		return ""
	}
	out.WriteString("against\n")
	missing("complete", b.Complete, nil)
	missing("stuck", b.Stuck, nil)
	return out.String()
}

// kept is a program of the corpus.
type kept struct {
	About   string       `json:"about"` // what was wrong
	Program prog.Program `json:"program"`
}

const corpus = "testdata/programs"

var keeps = flag.Bool("keep", false, "write programs that show a difference to "+corpus)

// keep says how a failing program gets into the corpus, or writes it there.
func keep(g group, p prog.Program, about string) string {
	text, err := json.MarshalIndent(kept{about, p}, "", "  ")
	if err != nil {
		return err.Error()
	}
	if !*keeps {
		return fmt.Sprintf("to be kept in %s:\n%s", corpus, text)
	}
	h := fnv.New32()
	fmt.Fprint(h, p)
	file := fmt.Sprintf("%s-%08x.json", strings.ReplaceAll(g.name, " ", "-"), h.Sum32())
	name := filepath.Join(corpus, file)
	if err := os.MkdirAll(corpus, 0o777); err != nil {
		return err.Error()
	}
	if err := os.WriteFile(name, append(text, '\n'), 0o666); err != nil {
		return err.Error()
	}
	return name
}

// Whatever a program does when Go runs it, the checker explores; and it explores
// what it would without reduction.
func TestProgramsDoWhatIsExplored(t *testing.T) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			c := comparison{group: g, runs: nativeRuns}
			t.Cleanup(func() { c.end(t) })
			rapid.Check(t, c.check)
			require.Less(t, 10*(c.sum.Large+c.sum.Refused), c.sum.Programs,
				"too few programs were of use")
		})
	}
}

// FuzzPrograms is TestProgramsDoWhatIsExplored on programs of all groups.
func FuzzPrograms(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		c := comparison{group: groups[int(data[0])%len(groups)], runs: nativeRuns}
		defer c.end(t)
		rapid.MakeFuzz(c.check)(t, data[1:])
	})
}

// A comparison draws programs of a group until one shows a difference, and then
// smaller ones that do.
type comparison struct {
	group    group
	runs     int
	sum      tally
	smallest prog.Program
	about    string
}

func (c *comparison) check(t *rapid.T) {
	p := c.group.generator().Draw(t, "program")
	d, err := difference(p, c.runs, rapid.Uint64().Draw(t, "seed"), &c.sum)
	if err != nil {
		d = err.Error()
	}
	if d != "" {
		c.runs = 20 * nativeRuns // so that a smaller program shows it too
		c.smallest, c.about = p, d
		t.Fatalf("%v\n%v", p, d)
	}
}

func (c *comparison) end(t testing.TB) {
	if c.about != "" {
		t.Log(keep(c.group, c.smallest, c.about))
	}
	if testing.Verbose() {
		t.Logf("%+v", c.sum)
	}
}

// Programs that showed a difference once show it no more.
func TestKeptPrograms(t *testing.T) {
	files, err := filepath.Glob(corpus + "/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var k kept
			require.NoError(t, json.Unmarshal(text, &k))
			d, err := difference(k.Program, 10*nativeRuns, 1, &tally{})
			require.NoError(t, err)
			require.Empty(t, d, "%v\nOnce: %s", k.Program, k.About)
		})
	}
}
