package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

func sampleCheckpoint() *checkpointFile {
	return &checkpointFile{
		Asked: []askedFor{{"-run", "A"}, {"the source of x", "12345678"}},
		Runs: []keptRun{
			{
				Package: "x", Test: "TestA", Ended: true,
				Results: []keptResult{
					{Result: proved("TestA")}, {Result: failing("TestA/b"), Said: "a report"},
				},
				Skips: []wire.Skip{{Test: "TestA/c", Why: "slow"}},
				Marks: []map[string][]byte{{"f.go": {0, 1}}}, Failed: true, Seconds: 1.5,
			},
			{
				Package: "x", Test: "TestB", Race: true, Said: "something",
				State: &wire.Checkpoint{Check: "TestB", State: json.RawMessage(`{"n":1}`)},
			},
		},
	}
}

// A checkpoint is read as it was written, and not at all if a byte of it is missing or another one.
func TestADamagedCheckpointIsRefused(t *testing.T) {
	want := sampleCheckpoint()
	text, err := want.text()
	require.NoError(t, err)
	got, err := parseCheckpoint(text)
	require.NoError(t, err)
	require.Equal(t, want, got)

	for n := range text {
		_, err := parseCheckpoint(text[:n])
		require.Error(t, err, "%d bytes", n)
		for bit := range 8 {
			text[n] ^= 1 << bit
			_, err := parseCheckpoint(text)
			require.Error(t, err, "byte %d, bit %d", n, bit)
			text[n] ^= 1 << bit
		}
	}
	for _, more := range []string{" ", "\n", "{}"} {
		_, err = parseCheckpoint(append(append([]byte{}, text...), more...))
		require.ErrorContains(t, err, "damaged")
	}
	_, err = parseCheckpoint(text[:len(text)-7])
	require.ErrorContains(t, err, "is cut short: it has")
	_, err = parseCheckpoint(nil)
	require.ErrorContains(t, err, "is no checkpoint")
	newer := strings.Replace(string(text), "checkpoint 1 ", "checkpoint 2 ", 1)
	_, err = parseCheckpoint([]byte(newer))
	require.ErrorContains(t, err, "has version 2, this surewake reads version 1")
	for _, content := range []string{`{"asked":[],"runs":[]}`, `{"asked":[{"what":"x"}],"new":1}`} {
		other := &checkpointFile{}
		require.NoError(t, json.Unmarshal([]byte(content), other))
		text := lineFor([]byte(content))
		_, err = parseCheckpoint(append(text, content...))
		require.ErrorContains(t, err, "is damaged", content)
	}
}

// Whatever the file has, it is refused or is what some checkpoint is written as.
func FuzzParseCheckpoint(f *testing.F) {
	text, err := sampleCheckpoint().text()
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte("surewake checkpoint 1 2 00\n{}"))
	f.Add([]byte("surewake checkpoint 1 -1 \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parseCheckpoint(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := file.text()
		require.NoError(t, err)
		same, err := parseCheckpoint(again)
		require.NoError(t, err)
		require.Equal(t, file, same)
	})
}

// A file is replaced as a whole or not at all.
func TestAFileIsReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	require.NoError(t, replaceFile(name, []byte("first")))
	require.NoError(t, replaceFile(name, []byte("second")))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "second", string(text))
	require.Error(t, replaceFile(filepath.Join(dir, "none", "file"), nil))

	// Where the new text cannot be completed, the old one stays.
	require.NoError(t, os.Mkdir(name+".new", 0o777))
	require.Error(t, replaceFile(name, []byte("third")))
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "second", string(text))
}

// What is different is named, all of it.
func TestDifferencesAreNamed(t *testing.T) {
	a := []askedFor{{"-run", "A"}, {"-seed", "1"}, {"test x.TestA", "there"}}
	require.Empty(t, differences(a, a))
	b := []askedFor{{"-run", "A"}, {"-seed", "2"}, {"test x.TestB", "there"}}
	require.Equal(t, `-seed was "1", is "2", test x.TestA was "there", is "", `+
		`test x.TestB was "", is "there"`, differences(a, b))
}

// keptScenarios checks scenarios with a checkpoint.
func keptScenarios(t *testing.T, opts Options, tests ...string) ([]Row, Summary, error) {
	t.Helper()
	return keptOf(t, "1f3a9c2e", opts, tests...)
}

// keptOf is keptScenarios of a package with that hash of its source.
func keptOf(t *testing.T, source string, opts Options, tests ...string) ([]Row, Summary, error) {
	t.Helper()
	require.NoError(t, opts.normalize())
	dir := t.TempDir()
	packages := []instrument.Package{
		{Path: "example.com/ring", Dir: dir, Checks: tests, Tests: true, Source: source},
	}
	p, err := plan(packages, dir, &opts)
	require.NoError(t, err)
	r, err := newRunner(&opts, fakeTarget{})
	require.NoError(t, err)
	defer r.close()
	kept, err := opts.openCheckpoint()
	if err != nil {
		return nil, Summary{}, err
	}
	defer kept.release()
	var l listener
	sum, err := r.allKept(t.Context(), p, &l, kept)
	return l.rows, sum, err
}

// A result is not kept without what the check has reached.
func TestAResultIsKeptWithItsCoverage(t *testing.T) {
	dir := t.TempDir()
	opts := Options{
		Checkpoint: filepath.Join(dir, "checkpoint"), CoverProfile: filepath.Join(dir, "profile"),
	}
	t.Setenv("REACHED", "")
	rows, _, err := keptScenarios(t, opts, "TestReached")
	require.NoError(t, err)
	require.Equal(t, Undecided, rows[0].Verdict)
	t.Setenv("REACHED", "1")
	for range 2 {
		rows, _, err = keptScenarios(t, opts, "TestReached")
		require.NoError(t, err)
		require.Equal(t, Bounded, rows[0].Verdict, rows[0].Message)
	}
	text, err := os.ReadFile(opts.Checkpoint)
	require.NoError(t, err)
	file, err := parseCheckpoint(text)
	require.NoError(t, err)
	require.True(t, file.Finished)
	require.Equal(t, []map[string][]byte{{"ring.go": {1}}}, file.Runs[0].Marks)
}

// A failure is not kept without what decides it.
func TestAFailureIsKeptWithWhatDecidesIt(t *testing.T) {
	opts := Options{Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
	t.Setenv("REACHED", "")
	rows, _, err := keptScenarios(t, opts, "TestDecidedLate")
	require.NoError(t, err)
	require.Nil(t, rows[0].Trace.Reversal)
	t.Setenv("REACHED", "1")
	for range 2 {
		rows, _, err = keptScenarios(t, opts, "TestDecidedLate")
		require.NoError(t, err)
		require.Equal(t, "assertion failed: lost 3", rows[0].Message)
		require.Equal(t, &wire.Reversal{First: 1, Second: 2}, rows[0].Trace.Reversal)
	}
}

// A process that dies is gone on with by the next command: it is told what has ended and where the
// check was that had not. What has ended is not started again.
func TestTheNextCommandGoesOn(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	t.Setenv("KEPT_LOG", log)
	var said []string
	opts := Options{
		Checkpoint: filepath.Join(dir, "checkpoint"), SaveEvery: time.Millisecond,
		Say: func(text string) { said = append(said, text) },
	}
	started := func() string {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		return string(text)
	}
	rows, _, err := keptScenarios(t, opts, "TestKept", "TestProved")
	require.NoError(t, err)
	require.Len(t, rows, 3, "TestKept/c has no result")
	require.Equal(t, "begins\n", started())
	require.Empty(t, said)

	rows, sum, err := keptScenarios(t, opts, "TestKept", "TestProved")
	require.NoError(t, err)
	require.Equal(t, "begins\ngoes on with 7 after TestKept/a TestKept/b\n", started())
	require.Contains(t, said[0], "which has 3 results and the state of 1 check under way")
	require.Equal(t, 4, sum.Checks)
	var names []string
	for _, r := range rows {
		names = append(names, r.Name+" "+r.Verdict)
	}
	require.Equal(t, []string{
		"TestKept/a bounded", "TestKept/b FAILED", "TestKept/c bounded", "TestProved bounded",
	}, names)
	require.Contains(t, rows[1].Message, "/src/ring/ring.go:31", "what it printed is kept")

	again, sumAgain, err := keptScenarios(t, opts, "TestKept", "TestProved")
	require.NoError(t, err)
	require.Equal(t, rows, again)
	require.Equal(t, sum, sumAgain)
	require.Contains(t, said[1], "all has ended before")
	require.Equal(t, 2, strings.Count(started(), "\n"), "nothing is run")

	opts.Seed = 7
	_, _, err = keptScenarios(t, opts, "TestKept", "TestProved")
	require.ErrorContains(t, err, `is of something else: -seed was "0", is "7"; go on with`)
	opts.Seed = 0
	_, _, err = keptOf(t, "00000000", opts, "TestKept", "TestProved")
	require.ErrorContains(t, err,
		`the source of example.com/ring was "1f3a9c2e", is "00000000"`)
	_, _, err = keptScenarios(t, opts, "TestKept")
	require.ErrorContains(t, err, `test example.com/ring.TestProved was "there", is ""`)
}
