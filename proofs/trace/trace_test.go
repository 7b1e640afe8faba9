package trace_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/spec"
	"github.com/surewake/surewake/proofs/trace"
)

var enduranceFor = flag.Duration("endurance", 0, "how long TestEnduranceIsTheTable runs")

const root = "../.."

// edited is the shipped code with the edits of a file in the form of mutants.
func edited(t *testing.T, name string) map[string][]byte {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	m, err := mutant.Parse(text)
	require.NoError(t, err)
	changed, err := m.Apply(func(file string) ([]byte, error) {
		return os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	})
	require.NoError(t, err)
	return changed
}

// build returns a program that records.
func build(t *testing.T, pkg string, edited map[string][]byte, how ...string) string {
	t.Helper()
	dir, err := filepath.Abs(root)
	require.NoError(t, err)
	scratch := t.TempDir()
	program := filepath.Join(scratch, "program")
	require.NoError(t, trace.Build(t.Context(), dir, pkg, program, scratch, edited, how...))
	return program
}

// record runs a program and returns the file of its trace. The program may fail, or hang: what it
// has done before is there.
func record(t *testing.T, program, dir string, events int, length time.Duration,
	args ...string) (file string, err error) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "trace")
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "SUREWAKE_TRACE="+file,
		fmt.Sprint("SUREWAKE_TRACE_EVENTS=", events))
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return file, err
}

func judge(t *testing.T, file string, tables trace.Tables) (trace.Verdict, error) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return trace.Judge(bytes.NewReader(text), tables)
}

const work = "./proofs/trace/testdata/work"

// What real threads have done, with more workers than a word of the bitmap has bits, is what the
// tables of idle and park allow.
func TestRealWorkIsTheTable(t *testing.T) {
	program := build(t, work, nil, "build")
	used := map[string]int{}
	var last string
	for _, workers := range []int{65, 130, 300} { // of 300 all but one begin dormant
		file, err := record(t, program, "", 300_000, time.Minute, "-workers", fmt.Sprint(workers))
		require.NoError(t, err)
		v, err := judge(t, file, trace.Shipped())
		require.NoError(t, err)
		t.Logf("%d workers: %d events, %d accesses of %d Coordinators and %d Parkers; the highest "+
			"worker claimed: %d", workers, v.Events, v.Accesses, v.Coordinators, v.Parkers,
			v.Highest)
		require.Equal(t, workers, v.Workers)
		require.GreaterOrEqual(t, v.Highest, 64, "nobody was claimed in the second word")
		for rule, n := range v.Rules {
			used[rule] += n
		}
		last = file
	}
	t.Run("rules", func(t *testing.T) { everyRule(t, used) })
	t.Run("tables", func(t *testing.T) { eachIsNeeded(t, last) })
}

// rare are the rules that a short run may do without.
var rare = []string{"idle/close_again", "idle/close_miss", "idle/closed", "idle/claim_one",
	"idle/recheck_work", "idle/publish", "park/again", "park/wake_nobody", "park/leave_none",
	"park/look_asleep", "park/look_over"}

// unseen are those that no trace shows.
var unseen = []string{"idle/push", "idle/push_elsewhere", "idle/take", "idle/take_searching",
	"idle/take_elsewhere", "idle/found", "idle/found_last", "idle/recheck_elsewhere"}

// replaceable are rules of park in whose place others explain a trace: what the kernel does is not
// seen, an access that changes nothing may mean nothing, and take and retake are the same access.
var replaceable = []string{"wake", "wake_nobody", "again", "announce_fails", "take", "retake",
	"look_asleep", "look_over"}

// changes reports whether a rule of idle is an access that changes something: others need not mean
// anything.
func changes(r spec.Rule) bool {
	return !strings.Contains(r.Code, ".Load") && !strings.Contains(r.Code, "through with") &&
		r.Name != "closed" && r.Name != "close_miss"
}

func everyRule(t *testing.T, used map[string]int) {
	var all []string
	for _, r := range trace.Shipped().Idle.Rules {
		all = append(all, "idle/"+r.Name)
	}
	for _, r := range trace.Shipped().Park.Rules {
		all = append(all, "park/"+r.Name)
	}
	for _, r := range all {
		if used[r] == 0 && !slices.Contains(rare, r) && !slices.Contains(unseen, r) {
			t.Errorf("no access was %s", r)
		}
	}
}

// eachIsNeeded holds a trace against tables that lack a rule: they do not allow it, if the rule is
// one of those that change something.
func eachIsNeeded(t *testing.T, file string) {
	tables := trace.Shipped()
	v, err := judge(t, file, tables)
	require.NoError(t, err)
	for _, r := range tables.Idle.Rules {
		if v.Rules["idle/"+r.Name] == 0 || slices.Contains(unseen, "idle/"+r.Name) || !changes(r) {
			continue
		}
		_, err := judge(t, file, trace.Tables{Idle: tables.Idle.Without(r.Name), Park: tables.Park})
		if err == nil {
			t.Errorf("the table of idle without %s has the trace, too", r.Name)
		}
	}
	for _, r := range tables.Park.Rules {
		if v.Rules["park/"+r.Name] == 0 || slices.Contains(replaceable, r.Name) {
			continue
		}
		_, err := judge(t, file, trace.Tables{Idle: tables.Idle, Park: tables.Park.Without(r.Name)})
		if err == nil {
			t.Errorf("the table of park without %s has the trace, too", r.Name)
		}
	}
}

// A goroutine that has begun to notify goes on with that: by a table that lacks its look, it never
// ends. Where it may have been something else, that is not missed.
func TestWhoNotifiesGoesOn(t *testing.T) {
	program := build(t, work, nil, "build")
	tables := trace.Shipped()
	tables.Idle = tables.Idle.Without("notify_leave")
	for seed := range 12 {
		file, err := record(t, program, "", 100_000, 4*time.Second, "-workers", "130", "-seed",
			fmt.Sprint(seed))
		require.NoError(t, err)
		if _, err := judge(t, file, tables); err != nil {
			return
		}
	}
	t.Error("nobody misses the looks of those who notify")
}

// A refusal names the access, the rule and where it was last possible.
func TestARefusalSaysWhere(t *testing.T) {
	program := build(t, work, edited(t, "../refine/testdata/mutants/idle-publish-swapped.mutant"),
		"build")
	refused(t, program, 65, "Add in idle.(*Coordinator).uncount, idle.go:", "rule uncount",
		"if i.at == A then", "and worker ", " in S bit=0")
}

func refused(t *testing.T, program string, workers int, texts ...string) {
	t.Helper()
	for seed := range 12 {
		file, failure := record(t, program, "", 200_000, 4*time.Second, "-workers",
			fmt.Sprint(workers), "-seed", fmt.Sprint(seed))
		v, err := judge(t, file, trace.Shipped())
		var refusal trace.Refusal
		if err == nil {
			t.Logf("accepted after %d events; the program: %v", v.Events, failure)
			continue
		}
		require.ErrorAs(t, err, &refusal)
		t.Log(refusal)
		for _, text := range texts {
			require.Contains(t, string(refusal), text)
		}
		return
	}
	t.Error("the table has all that the program did")
}

// broken are mutants of the shipped code, by package, whose order of accesses the tables do not
// have.
var broken = []struct{ pkg, mutants string }{
	{"idle", "last-searcher I2 I4 I5 close-early-look publish-counted claim-uncounted " +
		"close-keeps-bit publish-late"},
	{"park", "futex-wakes-nobody unpark-wakes-before-it-stores take-leaves-the-token " +
		"announce-overwrites-the-token"},
	{"runtime", "park-looks-first S4-recheck park-found-untold"},
}

func TestWhatBreaksTheTableIsRefused(t *testing.T) {
	for _, b := range broken {
		for i, name := range strings.Fields(b.mutants) {
			if testing.Short() && i > 0 {
				continue
			}
			t.Run(b.pkg+" "+name, func(t *testing.T) {
				if b.pkg == "park" && !park.Futex.Available() {
					t.Skip("there is no futex here")
				}
				file := filepath.Join(root, b.pkg, "testdata/mutants", name+".mutant")
				refused(t, build(t, work, edited(t, file), "build"), 65)
			})
		}
	}
}

// Who has claimed a worker and does something else before it gives the token is refused, though no
// access shows what is missing.
func TestATokenThatIsOwedIsMissed(t *testing.T) {
	program := build(t, work, edited(t, "testdata/broken/token-withheld.mutant"), "build")
	refused(t, program, 65, "is a notifier in M3(")
}

// A worker that has no goroutine until somebody has claimed it does all that the others do: it is
// published, somebody looks at the queues after that, and it wakes by its token. (runtime/R53)
func TestDormantWorkersKeepToTheTable(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/dormant/*.mutant")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			refused(t, build(t, work, edited(t, name), "build"), 300)
		})
	}
}

// Edits that change the accesses, and not what they amount to, are accepted.
func TestWhatDoesNoHarmIsAccepted(t *testing.T) {
	files, err := filepath.Glob("testdata/harmless/*.mutant")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			program := build(t, work, edited(t, name), "build")
			file, err := record(t, program, "", 100_000, time.Minute)
			require.NoError(t, err)
			v, err := judge(t, file, trace.Shipped())
			require.NoError(t, err)
			require.Equal(t, 100_000, v.Events)
		})
	}
}

// The random work of the runtime's endurance test is what the tables allow.
func TestEnduranceIsTheTable(t *testing.T) {
	if *enduranceFor == 0 {
		t.Skip("see -endurance")
	}
	program := build(t, "./runtime", nil, "test", "-c")
	for begin, n := time.Now(), 0; time.Since(begin) < *enduranceFor; n++ {
		workers := []string{"65", "130", "300"}[n%3]
		file, err := record(t, program, filepath.Join(root, "runtime"), 1<<20, 5*time.Minute,
			"-test.run", "^TestNothingIsLostInRandomWork$", "-test.v", "-endurance", "10s",
			"-endurance.workers", workers)
		if err != nil {
			t.Error(err) // the trace says more
		}
		v, err := judge(t, file, trace.Shipped())
		require.NoError(t, err)
		t.Logf("%s workers: %d events, %d accesses of %d Coordinators and %d Parkers", workers,
			v.Events, v.Accesses, v.Coordinators, v.Parkers)
		require.NotZero(t, v.Accesses)
		require.NoError(t, os.Remove(file))
	}
}
