package driver

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/mutant"
)

// A package has the mutants of its own directory, and those that name it; each once for everybody
// who is named there.
func TestMutantsAreFoundInTheirPackageAndWhereTheyName(t *testing.T) {
	root := t.TempDir()
	write := func(file, killers string) {
		file = filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(
			t, os.WriteFile(file, []byte("A bug.\n"+killers+"\n-- p/p.go: F --\n- one\n"), 0o666),
		)
	}
	write("p/testdata/mutants/B2.mutant", "")
	write(
		"p/testdata/mutants/A1-room.mutant",
		"Killed by TestRoom\nKilled by TestQ in q\nKilled by TestWall\n",
	)
	write("p/testdata/mutants/README.md", "")
	write("p/testdata/mutants/more/A2.mutant", "Killed by TestQ in q\n")
	write("q/testdata/mutants/Q.mutant", "")
	p := instrument.Package{Path: "p", Dir: filepath.Join(root, "p")}
	q := instrument.Package{Path: "q", Dir: filepath.Join(root, "q")}
	for _, c := range []struct {
		pkg  instrument.Package
		more bool
		want []string // the ids, and who is asked first
	}{
		{p, false, []string{"A1-room TestRoom", "A1-room TestWall", "B2 "}},
		{p, true, []string{"A1-room TestRoom", "A1-room TestWall", "B2 "}},
		{q, false, []string{"Q ", "p/A1-room TestQ"}},
		{q, true, []string{"Q ", "p/A1-room TestQ", "p/A2 TestQ"}},
		{instrument.Package{Path: "r", Dir: filepath.Join(root, "r")}, true, nil},
	} {
		packages := []instrument.Package{c.pkg}
		all, err := findMutants(packages, packages, root, c.more)
		require.NoError(t, err)
		var ids []string
		for _, m := range all {
			require.Equal(t, c.pkg, m.pkg)
			ids = append(ids, m.id+" "+m.suspect)
		}
		require.Equal(t, c.want, ids)
	}
}

// A package that is not selected takes part where a mutant of a selected one names it, and with
// that mutant only.
func TestMutantsAreKilledElsewhereToo(t *testing.T) {
	root := t.TempDir()
	for file, killers := range map[string]string{
		"p/testdata/mutants/P.mutant": "Killed by TestQ in q\n",
		"q/testdata/mutants/Q.mutant": "",
		"r/testdata/mutants/R.mutant": "Killed by TestQ in q\n",
	} {
		file = filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		text := "A bug.\n" + killers + "\n-- p/p.go: F --\n- one\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	p := instrument.Package{Path: "p", Dir: filepath.Join(root, "p")}
	q := instrument.Package{Path: "q", Dir: filepath.Join(root, "q")}

	patterns, err := killersElsewhere([]instrument.Package{p}, root, false)
	require.NoError(t, err)
	require.Equal(t, []string{"./q"}, patterns)
	patterns, err = killersElsewhere([]instrument.Package{p, q}, root, false)
	require.NoError(t, err)
	require.Empty(t, patterns)

	all, err := findMutants([]instrument.Package{p}, []instrument.Package{p, q}, root, false)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "p/P", all[0].id)
	require.Equal(t, q, all[0].pkg)
}

func TestMutantsAreAppliedInMemory(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(root, "p", "p.go")
	require.NoError(t, os.Mkdir(filepath.Join(root, "p"), 0o777))
	require.NoError(
		t, os.WriteFile(source, []byte("package p\n\nfunc F() int { return 1 }\n"), 0o666),
	)
	j := judge{root: root}
	replace, err := j.mutate(
		&mutant.Mutant{
			Edits: []mutant.Edit{{File: "p/p.go", Decl: "F", Old: "return 1", New: "return 2"}},
		},
	)
	require.NoError(t, err)
	require.Equal(
		t, map[string][]byte{source: []byte("package p\n\nfunc F() int { return 2 }\n")}, replace,
	)

	_, err = j.mutate(
		&mutant.Mutant{Edits: []mutant.Edit{{File: "p/q.go", Decl: "F", Old: "1", New: "2"}}},
	)
	require.ErrorContains(t, err, "open "+filepath.Join(root, "p", "q.go"))
}

func TestWhoAlwaysObjectsHasFoundNothing(t *testing.T) {
	var j judge
	asked := 0
	fails := func(failed bool, err error) func() (bool, error) {
		return func() (bool, error) { asked++; return failed, err }
	}
	for range 3 {
		require.NoError(t, j.presume("a", "TestA", fails(false, nil)))
		require.ErrorContains(
			t, j.presume("b", "TestB", fails(true, nil)),
			"TestB fails on the unchanged source, too",
		)
		require.ErrorContains(
			t, j.presume("c", "TestC", fails(false, errors.New("disk full"))), "disk full",
		)
	}
	require.Equal(t, 3, asked, "each is asked once")
}

func TestTheFirstFailingTestIsNamed(t *testing.T) {
	e := readTestEvents([]byte(`{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 1s\n"}
{"Action":"fail","Package":"p","Test":"TestA/sub"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`))
	require.Equal(t, "TestA/sub", e.failing)
	require.Equal(t, "panic: test timed out after 1s\n", e.text)
	require.False(t, e.broken)

	e = readTestEvents(
		[]byte(
			`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: in another goroutine\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
		),
	)
	require.Equal(t, "TestA", e.failing)

	e = readTestEvents(
		[]byte(`{"ImportPath":"p [p.test]","Action":"build-output","Output":"./p.go:3:1: oops\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`),
	)
	require.Empty(t, e.failing)
	require.Contains(t, e.text, "./p.go:3:1: oops")
	require.True(t, e.broken)
}

// If there is not time for all, the first mutant of each hazard comes before the second of any. One
// that several tests must object to stays together. Those that need their own build come last.
func TestMutantsOfDifferentHazardsComeFirst(t *testing.T) {
	var all []candidate
	for _, name := range []string{
		"a/D1", "a/D1-again", "a/D1-more", "a/D2-x", "a/D2-x", "a/D2-y", "a/D3", "a/D3", "a/plain",
		"a/plainer", "b/D1",
	} {
		home, id := filepath.Split(name)
		all = append(all, candidate{id: name, file: mutant.File{ID: id, Home: home, Path: name}})
	}
	all[7].suspect = "TestAllocations"
	spread(all, func(m candidate) bool { return m.suspect != "" })
	var ids []string
	for _, m := range all {
		ids = append(ids, m.id)
	}
	require.Equal(t, []string{
		"a/D1", "a/D2-x", "a/D2-x", "a/plain", "b/D1", "a/D1-again", "a/D2-y", "a/plainer",
		"a/D1-more", "a/D3", "a/D3",
	}, ids)
}

// Tests that are ended as their time is up are told from those that fail.
func TestTestsThatAreLateAreToldFromThoseThatFail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p_test.go", `package p

import "testing"

func TestFails(t *testing.T) { t.Fail() }

func TestStays(t *testing.T) { <-make(chan int) }
`)
	p := instrument.Package{Dir: dir}
	got, err := goTest(t.Context(), p, "", nil, "TestFails", time.Minute)
	require.NoError(t, err)
	require.Equal(t, "TestFails", got.failing)
	require.False(t, got.late)
	got, err = goTest(t.Context(), p, "", nil, "TestStays", time.Second)
	require.NoError(t, err)
	require.Equal(t, "TestStays", got.failing)
	require.True(t, got.late)
}

// A test that has no time to end though nothing is wrong, as it takes long or the machine is busy,
// gets more of it.
func TestATestThatIsLateGetsTheTimeThatItTakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	source := filepath.Join(dir, "p.go")
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p.go", "package p\n\nfunc F() {}\n")
	write("p_test.go", `package p

import (
	"testing"
	"time"
)

func TestF(t *testing.T) { F(); time.Sleep(4 * time.Second) }
`)
	j := &judge{options: &Options{}, testsTimeout: time.Second / 2}
	p := instrument.Package{Path: "p", Dir: dir, Tests: true}
	_, err := goTest(t.Context(), p, "", nil, "TestF", ownTimeout) // Go has the result
	require.NoError(t, err)
	own, err := j.ownTime(t.Context(), p, "TestF")
	require.NoError(t, err)
	require.GreaterOrEqual(t, own, 4*time.Second)
	replace := map[string][]byte{source: []byte("package p\n\nfunc F() { }\n")}
	killer, err := j.tests(t.Context(), p, replace, "TestF")
	require.NoError(t, err)
	require.Empty(t, killer)
}

// Go takes the name of a folder from PWD: if it has two, a mutant is put in by the one by which it
// is listed.
func TestMutantsBehindALink(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(t.TempDir(), dir))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p.go", "package p\n\nfunc F() int { return 1 }\n")
	write("p_test.go", `package p

import "testing"

func TestF(t *testing.T) {
	if F() != 1 {
		t.Fail()
	}
}
`)
	replace := map[string][]byte{
		filepath.Join(dir, "p.go"): []byte("package p\n\nfunc F() int { return 2 }\n"),
	}
	p := instrument.Package{Path: "p", Dir: dir}
	got, err := goTest(t.Context(), p, "", replace, "TestF", time.Minute)
	require.NoError(t, err)
	require.Equal(t, "TestF", got.failing)

	out, err := run(t.Context(), dir, nil, "go", "list", "-f", "{{.Dir}}")
	require.NoError(t, err)
	require.Equal(t, dir+"\n", string(out))
}

// Random tests by rapid are told to make no failing input smaller, and to keep none; unless the
// environment says otherwise.
func TestRandomTestsThatFindAMutantAreQuiet(t *testing.T) {
	for _, name := range []string{"RAPID_SHRINKTIME", "RAPID_NOFAILFILE"} {
		t.Setenv(name, "") // puts it back
		require.NoError(t, os.Unsetenv(name))
	}
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("p_test.go", `package p

import (
	"os"
	"testing"
)

func TestIsQuiet(t *testing.T) {
	if os.Getenv("RAPID_SHRINKTIME") != "0s" || os.Getenv("RAPID_NOFAILFILE") != "true" {
		t.Fail()
	}
}
`)
	objects := func() (killer string, err error) {
		alone, err := goTest(
			t.Context(), instrument.Package{Dir: dir}, "", nil, "", time.Minute,
		)
		require.NoError(t, err)
		_, err = run(t.Context(), dir, nil, "go", "test", "-count=1")
		return alone.failing, err
	}
	killer, err := objects()
	require.NoError(t, err)
	require.Empty(t, killer)
	t.Setenv("RAPID_SHRINKTIME", "1s")
	killer, err = objects()
	require.Error(t, err)
	require.Equal(t, "TestIsQuiet", killer)
}
